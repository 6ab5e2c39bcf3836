//! Floor 2: the radio channel — propagation, reception, error models.
//!
//! [`RadioConfig`] is the scenario's `[radio]` table; [`Channel`] compiles it into the few constants that the
//! simulation's inner loop needs. [`Receiver`] applies the reception model to overlapping signals;
//! [`ErrorModel`] draws random bit and packet errors. [`Fader`] multiplies the deterministic
//! [`Channel::rx_power`] by shadowing and fading. [`phy`] has the radios of 802.11a/b/g/n/ac: modes, durations
//! and the parts of their reception.

mod air;
mod channel;
mod config;
mod dsss;
mod energy;
mod error_model;
mod errors;
mod fading;
mod measured;
pub mod phy;
mod quirks;
mod reception;
mod refusals;

pub use air::{AirRadio, AirRate, Preset, RateRule, basic_mode};
pub use channel::{Channel, SPEED_OF_LIGHT};
pub use config::{
    Profile, Propagation, RADIO_RATES, RadioConfig, RateThreshold, ReceptionModel, SinrConfig, SinrErrors,
};
pub use energy::{EnergyConfig, EnergyModel, EnergyPreset, Meter, NodeBattery, Powers, RadioState};
pub use error_model::{ErrorModel, ErrorModelConfig, ErrorUnit};
pub use errors::ErrorsConfig;
pub use fading::{Fader, FadingConfig, ShadowingConfig};
pub use measured::{MEASURED_DELAY, MeasuredLink};
pub use quirks::ReceptionQuirks;
pub use reception::{Arrived, BodyRate, BodyRates, Receiver, Reception, Signal, Verdict};
