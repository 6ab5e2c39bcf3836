//! Bit errors of 802.11 DSSS after despreading.

use std::f64::consts::{PI, SQRT_2};
use tworay_base::BitRate;

/// True if the modulation of `rate` is modelled: 1 Mb/s (DBPSK) and 2 Mb/s (DQPSK).
pub(crate) fn knows(rate: BitRate) -> bool {
    matches!(rate.as_bps(), 1_000_000 | 2_000_000)
}

/// True if bit errors are rarer than 1 in 10²¹, too rare to change a frame's success probability in double
/// precision.
#[inline]
pub(crate) fn is_errorless(sinr: f64, rate: BitRate, bandwidth: f64) -> bool {
    // Both rates below are at most exp(-0.58 Eb/N0).
    0.58 * sinr * bandwidth >= 49.0 * rate.as_bps() as f64
}

/// The bit error rate (0 to 0.5) at a ratio of signal to interference and noise in `bandwidth` Hz.
///
/// DBPSK: exp(-Eb/N0)/2 (Proakis, Digital Communications §5.2). DQPSK with Gray coding: the asymptotic
/// form of Ferrari and Corazza (Electronics Letters 40, 2004), at most one half.
pub(crate) fn bit_error_rate(sinr: f64, rate: BitRate, bandwidth: f64) -> f64 {
    let eb_n0 = sinr * bandwidth / rate.as_bps() as f64;
    let ber = if rate.as_bps() <= 1_000_000 {
        0.5 * libm::exp(-eb_n0)
    } else {
        let scale = (SQRT_2 + 1.0) / (8.0 * PI * SQRT_2).sqrt();
        scale / eb_n0.sqrt() * libm::exp(-(2.0 - SQRT_2) * eb_n0)
    };
    ber.min(0.5)
}

#[cfg(test)]
mod tests;
