//! Sequence numbers of data frames, which wrap at 4,096 (§9.2.4.4.2).

use std::fmt;

/// A sequence number of 12 bits. Numbers are compared by distance: up to 2,047 ahead is later.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameNumber(u16);

impl FrameNumber {
    /// The number `value` modulo 4,096.
    pub const fn new(value: u16) -> Self {
        Self(value & 0xfff)
    }

    /// 0 to 4,095.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// The number `n` later.
    #[must_use]
    pub const fn plus(self, n: u16) -> Self {
        Self::new(self.0.wrapping_add(n))
    }

    /// Steps from `earlier` to this number, 0 to 4,095.
    pub const fn since(self, earlier: Self) -> u16 {
        self.0.wrapping_sub(earlier.0) & 0xfff
    }

    /// True if this number lies in the half of all numbers behind `other` (§10.25.6.6).
    pub const fn is_before(self, other: Self) -> bool {
        self.since(other) >= 0x800
    }
}

impl fmt::Display for FrameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests;
