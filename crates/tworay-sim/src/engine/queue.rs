//! The event queue: a short sorted row of what comes next, and a 4-ary heap of small inline entries.
//!
//! Total order: (time, order of insertion). Two events of the same nanosecond happen in the order
//! in which they were scheduled, whatever their kind.

use tworay_base::SimTime;

#[derive(Copy, Clone)]
struct Entry<E> {
    /// Time in the upper half, order of insertion in the lower: one comparison decides.
    key: u128,
    event: E,
}

impl<E> Entry<E> {
    #[inline]
    fn at(&self) -> SimTime {
        SimTime::from_nanos((self.key >> 64) as u64)
    }
}

/// At most so many events stand in the short row before the heap.
const NEAR: usize = 32;
/// So many move to the heap when the row is full, and back when it is empty.
const BATCH: usize = 8;

/// Events in the order of their time; `E` should be a small `Copy` enum.
///
/// What happens next is mostly scheduled last (a SIFS, the end of a frame): the next few events stand
/// sorted in a short row, where such an event is put in with a few moves and taken out with none; only
/// the others go through a heap.
pub struct EventQueue<E> {
    /// The next events, the very next last; empty only if the heap is.
    near: Vec<Entry<E>>,
    /// A 4-ary heap of all others: none is before any of the row.
    heap: Vec<Entry<E>>,
    next_order: u64,
    now: SimTime,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self {
            near: Vec::with_capacity(NEAR),
            heap: Vec::with_capacity(1024),
            next_order: 0,
            now: SimTime::ZERO,
        }
    }
}

impl<E: Copy> EventQueue<E> {
    /// Schedules `event`; a time in the past is raised to now (and refused in debug builds).
    #[inline]
    pub fn push(&mut self, at: SimTime, event: E) {
        debug_assert!(at >= self.now, "an event at {at} was scheduled at {}", self.now);
        let key = u128::from(at.max(self.now).as_nanos()) << 64 | u128::from(self.next_order);
        self.next_order += 1;
        let entry = Entry { key, event };
        if self.near.len() == NEAR {
            self.spill();
        }
        // Of events of one time the newest comes last, so here times decide alone.
        let at = entry.at();
        if !self.heap.is_empty() && self.near.first().is_some_and(|last| at >= last.at()) {
            heap_push(&mut self.heap, entry);
            return;
        }
        let mut i = self.near.len();
        self.near.push(entry);
        let near = self.near.as_mut_slice();
        while i > 0 && near[i - 1].at() <= at {
            near[i] = near[i - 1];
            i -= 1;
        }
        near[i] = entry;
    }

    /// The next event's time.
    #[inline]
    pub fn peek_time(&self) -> SimTime {
        self.near.last().map_or(SimTime::NEVER, Entry::at)
    }

    /// Takes the next event and moves the clock to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        let next = self.near.pop()?;
        if self.near.is_empty() {
            self.refill();
        }
        self.now = next.at();
        Some((self.now, next.event))
    }

    /// The row is full: its latest events go to the heap.
    #[cold]
    fn spill(&mut self) {
        for entry in self.near.drain(..BATCH) {
            heap_push(&mut self.heap, entry);
        }
    }

    /// The row is empty: the heap's next events come to it.
    fn refill(&mut self) {
        for _ in 0..BATCH {
            let Some(entry) = heap_pop(&mut self.heap) else { break };
            self.near.push(entry);
        }
        self.near.reverse();
    }

    /// The waiting events in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.near.iter().chain(&self.heap).map(|e| &e.event)
    }
}

#[inline]
fn heap_push<E: Copy>(heap: &mut Vec<Entry<E>>, entry: Entry<E>) {
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

#[inline]
fn heap_pop<E: Copy>(heap: &mut Vec<Entry<E>>) -> Option<Entry<E>> {
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
