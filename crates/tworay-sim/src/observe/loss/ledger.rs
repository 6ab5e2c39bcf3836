//! The loss ledger: every segment sent is eventually booked exactly once, as delivered or lost.
//!
//! A segment can exist in several copies: the sender of a frame keeps its copy until the ACK arrives, so
//! when an ACK is lost both ends hold one. A segment is lost when no copy is left and none has reached the
//! destination. Its true cause is the root of the death of the copy that came farthest, because copies left
//! behind prevent nothing. Among copies that came equally far, the first death counts.
//!
//! The root of a death is the first thing that prevented that copy from going on (a [`RootCause`], carried by
//! the packet); how and where it ended is recorded beside it ([`Died`]).

use crate::observe::loss::root_cause::RootCause;
use crate::observe::loss::twin::{Dying, Twin};
use std::collections::VecDeque;
use tworay_base::{Died, FlowId, LossCause, NodeId, Seq32, SimTime};

/// Role of a tracked packet in its flow.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Carries {
    /// TCP or UDP payload. SYN and FIN count as data, because losing them costs the sender the same.
    Data,
    /// A pure acknowledgment.
    Ack,
}

/// One lost segment.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LossRecord {
    /// When the last copy was gone.
    pub at: SimTime,
    /// Where the copy that came farthest died.
    pub node: NodeId,
    /// Node that sent the segment.
    pub from: NodeId,
    /// Flow of the segment.
    pub flow: FlowId,
    /// Role of the segment.
    pub carries: Carries,
    /// First sequence number; for an acknowledgment the acknowledgment number.
    pub seq: Seq32,
    /// Uid of the segment; later segments have higher ones.
    pub uid: u64,
    /// The root cause.
    pub cause: LossCause,
    /// End of the copy.
    pub died: Died,
    /// When the root struck this segment: from then on it did not go on.
    pub since: SimTime,
    /// Node of the root; for a missing route, the node before the break.
    pub root_node: NodeId,
    /// The hop from there that failed, if it was a hop.
    pub next_hop: Option<NodeId>,
    /// Unsuccessful frames for that hop (RTS or DATA; ARP requests if ARP failed).
    pub attempts: u16,
    /// Sender of the signal that corrupted the last of them, if known.
    pub interferer: Option<NodeId>,
}

/// A segment that something held up, and that went on later.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Hold {
    /// Flow of the segment.
    pub flow: FlowId,
    /// Role of the segment.
    pub carries: Carries,
    /// First sequence number; for an acknowledgment the acknowledgment number.
    pub seq: Seq32,
    /// Uid of the segment.
    pub uid: u64,
    /// The root cause: a search that found a path in the end is `no-route`.
    pub cause: LossCause,
    /// From when until when.
    pub since: SimTime,
    /// See `since`.
    pub until: SimTime,
}

/// Death of one copy.
#[derive(Copy, Clone, Debug)]
pub struct Death {
    /// The root.
    pub root: RootCause,
    /// Its cause.
    pub cause: LossCause,
    /// End of the copy.
    pub died: Died,
    /// Where it died, and when.
    pub node: NodeId,
    pub at: SimTime,
    /// Node that sent the segment.
    pub from: NodeId,
    /// Number of hops the copy had travelled.
    pub hops: u8,
    /// If the run has a twin: the reason for most of the time that the MAC there has lost, if that is no load.
    pub slowed_by: Option<RootCause>,
}

#[derive(Debug)]
struct Tracked {
    copies: u16,
    delivered: bool,
    carries: Carries,
    flow: FlowId,
    seq: Seq32,
    sent_at: SimTime,
    /// Death of the copy that came farthest among those that died.
    death: Option<Box<Death>>,
}

/// Counts of one flow: data and ACK segments.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Segments {
    /// Data segments.
    pub data: u64,
    /// Acknowledgments.
    pub ack: u64,
}

impl Segments {
    fn add(&mut self, carries: Carries) {
        match carries {
            Carries::Data => self.data += 1,
            Carries::Ack => self.ack += 1,
        }
    }
}

