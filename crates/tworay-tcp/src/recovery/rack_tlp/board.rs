//! A mark for each segment in flight.

use std::collections::VecDeque;

/// The state of a segment.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// Sent; not reported by the receiver.
    Out,
    /// SACKed.
    Sacked,
    /// Lost; to be retransmitted.
    Lost,
    /// Retransmitted after it was lost.
    Again,
}

/// Marks of the segments in flight, at the same indices as in [`Machinery::sent`](crate::send::SendState).
#[derive(Debug, Default)]
pub(super) struct Board {
    marks: VecDeque<Mark>,
    /// Order of their latest transmissions.
    orders: VecDeque<u64>,
    order: u64,
    sacked: usize,
    lost: usize,
    again: usize,
}

impl Board {
    /// Segments that are neither SACKed nor lost (RFC 6675's pipe, in segments).
    pub fn in_flight(&self) -> usize {
        self.marks.len() - self.sacked - self.lost
    }

    /// Segments sent and not cumulatively acknowledged.
    pub fn outstanding(&self) -> usize {
        self.marks.len()
    }

    pub fn sacked(&self) -> usize {
        self.sacked
    }

    pub fn mark(&self, place: usize) -> Option<Mark> {
        self.marks.get(place).copied()
    }

    /// True if nothing is SACKed, lost or retransmitted: everything so far arrived in order.
    pub fn is_plain(&self) -> bool {
        self.sacked + self.lost + self.again == 0
    }

    /// Marks the segment at `place` as sent, whether new or retransmitted.
    pub fn sent(&mut self, place: usize) {
        self.order += 1;
        if place >= self.marks.len() {
            self.marks.push_back(Mark::Out);
            self.orders.push_back(self.order);
            return;
        }
        self.orders[place] = self.order;
        if self.marks[place] == Mark::Lost {
            self.set(place, Mark::Again);
        }
    }

    pub fn set(&mut self, place: usize, mark: Mark) {
        let old = std::mem::replace(&mut self.marks[place], mark);
        self.count(old, -1);
        self.count(mark, 1);
    }

    /// Removes the oldest segment, which is acknowledged; returns its mark and transmission order.
    pub fn pop(&mut self) -> Option<(Mark, u64)> {
        let (mark, order) = (self.marks.pop_front()?, self.orders.pop_front()?);
        self.count(mark, -1);
        Some((mark, order))
    }

    /// Transmission order of the segment at `place`: later transmissions have higher numbers.
    pub fn order(&self, place: usize) -> u64 {
        self.orders.get(place).copied().unwrap_or(0)
    }

    fn count(&mut self, mark: Mark, by: isize) {
        let counter = match mark {
            Mark::Out => return,
            Mark::Sacked => &mut self.sacked,
            Mark::Lost => &mut self.lost,
            Mark::Again => &mut self.again,
        };
        *counter = counter.wrapping_add_signed(by);
    }

    /// Index of the first lost segment.
    pub fn next_lost(&self) -> Option<usize> {
        if self.lost == 0 {
            return None;
        }
        self.marks.iter().position(|m| *m == Mark::Lost)
    }

    /// Clears the marks of lost segments: they are in flight, some of them twice.
    pub fn unmark_losses(&mut self) {
        for place in 0..self.marks.len() {
            if matches!(self.marks[place], Mark::Lost | Mark::Again) {
                self.set(place, Mark::Out);
            }
        }
    }

    /// The receiver may have discarded what it reported (RFC 2018 §8).
    pub fn forget_sacked(&mut self) {
        for place in 0..self.marks.len() {
            if self.marks[place] == Mark::Sacked {
                self.set(place, Mark::Out);
            }
        }
    }

    /// Indices of segments that are lost by RFC 6675's IsLost: `threshold` segments above are SACKed.
    pub fn below_sacked(&self, threshold: usize) -> usize {
        let mut above = 0;
        for (place, mark) in self.marks.iter().enumerate().rev() {
            if above >= threshold {
                return place + 1;
            }
            above += usize::from(*mark == Mark::Sacked);
        }
        0
    }
}
