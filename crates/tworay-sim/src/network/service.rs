//! Service of a node's interface queue: what it was offered, and what the MAC could send of it.
//!
//! A queue may be full because of load, or because bit errors or a missing next hop kept the MAC from
//! sending. The two differ in one point: without the lost time, would the same load have filled the queue, at least
//! by half?
//! The account covers one busy period, from when a packet found the MAC free to when it is free again. It
//! assumes that the MAC would have used the lost time at the rate at which it sent in the rest of the
//! period.

use crate::attempts::Attempts;
use crate::provenance::Setback;
use tworay_base::{NodeId, SimDuration, SimTime};

/// Account of one busy period.
#[derive(Clone, Debug, Default)]
pub(crate) struct Service {
    since: SimTime,
    /// Packets that load alone would have put into the queue.
    offered: u64,
    /// Packets that the MAC finished, by success or because of contention.
    served: u64,
    /// Time that the MAC lost for reasons other than load: the total, and by reason.
    lost: SimDuration,
    reasons: Vec<(SimDuration, Setback)>,
}

impl Service {
    /// A packet is offered to the queue; `idle` says whether the MAC has nothing else to send.
    #[inline]
    pub fn offered(&mut self, now: SimTime, idle: bool) {
        if idle {
            self.since = now;
            self.offered = 0;
            self.served = 0;
            self.lost = SimDuration::ZERO;
        }
        self.offered += 1;
    }

    /// The MAC has sent a packet.
    #[inline]
    pub fn served(&mut self) {
        self.served += 1;
    }

    /// The packet just sent by `node` took longer than load explains.
    #[cold]
    pub fn delayed(&mut self, now: SimTime, node: NodeId, attempts: &Attempts) {
        if let Some(root) = attempts.delay(now, node) {
            self.lose(attempts.lost(), root);
        }
    }

    /// The MAC gave up a packet for the reason `root`, with `lost` spent on attempts that load did not spoil.
    pub fn gave_up(&mut self, lost: SimDuration, root: Setback) {
        if root.is_independent_of_load() {
            self.lose(lost, root);
        } else {
            self.served += 1;
        }
    }

    fn lose(&mut self, time: SimDuration, root: Setback) {
        if self.lost.is_zero() {
            self.reasons.clear();
        }
        self.lost += time;
        match self.reasons.iter_mut().find(|(_, known)| known.cause == root.cause) {
            Some((total, latest)) => {
                *total += time;
                *latest = root;
            }
            None => self.reasons.push((time, root)),
        }
    }

    /// Packets left the queue unsent.
    pub fn withdrawn(&mut self, count: usize) {
        self.offered = self.offered.saturating_sub(count as u64);
    }

    /// Length that the queue would have at `now` if the MAC had used the lost time, `lost` in total.
    fn without_loss(&self, now: SimTime, lost: SimDuration) -> f64 {
        let all = now.since(self.since).as_secs_f64();
        let used = all - lost.as_secs_f64();
        if lost.is_zero() || used <= 0.0 {
            return self.offered as f64 - self.served as f64;
        }
        self.offered as f64 - self.served as f64 * all / used
    }

    /// The setback that filled a queue of `limit` packets, if load alone would not have filled even half of it. `running`:
    /// time lost with the MAC's current packet, and its setback.
    pub fn filled_by(
        &self,
        now: SimTime,
        limit: u32,
        running: Option<(SimDuration, Setback)>,
    ) -> Option<Setback> {
        let earlier = self.reasons.iter().filter(|_| !self.lost.is_zero()).copied();
        let lost = self.lost + running.map_or(SimDuration::ZERO, |(time, _)| time);
        let root = earlier.chain(running).max_by_key(|(time, _)| *time)?.1;
        let all = now.since(self.since);
        // A MAC that has sent nothing yet shows no rate: most of the time decides.
        let spared = if self.served == 0 {
            lost + lost > all
        } else {
            self.without_loss(now, lost) < 0.5 * f64::from(limit)
        };
        (spared && root.is_independent_of_load()).then_some(Setback { at: now, ..root })
    }

    /// A queue of `limit` packets has rejected one. If load alone would have filled it, too, the packet does not
    /// add to what it would hold.
    pub fn refused(&mut self, now: SimTime, limit: u32) {
        let length = self.without_loss(now, self.lost);
        if length >= f64::from(limit) {
            self.offered = self.offered.saturating_sub(1);
        } else if length <= -1.0 {
            self.offered += -length as u64;
        }
    }
}

#[cfg(test)]
mod tests;
