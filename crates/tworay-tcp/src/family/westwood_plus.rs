//! Westwood+: one bandwidth sample per round trip (Grieco and Mascolo 2004), filtered as in Linux.

use super::bandwidth::PerRoundTrip;
use super::westwood::{Rtts, WHY_NOT, Westwood};
use super::*;
use crate::control::{
    AckEvent, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, RtoDecision, RtoEvent, RttEvent,
    SenderView, Window,
};

/// When the estimate decides.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Form {
    /// As published: at each loss and each timeout.
    Paper,
    /// As Linux' `tcp_westwood`: Reno's halving on entry, the estimate when recovery ends, Reno's
    /// reaction to a timeout.
    Linux,
    /// As ns-2.35's TCP-Linux runs the same file: the estimate is the window during recovery, and at its
    /// end the window goes back to Reno's half if that is more (the agent never tells the module that a
    /// reduction is complete).
    Ns2Linux,
}

#[derive(Debug)]
struct WestwoodPlus {
    inner: Westwood,
    form: Form,
}

impl CongestionControl for WestwoodPlus {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        let window = self.inner.on_ack(view, event, effects);
        // Linux of that time starts slowly up to the threshold and with it. Growth is another part's:
        // hence the effect.
        if self.form == Form::Ns2Linux && event.may_grow && view.cwnd == view.ssthresh {
            let cwnd = view.cwnd + 1.0;
            effects.push(Effect::SetWindow(Window { cwnd, ssthresh: view.ssthresh }));
        }
        window
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
        match (self.inner.pipe(), self.form) {
            (Some(pipe), Form::Paper) => Window { cwnd: pipe, ssthresh: pipe },
            (Some(pipe), Form::Ns2Linux) => {
                let half = event.standard.ssthresh;
                Window { cwnd: pipe.max(half), ssthresh: half }
            }
            _ => event.standard,
        }
    }
    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        let mut decision = self.inner.on_rto(view, event, effects);
        if self.form != Form::Paper {
            decision.window = event.standard;
        }
        decision
    }
    fn on_recovery_exit(&mut self, view: &SenderView, effects: &mut Effects) {
        match (self.form, self.inner.pipe()) {
            (Form::Linux, Some(pipe)) => {
                effects.push(Effect::SetWindow(Window { cwnd: pipe, ssthresh: pipe }));
            }
            (Form::Ns2Linux, _) => {
                let cwnd = view.cwnd.max(view.ssthresh);
                effects.push(Effect::SetWindow(Window { cwnd, ssthresh: view.ssthresh }));
            }
            _ => {}
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
            max: 2.0,
            about: "1: the estimate is set when recovery ends, and timeouts are Reno's, as in Linux; 2: as ns-2's TCP-Linux",
            choices: &[],
        }],
    },
    meaning: Meaning::Part {
        role: Role::Reduction,
        with: ANY_RENO,
        unless: WHY_NOT,
        make: |values| {
            let form = match values[0] {
                v if v >= 1.5 => Form::Ns2Linux,
                v if v >= 0.5 => Form::Linux,
                _ => Form::Paper,
            };
            factory(move || WestwoodPlus {
                inner: Westwood::new(Box::new(PerRoundTrip::default()), Rtts::Smoothed),
                form,
            })
        },
    },
};

#[cfg(test)]
mod tests;
