//! The monotonic clock: the only place that reads it.

use std::time::{Duration, Instant};
use tworay_base::SimTime;

/// Real time since the start, as simulated time: `slow` times slower.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Clock {
    start: Instant,
    slow: f64,
}

impl Clock {
    /// Simulated time 0 is now.
    #[expect(
        clippy::disallowed_methods,
        reason = "a live network runs by the wall clock: that is its purpose"
    )]
    pub fn start(slow: f64) -> Self {
        Self { start: Instant::now(), slow }
    }

    /// The simulated time that it should be now.
    pub fn now(&self) -> SimTime {
        let elapsed = self.start.elapsed().as_nanos() as f64;
        SimTime::from_nanos((elapsed / self.slow) as u64)
    }

    /// Real time until simulated time `at`; zero if that is past.
    pub fn until(&self, at: SimTime) -> Duration {
        let real = at.since_start().as_nanos() as f64 * self.slow;
        // Never is far enough away for any wait.
        Duration::from_nanos(real.min(1e18) as u64).saturating_sub(self.start.elapsed())
    }

    /// Real seconds of a stretch of simulated time.
    pub fn real_seconds(&self, simulated: f64) -> f64 {
        simulated * self.slow
    }
}
