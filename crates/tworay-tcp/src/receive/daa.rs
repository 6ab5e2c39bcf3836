//! The receiver of Dynamic Adaptive ACK (de Oliveira and Braun 2005): up to four in-order segments per ACK,
//! with a timer derived from the gap between arrivals.

use crate::config::DaaConfig;
use tworay_base::{SimDuration, SimTime};

/// Used until two gaps have been measured.
const FIRST_WAIT: SimDuration = SimDuration::from_millis(100);
/// Upper limit of the delay of an ACK (RFC 1122 §4.2.3.2).
const LONGEST_WAIT: SimDuration = SimDuration::from_millis(500);

#[derive(Debug)]
pub(super) struct Daa {
    /// Segments per ACK, not rounded.
    window: f64,
    /// Start-up is over: the window grows by whole segments.
    grown: bool,
    held: u32,
    last: Option<SimTime>,
    /// Smoothed gap between arrivals, seconds.
    gap: f64,
    gaps: u32,
}

impl Daa {
    pub fn new() -> Self {
        Self { window: 1.0, grown: false, held: 0, last: None, gap: 0.0, gaps: 0 }
    }

    /// An in-order segment arrived. Returns how long to delay its ACK, or `None` to send it now.
    pub fn in_order(&mut self, cfg: &DaaConfig, now: SimTime) -> Option<SimDuration> {
        self.held += 1;
        if let Some(last) = self.last.replace(now) {
            let gap = now.since(last).as_secs_f64();
            self.gap = if self.gaps == 0 { gap } else { cfg.alpha * self.gap + (1.0 - cfg.alpha) * gap };
            self.gaps = self.gaps.saturating_add(1);
        }
        let most = f64::from(cfg.max);
        // Ten steps of 0.3 make three only approximately in binary.
        if f64::from(self.held + cfg.count_from) >= (self.window + 1e-9).floor() {
            self.held = 0;
            // The pause until the next window is not a gap between segments.
            self.last = None;
            self.window = (self.window + if self.grown { 1.0 } else { cfg.mu }).min(most);
            self.grown |= self.window + 1e-9 >= most;
            return None;
        }
        if self.gaps < 2 {
            return Some(FIRST_WAIT);
        }
        Some(SimDuration::from_secs_f64((2.0 + cfg.kappa) * self.gap).min(LONGEST_WAIT))
    }

    /// A segment arrived out of order, or the timer expired: the window returns to two.
    pub fn disturbed(&mut self, cfg: &DaaConfig) {
        self.held = 0;
        self.last = None;
        self.window = f64::from(cfg.max).min(2.0);
        self.grown = true;
    }
}

#[cfg(test)]
mod tests;
