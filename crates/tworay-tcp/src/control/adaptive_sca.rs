//! Adaptive SCA: θ depends on the path length (Papanastasiou 2006, tables 4.4 and B.1).

use super::slow_growth::Gate;
use super::*;
use crate::control::{
    AckEvent, Backoff, Effects, LossEvent, PathEvent, RtoDecision, RtoEvent, SenderView, Window,
};

/// θ for 4 to 15 hops.
type Table = [u32; 12];
const DSR: Table = [42, 45, 39, 49, 47, 29, 48, 35, 10, 50, 25, 10];
const AODV: Table = [48, 46, 50, 48, 46, 48, 48, 31, 37, 30, 39, 39];

/// 0 (plain TCP) below 4 hops or for an unknown path; the last entry above 15 hops.
pub(super) fn theta(table: &Table, hops: u8) -> u32 {
    match hops {
        0..4 => 0,
        n => table[usize::from(n - 4).min(table.len() - 1)],
    }
}

/// Which table applies.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Whose {
    /// That of the routing protocol in use: DSR's if routing reports the source route to the sender,
    /// otherwise AODV's. OLSR and static routing forward hop by hop as AODV does.
    Routing,
    Aodv,
    Dsr,
}

settings! {
    struct Options {
        /// best parameters for AODV (B.1) or DSR (4.4); routing: those of the protocol in use
        table: Whose = ["routing" => Whose::Routing, "aodv" => Whose::Aodv, "dsr" => Whose::Dsr];
    }
}

#[derive(Debug)]
struct AdaptiveSca {
    options: Options,
    source_routed: bool,
    gate: Gate,
}

impl AdaptiveSca {
    fn table(&self) -> &'static Table {
        match self.options.table {
            Whose::Dsr => &DSR,
            Whose::Routing if self.source_routed => &DSR,
            Whose::Routing | Whose::Aodv => &AODV,
        }
    }
}

impl CongestionControl for AdaptiveSca {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        if view.cwnd < view.ssthresh {
            self.gate.reset();
            return event.standard;
        }
        if !event.may_grow || self.gate.opens(theta(self.table(), view.hops)) {
            event.standard
        } else {
            Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
        }
    }
    fn on_path_event(&mut self, _: &SenderView, event: PathEvent, _: &mut Effects) {
        self.source_routed |= matches!(event, PathEvent::SourceRoute(_));
    }
    fn on_loss(&mut self, _: &SenderView, event: &LossEvent, _: &mut Effects) -> Window {
        self.gate.reset();
        event.standard
    }
    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        self.gate.reset();
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "adaptive-sca",
        summary: "SCA with theta by the number of hops; plain TCP below 4 hops",
        source: "Papanastasiou 2006, tables 4.4 and B.1",
        rules: &[
            Rule::at(
                Event::Hops,
                "theta of congestion avoidance is that of the table for 4 to 15 hops, 0 (standard) below, the last one above",
                "Papanastasiou 2006 §4.5.2, tables 4.4 and B.1",
            ),
            Rule::at(
                Event::Ack,
                "congestion avoidance: cwnd grows by 1/cwnd on one ACK in theta + 1; slow start is standard",
                "Papanastasiou 2006 §4.3.2, algorithm 2",
            ),
            Rule::at(Event::Loss, "the count of ACKs restarts, as after a timeout", "our reading"),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_STANDARD,
        unless: "Vegas has its own growth rule",
        needs: Needs::HOPS,
        ..Part::new(Role::Growth, |values| {
            let options = Options::read(values);
            factory(move || AdaptiveSca { options, source_routed: false, gate: Gate::default() })
        })
    }),
};

#[cfg(test)]
pub(super) const TABLES: [&Table; 2] = [&AODV, &DSR];

#[cfg(test)]
mod tests;
