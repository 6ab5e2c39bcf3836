//! The simulator: event loop, nodes, loss ledger and metrics. The only crate that knows all protocols.

mod engine;
mod estimate;
mod links;
pub(crate) mod live;
mod moves;
mod network;
mod ns2_trace;
mod observe;
mod paths;
pub(crate) mod results;
mod run;
mod version;

pub use crate::live::{
    Entering, Expired, FlowLook, Header, Layer, Leaving, Live, LiveOptions, LiveStatus, LossView, NodeView,
    Refusal, RouteBreak, View,
};
pub use crate::observe::loss::ledger::{Carries, LossRecord};
pub use crate::results::{
    Better, Column, ColumnData, Document, FlowReport, Metric, Of, RunReport, Sharer, Shares, Table, Warning,
    WarningKind, metrics,
};
pub use estimate::{Estimate, estimate, memory, memory_of_tables};
pub use links::LinkRate;
pub use moves::{MoveFormat, moves, moves_of_file};
pub use network::{Backlog, Network, Red, RedVerdict};
pub use ns2_trace::read_ns2_trace;
pub use observe::{Content, Emission, MediumLog, Reception};
pub use paths::{FlowPath, MOST_MTU, Pair};
pub use run::{RunControl, RunError, RunOptions, facts, pair_paths, run, variants};
pub use tworay_scenario as scenario;
pub use tworay_scenario::{Application, FlowSetup, Setup, WireSetup};
pub use version::{RESULTS, SCHEMA, VERSION};
