//! The time that a path takes of its stations, where these share the medium.

use super::Service;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;
use tworay_base::{NodeId, SimDuration, SimTime};

/// Latest packets whose times are kept: as many as one station sends while another one gives up a packet. Seven attempts take up to
/// 4,000 slots of backoff (802.11's windows of 31 to 1,023), and a station that never fails counts 7 to 15 between two packets.
const LATEST: usize = 512;

/// Time for which booked spans are kept: longer than a MAC tries to send a packet.
const KEPT: SimDuration = SimDuration::from_secs(1);

/// Time before an outage in which packets are counted.
const COUNTED: SimDuration = SimDuration::from_secs(2);

/// A span of time.
type Span = (SimTime, SimTime);

/// Stations that share the medium with another one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sharing {
    /// Relays of its packets whose frames it senses.
    pub relays: SmallVec<[NodeId; 4]>,
    /// Stations before it on their path that sense its own.
    pub before: SmallVec<[NodeId; 4]>,
    /// All stations that send the packets of that path.
    pub path: Arc<[NodeId]>,
}

/// Packets that a station has sent, and the stations that share its time.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathTime {
    /// Number of packets that it has sent since the start, and when it sent the latest ones.
    sent: usize,
    latest: Vec<SimTime>,
    /// Packets that the station before it has sent in time that this one has lost to outages.
    beside: usize,
    /// Packets that waited when it last lost time to an outage after it had sent one, and how many it had sent by then.
    waiting: (usize, usize),
    /// Spans that noise has cost its queue, in order; they don't overlap.
    booked: VecDeque<Span>,
    pub sharing: Sharing,
    /// Longest time of the exchange for one of its packets.
    pub exchange: SimDuration,
}

impl PathTime {
    /// A packet was sent.
    #[inline]
    pub fn sent(&mut self, now: SimTime) {
        match self.latest.get_mut(self.sent % LATEST) {
            Some(oldest) => *oldest = now,
            None => self.latest.push(now),
        }
        self.sent += 1;
    }

    /// Number of packets sent since the start.
    pub fn total(&self) -> usize {
        self.sent
    }

    /// True if it has sent anything since it was last switched on.
    pub fn has_sent(&self) -> bool {
        self.sent > 0
    }

    /// Packets sent each second before a time, of the latest ones.
    pub fn rate_before(&self, at: SimTime) -> Option<f64> {
        let oldest = self.latest.get(self.sent % LATEST).copied().unwrap_or(SimTime::ZERO);
        let from = oldest.max(at.earlier_by(COUNTED));
        let rate = self.sent_in((from, at)) as f64 / at.since(from).as_secs_f64();
        (rate > 0.0 && rate.is_finite()).then_some(rate)
    }

    /// Number of packets sent in a span, of the latest ones.
    fn sent_in(&self, (from, until): Span) -> usize {
        self.sent_after(from).saturating_sub(self.sent_after(until))
    }

    /// Packets that this station would have sent in a span that it has lost to an outage, in turn with those of the station before it: as
    /// many for each of these as at other times, and one at most. What waits since then, as `waiting` do now, is neither sent nor lost.
    pub fn in_turn(&mut self, (sent, total): (usize, usize), waiting: u32) -> f64 {
        if sent == 0 {
            return 0.0;
        }
        self.beside += sent;
        if self.waiting.1 != self.sent {
            self.waiting = (waiting as usize, self.sent);
        }
        let at_other_times = total.saturating_sub(self.beside).max(1) as f64;
        sent as f64 * ((self.sent + self.waiting.0) as f64 / at_other_times).min(1.0)
    }

    /// Number of packets sent in a span, and since the start.
    pub fn counts(&self, span: Span) -> (usize, usize) {
        (self.sent_in(span), self.sent)
    }

    /// Number of packets sent after a time, of the latest ones. They are in order.
    fn sent_after(&self, at: SimTime) -> usize {
        let (mut first, mut end) = (self.sent.saturating_sub(LATEST), self.sent);
        while first < end {
            let middle = first.midpoint(end);
            if self.latest[middle % LATEST] > at {
                end = middle;
            } else {
                first = middle + 1;
            }
        }
        self.sent - first
    }

    /// The parts of a span that are not booked, the latest first.
    fn gaps(&self, (from, until): Span) -> SmallVec<[Span; 4]> {
        let mut gaps = SmallVec::new();
        let mut end = until;
        for &(a, b) in self.booked.iter().rev().take_while(|(_, b)| *b > from) {
            gaps.push((b, end));
            end = end.min(a);
        }
        gaps.push((from, end));
        gaps.retain(|(a, b)| a < b);
        gaps
    }

    /// Time that this queue, of the station `of`, has lost in a span that noise cost the MAC of `node`: without the time that is
    /// booked, and that in which stations of the path carried packets of this queue.
    pub fn lost(&self, services: &[Service], (of, node): (NodeId, NodeId), span: Span) -> SimDuration {
        let gaps = self.gaps(span);
        let sum = |times: &mut dyn Iterator<Item = SimDuration>| times.fold(SimDuration::ZERO, |a, b| a + b);
        let used_by = |station: &NodeId| {
            let path = &services[station.index()].path;
            let share = if path.sent > self.sent { self.sent as f64 / path.sent as f64 } else { 1.0 };
            let exchange = if path.exchange.is_zero() { self.exchange } else { path.exchange };
            let sent: usize = gaps.iter().map(|gap| path.sent_in(*gap)).sum();
            (exchange * sent as u64).mul_f64(share)
        };
        let used = sum(&mut self
            .sharing
            .relays
            .iter()
            .chain([&of])
            .filter(|station| **station != node)
            .map(used_by));
        sum(&mut gaps.iter().map(|(a, b)| b.since(*a))).saturating_sub(used)
    }

    fn book(&mut self, span: Span) {
        while self.booked.front().is_some_and(|(_, b)| *b + KEPT < span.1) {
            self.booked.pop_front();
        }
        for (from, until) in self.gaps(span) {
            let place = self.booked.iter().rposition(|(a, _)| *a < from).map_or(0, |last| last + 1);
            match place.checked_sub(1).and_then(|last| self.booked.get_mut(last)) {
                Some(last) if last.1 == from => last.1 = until,
                _ => self.booked.insert(place, (from, until)),
            }
        }
    }
}

/// Books a span that noise has cost the MAC of `node` in the queue of the station `of`. Returns the time lost there.
pub(crate) fn book(services: &mut [Service], of: NodeId, node: NodeId, span: Span) -> SimDuration {
    let lost = services[of.index()].path.lost(services, (of, node), span);
    services[of.index()].path.book(span);
    lost
}

#[cfg(test)]
mod tests;
