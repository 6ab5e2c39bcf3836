//! Expectations are computed by hand from the standard's tables and formulas, or carried over from ns-3.37.

mod combinations;
mod durations;
mod spaces;

use super::*;
use tworay_base::SimDuration;

fn micros(micros: u64) -> SimDuration {
    SimDuration::from_micros(micros)
}

fn airtime_of(standard: Standard) -> Airtime {
    Airtime::new(&Phy::of(standard), DurationRules::Standard)
}

fn ht(mcs: u8, width: Width, guard: GuardInterval) -> Mode {
    Mode::ht(mcs, width, guard).expect("the standard has it")
}

fn vht(mcs: u8, streams: u8, width: Width, guard: GuardInterval) -> Mode {
    Mode::vht(mcs, streams, width, guard).expect("the standard has it")
}
