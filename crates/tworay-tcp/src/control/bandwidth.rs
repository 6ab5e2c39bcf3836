//! Estimators of the rate at which ACKs report arriving data.

use crate::control::SenderView;
use std::fmt::Debug;
use tworay_base::{SimDuration, SimTime};

/// Estimates the available bandwidth in segments per second.
pub(super) trait Bandwidth: Debug + Send {
    /// An ACK credits `segments`, `gap` seconds after the previous credit; `gap` is above 0.
    fn on_credit(&mut self, segments: f64, gap: f64, view: &SenderView);
    /// The estimate in segments per second; 0 before the first one.
    fn estimate(&self) -> f64;
}

/// Number of segments that an ACK reports as arrived (Westwood's AckedCount).
#[derive(Debug, Default)]
pub(super) struct Credit {
    /// Segments already credited by duplicate ACKs and not yet acknowledged.
    ahead: f64,
    /// Credit collected at one instant, not passed on yet.
    pending: f64,
    last: Option<SimTime>,
}

impl Credit {
    pub fn duplicate(&mut self) -> f64 {
        self.ahead += 1.0;
        1.0
    }

    pub fn advance(&mut self, segments: f64) -> f64 {
        if segments <= 1.0 {
            return 1.0;
        }
        if self.ahead >= segments {
            self.ahead -= segments;
            1.0
        } else {
            let credit = segments - self.ahead;
            self.ahead = 0.0;
            credit.min(2.0)
        }
    }

    /// The next credit starts a new series of gaps, as the first one did.
    pub fn pause(&mut self) {
        self.last = None;
    }

    /// Passes the credit and the time since the last one to the estimator; credits at one instant are
    /// summed.
    pub fn pass(&mut self, credit: f64, view: &SenderView, to: &mut dyn Bandwidth) {
        self.pending += credit;
        let Some(last) = self.last else {
            self.last = Some(view.now);
            self.pending = 0.0;
            return;
        };
        let gap = view.now.since(last);
        if !gap.is_zero() {
            to.on_credit(self.pending, gap.as_secs_f64(), view);
            self.pending = 0.0;
            self.last = Some(view.now);
        }
    }
}

/// Low-pass filters whose gains do not depend on the ACK spacing: UCLA's filters 0, 1 and 2.
#[derive(Debug)]
pub(super) struct FixedGain {
    keep: f64,
    gain: f64,
    /// The gain applies to the sum of the last two samples.
    two: bool,
    estimate: f64,
    previous: f64,
}

impl FixedGain {
    fn new(keep: f64, gain: f64, two: bool) -> Self {
        Self { keep, gain, two, estimate: 0.0, previous: 0.0 }
    }
    /// Weights 9/10 and 1/10 (`filter_type_` 0).
    pub fn tenth() -> Self {
        Self::new(0.9, 0.1, false)
    }
    /// Weights 19/21 and 1/21 on two samples (1, the agent's default).
    pub fn twenty_first() -> Self {
        Self::new(19.0 / 21.0, 1.0 / 21.0, true)
    }
    /// Weights 29/31 and 1/31 on two samples (2).
    pub fn thirty_first() -> Self {
        Self::new(29.0 / 31.0, 1.0 / 31.0, true)
    }
}

impl Bandwidth for FixedGain {
    fn on_credit(&mut self, segments: f64, gap: f64, _: &SenderView) {
        let sample = segments / gap;
        let input = if self.two { sample + self.previous } else { sample };
        self.estimate = self.keep * self.estimate + self.gain * input;
        self.previous = sample;
    }
    fn estimate(&self) -> f64 {
        self.estimate
    }
}

/// Exponential filter whose memory decays with time: UCLA's filter 8.
#[derive(Debug)]
pub(super) struct Exponential {
    tau: f64,
    estimate: f64,
}

impl Exponential {
    pub fn new(tau: f64) -> Self {
        Self { tau, estimate: 0.0 }
    }
}

