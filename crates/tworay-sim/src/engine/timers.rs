//! Timers without allocation and without searching the queue.
//!
//! A timer is a slot. Moving its deadline later (what a restarted RTO does all the time) writes one
//! number: the entry already queued notices when its time comes and queues itself again. Cancelling
//! writes one number too.

use super::queue::{EventQueue, Packed};
use tworay_base::SimTime;

/// Index of a timer.
pub type TimerSlot = u32;

#[derive(Copy, Clone)]
struct Slot {
    deadline: SimTime,
    /// Times of the queue entries that still count: the earliest, and a later one that an earlier
    /// deadline overtook (it serves again when the deadline moves back).
    first: SimTime,
    second: SimTime,
}

const IDLE: Slot = Slot { deadline: SimTime::NEVER, first: SimTime::NEVER, second: SimTime::NEVER };

/// A queue entry of a timer: what the event carries.
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
    /// Adds `n` timers and gives the first one's slot.
    pub fn add(&mut self, n: usize) -> TimerSlot {
        let first = self.slots.len() as TimerSlot;
        self.slots.resize(self.slots.len() + n, IDLE);
        first
    }

    /// (Re)arms a timer for `at`; [`SimTime::NEVER`] disarms it.
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

    /// A timer's entry came out of the queue at `now`: whether it really fires.
    #[inline]
    pub fn fires<E: Packed + From<Firing>>(
        &mut self,
        now: SimTime,
        firing: Firing,
        queue: &mut EventQueue<E>,
    ) -> bool {
        let s = &mut self.slots[firing.slot as usize];
        if s.first != now {
            // An entry that two earlier ones overtook, or the second of two of one nanosecond.
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
