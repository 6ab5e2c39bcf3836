//! Scoreboard of TCP-Linux: a mark for each outstanding segment.

use crate::recovery::marks::{Mark, Marks};

/// A retransmission.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Repeat {
    /// Number of this retransmission, from 0.
    order: i64,
    /// The number of the next new segment then.
    next: u64,
}

/// Changes that an ACK made.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct News {
    /// A segment was SACKed.
    pub sacked: bool,
    /// A segment was marked lost.
    pub lost: bool,
}

/// Marks of the outstanding segments from the oldest on; segments without a mark count as sent once.
///
/// An ACK is examined only as far as its blocks reach, unless it raised the highest SACKed segment or
/// answered a retransmission. Lost segments above its blocks are found only by the next such ACK.
#[derive(Debug)]
pub(super) struct Board {
    /// Number of the oldest outstanding segment, counted from the first one sent.
    first: u64,
    marks: Marks<Repeat>,
    /// Highest number SACKed; 0 if none.
    highest: u64,
    /// Number of retransmissions.
    orders: i64,
    /// Highest order of a retransmission that was answered.
    answered: i64,
    /// Where to start looking for a lost segment.
    candidate: Option<u64>,
}

impl Default for Board {
    fn default() -> Self {
        Self { first: 0, marks: Marks::default(), highest: 0, orders: 0, answered: -1, candidate: None }
    }
}

impl Board {
    /// Number of `outstanding` segments that are neither SACKed nor lost.
    pub fn in_flight(&self, outstanding: usize) -> usize {
        outstanding.saturating_sub(self.marks.lost() + self.marks.sacked())
    }

    /// Number of the segment `place` places above the oldest.
    pub fn number(&self, place: usize) -> u64 {
        self.first + place as u64
    }

    /// Removes all marks.
    pub fn clear(&mut self) {
        *self = Self { first: self.first, ..Self::default() };
    }

    /// Processes an ACK of the oldest `acked` segments with `blocks` `[left, right)` of numbers.
    /// `threshold` is the number of duplicate ACKs that indicate a loss.
    pub fn update(&mut self, acked: usize, blocks: &mut [(u64, u64)], threshold: u32) -> News {
        let mut thorough = self.remove(acked);
        if self.marks.len() == 0 {
            self.clear();
            thorough = false;
        }
        blocks.sort_by_key(|b| b.0);
        if let Some(&(_, right)) = blocks.last()
            && self.highest + 1 < right
        {
            self.highest = right - 1;
            thorough = true;
        }
        if thorough || !blocks.is_empty() {
            return self.look(blocks, threshold, thorough);
        }
        News::default()
    }

    /// Removes acknowledged segments; returns whether a retransmission was among them.
    fn remove(&mut self, acked: usize) -> bool {
        let mut answered = false;
        for _ in 0..acked {
            self.first += 1;
            if let Some(Mark::Again(repeat)) = self.marks.pop()
                && repeat.order > self.answered
            {
                self.answered = repeat.order;
                answered = true;
            }
        }
        self.candidate = self.candidate.map(|c| c.max(self.first));
        answered
    }

    /// Examines the marks from the oldest segment on.
    fn look(&mut self, blocks: &[(u64, u64)], threshold: u32, mut thorough: bool) -> News {
        let mut news = News::default();
        let reach = i64::from(threshold) + 1;
        let mut blocks = blocks;
        let mut place = 0;
        self.candidate = None;
        self.extend_to(self.highest + 1);
        while let Some(mark) = self.marks.get(place).filter(|_| thorough || !blocks.is_empty()) {
            let here = place;
            let number = self.number(here);
            place += 1;
            if mark == Mark::Sacked {
                continue;
            }
            while blocks.first().is_some_and(|b| b.1 <= number) {
                blocks = &blocks[1..];
            }
            if blocks.first().is_some_and(|b| b.0 <= number) {
                if let Mark::Again(repeat) = mark {
                    self.answered = repeat.order;
                    thorough = true;
                }
                self.marks.set(here, Mark::Sacked);
                news.sacked = true;
                continue;
            }
            let lost = match mark {
                Mark::Again(repeat) => repeat.next <= self.highest || repeat.order + reach < self.answered,
                Mark::Out => number as i64 <= self.highest as i64 - reach,
                _ => false,
            };
            if lost {
                self.marks.set(here, Mark::Lost);
                news.lost = true;
            }
            if lost || mark == Mark::Lost {
                self.candidate.get_or_insert(number);
            }
        }
        news
    }

    fn extend_to(&mut self, end: u64) {
        self.marks.extend_to(end.saturating_sub(self.first) as usize);
    }

    /// Marks everything outstanding that is not SACKed as lost; all of it if the oldest segment was SACKed,
    /// because the receiver then discarded data (RFC 2018 §8).
    pub fn lose_all(&mut self, outstanding: usize) {
        if self.marks.get(0) == Some(Mark::Sacked) {
            self.clear();
        }
        self.extend_to(self.first + outstanding as u64);
        self.marks.replace(|mark| mark != Mark::Sacked, Mark::Lost);
        self.candidate = Some(self.first);
    }

    /// Place of the next lost segment to retransmit.
    pub fn next_lost(&mut self) -> Option<usize> {
        let from = (self.candidate? - self.first) as usize;
        let found = self.marks.next_lost(from);
        self.candidate = found.map(|place| self.number(place));
        found
    }

    /// The lost segment at `place` is retransmitted while `outstanding` segments are unacknowledged.
    pub fn sent_again(&mut self, place: usize, outstanding: usize) {
        let next = self.number(outstanding);
        if self.marks.get(place) == Some(Mark::Lost) {
            self.marks.set(place, Mark::Again(Repeat { order: self.orders, next }));
            self.orders += 1;
        }
    }
}

#[cfg(test)]
mod tests;
