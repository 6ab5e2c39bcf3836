//! Shadowing and fading: a random factor on the mean received power.
//!
//! A draw depends only on the run's seed, the pair of nodes and the time. It is computed, not stored, so it
//! is the same in both directions of a link and for all TCP variants, and costs nothing when disabled.

use crate::refusals::{between, problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, NodeId, Purpose, Ratio, RngStream, SimDuration, SimTime};

/// Log-normal shadowing: the received power in dB is normally distributed around the mean for the distance
/// (Rappaport, Wireless Communications §4.9). ns-2's `Propagation/Shadowing` is this over `propagation = {
/// log-distance = { exponent = 2.0, reference = "1m" } }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShadowingConfig {
    /// Standard deviation, 0 dB to 30 dB. Default 4 dB (ns-2's `std_db_`).
    pub sigma: Ratio,
    /// Time for which a pair of nodes keeps a value; "0s": a new value for every frame, as in ns-2.
    pub coherence: SimDuration,
}

impl Default for ShadowingConfig {
    fn default() -> Self {
        Self { sigma: Ratio(4.0), coherence: SimDuration::ZERO }
    }
}

/// Rician fading: one steady ray and many scattered rays (Rappaport §5.6). The mean power is that of the
/// propagation law.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FadingConfig {
    /// K factor: power of the steady ray divided by that of the scattered rays, 0 to 1000, not in decibels.
    /// 0, the default, is Rayleigh fading; 6 is typical with a line of sight.
    pub k: f64,
    /// Time for which a pair of nodes keeps a value; "0s": a new value for every frame.
    pub coherence: SimDuration,
}

impl ShadowingConfig {
    pub(crate) fn validate(&self) -> Result<(), ConfigProblem> {
        between("shadowing.sigma", self.sigma.get(), 0.0, 30.0)
    }
}

impl FadingConfig {
    pub(crate) fn validate(&self) -> Result<(), ConfigProblem> {
        between("fading.k", self.k, 0.0, 1000.0)
    }
}

/// The `range` propagation has no powers that fading could change.
pub(crate) fn refuse_flat(key: &str) -> ConfigProblem {
    problem(
        key,
        "the range propagation has full power or none, so fading has no effect".into(),
        "choose another propagation, such as two-ray-ground, or remove this key".into(),
    )
}

/// A measured level already includes fading.
pub(crate) fn refuse_measured(key: &str) -> ConfigProblem {
    problem(
        key,
        "measured levels and losses already include fading".into(),
        "choose another propagation, such as two-ray-ground, or remove this key".into(),
    )
}

/// Shadowing is cut off at this many standard deviations (1 draw in 16 000), so that a frame's range is
/// finite.
const MOST_DEVIATIONS: f64 = 4.0;
/// Shadowing with at least this coherence is slow: within a search, or a route in use, it hardly ever changes.
const SLOW: SimDuration = SimDuration::from_secs(60);
/// Fading is cut off at this gain (1 Rayleigh draw in 22 000).
const MOST_FADING: f64 = 10.0;

/// Computes the random factor on the received power.
#[derive(Clone, Debug, PartialEq)]
pub struct Fader {
    seed: u64,
    shadowing: Option<ShadowingConfig>,
    fading: Option<FadingConfig>,
}

impl Fader {
    /// The fader of a run with `seed`; `None` if there is neither shadowing nor fading.
    pub fn new(shadowing: Option<ShadowingConfig>, fading: Option<FadingConfig>, seed: u64) -> Option<Self> {
        (shadowing.is_some() || fading.is_some()).then_some(Self { seed, shadowing, fading })
    }

    /// The largest possible factor.
    pub fn most(&self) -> f64 {
        let shadowing = self.shadowing.as_ref().map_or(1.0, |s| decibels(MOST_DEVIATIONS * s.sigma.get()));
        shadowing * if self.fading.is_some() { MOST_FADING } else { 1.0 }
    }

    /// The part of the factor that routes can rely on: slow shadowing, or 1.
    pub fn slow_gain(&self, a: NodeId, b: NodeId, now: SimTime) -> f64 {
        let slow = self.shadowing.as_ref().filter(|shadowing| shadowing.coherence >= SLOW);
        slow.map_or(1.0, |shadowing| self.shadow(shadowing, a, b, now))
    }

    fn shadow(&self, shadowing: &ShadowingConfig, a: NodeId, b: NodeId, now: SimTime) -> f64 {
        let mut rng = self.stream(0, a, b, now, shadowing.coherence);
        let deviations = rng.normal().clamp(-MOST_DEVIATIONS, MOST_DEVIATIONS);
        decibels(deviations * shadowing.sigma.get())
    }

    /// The factor on the power between two nodes for a frame sent at `now`. Fading has mean 1, shadowing
    /// median 1.
    pub fn gain(&self, a: NodeId, b: NodeId, now: SimTime) -> f64 {
        let mut gain = self.shadowing.as_ref().map_or(1.0, |shadowing| self.shadow(shadowing, a, b, now));
        if let Some(fading) = &self.fading {
            let mut rng = self.stream(1, a, b, now, fading.coherence);
            let scattered = libm::sqrt(0.5 / (1.0 + fading.k));
            let re = libm::sqrt(fading.k / (1.0 + fading.k)) + scattered * rng.normal();
            let im = scattered * rng.normal();
            gain *= (re * re + im * im).min(MOST_FADING);
        }
        gain
    }

    fn stream(&self, which: u64, a: NodeId, b: NodeId, now: SimTime, coherence: SimDuration) -> RngStream {
        let (low, high) = (a.0.min(b.0), a.0.max(b.0));
        let link = which << 32 | u64::from(low) << 16 | u64::from(high);
        let step = if coherence.is_zero() { 1 } else { coherence.as_nanos() };
        // Two derivations in sequence: for the pair, then for the time.
        let of_link = RngStream::numbered(self.seed, link, Purpose::Fading).bits();
        RngStream::numbered(of_link, now.as_nanos() / step, Purpose::Fading)
    }
}

fn decibels(db: f64) -> f64 {
    libm::exp(db * (std::f64::consts::LN_10 / 10.0))
}

#[cfg(test)]
mod tests;
