//! The core, as this crate uses it. A renamed item in `tworay-sim` is followed here and nowhere else.

pub(crate) use tworay_base::SimDuration;
pub(crate) use tworay_sim::scenario::{
    Scenario, ScenarioError, builtin_list, builtin_text, convert, flow_tables, json_schema,
};
pub(crate) use tworay_sim::{
    Column, ColumnData, MoveFormat, RunControl, RunError, RunOptions, RunReport, Table, VERSION, facts,
    moves, moves_of_file, read_ns2_trace, run, variants,
};
pub(crate) use tworay_tcp::{
    AckEvent, Backoff, COSTS_CSV, CongestionControl, Effect, Effects, LossEvent, Operation, RecoveryKind,
    RtoDecision, RtoEvent, RttEvent, SenderView, Variant, Window, live,
};
