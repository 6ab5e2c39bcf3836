//! Fixed RTO: two consecutive timeouts indicate a lost route rather than congestion, so the timeout is
//! doubled only once (Dyer and Boppana 2001).
//!
//! Papanastasiou 2006 (§3.5.1) reports the proposal as "to freeze the RTO timer after 3 consecutive backoffs":
//! `fixed-rto(3)`.

use super::*;
use crate::control::{Backoff, Effect, Effects, RtoDecision, RtoEvent, SenderView};

settings! {
    struct Options {
        /// timeouts in a row that double the timeout, before it stays
        doublings: u32 = 1.0, 0.0..64.0;
    }
}

#[derive(Debug)]
struct FixedRto(Options);

impl CongestionControl for FixedRto {
    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        let (guess, backoff) = if event.consecutive > self.0.doublings {
            (LINK_FAILURE, Backoff::Keep)
        } else {
            (CONGESTION, Backoff::Double)
        };
        effects.push(Effect::Guess { seq: event.seq, guess });
        RtoDecision { window: event.standard, backoff }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "fixed-rto",
        summary: "doubles the timeout only once in a row of timeouts",
        source: "Dyer and Boppana 2001",
        rules: &[Rule::at(
            Event::Timeout,
            "the first `doublings` in a row double the timeout; further ones leave it as it is",
            "Dyer and Boppana 2001, as others report it",
        )],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_STANDARD,
        unless: "Vegas handles timeouts itself",
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || FixedRto(options))
        })
    }),
};

#[cfg(test)]
mod tests;
