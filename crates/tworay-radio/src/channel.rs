//! The radio model compiled for the inner loop: received power, range and delay from a few constants.

use crate::config::{Propagation, RadioConfig};
use std::f64::consts::PI;
use tworay_base::{BitRate, SimDuration};

/// Propagation speed in m/s, deliberately the rounded value of ns-2 and most papers: with the exact one the
/// two-ray crossover would be 86.20 m instead of 86.14 m.
pub const SPEED_OF_LIGHT: f64 = 3.0e8;

/// The propagation law with its constants precomputed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    /// `near/d²`.
    FreeSpace,
    /// `near/d²` up to the crossover, `far/d⁴` beyond.
    TwoRay { crossover2: f64, far: f64 },
    /// Full power up to a squared range.
    Range { range2: f64 },
    /// `near/d²` up to the reference distance, then `far·d^-exponent`.
    LogDistance { reference2: f64, far: f64, exponent: f64 },
    /// No law: powers come from a list.
    Measured,
}

/// A [`RadioConfig`] compiled into constants. Deterministic: [`Fader`](crate::Fader) adds shadowing and
/// fading.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    law: Law,
    near: f64,
    max_power: f64,
    rx_threshold: f64,
    cs_threshold: f64,
    capture_ratio: f64,
    noise: f64,
    sinr: Vec<(BitRate, f64)>,
}

impl Channel {
    /// Compiles `config`, which must be valid ([`RadioConfig::validate`]).
    pub fn new(config: &RadioConfig) -> Self {
        let power = config.tx_power.get();
        let budget = power * config.tx_gain.factor() * config.rx_gain.factor() / config.system_loss.factor();
        let lambda = SPEED_OF_LIGHT / config.frequency.get();
        let friis = budget * (lambda / (4.0 * PI)) * (lambda / (4.0 * PI));
        let (mut near, mut max_power) = (friis, budget);
        let law = match config.propagation {
            Propagation::FreeSpace => Law::FreeSpace,
            Propagation::TwoRayGround => {
                let h2 = config.antenna_height.get() * config.antenna_height.get();
                let crossover = 4.0 * PI * h2 / lambda;
                Law::TwoRay { crossover2: crossover * crossover, far: budget * h2 * h2 }
            }
            Propagation::Range => {
                (near, max_power) = (0.0, power);
                Law::Range { range2: config.range.get() * config.range.get() }
            }
            Propagation::Measured => Law::Measured,
            Propagation::LogDistance { exponent, reference } => {
                let reference2 = reference.get() * reference.get();
                // (d²)^(n/2): the law takes the squared distance.
                let far = friis / reference2 * libm::pow(reference2, exponent / 2.0);
                Law::LogDistance { reference2, far, exponent }
            }
        };
        Self {
            law,
            near,
            max_power,
            rx_threshold: config.rx_threshold.get(),
            cs_threshold: config.cs_threshold.get(),
            capture_ratio: config.capture_ratio.factor(),
            noise: thermal_noise(config),
            sinr: config.sinr.thresholds.iter().map(|t| (t.rate, t.sinr.factor())).collect(),
        }
    }

    /// The mean received power in watts over `distance` metres (not negative). It never exceeds the
    /// transmitted power: within centimetres of the antenna, where Friis does not hold, it is capped.
    #[inline]
    pub fn rx_power(&self, distance: f64) -> f64 {
        self.rx_power_squared(distance * distance)
    }

    /// As [`Channel::rx_power`], from the squared distance in m², which saves a square root.
    #[inline]
    pub fn rx_power_squared(&self, d2: f64) -> f64 {
        let power = match self.law {
            Law::TwoRay { crossover2, far } if d2 > crossover2 => far / (d2 * d2),
            Law::TwoRay { .. } | Law::FreeSpace => self.near / d2,
            Law::Range { range2 } if d2 > range2 => 0.0,
            Law::Range { .. } => self.max_power,
            Law::LogDistance { reference2, far, exponent } if d2 > reference2 => {
                far * libm::pow(d2, -exponent / 2.0)
            }
            Law::LogDistance { .. } => self.near / d2,
            Law::Measured => 0.0,
        };
        // Not `min`, which must also order NaN with care; this is one instruction.
        if power < self.max_power { power } else { self.max_power }
    }

    /// The largest distance in metres over which at least `power_threshold_w` watts arrive. Zero if there is
    /// none or powers are measured; infinite for a threshold of zero over an unbounded law.
    pub fn range_of(&self, power_threshold_w: f64) -> f64 {
        if power_threshold_w > self.max_power {
            return 0.0;
        }
        let friis2 = self.near / power_threshold_w;
        match self.law {
            Law::Range { range2 } => range2.sqrt(),
            Law::Measured => 0.0,
            _ if power_threshold_w <= 0.0 => f64::INFINITY,
            Law::TwoRay { crossover2, far } if friis2 > crossover2 => (far / power_threshold_w).sqrt().sqrt(),
            Law::LogDistance { reference2, far, exponent } if friis2 > reference2 => {
                libm::pow(far / power_threshold_w, 1.0 / exponent)
            }
            _ => friis2.sqrt(),
        }
    }

    /// The time a signal takes over `distance` metres.
    #[inline]
    pub fn delay(&self, distance: f64) -> SimDuration {
        // Adding a half rounds to the nearest nanosecond, because distances are not negative.
        SimDuration::from_nanos((distance * (1e9 / SPEED_OF_LIGHT) + 0.5) as u64)
    }

    /// The minimum power in watts at which a frame can be decoded.
    #[inline]
    pub fn rx_threshold(&self) -> f64 {
        self.rx_threshold
    }

    /// The minimum power in watts that makes the medium busy.
    #[inline]
    pub fn cs_threshold(&self) -> f64 {
        self.cs_threshold
    }

    /// The capture ratio as a plain factor (10 dB is 10).
    #[inline]
    pub fn capture_ratio(&self) -> f64 {
        self.capture_ratio
    }

    /// The noise floor in watts: k·T·B at 290 K plus the noise figure.
    #[inline]
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// The minimum signal to interference and noise ratio, as a plain factor, at which `rate` can be decoded:
    /// that of the first listed rate not below it, or of the last.
    #[inline]
    pub fn sinr_threshold(&self, rate: BitRate) -> f64 {
        let found = self.sinr.iter().find(|(listed, _)| *listed >= rate).or(self.sinr.last());
        found.map_or(0.0, |&(_, ratio)| ratio)
    }

    /// Where two-ray ground changes from Friis to the fourth power, in metres; `None` for other laws.
    pub fn crossover(&self) -> Option<f64> {
        match self.law {
            Law::TwoRay { crossover2, .. } => Some(crossover2.sqrt()),
            _ => None,
        }
    }
}

/// k·T·B·F at the standard 290 K.
fn thermal_noise(config: &RadioConfig) -> f64 {
    const BOLTZMANN: f64 = 1.380_649e-23;
    BOLTZMANN * 290.0 * config.sinr.bandwidth.get() * config.sinr.noise_figure.factor()
}

#[cfg(test)]
mod tests;
