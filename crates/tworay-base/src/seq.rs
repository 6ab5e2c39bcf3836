//! Wrapping 32-bit sequence numbers (RFC 793 §3.3), for TCP and for AODV's destination numbers.

use std::fmt;

/// A 32-bit sequence number with wrapping comparison. It deliberately has no total order: `a.lt(b)` means
/// that `a` precedes `b` within half the number space.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Default)]
pub struct Seq32(pub u32);

impl Seq32 {
    /// `self + n`, wrapping.
    #[inline]
    pub const fn plus(self, n: u32) -> Self {
        Self(self.0.wrapping_add(n))
    }
    /// `self - n`, wrapping.
    #[inline]
    pub const fn minus(self, n: u32) -> Self {
        Self(self.0.wrapping_sub(n))
    }
    /// Signed distance `self - other`, correct within ±2³¹.
    #[inline]
    pub const fn diff(self, other: Self) -> i32 {
        self.0.wrapping_sub(other.0) as i32
    }
    /// Strictly before.
    #[inline]
    pub const fn lt(self, other: Self) -> bool {
        self.diff(other) < 0
    }
    /// Before or equal.
    #[inline]
    pub const fn le(self, other: Self) -> bool {
        self.diff(other) <= 0
    }
    /// Strictly after.
    #[inline]
    pub const fn gt(self, other: Self) -> bool {
        self.diff(other) > 0
    }
    /// After or equal.
    #[inline]
    pub const fn ge(self, other: Self) -> bool {
        self.diff(other) >= 0
    }
    /// The later of two.
    #[inline]
    pub const fn max(self, other: Self) -> Self {
        if self.lt(other) { other } else { self }
    }
    /// The earlier of two.
    #[inline]
    pub const fn min(self, other: Self) -> Self {
        if self.lt(other) { self } else { other }
    }
}

impl fmt::Debug for Seq32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
impl fmt::Display for Seq32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests;
