//! The simulator: event loop, nodes, loss ledger, metrics and scenarios. The only crate that knows all
//! protocols.

mod animation;
mod attempts;
mod capture;
mod diagnosis;
mod engine;
mod external;
mod flow;
mod frame_counts;
mod ledger;
mod medium;
mod medium_log;
mod moves;
mod network;
mod ns2_trace;
mod paths;
mod provenance;
mod record;
mod report;
mod run;
pub mod scenario;
mod stations;
mod wires;

pub use external::{
    Entering, Expired, FlowLook, Layer, Leaving, Live, LiveOptions, LiveStatus, Refusal, RouteBreak,
};
pub use flow::{Application, FlowSetup};
pub use ledger::{Carries, LossRecord};
pub use medium_log::{Content, Emission, MediumLog, Reception};
pub use moves::{MoveFormat, moves, moves_of_file};
pub use network::{Network, Setup, WireSetup};
pub use ns2_trace::read_ns2_trace;
pub use paths::{FlowPath, Pair};
pub use report::{
    Better, Column, ColumnData, Document, FlowReport, Metric, Of, RunReport, Shares, Table, Warning,
    WarningKind, metrics,
};
pub use run::{RunControl, RunError, RunOptions, facts, pair_paths, run, variants};
pub use stations::StationConfig;
pub use wires::{Backlog, HandoffConfig, Lane, LanesConfig, Outages, Red, RedConfig, RedUnit, RedVerdict};

/// Version of tworay.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Number of the results: raise it with every change of results, so that stored runs from before the change are
/// not mixed with new ones. `tests/golden.rs` insists on it.
pub const RESULTS: u32 = 6;

/// Number of the form of documents and tables: raise it when a key or a column is added, removed or renamed. Stored
/// runs keep their value: a run from before has no value of a metric that was added later.
pub const SCHEMA: u32 = 3;
