//! The backoff counter: stops while the medium is busy, goes on after an interframe space.

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

/// A backoff in progress. Nothing ticks: slots used up are worked out when the medium turns busy, and when
/// the next one begins follows from when the medium is free, which the station knows. `free` is that time
/// everywhere here: the medium's next (or last) idle time plus the interframe space.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Backoff {
    slots: u32,
    /// No slot begins before.
    not_before: SimTime,
    stage: Stage,
}

impl Backoff {
    /// A backoff of `slots`, none of which begins before `not_before`.
    pub fn new(slots: u32, not_before: SimTime) -> Self {
        Self { slots, not_before, stage: Stage::Counting }
    }

    /// Access without a backoff at `not_before` or when the medium is free, unless it turns busy before.
    pub fn immediate(not_before: SimTime) -> Self {
        Self { slots: 0, not_before, stage: Stage::Immediate }
    }

    /// Whether a busy medium calls for a random backoff in its place.
    #[inline]
    pub fn is_immediate(&self) -> bool {
        self.stage == Stage::Immediate
    }

    /// Nothing stops it from here on.
    #[inline]
    pub fn commit(&mut self, free: SimTime) {
        self.not_before = self.counts_from(free);
        self.stage = Stage::Committed;
    }

    /// Whether nothing stops it any more.
    #[inline]
    pub fn is_committed(&self) -> bool {
        self.stage == Stage::Committed
    }

    /// When the first of the remaining slots begins, if the medium stays idle.
    #[inline]
    fn counts_from(&self, free: SimTime) -> SimTime {
        if self.is_committed() { self.not_before } else { self.not_before.max(free) }
    }

    /// When it ends if the medium stays idle.
    #[inline]
    pub fn ends(&self, free: SimTime, slot: SimDuration) -> SimTime {
        self.counts_from(free) + slot * self.slots as u64
    }

    /// No slot begins before `time`.
    #[inline]
    pub fn wait_until(&mut self, time: SimTime) {
        if !self.is_committed() {
            self.not_before = self.not_before.max(time);
        }
    }

    /// The medium turns busy at `now`, after it was free: whole slots since then are used up.
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