/// Segments of a flow in the network: sent, neither delivered nor lost.
#[derive(Copy, Clone, Debug, Default)]
pub struct InFlight {
    now: Segments,
    since: SimTime,
    /// Segments times nanoseconds, for data and acknowledgments.
    area: [u128; 2],
}

impl InFlight {
    fn advance(&mut self, at: SimTime) {
        let dt = u128::from(at.since(self.since).as_nanos());
        self.since = self.since.max(at);
        self.area[0] += dt * u128::from(self.now.data);
        self.area[1] += dt * u128::from(self.now.ack);
    }
}

/// One row of the series of live segments: time, flow, counts.
pub type InFlightSample = (SimTime, FlowId, Segments);

/// The books of a run.
#[derive(Debug, Default)]
pub struct Ledger {
    segments: VecDeque<Tracked>,
    first_uid: u64,
    sent: Segments,
    delivered: Segments,
    lost: [Segments; LossCause::ALL.len()],
    records: Vec<LossRecord>,
    holds: Vec<Hold>,
    /// The same run without disturbances, if there are any and datagrams are sent.
    twin: Option<Box<Twin>>,
    /// Losses are counted but not recorded.
    counts_only: bool,
    /// By flow: its source, and the number of data segments that died there.
    at_source: Vec<(NodeId, u64)>,
    in_flight: Vec<InFlight>,
    in_flight_series: Option<Vec<InFlightSample>>,
}

impl Ledger {
    /// Creates a ledger for flows from these sources; `series` says whether to record each change of the
    /// number of live segments.
    pub fn new(sources: impl IntoIterator<Item = NodeId>, series: bool) -> Self {
        let at_source: Vec<_> = sources.into_iter().map(|node| (node, 0)).collect();
        let in_flight = vec![InFlight::default(); at_source.len()];
        Self { in_flight, at_source, in_flight_series: series.then(Vec::new), ..Self::default() }
    }

    /// Adds a flow from `source` that starts at `now`.
    pub fn add_flow(&mut self, source: NodeId, now: SimTime) {
        self.at_source.push((source, 0));
        self.in_flight.push(InFlight { since: now, ..InFlight::default() });
    }

    /// The same run without disturbances has lost this.
    pub fn beside(&mut self, twin: Twin) {
        self.twin = Some(Box::new(twin));
    }

    /// The same run without disturbances, if there are any.
    #[inline]
    pub fn twin_mut(&mut self) -> Option<&mut Twin> {
        self.twin.as_deref_mut()
    }

    /// True if the losses of the same run without disturbances are known.
    pub fn has_twin(&self) -> bool {
        self.twin.is_some()
    }

    /// From now on counts losses without recording each one in [`Self::records`].
    pub fn count_only(&mut self) {
        self.counts_only = true;
    }

    /// True if rows about single segments are kept: of losses or of time series. Without them a long run takes no more
    /// memory than a short one.
    pub fn keeps_rows(&self) -> bool {
        !self.counts_only || self.in_flight_series.is_some()
    }

    /// One live segment more or less.
    #[inline]
    fn count_in_flight(&mut self, flow: FlowId, carries: Carries, more: bool, at: SimTime) {
        let Some(in_flight) = self.in_flight.get_mut(flow.index()) else { return };
        in_flight.advance(at);
        let count = match carries {
            Carries::Data => &mut in_flight.now.data,
            Carries::Ack => &mut in_flight.now.ack,
        };
        *count = if more { *count + 1 } else { *count - 1 };
        if let Some(series) = &mut self.in_flight_series {
            series.push((at, flow, in_flight.now));
        }
    }

    /// The run is over: completes the means of live segments at `end`.
    pub fn close(&mut self, end: SimTime) {
        self.in_flight.iter_mut().for_each(|in_flight| in_flight.advance(end));
    }

    /// Mean number of live data segments and acknowledgments of `flow` from `from` (not before the last
    /// restart) to `to`, when the ledger was closed.
    pub fn mean_in_flight(&self, flow: FlowId, from: SimTime, to: SimTime) -> (f64, f64) {
        let Some(in_flight) = self.in_flight.get(flow.index()) else { return (0.0, 0.0) };
        let span = to.since(from).as_nanos() as f64;
        let mean = |area: u128| if span > 0.0 { area as f64 / span } else { 0.0 };
        (mean(in_flight.area[0]), mean(in_flight.area[1]))
    }

