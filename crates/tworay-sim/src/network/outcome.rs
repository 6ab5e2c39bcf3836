//! What a finished run leaves behind for its report. The report reads this and nothing else of a network.

use super::Network;
use super::wires::WireRecord;
use crate::flow::Flow;
use crate::ledger::Ledger;
use crate::record::Recorder;
use crate::scenario::Costs;
use crate::tally::Tally;
use std::sync::Arc;
use tworay_base::SimTime;
use tworay_mac::MacCounters;
use tworay_radio::Meter;
use tworay_routing::RoutingCounters;

/// The results of a run, closed at its end.
pub(crate) struct Outcome {
    /// End of the run.
    pub end: SimTime,
    /// When the flows' figures began.
    pub warm_at: SimTime,
    /// Events worked off.
    pub events: u64,
    pub flows: Vec<Flow>,
    pub ledger: Ledger,
    pub tally: Tally,
    /// Counts of all MACs.
    pub mac: MacCounters,
    /// Counts of each node's router since it was switched on last.
    pub routing: Vec<RoutingCounters>,
    /// The accounts of all nodes' radios, if an energy model was on.
    pub meters: Option<Vec<Meter>>,
    /// What each node had left, sample by sample, if that was kept.
    pub battery: Vec<(SimTime, Vec<f64>)>,
    /// What happened on the wires, if that was kept.
    pub wire_trace: Vec<WireRecord>,
    /// Every segment, frame, queue length, route and move, if that was recorded.
    pub record: Option<Box<Recorder>>,
    /// Energy of a processor instruction, J.
    pub joules_per_instruction: f64,
    /// What the transport's computations cost.
    pub costs: Arc<Costs>,
}

impl Network {
    /// Closes the books of a run that has come to its end.
    pub(crate) fn finish(mut self) -> Outcome {
        let end = self.common.agenda.end;
        let record = self.common.watch.take_record().map(|mut recorder| {
            if let Some(radio) = &mut self.radio {
                recorder.moved(radio.legs_until(end));
            }
            recorder
        });
        self.flows.iter_mut().for_each(|flow| flow.means.close(end));
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
            tally: books.tally,
            mac,
            routing,
            meters,
            battery,
            record,
            wire_trace: self.wires.take_trace(),
            joules_per_instruction: self.plan.settings.energy.instruction.get(),
            costs: self.plan.costs,
        }
    }
}