impl Bandwidth for Exponential {
    fn on_credit(&mut self, segments: f64, gap: f64, _: &SenderView) {
        let keep = libm::exp(-gap / self.tau);
        self.estimate = keep * self.estimate + (1.0 - keep) * (segments / gap);
    }
    fn estimate(&self) -> f64 {
        self.estimate
    }
}

/// Westwood's time-varying Tustin filter: weights of the old estimate and of two samples depend on the time
/// between ACKs; idle time counts as zero samples (Mascolo et al. 2001).
#[derive(Debug)]
pub(super) struct Tustin {
    tau: f64,
    estimate: f64,
    previous: f64,
}

impl Tustin {
    /// `tau` is the time constant in seconds.
    pub fn new(tau: f64) -> Self {
        Self { tau, estimate: 0.0, previous: 0.0 }
    }
}

impl Bandwidth for Tustin {
    fn on_credit(&mut self, segments: f64, gap: f64, _: &SenderView) {
        let sample = segments / gap;
        let tau = self.tau;
        let mut rest = gap;
        while rest > tau / 2.0 + 0.01 && (self.estimate > 1e-9 || self.previous > 0.0) {
            self.estimate = 0.6 * self.estimate + 0.2 * self.previous;
            self.previous = 0.0;
            rest -= tau / 2.0;
        }
        let rest = rest.min(tau / 2.0 + 0.01);
        self.estimate =
            ((2.0 * tau - rest) * self.estimate + rest * (sample + self.previous)) / (2.0 * tau + rest);
        self.previous = sample;
    }
    fn estimate(&self) -> f64 {
        self.estimate
    }
}

/// TIBET: filters segment lengths and intervals separately, then smooths their quotient with a time-aware
/// low-pass filter (Capone, Fratta and Martignon 2004).
#[derive(Debug)]
pub(super) struct Tibet {
    alpha: f64,
    t0: f64,
    length: f64,
    interval: f64,
    estimate: f64,
}

impl Tibet {
    pub fn new(alpha: f64, t0: f64) -> Self {
        Self { alpha, t0, length: 0.0, interval: 0.0, estimate: 0.0 }
    }
}

impl Bandwidth for Tibet {
    fn on_credit(&mut self, segments: f64, gap: f64, _: &SenderView) {
        if self.interval == 0.0 {
            (self.length, self.interval) = (segments, gap);
            self.estimate = segments / gap;
            return;
        }
        self.length = self.alpha * self.length + (1.0 - self.alpha) * segments;
        self.interval = self.alpha * self.interval + (1.0 - self.alpha) * gap;
        let keep = libm::exp(-gap / self.t0);
        self.estimate = keep * self.estimate + (1.0 - keep) * (self.length / self.interval);
    }
    fn estimate(&self) -> f64 {
        self.estimate
    }
}

/// Westwood+ as in Linux: one sample per round trip (at least 50 ms) through two cascaded 7/8 filters.
#[derive(Debug, Default)]
pub(super) struct PerRoundTrip {
    credited: f64,
    elapsed: f64,
    first: f64,
    second: f64,
}

impl Bandwidth for PerRoundTrip {
    fn on_credit(&mut self, segments: f64, gap: f64, view: &SenderView) {
        self.credited += segments;
        self.elapsed += gap;
        let least = SimDuration::from_millis(50);
        let round = view.srtt.map_or(least, |s| s.max(least)).as_secs_f64();
        if self.elapsed < round {
            return;
        }
        let sample = self.credited / self.elapsed;
        if self.second == 0.0 {
            (self.first, self.second) = (sample, sample);
        } else {
            self.first = (7.0 * self.first + sample) / 8.0;
            self.second = (7.0 * self.second + self.first) / 8.0;
        }
        (self.credited, self.elapsed) = (0.0, 0.0);
    }
    fn estimate(&self) -> f64 {
        self.second
    }
}

#[cfg(test)]
mod tests;
