//! TCP pacing: a window of segments is spread evenly over a round trip instead of being sent as ACKs arrive
//! (Aggarwal, Savage and Anderson 2000; Chen, Xue, Shah and Nahrstedt found no gain from it in ad hoc networks,
//! as Papanastasiou 2006 §1.2 reports).
//!
//! The time between two segments is SRTT / window, with the window in use, min(cwnd, peer's window). The rules
//! for the window are unchanged. Every segment is timed: with one sample per window SRTT would lag behind.

use super::*;
use crate::config::{TcpConfig, Timing};
use crate::control::{AckEvent, Effect, Effects, SenderView, Window};

#[derive(Debug)]
struct Paced;

impl CongestionControl for Paced {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        if let Some(srtt) = view.srtt {
            effects.push(Effect::Pace(srtt.mul_f64(1.0 / view.in_use().max(1.0))));
        }
        event.standard
    }
}

fn configure(_: &[f64], config: &mut TcpConfig) {
    config.timing = Timing::EverySegment;
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "paced",
        summary: "spreads a window of segments evenly over a round trip",
        source: "Aggarwal, Savage and Anderson 2000",
        rules: &[Rule::at(
            Event::Send,
            "segments leave at least SRTT / window apart, from the latest ACK's SRTT and window in use",
            "Aggarwal, Savage and Anderson 2000; Papanastasiou 2006 §1.2",
        )],
        parameters: &[],
    },
    meaning: Meaning::Part(Part {
        needs: Needs::PACING,
        configure: Some(configure),
        ..Part::new(Role::Pace, |_| factory(|| Paced))
    }),
};

#[cfg(test)]
mod tests;
