//! Clocks of the two ends that don't run continuously: timers that fire at heartbeats, and the clock of the
//! timestamp option.

use tworay_base::{SimDuration, SimTime};

/// The first multiple of `period`, counted from `phase`, at or after `at`; `at` itself if the period is
/// zero.
pub(crate) fn heartbeat(at: SimTime, period: SimDuration, phase: SimDuration) -> SimTime {
    if period.is_zero() {
        return at;
    }
    let phase = phase.as_nanos() % period.as_nanos();
    let since = at.as_nanos().saturating_sub(phase);
    SimTime::from_nanos(
        since.div_ceil(period.as_nanos()).saturating_mul(period.as_nanos()).saturating_add(phase),
    )
}

/// Value of the timestamp clock, in ticks of `clock`.
pub(crate) fn timestamp(now: SimTime, clock: SimDuration) -> u32 {
    now.since_start().whole(clock) as u32
}

#[cfg(test)]
mod tests;
