//! Westwood+: one bandwidth sample per round trip (Grieco and Mascolo 2004), filtered as in Linux.

use super::bandwidth::PerRoundTrip;
use super::westwood::{Rtts, WHY_NOT, Westwood};
use super::*;
use crate::control::{
    AckEvent, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, RtoDecision, RtoEvent, RttEvent,
    SenderView, Window,
};

#[derive(Debug)]
struct WestwoodPlus {
    inner: Westwood,
    /// As Linux' `tcp_westwood`: Reno's halving on entry, the estimate when recovery ends, Reno's
    /// reaction to a timeout.
    linux: bool,
}

impl CongestionControl for WestwoodPlus {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        self.inner.on_ack(view, event, effects)
    }
    fn on_dup_ack(
        &mut self,
        view: &SenderView,
        event: &DupAckEvent,
        effects: &mut Effects,
    ) -> DupAckDecision {
        self.inner.on_dup_ack(view, event, effects)
    }
    fn on_rtt(&mut self, view: &SenderView, event: &RttEvent, effects: &mut Effects) {
        self.inner.on_rtt(view, event, effects);
    }
    fn on_loss(&mut self, _: &SenderView, event: &LossEvent, _: &mut Effects) -> Window {
        match self.inner.pipe() {
            Some(pipe) if !self.linux => Window { cwnd: pipe, ssthresh: pipe },
            _ => event.standard,
        }
    }
    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        let mut decision = self.inner.on_rto(view, event, effects);
        if self.linux {
            decision.window = event.standard;
        }
        decision
    }
    fn on_recovery_exit(&mut self, _: &SenderView, effects: &mut Effects) {
        if let Some(pipe) = self.inner.pipe().filter(|_| self.linux) {
            effects.push(Effect::SetWindow(Window { cwnd: pipe, ssthresh: pipe }));
        }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "westwood+",
        summary: "Westwood with one bandwidth sample per round trip",
        source: "Grieco and Mascolo 2004; Linux tcp_westwood.c",
        parameters: &[Parameter {
            name: "linux",
            default: Some(0.0),
            min: 0.0,
            max: 1.0,
            about: "1: the estimate is set when recovery ends, and timeouts are Reno's, as in Linux",
            choices: &[],
        }],
    },
    meaning: Meaning::Part {
        role: Role::Reduction,
        with: ANY_RENO,
        unless: WHY_NOT,
        make: |values| {
            let linux = values[0] >= 0.5;
            factory(move || WestwoodPlus {
                inner: Westwood::new(Box::new(PerRoundTrip::default()), Rtts::Smoothed),
                linux,
            })
        },
    },
};

#[cfg(test)]
mod tests;
