//! Estimators of the rate at which ACKs report arrivals.

use crate::control::SenderView;
use std::fmt::Debug;
use tworay_base::{SimDuration, SimTime};

/// An estimator of the bandwidth in segments per second.
pub(super) trait Bandwidth: Debug + Send {
    /// An ACK credits `segments`, `gap` seconds (more than none) after the one before.
    fn on_credit(&mut self, segments: f64, gap: f64, view: &SenderView);
    /// The estimate, segments per second; 0 before there is one.
    fn estimate(&self) -> f64;
}

/// How many segments an ACK reports (Westwood's AckedCount).
#[derive(Debug, Default)]
pub(super) struct Credit {
    /// Segments credited by duplicate ACKs and not acknowledged yet.
    ahead: f64,
    /// Credit that came at one instant.
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

    /// Passes the credit on with the time since the last; several at one instant are added up.
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

/// Westwood's time-varying Tustin filter with τ = 1 s: old estimate and two samples weighted by the
/// time between ACKs; idle time counts as samples of zero (Mascolo et al. 2001).
#[derive(Debug, Default)]
pub(super) struct Tustin {
    estimate: f64,
    previous: f64,
}

const TAU: f64 = 1.0;

impl Bandwidth for Tustin {
    fn on_credit(&mut self, segments: f64, gap: f64, _: &SenderView) {
        let sample = segments / gap;
        let mut rest = gap;
        while rest > TAU / 2.0 + 0.01 && (self.estimate > 1e-9 || self.previous > 0.0) {
            self.estimate = 0.6 * self.estimate + 0.2 * self.previous;
            self.previous = 0.0;
            rest -= TAU / 2.0;
        }
        let rest = rest.min(TAU / 2.0 + 0.01);
        self.estimate =
            ((2.0 * TAU - rest) * self.estimate + rest * (sample + self.previous)) / (2.0 * TAU + rest);
        self.previous = sample;
    }
    fn estimate(&self) -> f64 {
        self.estimate
    }
}

/// TIBET: length and interval filtered apart, then the quotient by a time-aware low pass
/// (Capone, Fratta, Martignon 2004).
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

/// One sample per round trip (50 ms at least), through two cascaded 7/8 filters: Westwood+ as in Linux.
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
