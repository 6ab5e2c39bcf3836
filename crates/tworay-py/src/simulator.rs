//! The items of `tworay-sim` that this crate uses. A renamed item needs a change only here.

pub(crate) use tworay_base::{BitRate, Joules, NodeId, SimDuration, SimTime, Watts};
pub(crate) use tworay_sim::scenario::suggest;
pub(crate) use tworay_sim::scenario::{
    Scenario, ScenarioError, Traffic, builtin_list, builtin_text, convert, flow_tables, json_schema,
};
pub(crate) use tworay_sim::{
    Better, Column, ColumnData, Metric, MoveFormat, Of, RESULTS, RunControl, RunError, RunOptions, RunReport,
    SCHEMA, Sharer, Shares, Table, VERSION, estimate, facts, memory, memory_of_tables, metrics, moves,
    moves_of_file, pair_paths, read_ns2_trace, run, variants,
};
pub(crate) use tworay_tcp::{
    AckEvent, Backoff, COSTS_CSV, CongestionControl, Effect, Effects, LossEvent, LossPredictor, Operation,
    RateSample, RecoveryKind, RtoDecision, RtoEvent, RttEvent, SenderView, Variant, Window, live, recoveries,
};
