//! The backoff counter: stops while the medium is busy and resumes after an interframe space.

use tworay_base::{SimDuration, SimTime};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Stage {
    /// A random backoff that counts down.
    Counting,
    /// No backoff: access as soon as the medium has been idle for the interframe space.
    Immediate,
    /// Ends before the station could detect that the medium turned busy.
    Committed,
}

/// A backoff in progress. Event-driven: elapsed slots are computed when the medium turns busy, and the end of
/// the backoff follows from `free`. Everywhere in this file, `free` is the medium's next (or last) idle time
/// plus the interframe space.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Backoff {
    slots: u32,
    /// No slot begins earlier.
    not_before: SimTime,
    stage: Stage,
}

impl Backoff {
    /// A backoff of `slots`, none of which begins before `not_before`.
    pub fn new(slots: u32, not_before: SimTime) -> Self {
        Self { slots, not_before, stage: Stage::Counting }
    }

    /// Access without a backoff at `not_before` or when the medium is free, unless the medium turns busy
    /// first.
    pub fn immediate(not_before: SimTime) -> Self {
        Self { slots: 0, not_before, stage: Stage::Immediate }
    }

    /// True if a busy medium replaces it by a random backoff.
    #[inline]
    pub fn is_immediate(&self) -> bool {
        self.stage == Stage::Immediate
    }

    /// From now on a busy medium no longer stops it.
    #[inline]
    pub fn commit(&mut self, free: SimTime) {
        self.not_before = self.counts_from(free);
        self.stage = Stage::Committed;
    }

    /// True if a busy medium no longer stops it.
    #[inline]
    pub fn is_committed(&self) -> bool {
        self.stage == Stage::Committed
    }

    /// When the first of the remaining slots begins, if the medium stays idle.
    #[inline]
    fn counts_from(&self, free: SimTime) -> SimTime {
        if self.is_committed() { self.not_before } else { self.not_before.max(free) }
    }

    /// When it ends, if the medium stays idle.
    #[inline]
    pub fn ends(&self, free: SimTime, slot: SimDuration) -> SimTime {
        self.counts_from(free) + slot * self.slots as u64
    }

    /// Adds slots to be counted down.
    pub fn lengthen(&mut self, slots: u32) {
        self.slots = self.slots.saturating_add(slots);
    }

    /// Postpones the remaining slots to `time` or later.
    #[inline]
    pub fn wait_until(&mut self, time: SimTime) {
        if !self.is_committed() {
            self.not_before = self.not_before.max(time);
        }
    }

    /// The medium turns busy at `now` after having been free: counts the whole slots elapsed since then.
    #[inline]
    pub fn stop(&mut self, now: SimTime, free: SimTime, slot: SimDuration) {
        let from = self.counts_from(free);
        if now > from {
            let used = now.since(from).whole(slot);
            self.slots -= used.min(self.slots as u64) as u32;
        }
        self.stage = Stage::Counting;
    }
}

#[cfg(test)]
mod tests;
