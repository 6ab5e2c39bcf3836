//! Integer-nanosecond simulated time.

use crate::units::{UnitError, parse_with_units, unit_serde};
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Rem, Sub};

/// A point in simulated time, in nanoseconds since the start.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SimTime(u64);

/// A duration of simulated time in nanoseconds, never negative.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SimDuration(u64);

impl SimTime {
    /// The start of the simulation.
    pub const ZERO: SimTime = SimTime(0);
    /// Later than any event: "never".
    pub const NEVER: SimTime = SimTime(u64::MAX);

    /// The time `nanos` nanoseconds after the start.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The time nearest to `secs` seconds after the start; negative or NaN gives the start.
    pub fn from_secs_f64(secs: f64) -> Self {
        Self(SimDuration::from_secs_f64(secs).0)
    }

    /// Nanoseconds since the start.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Time elapsed since `earlier`, zero if `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: SimTime) -> SimDuration {
        SimDuration(self.0.saturating_sub(earlier.0))
    }

    /// The time that lies so long before, but not before the start.
    #[inline]
    pub const fn earlier_by(self, span: SimDuration) -> SimTime {
        SimTime(self.0.saturating_sub(span.0))
    }

    /// This time as a duration since the start.
    #[inline]
    pub const fn since_start(self) -> SimDuration {
        SimDuration(self.0)
    }
}

impl SimDuration {
    /// The zero duration.
    pub const ZERO: SimDuration = SimDuration(0);
    /// Longer than any run.
    pub const MAX: SimDuration = SimDuration(u64::MAX / 4);

    /// `nanos` nanoseconds.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }
    /// `micros` microseconds.
    #[inline]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }
    /// `millis` milliseconds.
    #[inline]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }
    /// `secs` seconds.
    #[inline]
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1_000_000_000)
    }
    /// The duration nearest to `secs` seconds. Negative or NaN gives zero; too large gives [`Self::MAX`].
    pub fn from_secs_f64(secs: f64) -> Self {
        let nanos = libm::round(secs * 1e9);
        if nanos >= Self::MAX.0 as f64 {
            Self::MAX
        } else if nanos > 0.0 {
            Self(nanos as u64)
        } else {
            Self::ZERO
        }
    }
    /// Nanoseconds.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
    /// Seconds.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// This duration times a non-negative real factor, rounded to the nanosecond.
    pub fn mul_f64(self, factor: f64) -> Self {
        Self::from_secs_f64(self.as_secs_f64() * factor)
    }
    /// `self - other`, zero if `other` is longer.
    #[inline]
    pub const fn saturating_sub(self, other: SimDuration) -> SimDuration {
        SimDuration(self.0.saturating_sub(other.0))
    }
    /// Number of whole `step`s in this duration; `step` must not be zero.
    #[inline]
    pub const fn whole(self, step: SimDuration) -> u64 {
        self.0 / step.0
    }
    /// True if this is the zero duration.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Add<SimDuration> for SimTime {
    type Output = SimTime;
    #[inline]
    fn add(self, d: SimDuration) -> SimTime {
        SimTime(self.0.saturating_add(d.0))
    }
}
impl AddAssign<SimDuration> for SimTime {
    #[inline]
    fn add_assign(&mut self, d: SimDuration) {
        *self = *self + d;
    }
}
impl Add for SimDuration {
    type Output = SimDuration;
    #[inline]
    fn add(self, d: SimDuration) -> SimDuration {
        SimDuration(self.0.saturating_add(d.0))
    }
}
impl AddAssign for SimDuration {
    #[inline]
    fn add_assign(&mut self, d: SimDuration) {
        *self = *self + d;
    }
}
impl Sub for SimDuration {
    type Output = SimDuration;
    #[inline]
    fn sub(self, d: SimDuration) -> SimDuration {
        SimDuration(self.0 - d.0)
    }
}
impl Mul<u64> for SimDuration {
    type Output = SimDuration;
    #[inline]
    fn mul(self, n: u64) -> SimDuration {
        SimDuration(self.0.saturating_mul(n))
    }
}
impl Div<u64> for SimDuration {
    type Output = SimDuration;
    #[inline]
    fn div(self, n: u64) -> SimDuration {
        SimDuration(self.0 / n)
    }
}
impl Rem for SimDuration {
    type Output = SimDuration;
    #[inline]
    fn rem(self, d: SimDuration) -> SimDuration {
        SimDuration(self.0 % d.0)
    }
}

impl fmt::Debug for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NEVER { f.write_str("never") } else { write!(f, "{}s", Decimal(self.0)) }
    }
}
impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
impl fmt::Debug for SimDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl fmt::Display for SimDuration {
    /// The shortest exact form that scenario files accept: `900s`, `20ms`, `10us`, `1ns`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (per, unit) = match self.0 {
            n if n == 0 || n % 1_000_000 == 0 && n >= 1_000_000_000 => (1_000_000_000, "s"),
            n if n >= 1_000_000_000 => (1_000_000_000, "s"),
            n if n >= 1_000_000 => (1_000_000, "ms"),
            n if n >= 1_000 => (1_000, "us"),
            _ => (1, "ns"),
        };
        let (whole, part) = (self.0 / per, self.0 % per);
        if part == 0 {
            write!(f, "{whole}{unit}")
        } else {
            let width = per.ilog10() as usize;
            let digits = format!("{part:0width$}");
            write!(f, "{whole}.{}{unit}", digits.trim_end_matches('0'))
        }
    }
}

/// Nanoseconds printed as seconds, without trailing zeros.
struct Decimal(u64);

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        if part == 0 {
            write!(f, "{whole}")
        } else {
            let digits = format!("{part:09}");
            write!(f, "{whole}.{}", digits.trim_end_matches('0'))
        }
    }
}

const TIME_UNITS: &[(&str, f64)] =
    &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)];

impl std::str::FromStr for SimDuration {
    type Err = UnitError;
    /// Parses `"900s"`, `"20 ms"`, `"1.5min"`. A unit is required; negative durations are refused.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let nanos = parse_with_units(text, "a time", "\"900s\", \"20ms\" or \"10us\"", TIME_UNITS)?;
        if nanos < 0.0 {
            return Err(UnitError::new(
                text,
                "a time must not be negative",
                "\"900s\", \"20ms\" or \"10us\"",
            ));
        }
        let nanos = libm::round(nanos);
        if nanos > Self::MAX.0 as f64 {
            return Err(UnitError::new(text, "a time must be at most 146 years", "\"900s\""));
        }
        // The nearest f64 to the maximum lies above it.
        Ok(Self((nanos as u64).min(Self::MAX.0)))
    }
}

unit_serde!(
    SimDuration,
    "SimDuration",
    "a time with its unit, such as \"900s\", \"20ms\" or \"10us\"",
    r"^\s*[0-9.]+\s*(ns|us|µs|ms|s|min|h)\s*$"
);

impl std::str::FromStr for SimTime {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        Ok(SimTime::ZERO + text.parse::<SimDuration>()?)
    }
}

#[cfg(test)]
mod tests;
