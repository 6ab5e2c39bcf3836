//! The flip-flop filter (Kim and Noble 2001): control limits around a stable average tell jumps
//! from noise. (Its agile average, g = 0.1, is nearly the last sample and tells nothing about a ramp.)

/// What the filter thinks of a sample.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// Within the control limits.
    InControl,
    /// Above the upper limit: much delayed.
    High,
    /// Below the lower limit.
    Low,
}

/// Averages weigh the old value by 0.9.
#[derive(Clone, Debug)]
pub(super) struct FlipFlop {
    stable: f64,
    range: f64,
    last: Option<f64>,
}

const STABLE: f64 = 0.9;
/// d₂ for ranges of two samples: three sigma are 3 MR / 1.128.
const D2: f64 = 1.128;

impl FlipFlop {
    pub fn new() -> Self {
        Self { stable: 0.0, range: 0.0, last: None }
    }

    /// Takes a sample; tests it against the limits around the stable mean as they were before it.
    pub fn sample(&mut self, x: f64) -> Verdict {
        let Some(last) = self.last.replace(x) else {
            self.stable = x;
            return Verdict::InControl;
        };
        let limit = 3.0 * self.range / D2;
        let verdict = if self.range > 0.0 && x > self.stable + limit {
            Verdict::High
        } else if self.range > 0.0 && x < self.stable - limit {
            Verdict::Low
        } else {
            Verdict::InControl
        };
        let moved = (x - last).abs();
        if self.range == 0.0 {
            self.range = moved;
        } else if verdict == Verdict::InControl {
            self.range = STABLE * self.range + (1.0 - STABLE) * moved;
        }
        self.stable = STABLE * self.stable + (1.0 - STABLE) * x;
        verdict
    }
}
