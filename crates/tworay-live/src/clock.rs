//! The only place that reads the monotonic clock.

use nix::errno::Errno;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};
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

    /// The simulated time at a moment of the kernels' time (CLOCK_MONOTONIC, ns).
    pub fn at(&self, monotonic_nanos: u64) -> SimTime {
        let elapsed = monotonic_nanos.saturating_sub(self.monotonic_nanos) as f64;
        SimTime::from_nanos((elapsed / self.slow) as u64)
    }

    /// Sleeps until simulated time `at`, without reading the clock: in virtual time that moves it.
    pub fn sleep_until(&self, at: SimTime) {
        // `NEVER` exceeds what the kernel takes.
        let real = (at.since_start().as_nanos() as f64 * self.slow).min(1e18) as u64;
        let until = TimeSpec::from_duration(Duration::from_nanos(self.monotonic_nanos.saturating_add(real)));
        let flags = ClockNanosleepFlags::TIMER_ABSTIME;
        while clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &until) == Err(Errno::EINTR) {}
    }

    /// Real time from one simulated time to a later one; zero if it is not later.
    pub fn span(&self, from: SimTime, to: SimTime) -> Duration {
        let real = to.max(from).since(from).as_nanos() as f64 * self.slow;
        // `NEVER` exceeds what the kernel takes.
        Duration::from_nanos(real.min(1e18) as u64)
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

#[cfg(test)]
mod tests;
