//! What ns-2's Vegas remembers of its segments: a ring with a slot per segment of the advertised window,
//! each with the time of the last transmission and their number. The odd sides of it that are kept here
//! are listed at [`TcpQuirks`](crate::TcpQuirks).

use tworay_base::{SimDuration, SimTime};

/// A segment's last transmission and how often it was sent.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Stamp {
    /// `None` in a slot that was emptied.
    pub at: Option<SimTime>,
    pub times: u32,
}

/// The ring. Segments are numbered from 0, in the order of their first transmission.
#[derive(Debug)]
pub(crate) struct Ring {
    /// Slots, at most `len`; those not there yet are empty.
    slots: Vec<Stamp>,
    len: u64,
    /// The number of the oldest segment not acknowledged.
    oldest: u64,
    /// When segment 0 was sent last: ns-2's Vegas counts its time from there.
    pub started: SimTime,
}

impl Ring {
    /// For an advertised window of so many segments.
    pub fn new(window: f64) -> Self {
        Self { slots: Vec::new(), len: (window as u64).max(1), oldest: 0, started: SimTime::ZERO }
    }

    /// The segment `place` places above the oldest is sent.
    pub fn sent(&mut self, place: usize, now: SimTime) {
        let number = self.oldest + place as u64;
        if number == 0 {
            self.slots.clear();
            self.started = now;
        }
        let slot = self.slot_mut(number);
        slot.at = Some(now);
        slot.times += 1;
    }

    /// The oldest `count` segments are acknowledged by one ACK: what the slot of the last of them says.
    pub(crate) fn acknowledge(&mut self, count: usize) -> Option<Stamp> {
        let last = (self.oldest + count as u64).checked_sub(1).filter(|_| count > 0)?;
        let newest = self.slot(last);
        // From slot to slot, and never past the ring's end.
        let (from, to) = (self.oldest % self.len, last % self.len);
        if from <= to {
            (self.oldest..=last).for_each(|number| *self.slot_mut(number) = Stamp::default());
        }
        self.oldest = last + 1;
        Some(newest)
    }

    /// The slot of the oldest segment that is not acknowledged, sent or not.
    pub(crate) fn oldest(&self) -> Stamp {
        self.slot(self.oldest)
    }

    /// How long ago it was sent; an empty slot counts as a second before the start.
    pub(crate) fn age(&self, stamp: Stamp, now: SimTime) -> SimDuration {
        match stamp.at {
            Some(at) => now.since(at),
            None => now.since(self.started) + SimDuration::from_secs(1),
        }
    }

    fn slot(&self, number: u64) -> Stamp {
        self.slots.get((number % self.len) as usize).copied().unwrap_or_default()
    }

    fn slot_mut(&mut self, number: u64) -> &mut Stamp {
        let i = (number % self.len) as usize;
        if i >= self.slots.len() {
            self.slots.resize(i + 1, Stamp::default());
        }
        &mut self.slots[i]
    }
}

#[cfg(test)]
mod tests;
