//! The flip-flop filter (Kim and Noble 2001): control limits around a stable average distinguish jumps from
//! noise. The agile average (g = 0.1) almost equals the last sample, so it does not detect a ramp.

/// Classification of a sample.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum ControlState {
    /// Within the control limits.
    InControl,
    /// Above the upper limit: strongly delayed.
    High,
    /// Below the lower limit.
    Low,
}

/// Control limits around a moving average.
#[derive(Clone, Debug)]
pub(super) struct FlipFlop {
    /// Centre of the limits.
    centre: f64,
    /// Weight of the old value in the centre.
    gain: f64,
    range: f64,
    last: Option<f64>,
}

const STABLE: f64 = 0.9;
const AGILE: f64 = 0.1;
/// d₂ for ranges of two samples: three standard deviations are 3 MR / 1.128.
const D2: f64 = 1.128;

impl FlipFlop {
    /// Limits around the stable average.
    pub fn new() -> Self {
        Self { centre: 0.0, gain: STABLE, range: 0.0, last: None }
    }

    /// Limits around the agile average, as in Kim and Noble's code: only jumps exceed them.
    pub fn agile() -> Self {
        Self { gain: AGILE, ..Self::new() }
    }

    /// Adds a sample and classifies it by the limits as they were before.
    pub fn sample(&mut self, x: f64) -> ControlState {
        let Some(last) = self.last.replace(x) else {
            self.centre = x;
            return ControlState::InControl;
        };
        let limit = 3.0 * self.range / D2;
        let verdict = if self.range > 0.0 && x > self.centre + limit {
            ControlState::High
        } else if self.range > 0.0 && x < self.centre - limit {
            ControlState::Low
        } else {
            ControlState::InControl
        };
        let moved = (x - last).abs();
        if self.range == 0.0 {
            self.range = moved;
        } else if verdict == ControlState::InControl {
            self.range = STABLE * self.range + (1.0 - STABLE) * moved;
        }
        self.centre = self.gain * self.centre + (1.0 - self.gain) * x;
        verdict
    }
}

#[cfg(test)]
mod tests;
