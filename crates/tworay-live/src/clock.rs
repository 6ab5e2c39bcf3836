//! The only place that reads the monotonic clock.

use nix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};
use tworay_base::SimTime;

/// Maps real time since the start to simulated time, which runs `slow` times slower.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Clock {
    start: Instant,
    monotonic_nanos: u64,
    slow: f64,
}

impl Clock {
    /// Starts simulated time 0 now.
    #[expect(
        clippy::disallowed_methods,
        reason = "a live network runs by the wall clock: that is its purpose"
    )]
    pub fn start(slow: f64) -> Self {
        let monotonic = clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Duration::ZERO, Duration::from);
        Self { start: Instant::now(), monotonic_nanos: monotonic.as_nanos() as u64, slow }
    }

    /// The kernels' time (CLOCK_MONOTONIC, ns) at the start; 0 if it is unknown.
    pub fn monotonic_nanos(&self) -> u64 {
        self.monotonic_nanos
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
