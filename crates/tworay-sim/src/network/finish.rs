//! The end of a run.

use super::Network;
use super::outcome::Outcome;
use crate::observe::{Observers, View};
use tworay_mac::MacCounters;

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
        let series = self.common.observers.series.take_rows();
        let wire_trace = self.common.observers.take_wire_trace();
        let medium_log = self.common.observers.take_medium_log();
        self.flows.iter_mut().for_each(|flow| flow.close(end));
        let view = View { now: self.common.now, packets: &self.common.packets };
        self.common.observers.close(view);
        let Observers { mut ledger, paths, senders, counters, .. } = self.common.observers;
        ledger.close(end);
        let mut mac = MacCounters::default();
        self.nodes.iter().for_each(|node| mac.add(node.mac.counters()));
        self.air.iter().for_each(|air| air.count(&mut mac));
        let routing = self.nodes.iter().map(|node| node.router.counters().clone()).collect();
        let meters = self.nodes.meters.take().map(|meters| meters.finish(end));
        let (meters, battery) = meters.map_or((None, Vec::new()), |(meters, left)| (Some(meters), left));
        Outcome {
            end,
            warm_at: self.plan.warm_at,
            events: self.common.agenda.events,
            flows: self.flows,
            senders: senders.logs,
            ledger,
            paths,
            counters,
            series,
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
