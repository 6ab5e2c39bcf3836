//! Results of a finished run for its report, which reads nothing else of a network.

use crate::network::hosts::flow::Flow;
use crate::observe::loss::ledger::Ledger;
use crate::observe::{MediumLog, NetworkCounters, PathProbe, Recorder, Sample, SenderLog, WireRecord};
use std::sync::Arc;
use tworay_base::SimTime;
use tworay_mac::MacCounters;
use tworay_radio::Meter;
use tworay_routing::RoutingCounters;
use tworay_scenario::Costs;

/// Results of a run, closed at its end.
pub(crate) struct Outcome {
    /// End of the run.
    pub end: SimTime,
    /// End of the warm-up, when the flows' figures start.
    pub warm_at: SimTime,
    /// Number of events processed.
    pub events: u64,
    pub flows: Vec<Flow>,
    /// Guesses and retransmissions of their senders.
    pub senders: Vec<SenderLog>,
    pub ledger: Ledger,
    /// Measurements of each flow's path.
    pub paths: Vec<PathProbe>,
    pub counters: NetworkCounters,
    /// Time series of the senders, flow by flow.
    pub series: Vec<(u16, Sample)>,
    /// Counters summed over all MACs.
    pub mac: MacCounters,
    /// Counters of each node's router since it was last switched on.
    pub routing: Vec<RoutingCounters>,
    /// Meters of all radios, if an energy model was on.
    pub meters: Option<Vec<Meter>>,
    /// Energy left at each node by sample time, if recorded.
    pub battery: Vec<(SimTime, Vec<f64>)>,
    /// Events on wires, if recorded.
    pub wire_trace: Vec<WireRecord>,
    /// Segments, frames, queue lengths, routes and movement, if recorded.
    pub record: Option<Box<Recorder>>,
    /// Every frame on the medium, if logged.
    pub medium_log: Option<Box<MediumLog>>,
    /// Energy of one processor instruction, J.
    pub joules_per_instruction: f64,
    /// Computing costs of the transport.
    pub costs: Arc<Costs>,
}
