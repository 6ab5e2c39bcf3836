//! The agenda: what happens when. Events, timers, and the times at which stations may send.

use super::event::Event;
use crate::engine::{Deadlines, EventQueue, Firing, TimerSlot, TimerTable};
use tworay_base::{NodeId, SimTime};

/// What happens when.
pub(crate) struct Agenda {
    /// End of the run.
    pub end: SimTime,
    /// Events worked off.
    pub events: u64,
    queue: EventQueue<Event>,
    timers: TimerTable,
    /// When stations may send if nothing comes between.
    accesses: Deadlines,
}

impl Agenda {
    /// Nothing is planned yet for this many nodes.
    pub fn new(nodes: usize, end: SimTime) -> Self {
        Self {
            end,
            events: 0,
            queue: EventQueue::default(),
            timers: TimerTable::default(),
            accesses: Deadlines::new(nodes),
        }
    }

    /// Plans an event.
    #[inline(always)]
    pub fn push(&mut self, at: SimTime, event: Event) {
        self.queue.push(at, event);
    }

    /// Takes the next event, with its time.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(SimTime, Event)> {
        self.queue.pop()
    }

    /// When the next event is; [`SimTime::NEVER`] if there is none.
    #[inline(always)]
    pub fn next_event(&self) -> SimTime {
        self.queue.peek_time()
    }

    /// Time has come to `now` without an event.
    #[inline(always)]
    pub fn advance(&mut self, now: SimTime) {
        self.queue.advance(now);
    }

    /// Adds `n` timers and gives the first one's slot.
    pub fn add_timers(&mut self, n: usize) -> TimerSlot {
        self.timers.add(n)
    }

    /// (Re)arms a timer; [`SimTime::NEVER`] disarms it.
    #[inline(always)]
    pub fn set_timer(&mut self, slot: TimerSlot, at: SimTime) {
        self.timers.set(slot, at, &mut self.queue);
    }

    /// Disarms a timer.
    #[inline]
    pub fn clear_timer(&mut self, slot: TimerSlot) {
        self.timers.clear(slot);
    }

    /// Whether a timer whose event came at `now` really fires.
    #[inline(always)]
    pub fn fires(&mut self, now: SimTime, firing: Firing) -> bool {
        self.timers.fires(now, firing, &mut self.queue)
    }

    /// Sets the time at which a station may send; [`SimTime::NEVER`] if it doesn't want to.
    #[inline(always)]
    pub fn set_access(&mut self, node: NodeId, at: SimTime) {
        self.accesses.set(node.index(), at);
    }

    /// The stations' times of access, to postpone many of them.
    #[inline(always)]
    pub fn accesses(&mut self) -> &mut Deadlines {
        &mut self.accesses
    }

    /// No station may send before this.
    #[inline(always)]
    pub fn next_access(&self) -> SimTime {
        self.accesses.next()
    }

    /// Which station may send first, and when, if that is not after `limit`; `deadline` gives a station's
    /// time as things stand.
    #[inline(always)]
    pub fn first_access(
        &mut self,
        limit: SimTime,
        deadline: impl Fn(usize) -> SimTime,
    ) -> Option<(SimTime, usize)> {
        self.accesses.first_until(limit, deadline)
    }

    /// A time before which nothing happens.
    #[inline(always)]
    pub fn next(&self) -> SimTime {
        self.queue.peek_time().min(self.accesses.next())
    }

    /// Everything planned, in no order.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        self.queue.iter()
    }
}