    /// Restarts the means of live segments at `at`.
    pub fn restart_means(&mut self, at: SimTime) {
        for in_flight in &mut self.in_flight {
            in_flight.advance(at);
            in_flight.area = [0; 2];
        }
    }

    /// Takes the series of live segments, if recorded.
    pub fn take_in_flight_series(&mut self) -> Vec<InFlightSample> {
        self.in_flight_series.take().unwrap_or_default()
    }

    /// A transport sends a packet, which has one copy. Packets are numbered in the order in which they are sent, from 0.
    pub fn sent(&mut self, flow: FlowId, carries: Carries, seq: Seq32, now: SimTime) {
        self.sent.add(carries);
        self.count_in_flight(flow, carries, true, now);
        self.segments.push_back(Tracked {
            copies: 1,
            delivered: false,
            carries,
            flow,
            seq,
            sent_at: now,
            death: None,
        });
    }

    fn known(&self, uid: u64) -> Option<&Tracked> {
        self.segments.get(uid.checked_sub(self.first_uid)? as usize)
    }

    /// Role of a packet in transit.
    pub fn carries(&self, uid: u64) -> Option<Carries> {
        self.known(uid).map(|s| s.carries)
    }

    fn entry(&mut self, uid: u64) -> &mut Tracked {
        let i = (uid - self.first_uid) as usize;
        &mut self.segments[i]
    }

    /// Another copy exists.
    #[inline]
    pub fn copied(&mut self, uid: u64) {
        self.entry(uid).copies += 1;
    }

    /// Number of live copies of a packet.
    pub fn copies(&self, uid: u64) -> u16 {
        self.known(uid).map_or(0, |s| s.copies)
    }

    /// A segment that `by` held up goes on at `now`, or is still held up at the end of the run.
    pub fn held_up(&mut self, uid: u64, by: RootCause, now: SimTime) {
        if self.counts_only {
            return;
        }
        let s = self.entry(uid);
        let (flow, carries, seq) = (s.flow, s.carries, s.seq);
        let cause = by.cause.unwrap_or(LossCause::NoRoute);
        self.holds.push(Hold { flow, carries, seq, uid, cause, since: by.at, until: now });
    }

    /// Segments that something held up and that went on later.
    pub fn holds(&self) -> &[Hold] {
        &self.holds
    }

    /// A copy reached its destination and is consumed. Returns the time of sending if it was the first
    /// copy.
    #[inline]
    pub fn delivered(&mut self, uid: u64, now: SimTime) -> Option<SimTime> {
        let mut first = None;
        let s = self.entry(uid);
        s.copies -= 1;
        if !s.delivered {
            s.delivered = true;
            let (carries, flow, seq) = (s.carries, s.flow, s.seq);
            first = Some(s.sent_at);
            if let Some(twin) = &mut self.twin {
                twin.delivered(flow, seq);
            }
            self.delivered.add(carries);
            self.count_in_flight(flow, carries, false, now);
        }
        self.sweep();
        first
    }

    /// A copy is no longer needed because the next hop has its own.
    #[inline]
    pub fn handed_on(&mut self, uid: u64, now: SimTime) {
        self.entry(uid).copies -= 1;
        self.settle(uid, now);
    }

    /// True if a packet has one copy, none has arrived, and none has died.
    pub fn is_only_copy(&self, uid: u64) -> bool {
        self.known(uid).is_some_and(|s| s.copies == 1 && !s.delivered && s.death.is_none())
    }

    /// The only copy of a packet dies so when it is let go of.
    pub fn dies_when_handed_on(&mut self, uid: u64, death: Death) {
        self.entry(uid).death = Some(Box::new(death));
    }

    /// A copy died.
    pub fn died(&mut self, uid: u64, death: Death, at: SimTime) {
        let s = self.entry(uid);
        s.copies -= 1;
        if s.death.as_ref().is_none_or(|known| death.hops > known.hops) {
            if s.copies == 0 && !s.delivered {
                // The last copy came farthest: no later one asks for its death.
                s.death = None;
                self.book(uid, death, at);
                return self.sweep();
            }
            s.death = Some(Box::new(death));
        }
        self.settle(uid, at);
    }

