//! A mark for each segment in flight, for recoveries that judge each segment by itself.

use std::collections::VecDeque;

/// The state of a segment. `A`: what the recovery has to know of a retransmission.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Mark<A = ()> {
    /// Sent; not reported by the receiver.
    Out,
    /// SACKed: the receiver has it.
    Sacked,
    /// Lost; to be retransmitted.
    Lost,
    /// Retransmitted after it was lost.
    Again(A),
}

/// Marks of the segments from the oldest outstanding one on, at the same places as in
/// [`SendState::sent`](crate::send::SendState).
#[derive(Debug)]
pub(super) struct Marks<A = ()> {
    marks: VecDeque<Mark<A>>,
    sacked: usize,
    lost: usize,
    again: usize,
}

impl<A> Default for Marks<A> {
    fn default() -> Self {
        Self { marks: VecDeque::new(), sacked: 0, lost: 0, again: 0 }
    }
}

impl<A: Copy + PartialEq> Marks<A> {
    /// Number of marks.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Number of SACKed segments.
    pub fn sacked(&self) -> usize {
        self.sacked
    }

    /// Number of lost segments that were not retransmitted since.
    pub fn lost(&self) -> usize {
        self.lost
    }

    /// Number of segments in flight that were retransmitted after they were lost.
    pub fn again(&self) -> usize {
        self.again
    }

    /// True if nothing is SACKed, lost or retransmitted: everything so far arrived in order.
    pub fn is_plain(&self) -> bool {
        self.sacked + self.lost + self.again == 0
    }

    pub fn get(&self, place: usize) -> Option<Mark<A>> {
        self.marks.get(place).copied()
    }

    /// Marks the segment at `place`, which has a mark.
    pub fn set(&mut self, place: usize, mark: Mark<A>) {
        let old = std::mem::replace(&mut self.marks[place], mark);
        self.count(old, -1);
        self.count(mark, 1);
    }

    /// Replaces all marks of one kind.
    pub fn replace(&mut self, which: impl Fn(Mark<A>) -> bool, mark: Mark<A>) {
        for place in 0..self.marks.len() {
            if which(self.marks[place]) {
                self.set(place, mark);
            }
        }
    }

    /// Marks segments as sent so that at least `len` have a mark.
    pub fn extend_to(&mut self, len: usize) {
        if len > self.marks.len() {
            self.marks.resize(len, Mark::Out);
        }
    }

    /// Removes the oldest segment, which is acknowledged.
    pub fn pop(&mut self) -> Option<Mark<A>> {
        let mark = self.marks.pop_front()?;
        self.count(mark, -1);
        Some(mark)
    }

    /// Place of the first lost segment from `from` on.
    pub fn next_lost(&self, from: usize) -> Option<usize> {
        if self.lost == 0 {
            return None;
        }
        self.marks.iter().skip(from).position(|m| *m == Mark::Lost).map(|place| from + place)
    }

    /// Number of segments that are lost by RFC 6675's IsLost: `threshold` segments above them are SACKed.
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

    #[cfg(test)]
    pub fn iter(&self) -> impl Iterator<Item = &Mark<A>> {
        self.marks.iter()
    }

    fn count(&mut self, mark: Mark<A>, by: isize) {
        let counter = match mark {
            Mark::Out => return,
            Mark::Sacked => &mut self.sacked,
            Mark::Lost => &mut self.lost,
            Mark::Again(_) => &mut self.again,
        };
        *counter = counter.wrapping_add_signed(by);
    }
}

impl Marks {
    /// Segments that are neither SACKed nor lost (RFC 6675's pipe, in segments).
    pub fn in_flight(&self) -> usize {
        self.marks.len() - self.sacked - self.lost
    }

    /// The segment at `place` was sent, first or again.
    pub fn on_sent(&mut self, place: usize) {
        match self.marks.get(place) {
            None => self.marks.push_back(Mark::Out),
            Some(Mark::Lost) => self.set(place, Mark::Again(())),
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
