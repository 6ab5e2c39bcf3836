//! Service of a node's interface queue: what it was offered, and what the MAC could send of it.
//!
//! A queue may be full because of load, or because bit errors or a missing next hop kept the MAC from
//! sending. The two differ in one point: without the lost time, would the same load have filled the queue, at least
//! by half? A second, imagined queue is offered the same packets. Its MAC also uses the time that the real one
//! lost, at the rate at which the real one sends otherwise.
//!
//! A third one is not offered the packets that something other than load had held up: without that they would have
//! come one by one, and would be gone. It tells whether load fills the queue, or a burst that was released at once.

use crate::observe::loss::attempts::Attempts;
use crate::observe::loss::root_cause::RootCause;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_wire::Packet;

/// Service of one queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Service {
    /// When a packet last found the MAC with nothing to send.
    since: SimTime,
    /// Packets that the MAC has finished since, by success or because of contention.
    served: u32,
    /// Packets in the imagined queue, with the one being sent.
    length: u32,
    /// Packets by which the third queue, without those that were held up, is shorter.
    late: u32,
    /// The latest packet that was held up: its source, and what held it up.
    released: Option<(NodeId, RootCause)>,
    /// Time lost since, in total and by reason.
    lost: SimDuration,
    reasons: Vec<(SimDuration, RootCause)>,
}

impl Service {
    /// A packet is offered to the queue; `idle` says whether the MAC has nothing else to send.
    #[inline]
    pub fn offered(&mut self, now: SimTime, idle: bool) {
        if idle {
            (self.since, self.served, self.length, self.late) = (now, 0, 0, 0);
            self.lost = SimDuration::ZERO;
        }
        self.length += 1;
    }

    /// The packet just offered was held up before by `root`, which load did not cause.
    #[cold]
    pub fn offered_late(&mut self, packet: &Packet, root: RootCause) {
        self.late += 1;
        self.released = Some((packet.src, root));
    }

    /// The MAC has finished a packet.
    #[inline]
    pub fn served(&mut self) {
        self.served += 1;
        self.shorten(1);
    }

    /// Packets leave the imagined queues; an empty one stays empty.
    #[inline]
    fn shorten(&mut self, count: u32) {
        self.length = self.length.saturating_sub(count);
        self.late = self.late.min(self.length);
    }

    /// The packet just sent by `node` took longer than load explains.
    #[cold]
    pub fn delayed(&mut self, now: SimTime, node: NodeId, attempts: &Attempts) {
        if let Some(root) = attempts.delay(now, node) {
            self.lose(now, attempts.lost(), root);
        }
    }

    /// The MAC gave up a packet at `now` for the reason `root`, with `lost` spent on attempts that load did not
    /// spoil.
    pub fn gave_up(&mut self, now: SimTime, lost: SimDuration, root: RootCause) {
        if root.is_independent_of_load() {
            self.lose(now, lost, root);
        } else {
            self.served();
        }
    }

    fn lose(&mut self, now: SimTime, time: SimDuration, root: RootCause) {
        if self.lost.is_zero() {
            self.reasons.clear();
        }
        self.shorten(self.length - self.after(now, time));
        self.lost += time;
        match self.reasons.iter_mut().find(|(_, known)| known.cause == root.cause) {
            Some((total, latest)) => {
                *total += time;
                *latest = root;
            }
            None => self.reasons.push((time, root)),
        }
    }

    /// Length of the imagined queue at `now` when its MAC has used `time` that the real one has just lost. A MAC
    /// that has sent nothing yet shows no rate; then the imagined one is fast.
    fn after(&self, now: SimTime, time: SimDuration) -> u32 {
        let used = now.since(self.since).saturating_sub(self.lost + time);
        let sent = time.as_secs_f64() * f64::from(self.served) / used.as_secs_f64();
        if self.served > 0 && sent.is_finite() { self.length.saturating_sub(sent as u32) } else { 0 }
    }

    /// True if a queue of this length would be less than half as long without the time lost.
    pub fn would_be_short(&self, length: usize) -> bool {
        2 * (self.length as usize) < length + 1
    }

    /// Packets left the queue unsent.
    pub fn withdrawn(&mut self, count: usize) {
        self.shorten(count as u32);
    }

    /// The root cause that filled a queue of `limit` packets, if load alone would not have filled even half of it.
    /// `running`: time lost with the MAC's current packet, and its root cause.
    pub fn filled_by(
        &self,
        now: SimTime,
        limit: u32,
        running: Option<(SimDuration, RootCause)>,
    ) -> Option<RootCause> {
        let earlier = self.reasons.iter().filter(|_| !self.lost.is_zero()).copied();
        let root = earlier.chain(running).max_by_key(|(time, _)| *time)?.1;
        let length = running.map_or(self.length, |(time, _)| self.after(now, time));
        (2 * length < limit).then_some(RootCause { at: now, ..root })
    }

    /// If only packets that were held up could fill a queue of `limit` packets, the latest one: its source, and what held
    /// it up.
    pub fn filled_by_burst(&self, limit: u32) -> Option<(NodeId, RootCause)> {
        self.released.filter(|_| self.late > 0 && 2 * (self.length - self.late) < limit)
    }

    /// A queue of `limit` packets has rejected one. The imagined queues reject it if they are full, too.
    pub fn refused(&mut self, limit: u32) {
        if self.length > limit {
            self.length -= 1;
            self.late = self.late.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests;
