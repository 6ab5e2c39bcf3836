//! Timers without allocation and without searches in the queue.
//!
//! A timer is a slot. Postponing its deadline, which a restarted RTO does all the time, writes one number:
//! when the entry already in the queue is due, it is queued again. Cancelling also writes one number.

use super::queue::{EventQueue, Packed};
use tworay_base::SimTime;

/// Index of a timer.
pub type TimerSlot = u32;

#[derive(Copy, Clone)]
struct Slot {
    deadline: SimTime,
    /// Times of the queue entries still valid: the earliest, and a later one that an earlier deadline
    /// superseded (reused when the deadline moves back).
    first: SimTime,
    second: SimTime,
}

const IDLE: Slot = Slot { deadline: SimTime::NEVER, first: SimTime::NEVER, second: SimTime::NEVER };

/// The queue entry of a timer, carried by its event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    /// The timer.
    pub slot: TimerSlot,
}

/// All timers of a simulation.
#[derive(Default)]
pub struct TimerTable {
    slots: Vec<Slot>,
}

impl TimerTable {
    /// Adds `n` timers; returns the slot of the first.
    pub fn add(&mut self, n: usize) -> TimerSlot {
        let first = self.slots.len() as TimerSlot;
        self.slots.resize(self.slots.len() + n, IDLE);
        first
    }

    /// Arms or rearms a timer for `at`; [`SimTime::NEVER`] disarms it.
    #[inline]
    pub fn set<E: Packed + From<Firing>>(&mut self, slot: TimerSlot, at: SimTime, queue: &mut EventQueue<E>) {
        let s = &mut self.slots[slot as usize];
        s.deadline = at;
        if at < s.first {
            if s.second == SimTime::NEVER {
                s.second = s.first;
            }
            s.first = at;
            queue.push(at, Firing { slot }.into());
        }
    }

    /// Disarms a timer.
    #[inline]
    pub fn clear(&mut self, slot: TimerSlot) {
        self.slots[slot as usize].deadline = SimTime::NEVER;
    }

    /// The queue entry of a timer is due at `now`; returns whether the timer really fires.
    #[inline]
    pub fn fires<E: Packed + From<Firing>>(
        &mut self,
        now: SimTime,
        firing: Firing,
        queue: &mut EventQueue<E>,
    ) -> bool {
        let s = &mut self.slots[firing.slot as usize];
        if s.first != now {
            // Superseded by two earlier entries, or the second of two entries of one nanosecond.
            return false;
        }
        s.first = s.second;
        s.second = SimTime::NEVER;
        if s.deadline <= now {
            s.deadline = SimTime::NEVER;
            return true;
        }
        if s.deadline < s.first {
            s.second = s.first;
            s.first = s.deadline;
            queue.push(s.deadline, firing.into());
        }
        false
    }
}

#[cfg(test)]
mod tests;