    /// Books a loss if no copy is left and none arrived.
    #[inline]
    fn settle(&mut self, uid: u64, now: SimTime) {
        let s = self.entry(uid);
        if s.copies == 0 && !s.delivered {
            match s.death.take() {
                Some(death) => self.book(uid, *death, now),
                None => debug_assert!(false, "the only copy of packet {uid} was let go of"),
            }
        }
        self.sweep();
    }

    /// Books a loss, with the death of the copy that came farthest.
    fn book(&mut self, uid: u64, death: Death, now: SimTime) {
        let s = self.entry(uid);
        let (flow, carries, seq, sent_at) = (s.flow, s.carries, s.seq, s.sent_at);
        let Death { root, cause, died, node, at, from, slowed_by, .. } = death;
        let twin = self.twin.as_mut();
        let root =
            twin.map_or(root, |twin| twin.judge(now, Dying { flow, seq, node, at, died, slowed_by }, root));
        let cause = root.cause.unwrap_or(cause);
        self.lost[cause as usize].add(carries);
        if let Some((source, lost)) = self.at_source.get_mut(flow.index())
            && *source == node
            && carries == Carries::Data
        {
            *lost += 1;
        }
        if !self.counts_only {
            self.records.push(LossRecord {
                at: now,
                node,
                from,
                flow,
                carries,
                seq,
                uid,
                cause,
                died,
                // What has kept others for longer keeps this one since it was sent.
                since: root.at.max(sent_at),
                root_node: root.node,
                next_hop: root.next_hop,
                attempts: root.attempts,
                // Of several attempts the last may have collided, though something else decides.
                interferer: root.interferer.filter(|_| cause == LossCause::Contention),
            });
        }
        self.count_in_flight(flow, carries, false, now);
    }

    /// Removes finished segments at the front.
    #[inline]
    fn sweep(&mut self) {
        while self.segments.front().is_some_and(|s| s.copies == 0) {
            self.segments.pop_front();
            self.first_uid += 1;
        }
    }

    #[cfg(test)]
    pub fn arrived(&self) -> Segments {
        self.delivered
    }
    /// Segments lost for `cause`.
    pub fn lost(&self, cause: LossCause) -> Segments {
        self.lost[cause as usize]
    }
    /// Every loss in order of time.
    pub fn records(&self) -> &[LossRecord] {
        &self.records
    }

    /// Takes every loss in order of time.
    pub fn take_records(&mut self) -> Vec<LossRecord> {
        let mut records = std::mem::take(&mut self.records);
        // Stations that hear a frame are dealt with together, though it reaches them one after the other.
        records.sort_by_key(|lost| lost.at);
        records
    }

    /// Data segments that died at their own source, by flow.
    pub fn lost_at_source(&self) -> Vec<u64> {
        self.at_source.iter().map(|&(_, lost)| lost).collect()
    }

    /// Segments still in transit.
    pub fn all_in_flight(&self) -> Segments {
        let mut out = Segments::default();
        self.segments.iter().filter(|s| s.copies > 0 && !s.delivered).for_each(|s| out.add(s.carries));
        out
    }

    /// Number of live copies according to the books.
    pub fn live_copies(&self) -> u64 {
        self.segments.iter().map(|s| s.copies as u64).sum()
    }

    /// Checks sent = delivered + lost + in flight, per kind.
    pub fn check(&self) -> Result<(), String> {
        let flight = self.all_in_flight();
        let lost = self
            .lost
            .iter()
            .fold(Segments::default(), |a, c| Segments { data: a.data + c.data, ack: a.ack + c.ack });
        let sum = Segments {
            data: self.delivered.data + lost.data + flight.data,
            ack: self.delivered.ack + lost.ack + flight.ack,
        };
        if sum == self.sent {
            Ok(())
        } else {
            Err(format!(
                "the loss ledger doesn't balance: sent {:?}, delivered {:?}, lost {lost:?}, in flight {flight:?}",
                self.sent, self.delivered
            ))
        }
    }
}

#[cfg(test)]
mod tests;
