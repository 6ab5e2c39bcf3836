//! The data reported by SACK, and the functions of RFC 6675 on it.

use crate::ranges::{Range, RangeSet};

/// The next segment to send in recovery (RFC 6675 §4, NextSeg).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum NextSeg {
    /// Rules 1 and 3: this part of a hole.
    Hole(Range),
    /// Rule 2: data never sent.
    New,
    /// Rule 4: the rescue retransmission.
    Rescue(Range),
    /// Nothing.
    Nothing,
}

/// The sender's state as needed by [`Scoreboard::next_seg`].
#[derive(Copy, Clone, Debug)]
pub(crate) struct Outstanding {
    /// Oldest byte not acknowledged (HighACK + 1).
    pub una: u64,
    /// The byte after the highest sent (HighData + 1).
    pub max: u64,
    /// Bytes per segment.
    pub mss: u64,
    /// DupThresh.
    pub dup_threshold: u32,
}

/// SACKed ranges above the cumulative ACK.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    sacked: RangeSet,
    /// The byte after the highest retransmitted in this recovery (HighRxt + 1).
    high_rxt: u64,
    /// RescueRxt, if a rescue retransmission was made.
    rescue: Option<u64>,
}

impl Scoreboard {
    /// Records `[left, right)`; returns whether any of it is new. The caller has validated the range.
    pub fn add(&mut self, left: u64, right: u64) -> bool {
        let before = self.sacked.total();
        self.sacked.insert(left, right);
        self.sacked.total() != before
    }

    /// The cumulative ACK advanced to `una`; returns whether that removed anything.
    pub fn advance(&mut self, una: u64) -> bool {
        self.high_rxt = self.high_rxt.max(una);
        if self.sacked.is_empty() {
            return false;
        }
        let before = self.sacked.total();
        self.sacked.clear_below(una);
        self.sacked.total() != before
    }

    /// Clears everything.
    pub fn clear(&mut self) {
        self.sacked.clear();
        self.high_rxt = 0;
        self.rescue = None;
    }

    /// A new recovery starts at `una`: nothing has been retransmitted yet.
    pub fn start_recovery(&mut self, una: u64) {
        self.high_rxt = una;
        self.rescue = None;
    }

    /// `[.., end)` was retransmitted.
    pub fn mark_retransmitted(&mut self, end: u64) {
        self.high_rxt = self.high_rxt.max(end);
    }

    /// Everything below this offset was retransmitted, SACKed or acknowledged.
    pub fn retransmitted_to(&self) -> u64 {
        self.high_rxt
    }

    /// A rescue retransmission was made; the next is permitted when the cumulative ACK passes
    /// `recovery_point`.
    pub fn mark_rescue(&mut self, recovery_point: u64) {
        self.rescue = Some(recovery_point);
    }

    pub fn sacked(&self) -> &RangeSet {
        &self.sacked
    }

    /// Bytes below this offset that are not SACKed are lost: at least `dup_threshold` ranges, or more than
    /// (`dup_threshold` - 1) segments, were SACKed above them (IsLost).
    pub fn lost_edge(&self, q: &Outstanding) -> u64 {
        let enough = u64::from(q.dup_threshold - 1) * q.mss;
        let (mut ranges, mut bytes) = (0, 0);
        for range in self.sacked.iter().rev() {
            ranges += 1;
            bytes += range.len();
            if ranges >= q.dup_threshold || bytes > enough {
                return range.start;
            }
        }
        0
    }

    /// IsLost for a byte that is not SACKed.
    pub fn is_lost(&self, offset: u64, q: &Outstanding) -> bool {
        offset < self.lost_edge(q)
    }

    /// Estimated bytes in the network (SetPipe): those neither SACKed nor lost, plus those retransmitted
    /// and not SACKed.
    pub fn pipe(&self, q: &Outstanding) -> u64 {
        let unsacked = |from: u64, to: u64| {
            if to <= from {
                0
            } else {
                to - from - (self.sacked.bytes_below(to) - self.sacked.bytes_below(from))
            }
        };
        let lost = self.lost_edge(q).clamp(q.una, q.max);
        let retransmitted = self.high_rxt.clamp(q.una, q.max);
        unsacked(lost, q.max) + unsacked(q.una, retransmitted)
    }

    /// The lowest range at or above `from` that is not SACKed and has SACKed data above it, at most `mss`
    /// long.
    pub fn hole_from(&self, from: u64, mss: u64) -> Option<Range> {
        let start = self.sacked.containing(from).map_or(from, |r| r.end);
        let above = self.sacked.next_from(start)?;
        Some(Range { start, end: above.start.min(start + mss) })
    }

    /// NextSeg; `new_data` says whether unsent data is available and fits the window.
    pub fn next_seg(&self, q: &Outstanding, new_data: bool) -> NextSeg {
        let from = self.high_rxt.max(q.una);
        let hole = self.hole_from(from, q.mss);
        if let Some(hole) = hole.filter(|h| self.is_lost(h.start, q)) {
            return NextSeg::Hole(hole);
        }
        if new_data {
            return NextSeg::New;
        }
        if let Some(hole) = hole {
            return NextSeg::Hole(hole);
        }
        // One segment that ends with the highest outstanding byte not SACKed.
        if self.rescue.is_none_or(|r| q.una > r) && !self.sacked.is_empty() {
            let last = self.sacked.last().filter(|r| r.end >= q.max).map_or(q.max, |r| r.start);
            let floor = self.sacked.iter().rev().find(|r| r.end < last).map_or(q.una, |r| r.end).max(q.una);
            let start = floor.max(last.saturating_sub(q.mss));
            if start < last {
                return NextSeg::Rescue(Range { start, end: last });
            }
        }
        NextSeg::Nothing
    }
}

#[cfg(test)]
mod tests;
