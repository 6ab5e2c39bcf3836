//! Bit errors by modulation, code and signal to interference and noise.
//!
//! The ratio is that of the powers in the width of the signal (22 MHz for DSSS). Errors of different bits count
//! as independent, so that a chunk of n bits is decoded with probability (1 - p)ⁿ; everything is computed as
//! logarithms of probabilities, because aggregates have up to eight million bits.

mod cck;
mod known;
mod ofdm;

pub use known::KnownErrors;
pub use ofdm::spectrum;

use super::mode::Mode;
use super::rates::{CodeRate, DsssRate, Modulation};
use crate::dsss;
use tworay_base::Hertz;

/// Noise bandwidth of DSSS, to which its ratios refer.
pub const DSSS_BANDWIDTH: Hertz = Hertz(22e6);

/// Modulation and coding of a part of a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Coding {
    /// DSSS or CCK.
    Dsss(DsssRate),
    /// OFDM with the convolutional code.
    Ofdm(Modulation, CodeRate),
}

impl Coding {
    /// The coding of the body of a frame sent with `mode`.
    pub fn of_body(mode: Mode) -> Self {
        match (mode, mode.code()) {
            (Mode::Dsss(rate), _) => Self::Dsss(rate),
            (_, Some(code)) => Self::Ofdm(mode.modulation(), code),
            // Every OFDM mode has a code; the strongest one is the safe answer.
            (_, None) => Self::Ofdm(mode.modulation(), CodeRate::Half),
        }
    }

    /// A number below 256 for each coding.
    const fn number(self) -> u64 {
        match self {
            Self::Dsss(rate) => 128 + rate as u64,
            Self::Ofdm(modulation, code) => 4 * modulation as u64 + code as u64,
        }
    }

    /// The coding of the PHY header: DSSS at 1 Mb/s, OFDM with BPSK at 1/2 (SIGNAL, HT-SIG, VHT-SIG-A).
    pub const fn of_header(mode: Mode) -> Self {
        match mode {
            Mode::Dsss(_) => Self::Dsss(DsssRate::R1),
            Mode::Ofdm(_) | Mode::Ht(_) | Mode::Vht(_) => Self::Ofdm(Modulation::Bpsk, CodeRate::Half),
        }
    }
}

/// Bits of the PHY header that must be decoded: PLCP header 48 (§16.2.2); SIGNAL 24 (§17.3.4), HT-SIG 48
/// (§19.3.9.4.3), VHT-SIG-A 48 (§21.3.8.3.3).
pub const fn header_bits(mode: Mode) -> u32 {
    match mode {
        Mode::Dsss(_) => 48,
        Mode::Ofdm(_) => 24,
        Mode::Ht(_) | Mode::Vht(_) => 24 + 48,
    }
}

/// Natural logarithm of the probability that a bit is decoded at `sinr` (a factor, not dB): zero or less, and
/// minus infinity where a bit is wrong for certain.
///
/// - DBPSK and DQPSK after despreading as in the `dsss` errors of the `[radio]` table.
/// - CCK: the two codes as one and two sets of 16 biorthogonal signals (Pursley and Royster 2009), detected
///   with a loss of 3 dB, as in ns-3.
/// - OFDM: Pei and Henderson, "Validation of OFDM error rate model in ns-3" (2010): bit errors of the
///   modulation, then the union bound of the code.
pub fn log_bit_success(coding: Coding, sinr: f64) -> f64 {
    match coding {
        Coding::Dsss(rate @ (DsssRate::R1 | DsssRate::R2)) => {
            libm::log1p(-dsss::bit_error_rate(sinr, rate.rate(), DSSS_BANDWIDTH.get()))
        }
        Coding::Dsss(DsssRate::R5_5) => cck::log_bit_success_4(sinr),
        Coding::Dsss(DsssRate::R11) => cck::log_bit_success_8(sinr),
        Coding::Ofdm(modulation, code) => {
            libm::log1p(-ofdm::decoded_error_rate(ofdm::bit_error_rate(modulation, sinr), code))
        }
    }
}

/// Probability that `bits` bits are decoded at `sinr` (a factor, not dB). `bits` may be a fraction: chunks of
/// constant interference end anywhere.
pub fn success(coding: Coding, sinr: f64, bits: f64) -> f64 {
    if bits <= 0.0 { 1.0 } else { libm::exp(bits * log_bit_success(coding, sinr)) }
}

#[cfg(test)]
mod tests;
