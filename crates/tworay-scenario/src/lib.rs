//! Scenarios: read from TOML, validated, and written back.
//!
//! A scenario is built in layers: the defaults (the standards', or ns-2's with `dialect = "ns2"`), the
//! user's file, and `--set KEY=VALUE` on top. Every value keeps its source position, so that errors are
//! shown at the user's own line, with what is allowed there. [`Scenario::setup`] makes from it the input of a
//! network for one seed.

mod builtin;
mod check;
mod convert;
mod costs;
mod de;
mod error;
mod event;
mod fields;
mod flow;
mod kinds;
mod layers;
mod load;
mod names;
mod origin;
mod overrides;
mod partings;
mod presets;
mod saturated;
mod scenario;
mod schema;
mod script;
mod settings;
mod setup;
mod station;
mod traffic;
mod tree;
mod undisturbed;
mod wire;
mod write;

pub use builtin::{BuiltinInfo, builtin_list, builtin_text};
pub use convert::{convert, flow_tables, read_movement, unreadable};
pub use costs::Costs;
pub use error::ScenarioError;
pub use event::{EventConfig, EventKind};
pub use flow::{Application, FlowSetup};
pub use origin::Traffic;
pub use partings::Partings;
pub use scenario::Scenario;
pub use schema::json_schema;
pub use settings::Settings;
pub use setup::{LinkCut, Setup, WireSetup};
pub use station::StationConfig;
pub use traffic::{NextTransfer, Replay, Sizes, Transfers, Video};
pub use tworay_base::{Dialect, suggest};
pub use undisturbed::Disturbance;
pub use wire::{HandoffConfig, Lane, LanesConfig, Outages, RedConfig, RedUnit, WireConfig};
