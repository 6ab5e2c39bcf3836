//! The backoff counter: freezes while the medium is busy, resumes after an interframe space.

use tworay_base::{SimDuration, SimTime};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Stage {
    /// Drawn at random, counts down.
    Counting,
    /// Not drawn: access as soon as the medium has been idle for the interframe space.
    Immediate,
    /// Ends so soon that a medium that turned busy can't be noticed any more.
    Committed,
}

/// A backoff in progress. Nothing ticks: slots used up are worked out when the medium changes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Backoff {
    slots: u32,
    /// When the first of the remaining slots begins, if the medium stays idle.
    counts_from: SimTime,
    stage: Stage,
}

impl Backoff {
    /// A backoff of `slots`, counted from `counts_from` on.
    pub fn new(slots: u32, counts_from: SimTime) -> Self {
        Self { slots, counts_from, stage: Stage::Counting }
    }

    /// Access at `at` without a backoff, unless the medium turns busy before.
    pub fn immediate(at: SimTime) -> Self {
        Self { slots: 0, counts_from: at, stage: Stage::Immediate }
    }

    /// Whether a busy medium calls for a random backoff in its place.
    #[inline]
    pub fn is_immediate(&self) -> bool {
        self.stage == Stage::Immediate
    }

    /// Nothing stops it from here on.
    #[inline]
    pub fn commit(&mut self) {
        self.stage = Stage::Committed;
    }

    /// Whether nothing stops it any more.
    #[inline]
    pub fn is_committed(&self) -> bool {
        self.stage == Stage::Committed
    }

    /// When it ends if the medium stays idle.
    #[inline]
    pub fn ends(&self, slot: SimDuration) -> SimTime {
        self.counts_from + slot * self.slots as u64
    }

    /// The medium turned busy at `now`; whole slots since `counts_from` are used up, and counting
    /// goes on at `resume` (the medium's next idle time plus the interframe space).
    #[inline]
    pub fn freeze(&mut self, now: SimTime, resume: SimTime, slot: SimDuration) {
        if now > self.counts_from {
            let used = now.since(self.counts_from).whole(slot);
            self.slots -= used.min(self.slots as u64) as u32;
        }
        self.counts_from = resume;
        self.stage = Stage::Counting;
    }
}

#[cfg(test)]
mod tests;
