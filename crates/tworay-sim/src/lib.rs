//! The simulator: event loop, nodes, loss ledger, metrics and scenarios. The only crate that knows all
//! protocols.

mod animation;
mod capture;
mod diagnosis;
mod engine;
mod external;
mod flow;
mod ledger;
mod medium;
mod moves;
mod network;
mod paths;
mod provenance;
mod record;
mod report;
mod run;
pub mod scenario;
mod stations;
mod tally;
mod trace;
mod wires;

pub use external::{
    Entry, Expired, FlowLook, Layer, Leaving, Live, LiveOptions, LiveStatus, Refusal, RouteBreak,
};
pub use flow::{Application, FlowSetup};
pub use ledger::{Carries, LossRecord};
pub use moves::{MoveFormat, moves, moves_of_file};
pub use network::{Network, Setup, WireSetup};
pub use paths::FlowPath;
pub use report::{
    Better, Column, ColumnData, Document, FlowReport, Metric, Of, RunReport, Table, Warning, WarningKind,
    metrics,
};
pub use run::{RunControl, RunError, RunOptions, facts, run, variants};
pub use stations::StationConfig;
pub use trace::read_ns2_trace;
pub use wires::{Backlog, HandoffConfig, Lane, LanesConfig, Outages, Red, RedConfig, RedUnit, RedVerdict};

/// Version of tworay.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
