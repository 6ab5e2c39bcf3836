//! Timers without allocation and without searching the queue.
//!
//! A timer is a slot. Moving its deadline later (what a frozen backoff or a restarted RTO does all
//! the time) writes one number: the entry already queued notices when its time comes and queues
//! itself again. Cancelling writes one number too.

use super::queue::EventQueue;
use tworay_base::SimTime;

/// Index of a timer.
pub type TimerSlot = u32;

#[derive(Copy, Clone)]
struct Slot {
    deadline: SimTime,
    /// Time of the live queue entry, or never.
    queued: SimTime,
    generation: u32,
}

/// A queue entry of a timer: what the event carries.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    /// The timer.
    pub slot: TimerSlot,
    /// Entries of an older generation are dead.
    pub generation: u32,
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
        let idle = Slot { deadline: SimTime::NEVER, queued: SimTime::NEVER, generation: 0 };
        self.slots.resize(self.slots.len() + n, idle);
        first
    }

    /// (Re)arms a timer for `at`; [`SimTime::NEVER`] disarms it.
    #[inline]
    pub fn set<E: Copy + From<Firing>>(&mut self, slot: TimerSlot, at: SimTime, queue: &mut EventQueue<E>) {
        let s = &mut self.slots[slot as usize];
        s.deadline = at;
        if at < s.queued {
            s.generation = s.generation.wrapping_add(1);
            s.queued = at;
            queue.push(at, Firing { slot, generation: s.generation }.into());
        }
    }

    /// Disarms a timer.
    #[inline]
    pub fn clear(&mut self, slot: TimerSlot) {
        self.slots[slot as usize].deadline = SimTime::NEVER;
    }

    /// A timer's entry came out of the queue at `now`: whether it really fires.
    #[inline]
    pub fn fires<E: Copy + From<Firing>>(
        &mut self,
        now: SimTime,
        firing: Firing,
        queue: &mut EventQueue<E>,
    ) -> bool {
        let s = &mut self.slots[firing.slot as usize];
        if s.generation != firing.generation {
            return false;
        }
        s.queued = SimTime::NEVER;
        if s.deadline <= now {
            s.deadline = SimTime::NEVER;
            return true;
        }
        if s.deadline != SimTime::NEVER {
            s.queued = s.deadline;
            queue.push(s.deadline, firing.into());
        }
        false
    }
}

#[cfg(test)]
mod tests;
