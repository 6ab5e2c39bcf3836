//! WestwoodNR as UCLA's agent for ns-2 has it (`tcp-w-nr.cc` 1.2, Valla 2001), which the energy study names
//! (Seddik-Ghaleb et al. 2006 §III.6). It differs from the published Westwood in four places:
//!
//! | here | paper |
//! |---|---|
//! | filter 1 of the agent's constructor: 19/21 of the old estimate, 1/21 of the last two samples | filter 3 |
//! | shortest round trip in clock ticks | exact |
//! | cwnd at a loss: at most bandwidth x shortest round trip, not rounded; only ssthresh is | both rounded |
//! | a timeout leaves two segments; without an estimate the product counts as two | one; Reno's reaction |
//!
//! The agent takes the filter from a Tcl default, which was not at hand; `filter` sets another. Two habits of
//! its start are left out, as for `westwood`: it measures the first gap between ACKs from the start of the
//! simulation, and its shortest round trip is 5 s before the first sample.

use super::westwood::{Filter, Rtts, Westwood};
use super::*;
use crate::control::{
    AckEvent, Backoff, DupAckDecision, DupAckEvent, Effects, LossEvent, RtoDecision, RtoEvent, RttEvent,
    SenderView, Window,
};

settings! {
    struct Options {
        /// UCLA's filter number: 1 is the constructor's; 3 is the Tustin filter of the paper
        filter: Filter = [
            "1" => Filter::TwentyFirst,
            "0" => Filter::Tenth,
            "2" => Filter::ThirtyFirst,
            "3" => Filter::Tustin,
            "8" => Filter::Exponential,
        ];
        /// time constant of filters 3 and 8, seconds
        tau: f64 = 1.0, 0.01..100.0;
    }
}

/// The window after a timeout, and the least product, segments.
const LEAST: f64 = 2.0;

#[derive(Debug)]
struct WestwoodNr {
    estimate: Westwood,
}

impl WestwoodNr {
    fn product(&self) -> f64 {
        self.estimate.product().unwrap_or(LEAST).max(LEAST)
    }
}

impl CongestionControl for WestwoodNr {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        self.estimate.on_ack(view, event, effects)
    }
    fn on_dup_ack(
        &mut self,
        view: &SenderView,
        event: &DupAckEvent,
        effects: &mut Effects,
    ) -> DupAckDecision {
        self.estimate.on_dup_ack(view, event, effects)
    }
    fn on_rtt(&mut self, view: &SenderView, event: &RttEvent, effects: &mut Effects) {
        self.estimate.on_rtt(view, event, effects);
    }
    fn on_loss(&mut self, view: &SenderView, _: &LossEvent, _: &mut Effects) -> Window {
        let product = self.product();
        Window { cwnd: view.cwnd.min(product), ssthresh: product.floor() }
    }
    fn on_rto(&mut self, _: &SenderView, _: &RtoEvent, _: &mut Effects) -> RtoDecision {
        let window = Window { cwnd: LEAST, ssthresh: self.product().floor() };
        RtoDecision { window, backoff: Backoff::Double }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "westwoodnr",
        summary: "Westwood as UCLA's NewReno agent for ns-2 has it",
        source: "UCLA tcp-w-nr.cc 1.2, 2001",
        rules: &[
            Rule::at(
                Event::Ack,
                "each ACK, also a duplicate, gives a sample: its segments over the time since the last one; filtered (`filter`)",
                "tcp-w-nr.cc, bwe_computation",
            ),
            Rule::at(
                Event::Sample,
                "remembers the shortest round trip, in clock ticks",
                "tcp-w-nr.cc, bwe_computation",
            ),
            Rule::at(
                Event::Loss,
                "ssthresh is bandwidth x shortest round trip in whole segments, at least 2; cwnd at most the product, not rounded",
                "tcp-w-nr.cc, dupack_action",
            ),
            Rule::at(
                Event::Timeout,
                "the same ssthresh; cwnd 2; the timeout doubles",
                "tcp-w-nr.cc, slowdown, CLOSE_FASTER",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::NewReno],
        unless: "UCLA's agent is based on NewReno",
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || WestwoodNr {
                estimate: Westwood::new(options.filter.make(options.tau), Rtts::Ticked),
            })
        })
    }),
};

#[cfg(test)]
mod tests;
