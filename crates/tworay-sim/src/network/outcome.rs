//! Results of a finished run for its report, which reads nothing else of a network.

use super::Network;
use crate::flow::Flow;
use crate::ledger::Ledger;
use crate::observe::{MediumLog, NetworkCounters, Recorder, WireRecord};
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
    pub ledger: Ledger,
    pub counters: NetworkCounters,
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

impl Network {
    /// Closes the books of a finished run.
    pub(crate) fn finish(mut self) -> Outcome {
        let end = self.common.agenda.end;
        let record = self.common.observers.take_record().map(|mut recorder| {
            if let Some(radio) = &mut self.radio {
                recorder.moved(radio.legs_until(end));
            }
            recorder
        });
        let wire_trace = self.common.observers.take_wire_trace();
        let medium_log = self.common.observers.take_medium_log();
        self.flows.iter_mut().for_each(|flow| flow.means.close(end));
        self.common.close_holds();
        let books = self.common.books;
        let mut ledger = books.ledger;
        ledger.close(end);
        let mut mac = MacCounters::default();
        self.nodes.iter().for_each(|node| mac.add(node.mac.counters()));
        let routing = self.nodes.iter().map(|node| node.router.counters().clone()).collect();
        let meters = self.nodes.meters.take().map(|meters| meters.finish(end));
        let (meters, battery) = meters.map_or((None, Vec::new()), |(meters, left)| (Some(meters), left));
        Outcome {
            end,
            warm_at: self.plan.warm_at,
            events: self.common.agenda.events,
            flows: self.flows,
            ledger,
            counters: self.common.observers.counters,
            mac,
            routing,
            meters,
            battery,
            record,
            medium_log,
            wire_trace,
            joules_per_instruction: self.plan.settings.energy.instruction.get(),
            costs: self.plan.costs,
        }
    }
}
