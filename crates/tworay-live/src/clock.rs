//! The only place that reads the monotonic clock.

use std::time::{Duration, Instant};
use tworay_base::SimTime;

/// Maps real time since the start to simulated time, which runs `slow` times slower.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Clock {
    start: Instant,
    slow: f64,
}

impl Clock {
    /// Starts simulated time 0 now.
    #[expect(
        clippy::disallowed_methods,
        reason = "a live network runs by the wall clock: that is its purpose"
    )]
    pub fn start(slow: f64) -> Self {
        Self { start: Instant::now(), slow }
    }

    /// The simulated time that corresponds to the current real time.
    pub fn now(&self) -> SimTime {
        let elapsed = self.start.elapsed().as_nanos() as f64;
        SimTime::from_nanos((elapsed / self.slow) as u64)
    }

    /// Real time until simulated time `at`; zero if it is past.
    pub fn until(&self, at: SimTime) -> Duration {
        let real = at.since_start().as_nanos() as f64 * self.slow;
        // `NEVER` exceeds what a Duration can hold.
        Duration::from_nanos(real.min(1e18) as u64).saturating_sub(self.start.elapsed())
    }

    /// Real seconds for a duration of simulated time.
    pub fn real_seconds(&self, simulated: f64) -> f64 {
        simulated * self.slow
    }
}
