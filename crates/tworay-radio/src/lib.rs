//! Floor 2: what the air does to a signal — propagation, reception, error models.
//!
//! [`RadioConfig`] is the scenario's `[radio]` table; [`Channel`] is the same compiled into the few
//! constants that the simulation's inner loop needs. What a receiver makes of overlapping signals is
//! the reception model's business; random bit and packet errors are [`ErrorModel`]'s.
//!
//! Shadowing and fading stand between the two: [`Fader`]'s random factor on [`Channel::rx_power`], which
//! itself stays free of chance.

mod channel;
mod config;
mod dsss;
mod energy;
mod error_model;
mod errors;
mod fading;
mod measured;
mod reception;

pub use channel::{Channel, SPEED_OF_LIGHT};
pub use config::{
    Profile, Propagation, RADIO_RATES, RadioConfig, RateThreshold, ReceptionModel, SinrConfig, SinrErrors,
};
pub use energy::{EnergyConfig, EnergyModel, EnergyPreset, Meter, NodeBattery, Powers, RadioState};
pub use error_model::{ErrorModel, ErrorModelConfig, ErrorUnit};
pub use errors::ErrorsConfig;
pub use fading::{Fader, FadingConfig, ShadowingConfig};
pub use measured::{MEASURED_DELAY, MeasuredLink};
pub use reception::{Arrived, BodyRate, BodyRates, Receiver, Reception, ReceptionQuirks, Signal, Verdict};
