//! Symbol errors of complementary code keying.
//!
//! A CCK symbol has 8 chips, 1.375 million a second. At 5.5 Mb/s it is one of 16 biorthogonal signals; at
//! 11 Mb/s one of 256, which are pairs of 16 biorthogonal ones with half the energy each (Pursley and Royster,
//! IEEE Trans. Communications 57, 2009, equations 17 and 18).

use super::DSSS_BANDWIDTH;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Symbols per second.
const SYMBOLS: f64 = 1.375e6;
/// Half of the energy per symbol counts: the loss of detection that ns-3's model has.
const DETECTION: f64 = 0.5;

/// ln of the success probability of a bit at 5.5 Mb/s: a symbol carries 4.
pub(super) fn log_bit_success_4(sinr: f64) -> f64 {
    libm::log1p(-biorthogonal_16(energy(sinr))) / 4.0
}

/// ln of the success probability of a bit at 11 Mb/s: a symbol carries 8, in two halves.
pub(super) fn log_bit_success_8(sinr: f64) -> f64 {
    2.0 * libm::log1p(-biorthogonal_16(energy(sinr) / 2.0)) / 8.0
}

/// Energy of a symbol relative to the noise density, as detected.
fn energy(sinr: f64) -> f64 {
    DETECTION * sinr * DSSS_BANDWIDTH.get() / SYMBOLS
}

/// Symbol error probability of 16 biorthogonal signals at `energy` = Es/N0 (Proakis §5.2-4): with
/// β = √(2 Es/N0), 1 - ∫ from -β to ∞ of erf((x + β)/√2)⁷ φ(x) dx.
///
/// The complement is integrated, so that small probabilities keep their digits.
pub(super) fn biorthogonal_16(energy: f64) -> f64 {
    let beta = libm::sqrt(2.0 * energy);
    // The integrand is at most exp(-β²/4): below the smallest double from here on.
    if beta > 54.0 {
        return 0.0;
    }
    let integrand = |x: f64| {
        let missed = libm::erfc((x + beta) * FRAC_1_SQRT_2);
        -libm::expm1(7.0 * libm::log1p(-missed)) * libm::exp(-0.5 * x * x)
    };
    let below = 0.5 * libm::erfc(beta * FRAC_1_SQRT_2);
    let error = below + simpson(integrand, -beta, 9.0) / libm::sqrt(2.0 * PI);
    error.min(15.0 / 16.0)
}

/// Simpson's rule with steps of at most a twentieth of the normal distribution's deviation.
fn simpson(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let pairs = (10.0 * (to - from)).ceil() as u32;
    let half = (to - from) / f64::from(2 * pairs);
    let inner: f64 =
        (1..2 * pairs).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * f(from + half * f64::from(i))).sum();
    (f(from) + inner + f(to)) * half / 3.0
}
