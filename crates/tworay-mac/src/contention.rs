//! The backoff counter: freezes while the medium is busy, resumes after an interframe space.

use tworay_base::{SimDuration, SimTime};

/// A backoff in progress. Nothing ticks: slots used up are worked out when the medium changes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Backoff {
    slots: u32,
    /// When the first of the remaining slots begins, if the medium stays idle.
    counts_from: SimTime,
}

impl Backoff {
    /// A backoff of `slots`, counted from `counts_from` on.
    pub fn new(slots: u32, counts_from: SimTime) -> Self {
        Self { slots, counts_from }
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
            self.slots -= (used as u32).min(self.slots);
        }
        self.counts_from = resume;
    }
}
