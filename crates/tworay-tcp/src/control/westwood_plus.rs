//! Westwood+: one bandwidth sample per round trip (Grieco and Mascolo 2004), filtered as in Linux.

mod module;

use super::bandwidth::PerRoundTrip;
use super::westwood::{Rtts, WHY_NOT, Westwood};
use super::*;
use crate::config::{SackForm, TcpConfig};
use crate::control::{
    AckEvent, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, RtoDecision, RtoEvent, RttEvent,
    SenderView, Window,
};
use module::Module;

/// When the estimate is applied.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Form {
    /// As published: at each loss and each timeout.
    Paper,
    /// As Linux' `tcp_westwood`: Reno's halving when recovery starts, the estimate when it ends, Reno's
    /// reaction to timeouts.
    Linux,
}

#[derive(Debug)]
struct WestwoodPlus {
    inner: Westwood,
    form: Form,
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
        match (self.inner.pipe(), self.form) {
            (Some(pipe), Form::Paper) => Window { cwnd: pipe, ssthresh: pipe },
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
    fn on_recovery_exit(&mut self, _: &SenderView, effects: &mut Effects) {
        if let (Form::Linux, Some(pipe)) = (self.form, self.inner.pipe()) {
            effects.push(Effect::SetWindow(Window { cwnd: pipe, ssthresh: pipe }));
        }
    }
}

/// Linux' module as ns-2.35's TCP-Linux runs it: the estimate is the window during recovery; at the end the
/// window becomes Reno's half if that is more, because the agent never notifies the module that a reduction
/// is complete. Timeouts are Reno's.
#[derive(Debug)]
struct Ns2Linux {
    module: Module,
    /// The sender is TCP-Linux (`tcp.sack.form = "tcp-linux"`), which does the rest itself.
    at_home: bool,
}

impl CongestionControl for Ns2Linux {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        self.module.on_ack(view, event.bytes.into());
        // Linux 2.6.22 is in slow start up to and including the threshold. Another part owns growth, hence
        // an effect.
        if !self.at_home && event.may_grow && view.cwnd == view.ssthresh {
            let cwnd = view.cwnd + 1.0;
            effects.push(Effect::SetWindow(Window { cwnd, ssthresh: view.ssthresh }));
        }
        event.standard
    }
    fn on_dup_ack(&mut self, view: &SenderView, _: &DupAckEvent, _: &mut Effects) -> DupAckDecision {
        self.module.on_dup_ack(view);
        DupAckDecision::Recovery
    }
    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, _: &mut Effects) -> Window {
        let (pipe, half) = (self.module.pipe(view.mss), event.standard.ssthresh);
        // Other senders do not reduce step by step, so use the window that recovery will end with.
        Window { cwnd: if self.at_home { pipe } else { pipe.max(half) }, ssthresh: half }
    }
    fn on_recovery_exit(&mut self, view: &SenderView, effects: &mut Effects) {
        if !self.at_home {
            let cwnd = view.cwnd.max(view.ssthresh);
            effects.push(Effect::SetWindow(Window { cwnd, ssthresh: view.ssthresh }));
        }
    }
}

settings! {
    struct Options {
        /// 1: as in Linux, apply the estimate when recovery ends and leave timeouts to Reno; 2: as ns-2's
        /// TCP-Linux (see tcp.sack.form)
        linux: f64 = 0.0, 0.0..2.0;
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "westwood+",
        summary: "Westwood with one bandwidth sample per round trip",
        source: "Grieco and Mascolo 2004; Linux tcp_westwood.c",
        rules: &[
            Rule::at(
                Event::Round,
                "a sample: bytes acknowledged in the round trip over its length, through two filters of 7/8",
                "Linux tcp_westwood.c",
            ),
            Rule::at(
                Event::Loss,
                "cwnd and ssthresh are bandwidth x shortest round trip, at least 2; linux=1: Reno's half",
                "Grieco and Mascolo 2004; Linux tcp_westwood.c",
            ),
            Rule::at(
                Event::End,
                "linux=1: cwnd and ssthresh are bandwidth x shortest round trip",
                "Linux tcp_westwood.c",
            ),
            Rule::at(
                Event::Timeout,
                "the same ssthresh, cwnd 1; linux=1: Reno's",
                "Grieco and Mascolo 2004; Linux tcp_westwood.c",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_RENO,
        unless: WHY_NOT,
        ..Part::new(Role::Reduction, |values| {
            let Options { linux } = Options::read(values);
            if linux >= 1.5 {
                return Arc::new(|config: &TcpConfig| {
                    let at_home = config.sack.form == SackForm::TcpLinux;
                    Box::new(Ns2Linux { module: Module::default(), at_home })
                });
            }
            let form = if linux >= 0.5 { Form::Linux } else { Form::Paper };
            factory(move || WestwoodPlus {
                inner: Westwood::new(Box::new(PerRoundTrip::default()), Rtts::Smoothed),
                form,
            })
        })
    }),
};

#[cfg(test)]
mod tests;
