//! The event queue: a 4-ary heap of small inline entries.
//!
//! Total order: (time, order of insertion). Two events of the same nanosecond happen in the order
//! in which they were scheduled, whatever their kind.

use tworay_base::SimTime;

#[derive(Copy, Clone)]
struct Entry<E> {
    at: SimTime,
    order: u64,
    event: E,
}

impl<E> Entry<E> {
    #[inline]
    fn before(&self, other: &Self) -> bool {
        (self.at, self.order) < (other.at, other.order)
    }
}

/// Events in the order of their time; `E` should be a small `Copy` enum.
pub struct EventQueue<E> {
    heap: Vec<Entry<E>>,
    next_order: u64,
    now: SimTime,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: Vec::with_capacity(1024), next_order: 0, now: SimTime::ZERO }
    }
}

impl<E: Copy> EventQueue<E> {
    /// Schedules `event`; a time in the past is raised to now (and refused in debug builds).
    #[inline]
    pub fn push(&mut self, at: SimTime, event: E) {
        debug_assert!(at >= self.now, "an event at {at} was scheduled at {}", self.now);
        let entry = Entry { at: at.max(self.now), order: self.next_order, event };
        self.next_order += 1;
        let mut i = self.heap.len();
        self.heap.push(entry);
        while i > 0 {
            let parent = (i - 1) / 4;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.heap[i] = self.heap[parent];
            i = parent;
        }
        self.heap[i] = entry;
    }

    /// The next event's time.
    #[inline]
    pub fn peek_time(&self) -> SimTime {
        self.heap.first().map_or(SimTime::NEVER, |e| e.at)
    }

    /// Takes the next event and moves the clock to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        let first = *self.heap.first()?;
        let last = self.heap.pop()?;
        let n = self.heap.len();
        if n > 0 {
            let mut i = 0;
            loop {
                let child = 4 * i + 1;
                if child >= n {
                    break;
                }
                let mut least = child;
                for c in child + 1..(child + 4).min(n) {
                    if self.heap[c].before(&self.heap[least]) {
                        least = c;
                    }
                }
                if !self.heap[least].before(&last) {
                    break;
                }
                self.heap[i] = self.heap[least];
                i = least;
            }
            self.heap[i] = last;
        }
        self.now = first.at;
        Some((first.at, first.event))
    }

    /// Events waiting.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// The waiting events in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.heap.iter().map(|e| &e.event)
    }
}

#[cfg(test)]
mod tests;
