//! A sorted set of disjoint half-open ranges of offsets.

use std::collections::VecDeque;

/// Bytes `[start, end)`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// First byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
}

impl Range {
    /// Length in bytes.
    #[inline]
    pub fn len(self) -> u64 {
        self.end - self.start
    }
}

/// Disjoint ranges in ascending order that do not touch each other. The allocation is reused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeSet {
    ranges: VecDeque<Range>,
    total: u64,
}

impl RangeSet {
    /// Adds `[start, end)` and merges overlapping or touching ranges. Returns the merged range, or `None`
    /// for an empty input.
    pub fn insert(&mut self, start: u64, end: u64) -> Option<Range> {
        if start >= end {
            return None;
        }
        let from = self.ranges.partition_point(|r| r.end < start);
        let to = from + self.ranges.iter().skip(from).take_while(|r| r.start <= end).count();
        let mut merged = Range { start, end };
        for r in self.ranges.range(from..to) {
            merged.start = merged.start.min(r.start);
            merged.end = merged.end.max(r.end);
            self.total -= r.len();
        }
        self.total += merged.len();
        if to == from {
            self.ranges.insert(from, merged);
        } else {
            self.ranges[from] = merged;
            self.ranges.drain(from + 1..to);
        }
        Some(merged)
    }

    /// Removes everything below `offset`.
    pub fn clear_below(&mut self, offset: u64) {
        while let Some(first) = self.ranges.front_mut() {
            if first.end <= offset {
                self.total -= first.len();
                self.ranges.pop_front();
            } else {
                if first.start < offset {
                    self.total -= offset - first.start;
                    first.start = offset;
                }
                break;
            }
        }
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.ranges.clear();
        self.total = 0;
    }

    /// The range that contains `offset`.
    pub fn containing(&self, offset: u64) -> Option<Range> {
        let i = self.ranges.partition_point(|r| r.end <= offset);
        self.ranges.get(i).copied().filter(|r| r.start <= offset)
    }

    /// The first range that starts at or after `offset`.
    pub fn next_from(&self, offset: u64) -> Option<Range> {
        self.ranges.get(self.ranges.partition_point(|r| r.start < offset)).copied()
    }

    /// Bytes in the set below `offset`.
    pub fn bytes_below(&self, offset: u64) -> u64 {
        self.ranges.iter().take_while(|r| r.start < offset).map(|r| r.end.min(offset) - r.start).sum()
    }

    /// Bytes in the set.
    #[inline]
    pub fn total(&self) -> u64 {
        self.total
    }
    /// True if the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
    /// The highest range.
    #[inline]
    pub fn last(&self) -> Option<Range> {
        self.ranges.back().copied()
    }
    /// The ranges in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Range> + ExactSizeIterator + '_ {
        self.ranges.iter().copied()
    }
}

#[cfg(test)]
mod tests;
