//! The physical layers of IEEE 802.11: b (DSSS, CCK), a and g (OFDM), n (HT) and ac (VHT).
//!
//! [`Phy`] is one station's radio: a standard, band, width, number of streams and guard interval, checked by
//! [`Phy::new`]. [`Mode`] is one way to send a frame (the TXVECTOR), [`Airtime`] computes its duration to the
//! nanosecond, and [`PhyTiming`] has slot, interframe spaces and contention window. [`errors`],
//! [`interference`] and [`detection`] are the parts of reception: the
//! probability that bits are decoded, intervals of constant interference, and what a receiver notices at all.
//! Everything here is a pure function of its arguments.
//!
//! Sections are those of IEEE 802.11-2020.

mod airtime;
mod control;
pub mod detection;
pub mod errors;
pub mod interference;
mod mode;
mod rates;
mod standard;
mod timing;

pub use airtime::{Airtime, DurationRules, MAX_PPDU};
pub use control::{Protection, control_response, reference_mode};
pub use mode::{HtMode, Mode, VhtMode};
pub use rates::{CodeRate, DsssRate, Modulation, OfdmRate};
pub use standard::{Band, Coexistence, DsssPreamble, GuardInterval, Phy, SlotTime, Standard, Width};
pub use timing::{AccessCategory, ContentionWindow, EdcaParameters, PhyTiming};

#[cfg(test)]
mod tests;
