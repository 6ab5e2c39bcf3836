//! Fixed RTO: two consecutive timeouts indicate a lost route rather than congestion, so the timeout is
//! doubled only once (Dyer and Boppana 2001).

use super::*;
use crate::control::{Backoff, Effect, Effects, RtoDecision, RtoEvent, SenderView};

#[derive(Debug)]
struct FixedRto;

impl CongestionControl for FixedRto {
    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        let (guess, backoff) =
            if event.consecutive > 1 { (LINK_FAILURE, Backoff::Keep) } else { (CONGESTION, Backoff::Double) };
        effects.push(Effect::Guess { seq: event.seq, guess });
        RtoDecision { window: event.standard, backoff }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "fixed-rto",
        summary: "doubles the timeout only once in a row of timeouts",
        source: "Dyer and Boppana 2001",
        parameters: &[],
    },
    meaning: Meaning::Part(Part {
        with: ANY_STANDARD,
        unless: "Vegas handles timeouts itself",
        ..Part::new(Role::Reduction, |_| factory(|| FixedRto))
    }),
};

#[cfg(test)]
mod tests;
