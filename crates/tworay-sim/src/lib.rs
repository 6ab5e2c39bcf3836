//! The simulator: event loop, nodes, loss ledger and metrics. The only crate that knows all protocols.

mod attempts;
mod diagnosis;
mod engine;
mod estimate;
mod external;
mod flow;
mod ledger;
mod medium;
mod moves;
mod network;
mod ns2_trace;
mod observe;
mod paths;
mod provenance;
mod report;
mod run;
mod stations;
mod wires;

pub use estimate::{Estimate, estimate, memory};
pub use external::{
    Entering, Expired, FlowLook, Layer, Leaving, Live, LiveOptions, LiveStatus, Refusal, RouteBreak,
};
pub use ledger::{Carries, LossRecord};
pub use moves::{MoveFormat, moves, moves_of_file};
pub use network::Network;
pub use ns2_trace::read_ns2_trace;
pub use observe::{Content, Emission, MediumLog, Reception};
pub use paths::{FlowPath, Pair};
pub use report::{
    Better, Column, ColumnData, Document, FlowReport, Metric, Of, RunReport, Shares, Table, Warning,
    WarningKind, metrics,
};
pub use run::{RunControl, RunError, RunOptions, facts, pair_paths, run, variants};
pub use tworay_scenario as scenario;
pub use tworay_scenario::{Application, FlowSetup, Setup, WireSetup};
pub use wires::{Backlog, Red, RedVerdict};

/// Version of tworay.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Number of the results: raise it with every change of results, so that stored runs from before the change are
/// not mixed with new ones. `tests/all/golden.rs` insists on it.
pub const RESULTS: u32 = 5;

/// Number of the form of documents and tables: raise it when a key or a column is added, removed or renamed. Stored
/// runs keep their value: a run from before has no value of a metric that was added later.
pub const SCHEMA: u32 = 3;
