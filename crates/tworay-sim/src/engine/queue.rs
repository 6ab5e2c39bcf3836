//! The event queue: a 4-ary heap of small inline entries.
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
        let key = u128::from(at.max(self.now).as_nanos()) << 64 | u128::from(self.next_order);
        self.next_order += 1;
        let entry = Entry { key, event };
        let mut i = self.heap.len();
        self.heap.push(entry);
        let heap = self.heap.as_mut_slice();
        while i > 0 {
            let parent = (i - 1) / 4;
            if key > heap[parent].key {
                break;
            }
            heap[i] = heap[parent];
            i = parent;
        }
        heap[i] = entry;
    }

    /// The next event's time.
    #[inline]
    pub fn peek_time(&self) -> SimTime {
        self.heap.first().map_or(SimTime::NEVER, Entry::at)
    }

    /// Takes the next event and moves the clock to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        let last = self.heap.pop()?;
        let heap = self.heap.as_mut_slice();
        let Some(&first) = heap.first() else {
            self.now = last.at();
            return Some((self.now, last.event));
        };
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
        self.now = first.at();
        Some((self.now, first.event))
    }

    /// The waiting events in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.heap.iter().map(|e| &e.event)
    }
}

#[cfg(test)]
mod tests;
