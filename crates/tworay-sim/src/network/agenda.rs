//! The agenda: events, timers, and the times at which stations may transmit.

use super::event::Event;
use crate::engine::{Deadlines, EventQueue, Firing, TimerSlot, TimerTable};
use tworay_base::{NodeId, SimTime};

/// Everything planned, by time.
pub(crate) struct Agenda {
    /// End of the run.
    pub end: SimTime,
    /// Number of events processed.
    pub events: u64,
    queue: EventQueue<Event>,
    timers: TimerTable,
    /// When each station may transmit unless the medium turns busy before.
    accesses: Deadlines,
}

impl Agenda {
    /// An empty agenda for `nodes` nodes.
    pub fn new(nodes: usize, end: SimTime) -> Self {
        Self {
            end,
            events: 0,
            queue: EventQueue::default(),
            timers: TimerTable::default(),
            accesses: Deadlines::new(nodes),
        }
    }

    /// Schedules an event.
    #[inline(always)]
    pub fn push(&mut self, at: SimTime, event: Event) {
        self.queue.push(at, event);
    }

    /// Removes and returns the next event and its time.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(SimTime, Event)> {
        self.queue.pop()
    }

    /// Time of the next event; [`SimTime::NEVER`] if there is none.
    #[inline(always)]
    pub fn next_event(&self) -> SimTime {
        self.queue.peek_time()
    }

    /// Advances the clock to `now` without an event.
    #[inline(always)]
    pub fn advance(&mut self, now: SimTime) {
        self.queue.advance(now);
    }

    /// Adds `n` timers; returns the slot of the first.
    pub fn add_timers(&mut self, n: usize) -> TimerSlot {
        self.timers.add(n)
    }

    /// Arms or rearms a timer; [`SimTime::NEVER`] disarms it.
    #[inline(always)]
    pub fn set_timer(&mut self, slot: TimerSlot, at: SimTime) {
        self.timers.set(slot, at, &mut self.queue);
    }

    /// Disarms a timer.
    #[inline]
    pub fn clear_timer(&mut self, slot: TimerSlot) {
        self.timers.clear(slot);
    }

    /// True if a timer whose event is due at `now` really fires.
    #[inline(always)]
    pub fn fires(&mut self, now: SimTime, firing: Firing) -> bool {
        self.timers.fires(now, firing, &mut self.queue)
    }

    /// Sets the time at which a station may transmit; [`SimTime::NEVER`] if it does not want to.
    #[inline(always)]
    pub fn set_access(&mut self, node: NodeId, at: SimTime) {
        self.accesses.set(node.index(), at);
    }

    /// The access times of all stations, for postponing many of them.
    #[inline(always)]
    pub fn accesses(&mut self) -> &mut Deadlines {
        &mut self.accesses
    }

    /// Lower bound: no station may transmit earlier.
    #[inline(always)]
    pub fn next_access(&self) -> SimTime {
        self.accesses.next()
    }

    /// The station that may transmit first, and when, if that is not after `limit`; `deadline` returns a
    /// station's current access time, and `tie` decides between equal ones.
    #[inline(always)]
    pub fn first_access(
        &mut self,
        limit: SimTime,
        tie: SimTime,
        deadline: impl Fn(usize) -> SimTime,
    ) -> Option<(SimTime, usize)> {
        self.accesses.first_until(limit, tie, deadline)
    }

    /// Lower bound: nothing happens earlier.
    #[inline(always)]
    pub fn next(&self) -> SimTime {
        self.queue.peek_time().min(self.accesses.next())
    }

    /// All scheduled events, in no particular order.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        self.queue.iter()
    }
}
