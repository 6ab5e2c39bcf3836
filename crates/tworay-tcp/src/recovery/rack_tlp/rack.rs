//! RACK: a segment is lost if one sent later has arrived and there has been enough time for reordered
//! segments to arrive (RFC 8985 §6).

use crate::send::Sent;
use tworay_base::{SimDuration, SimTime};

/// Age at which minimum round trips expire: the path may have become longer (RFC 8985 §6.2 step 1; Linux'
/// `tcp_min_rtt_wlen`, 300 s).
const MEMORY: SimDuration = SimDuration::from_secs(300);
/// Recoveries without D-SACK after which the reordering window returns to its initial size.
const PERSISTENCE: u32 = 16;

/// Minimum round trip over the last [`MEMORY`], kept in two halves.
#[derive(Debug)]
pub(super) struct LeastRtt {
    halves: [SimDuration; 2],
    since: SimTime,
}

impl LeastRtt {
    fn new() -> Self {
        Self { halves: [SimDuration::MAX; 2], since: SimTime::ZERO }
    }

    fn sample(&mut self, now: SimTime, rtt: SimDuration) {
        if self.get().is_none() {
            self.since = now;
        } else if now.since(self.since) > MEMORY / 2 {
            (self.halves, self.since) = ([SimDuration::MAX, self.halves[0]], now);
        }
        self.halves[0] = self.halves[0].min(rtt);
    }

    pub fn get(&self) -> Option<SimDuration> {
        Some(self.halves[0].min(self.halves[1])).filter(|rtt| *rtt < SimDuration::MAX)
    }
}

/// The state of §5.2.
#[derive(Debug)]
pub(super) struct Rack {
    /// Transmission order of the delivered segment that was sent last. (The RFC uses its send time and, for
    /// equal times, its sequence number; here several segments can be sent in the same nanosecond.)
    newest: Option<u64>,
    /// Its round trip.
    rtt: SimDuration,
    least: LeastRtt,
    /// End of the highest delivered segment.
    fack: u64,
    reordering_seen: bool,
    /// Until this is acknowledged, further D-SACKs have no effect.
    dsack_round: Option<u64>,
    multiplier: u32,
    persist: u32,
}

/// Inputs of the reordering window besides RACK's own state.
#[derive(Copy, Clone, Debug)]
pub(super) struct Situation {
    /// True if fast recovery or the repair after a timeout is in progress.
    pub repairing: bool,
    /// True if enough segments are SACKed to detect a loss.
    pub many_sacked: bool,
    pub srtt: Option<SimDuration>,
}

impl Rack {
    pub fn new() -> Self {
        Self {
            newest: None,
            rtt: SimDuration::ZERO,
            least: LeastRtt::new(),
            fack: 0,
            reordering_seen: false,
            dsack_round: None,
            multiplier: 1,
            persist: 0,
        }
    }

    /// A segment is delivered, cumulatively or by SACK (§6.2 steps 1 to 3). `echo_before`: the ACK echoes a
    /// time before the segment's last transmission, so an earlier transmission arrived.
    pub fn delivered(&mut self, now: SimTime, segment: Sent, echo_before: bool) {
        let rtt = now.since(segment.at);
        if segment.times == 1 {
            self.least.sample(now, rtt);
        }
        // Reordered, unless it was retransmitted: then the order means nothing.
        if segment.end < self.fack && segment.times == 1 {
            self.reordering_seen = true;
        }
        self.fack = self.fack.max(segment.end);
        if segment.times > 1 && (echo_before || self.least.get().is_some_and(|least| rtt < least)) {
            return;
        }
        if self.newest.is_none_or(|newest| newest < segment.order) {
            self.newest = Some(segment.order);
            self.rtt = rtt;
        }
    }

    /// A D-SACK indicates a needless retransmission: widens the reordering window, once per round trip
    /// (§6.2 step 4).
    pub fn on_round(&mut self, una: u64, max: u64, dsack: bool) {
        if self.dsack_round.is_some_and(|round| una >= round) {
            self.dsack_round = None;
        }
        if dsack && self.dsack_round.is_none() {
            self.dsack_round = Some(max);
            self.multiplier += 1;
            self.persist = PERSISTENCE;
        }
    }

    /// A timeout was spurious: what seemed to answer the repeated segments answered the first copies.
    pub fn on_spurious(&mut self) {
        self.newest = None;
    }

    /// A recovery is over.
    pub fn on_recovery_end(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.multiplier = 1;
        }
    }

    /// The reordering window: how much later than its successors a segment may arrive (§6.2 step 4).
    pub fn reordering_window(&self, situation: Situation) -> SimDuration {
        if !self.reordering_seen && (situation.repairing || situation.many_sacked) {
            return SimDuration::ZERO;
        }
        let quarter = self.least.get().unwrap_or_default() / 4;
        (quarter * u64::from(self.multiplier)).min(situation.srtt.unwrap_or(SimDuration::MAX))
    }

    /// True if something sent after this segment has arrived.
    pub fn has_overtaken(&self, segment: Sent) -> bool {
        self.newest.is_some_and(|newest| newest > segment.order)
    }

    /// The time that a segment that is neither acknowledged nor SACKed may still take; zero if it is lost,
    /// `None` if nothing sent after it has arrived (§6.2 step 5).
    pub fn remaining(&self, now: SimTime, segment: Sent, window: SimDuration) -> Option<SimDuration> {
        self.has_overtaken(segment).then(|| self.time_left(now, segment, window))
    }

    /// The rest of the time that a segment has to arrive, regardless of what has arrived.
    pub fn time_left(&self, now: SimTime, segment: Sent, window: SimDuration) -> SimDuration {
        let (due, now) = (segment.at + self.rtt + window, now);
        if due <= now { SimDuration::ZERO } else { due.since(now) }
    }
}

#[cfg(test)]
mod tests;
