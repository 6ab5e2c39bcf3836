//! The event queue: a short sorted row of the next events, and a 4-ary heap of small inline entries.
//!
//! Total order: (time, order of insertion). Events of the same nanosecond run in the order in which they
//! were scheduled, whatever their kind.

use std::marker::PhantomData;
use tworay_base::SimTime;

/// An event, packed into one machine word: copying a multi-field event stalls on store forwarding.
pub trait Packed: Copy {
    /// Packs the event into a word.
    fn pack(self) -> u64;
    /// Restores the event from its word.
    fn unpack(word: u64) -> Self;
}

#[derive(Copy, Clone)]
struct Entry {
    /// Time in the upper half, insertion order in the lower half, so that one comparison orders two
    /// entries.
    key: u128,
    event: u64,
}

impl Entry {
    #[inline]
    fn at(&self) -> SimTime {
        SimTime::from_nanos((self.key >> 64) as u64)
    }
}

/// Most events in the sorted row.
const NEAR: usize = 32;
/// Number of events moved to the heap when the row is full, and back when it is empty.
const BATCH: usize = 8;

/// Events in order of time.
///
/// The next event is usually one of the most recently scheduled (a SIFS, the end of a frame). The next few
/// events therefore stand in a short sorted row, where inserting takes a few moves and removing none; only
/// the others go through the heap.
pub struct EventQueue<E> {
    near: Row,
    /// 4-ary heap of the events outside the row; none of them precedes an event of the row.
    heap: Vec<Entry>,
    next_order: u64,
    now: SimTime,
    /// Time of the next event; [`SimTime::NEVER`] if there is none.
    next: SimTime,
    of: PhantomData<E>,
}

/// The next events in descending order; empty only if the heap is empty.
struct Row {
    times: [SimTime; NEAR],
    orders: [u64; NEAR],
    events: [u64; NEAR],
    length: usize,
}

impl Row {
    /// Inserts an event after all later ones and before those of the same time or earlier.
    #[inline]
    fn insert(&mut self, at: SimTime, order: u64, event: u64) {
        let mut i = self.length;
        while i > 0 && self.times[i - 1] <= at {
            self.times[i] = self.times[i - 1];
            self.orders[i] = self.orders[i - 1];
            self.events[i] = self.events[i - 1];
            i -= 1;
        }
        self.times[i] = at;
        self.orders[i] = order;
        self.events[i] = event;
        self.length += 1;
    }

    /// Time of the next event; [`SimTime::NEVER`] if the row is empty.
    #[inline]
    fn next(&self) -> SimTime {
        if self.length == 0 { SimTime::NEVER } else { self.times[self.length - 1] }
    }

    fn entry(&self, i: usize) -> Entry {
        let key = u128::from(self.times[i].as_nanos()) << 64 | u128::from(self.orders[i]);
        Entry { key, event: self.events[i] }
    }
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        let row = Row { times: [SimTime::ZERO; NEAR], orders: [0; NEAR], events: [0; NEAR], length: 0 };
        let heap = Vec::with_capacity(1024);
        Self { near: row, heap, next_order: 0, now: SimTime::ZERO, next: SimTime::NEVER, of: PhantomData }
    }
}

impl<E: Packed> EventQueue<E> {
    /// Schedules `event`; a time in the past is raised to now (and refused in debug builds).
    #[inline(always)]
    pub fn push(&mut self, at: SimTime, event: E) {
        debug_assert!(at >= self.now, "an event at {at} was scheduled at {}", self.now);
        self.push_word(at, event.pack());
    }

    fn push_word(&mut self, at: SimTime, event: u64) {
        let at = at.max(self.now);
        self.next = self.next.min(at);
        let order = self.next_order;
        self.next_order += 1;
        // The newest of simultaneous events runs last, so comparing times is sufficient here. The row is
        // empty only if the heap is.
        if self.near.length < NEAR && (self.heap.is_empty() || at < self.near.times[0]) {
            self.near.insert(at, order, event);
        } else {
            self.push_far(at, order, event);
        }
    }

    /// The row is full, or an event comes after all of its events.
    #[inline(never)]
    fn push_far(&mut self, at: SimTime, order: u64, event: u64) {
        if self.near.length == NEAR {
            self.spill();
        }
        if at >= self.near.times[0] {
            let key = u128::from(at.as_nanos()) << 64 | u128::from(order);
            heap_push(&mut self.heap, Entry { key, event });
        } else {
            self.near.insert(at, order, event);
        }
    }

    /// The next event's time.
    #[inline]
    pub fn peek_time(&self) -> SimTime {
        self.next
    }

    /// Advances the clock to the time of something that was not queued.
    #[inline]
    pub fn advance(&mut self, now: SimTime) {
        debug_assert!(now <= self.peek_time());
        self.now = self.now.max(now);
    }

    /// Removes the next event and advances the clock to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        let last = self.near.length.checked_sub(1)?;
        let (at, event) = (self.near.times[last], self.near.events[last]);
        self.near.length = last;
        if last == 0 {
            self.refill();
        }
        self.now = at;
        self.next = self.near.next();
        Some((at, E::unpack(event)))
    }

    /// The row is full: moves its latest events to the heap.
    #[cold]
    fn spill(&mut self) {
        for i in 0..BATCH {
            heap_push(&mut self.heap, self.near.entry(i));
        }
        self.near.times.copy_within(BATCH.., 0);
        self.near.orders.copy_within(BATCH.., 0);
        self.near.events.copy_within(BATCH.., 0);
        self.near.length -= BATCH;
    }

    /// The row is empty: refills it with the heap's next events.
    #[inline(never)]
    fn refill(&mut self) {
        let count = BATCH.min(self.heap.len());
        for i in (0..count).rev() {
            let Some(entry) = heap_pop(&mut self.heap) else { break };
            self.near.times[i] = entry.at();
            self.near.orders[i] = entry.key as u64;
            self.near.events[i] = entry.event;
        }
        self.near.length = count;
    }

    /// Queued events in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = E> {
        let near = self.near.events[..self.near.length].iter().copied();
        near.chain(self.heap.iter().map(|e| e.event)).map(E::unpack)
    }
}

fn heap_push(heap: &mut Vec<Entry>, entry: Entry) {
    let mut i = heap.len();
    heap.push(entry);
    let heap = heap.as_mut_slice();
    while i > 0 {
        let parent = (i - 1) / 4;
        if entry.key > heap[parent].key {
            break;
        }
        heap[i] = heap[parent];
        i = parent;
    }
    heap[i] = entry;
}

fn heap_pop(heap: &mut Vec<Entry>) -> Option<Entry> {
    let last = heap.pop()?;
    let heap = heap.as_mut_slice();
    let Some(&first) = heap.first() else { return Some(last) };
    let mut i = 0;
    loop {
        let child = 4 * i + 1;
        let least = match heap.get(child..child + 4) {
            Some([a, b, c, d]) => {
                let (x, kx) = if b.key < a.key { (1, b.key) } else { (0, a.key) };
                let (y, ky) = if d.key < c.key { (3, d.key) } else { (2, c.key) };
                child + if ky < kx { y } else { x }
            }
            _ => match heap.get(child..) {
                Some(rest) if !rest.is_empty() => {
                    let mut least = 0;
                    for (j, e) in rest.iter().enumerate() {
                        if e.key < rest[least].key {
                            least = j;
                        }
                    }
                    child + least
                }
                _ => break,
            },
        };
        if heap[least].key > last.key {
            break;
        }
        heap[i] = heap[least];
        i = least;
    }
    heap[i] = last;
    Some(first)
}

#[cfg(test)]
mod tests;
