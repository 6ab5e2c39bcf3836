//! The record that ns-2's Vegas keeps of its segments: a ring with one slot per segment of the advertised
//! window. Each slot has the time of the last transmission and the number of transmissions. The quirks
//! reproduced here are listed at [`TcpQuirks`](crate::TcpQuirks).

use tworay_base::{SimDuration, SimTime};

/// Last transmission of a segment, and how often it was sent.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Stamp {
    /// `None` in a cleared slot.
    pub at: Option<SimTime>,
    pub times: u32,
}

/// The ring. Segments are numbered from 0 in the order of their first transmission.
#[derive(Debug)]
pub(crate) struct Ring {
    /// Slots, at most `len`; missing ones are empty.
    slots: Vec<Stamp>,
    len: u64,
    /// Number of the oldest segment not acknowledged.
    oldest: u64,
    /// When segment 0 was last sent: the origin of time in ns-2's Vegas.
    pub started: SimTime,
}

impl Ring {
    /// A ring for an advertised window of this many segments.
    pub fn new(window: f64) -> Self {
        Self { slots: Vec::new(), len: (window as u64).max(1), oldest: 0, started: SimTime::ZERO }
    }

    /// The segment `place` places above the oldest one is sent.
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

    /// One ACK acknowledges the oldest `count` segments; returns the slot of the last of them.
    pub(crate) fn acknowledge(&mut self, count: usize) -> Option<Stamp> {
        let last = (self.oldest + count as u64).checked_sub(1).filter(|_| count > 0)?;
        let newest = self.slot(last);
        // ns-2 loops over slot numbers without wrapping around the end of the ring.
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

    /// Time since the transmission; an empty slot counts as sent one second before the start.
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
