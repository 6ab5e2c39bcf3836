//! Rates, sizes, powers, distances: one type each, so that they cannot be mixed by accident.

use crate::time::SimDuration;
use crate::units::{UnitError, parse_with_units, unit_serde};
use std::fmt;
use std::str::FromStr;

/// A transmission rate in bits per second, at least 1.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BitRate(u64);

impl BitRate {
    /// `bps` bits per second; zero is raised to one.
    pub const fn from_bps(bps: u64) -> Self {
        Self(if bps == 0 { 1 } else { bps })
    }
    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }
    /// Time to transmit `bytes` bytes (at most 2 GB), rounded up to the nanosecond.
    #[inline]
    pub const fn airtime(self, bytes: u32) -> SimDuration {
        SimDuration::from_nanos((bytes as u64 * 8_000_000_000).div_ceil(self.0))
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            n if n >= 1_000_000 => write!(f, "{}Mbps", n as f64 / 1e6),
            n if n >= 1_000 => write!(f, "{}kbps", n as f64 / 1e3),
            n => write!(f, "{n}bps"),
        }
    }
}

impl FromStr for BitRate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        const EXAMPLE: &str = "\"2Mbps\" or \"200kbps\"";
        const UNITS: &[(&str, f64)] = &[
            ("bps", 1.0),
            ("kbps", 1e3),
            ("Mbps", 1e6),
            ("Gbps", 1e9),
            ("bit/s", 1.0),
            ("kbit/s", 1e3),
            ("Mbit/s", 1e6),
            ("Gbit/s", 1e9),
        ];
        let bps = parse_with_units(text, "a rate", EXAMPLE, UNITS)?;
        if bps < 1.0 {
            return Err(UnitError::new(text, "a rate must be at least 1 bit/s", EXAMPLE));
        }
        if bps > 1e13 {
            return Err(UnitError::new(text, "a rate must be at most 10 Tbit/s", EXAMPLE));
        }
        Ok(Self(libm::round(bps) as u64))
    }
}
unit_serde!(
    BitRate,
    "BitRate",
    "a rate with its unit, such as \"2Mbps\"",
    r"^\s*[0-9.]+\s*([kMG]?bps|[kMG]?bit/s)\s*$"
);

/// A size in bytes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}B", self.0)
    }
}

impl FromStr for Bytes {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        const EXAMPLE: &str = "\"512B\" or \"1MB\"";
        let n = parse_with_units(
            text,
            "a size",
            EXAMPLE,
            &[("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("KiB", 1024.0), ("MiB", 1_048_576.0)],
        )?;
        if n < 0.0 || libm::trunc(n) != n {
            return Err(UnitError::new(text, "a size is a whole number of bytes, not negative", EXAMPLE));
        }
        if n > 1e15 {
            return Err(UnitError::new(text, "a size must be at most 1000 TB", EXAMPLE));
        }
        Ok(Self(n as u64))
    }
}
unit_serde!(
    Bytes,
    "Bytes",
    "a size with its unit, such as \"1460B\" or \"1MB\"",
    r"^\s*[0-9.]+\s*(B|kB|MB|GB|KiB|MiB)\s*$"
);

/// Defines a real-valued quantity: a newtype over `f64` with a unit in text and no arithmetic across types.
macro_rules! real_quantity {
    ($(#[$doc:meta])* $name:ident, $title:literal, $what:literal, $unit:literal, $example:literal, $min:expr, $units:expr, $pattern:literal) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, PartialOrd, Debug, Default)]
        pub struct $name(pub f64);

        impl $name {
            /// The number, in the unit that the type's documentation names.
            #[inline]
            pub const fn get(self) -> f64 {
                self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // Avoids hundreds of digits; both forms parse back to the same number.
                if self.0.abs() < 1e15 {
                    write!(f, concat!("{}", $unit), self.0)
                } else {
                    write!(f, concat!("{:e}", $unit), self.0)
                }
            }
        }
        impl FromStr for $name {
            type Err = UnitError;
            fn from_str(text: &str) -> Result<Self, UnitError> {
                let value = parse_with_units(text, $what, $example, $units)?;
                if value < $min {
                    return Err(UnitError::new(text, concat!($what, " must not be negative"), $example));
                }
                Ok(Self(value))
            }
        }
        unit_serde!($name, $title, $example, $pattern);
    };
}

real_quantity!(
    /// A distance in metres.
    Metres, "Metres", "a distance", "m", "\"250m\" or \"1.5km\"", 0.0, &[("m", 1.0), ("km", 1e3)], r"^\s*[0-9.]+\s*(m|km)\s*$"
);
real_quantity!(
    /// A speed in metres per second.
    Speed, "Speed", "a speed", "m/s", "\"20m/s\" or \"5km/h\"", 0.0, &[("m/s", 1.0), ("mps", 1.0), ("km/h", 1.0 / 3.6)], r"^\s*[0-9.]+\s*(m/s|mps|km/h)\s*$"
);
real_quantity!(
    /// A frequency in hertz.
    Hertz, "Hertz", "a frequency", "Hz", "\"914MHz\"", 0.0, &[("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)], r"^\s*[0-9.eE+-]+\s*(Hz|kHz|MHz|GHz)\s*$"
);
real_quantity!(
    /// A power in watts, not negative.
    Watts, "Watts", "a power", "W", "\"0.28183815W\" or \"30mW\"", 0.0, &[("W", 1.0), ("mW", 1e-3), ("uW", 1e-6), ("nW", 1e-9), ("pW", 1e-12)], r"^\s*[0-9.eE+-]+\s*(W|mW|uW|nW|pW)\s*$"
);
real_quantity!(
    /// A power level in decibels above one milliwatt; may be negative.
    Dbm, "Dbm", "a power level", "dBm", "\"-64dBm\"", f64::NEG_INFINITY, &[("dBm", 1.0)], r"^\s*[-+]?[0-9.]+\s*dBm\s*$"
);
real_quantity!(
    /// An amount of energy in joules, not negative.
    Joules, "Joules", "an energy", "J", "\"10J\"", 0.0, &[("J", 1.0), ("mJ", 1e-3), ("uJ", 1e-6), ("nJ", 1e-9), ("pJ", 1e-12), ("kJ", 1e3), ("Wh", 3600.0)], r"^\s*[0-9.eE+-]+\s*(J|mJ|uJ|nJ|pJ|kJ|Wh)\s*$"
);
real_quantity!(
    /// A power ratio in decibels; may be negative.
    Ratio, "Ratio", "a ratio", "dB", "\"10dB\"", f64::NEG_INFINITY, &[("dB", 1.0)], r"^\s*[-+]?[0-9.]+\s*dB\s*$"
);

impl Ratio {
    /// The ratio as a plain factor: 10 dB is 10.
    pub fn factor(self) -> f64 {
        libm::pow(10.0, self.0 / 10.0)
    }
}

impl Dbm {
    /// The same level in watts.
    pub fn to_watts(self) -> Watts {
        Watts(libm::pow(10.0, self.0 / 10.0) * 1e-3)
    }
}

impl Watts {
    /// The same power in dBm; zero watts is minus infinity.
    pub fn to_dbm(self) -> Dbm {
        Dbm(10.0 * libm::log10(self.0 * 1e3))
    }
}

#[cfg(test)]
mod tests;
