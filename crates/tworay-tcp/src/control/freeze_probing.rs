//! Freeze-Probing: after a loss the sender retransmits the lost segment once and waits. If no ACK arrives,
//! it sends empty probes until the path answers, then resumes with half the window. It does not distinguish
//! causes, so it records no guess.
//!
//! Interpretation of the paper: both ways back to normal halve the window (`halve_after_frozen` disables
//! this for the shorter one). After probing, and after a freeze caused by a timeout, everything outstanding
//! is retransmitted; after a freeze caused by duplicate ACKs only the one segment is known to be lost.
//! Duplicate ACKs of data retransmitted in this way indicate no new loss (as in ns-2's Reno).
//!
//! "Half its size" refers to the window in use: the paper's W_max of 8 segments is the largest congestion
//! window (§4, figure 2), and ns-2's agents halve min(cwnd, window). cwnd itself grows on beyond 8, and half
//! of 78 is no reduction (`halves=cwnd`).

use super::*;
use crate::control::{
    AckEvent, Backoff, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, ProbeEvent, ProbeVerdict,
    RtoDecision, RtoEvent, SenderView, Window,
};
use tworay_base::SimDuration;
use tworay_wire::{ProbeKind, ProbeOption};

/// After this many unanswered probes, accept an unmarked ACK as the answer.
const MOST_UNANSWERED: u32 = 3;

/// States of the paper's figure 1.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    Normal,
    /// The lost segment has been retransmitted.
    Frozen {
        /// The freeze was caused by a timeout.
        timed_out: bool,
    },
    /// Probes are being sent.
    Probing,
}

/// The window that is halved.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Halved {
    InUse,
    Cwnd,
}

impl Halved {
    fn of(self, view: &SenderView) -> f64 {
        match self {
            Halved::InUse => view.in_use(),
            Halved::Cwnd => view.cwnd,
        }
    }
}

settings! {
    struct Options {
        /// wait after retransmitting the lost segment, seconds
        frozen: SimDuration = 2.0, 0.01..1000.0;
        /// interval between probes, seconds
        probing: SimDuration = 2.0, 0.01..1000.0;
        /// halve the window when the retransmission alone was enough
        halve_after_frozen: bool = ["yes" => true, "no" => false];
        /// which window is halved: the window in use, or cwnd, which grows beyond the receiver's window
        halves: Halved = ["in_use" => Halved::InUse, "cwnd" => Halved::Cwnd];
    }
}

#[derive(Debug)]
struct FreezeProbing {
    options: Options,
    state: State,
    /// Window before the freeze, segments; half of it follows.
    old: f64,
    /// Mark of the newest probe.
    id: u16,
    /// Probes sent in this freeze.
    asked: u32,
}

impl FreezeProbing {
    fn freeze(&mut self, view: &SenderView, timed_out: bool, effects: &mut Effects) {
        self.state = State::Frozen { timed_out };
        self.old = self.options.halves.of(view);
        self.asked = 0;
        effects.push(Effect::Freeze);
        effects.push(Effect::Retransmit);
        effects.push(Effect::StartTimer(self.options.frozen));
    }

    fn probe(&mut self, effects: &mut Effects) {
        self.state = State::Probing;
        self.asked += 1;
        self.id = self.id.wrapping_add(1);
        effects.push(Effect::Probe(Some(ProbeOption { kind: ProbeKind::Probe1, id: self.id })));
        effects.push(Effect::StartTimer(self.options.probing));
    }

    fn resume(&mut self, view: &SenderView, effects: &mut Effects) {
        let half = Window { cwnd: (self.old / 2.0).max(1.0), ssthresh: (self.old / 2.0).max(2.0) };
        let was = std::mem::replace(&mut self.state, State::Normal);
        let window = if was == State::Probing || self.options.halve_after_frozen {
            half
        } else {
            Window { cwnd: self.old, ssthresh: view.ssthresh }
        };
        effects.push(Effect::StopTimer);
        effects.push(Effect::EndBackoff);
        effects.push(Effect::Thaw);
        effects.push(match was {
            State::Frozen { timed_out: false } => Effect::SetWindow(window),
            _ => Effect::GoBack(window),
        });
    }
}

fn unchanged(view: &SenderView) -> Window {
    Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
}

impl CongestionControl for FreezeProbing {
    fn on_loss(&mut self, view: &SenderView, _: &LossEvent, effects: &mut Effects) -> Window {
        if self.state == State::Normal {
            self.freeze(view, false, effects);
        }
        unchanged(view)
    }

    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        if event.opening {
            return RtoDecision { window: event.standard, backoff: Backoff::Double };
        }
        if self.state == State::Normal {
            self.freeze(view, true, effects);
        }
        RtoDecision { window: unchanged(view), backoff: Backoff::Keep }
    }

    fn on_timer(&mut self, _: &SenderView, effects: &mut Effects) {
        if self.state != State::Normal {
            self.probe(effects);
        }
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        if self.state == State::Normal {
            return event.standard;
        }
        self.resume(view, effects);
        unchanged(view)
    }

    fn on_dup_ack(&mut self, view: &SenderView, _: &DupAckEvent, effects: &mut Effects) -> DupAckDecision {
        match self.state {
            State::Normal if view.after_timeout => DupAckDecision::Ignore,
            State::Normal => DupAckDecision::Recovery,
            // The peer does not know marks, or the path removes them: any ACK may answer the probe.
            State::Probing if !view.peer_probes || self.asked >= MOST_UNANSWERED => {
                self.resume(view, effects);
                DupAckDecision::Ignore
            }
            State::Frozen { .. } | State::Probing => DupAckDecision::Ignore,
        }
    }

    fn on_probe_answer(
        &mut self,
        view: &SenderView,
        event: &ProbeEvent,
        effects: &mut Effects,
    ) -> ProbeVerdict {
        if self.state == State::Probing && event.kind == ProbeKind::Pr1Ack {
            // A late answer shows a working path as well as the newest one.
            self.resume(view, effects);
            return ProbeVerdict::Expected;
        }
        ProbeVerdict::Stray
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "freeze-probing",
        summary: "after a loss retransmits and waits, then probes; resumes with half the window",
        source: "TCP Freeze-Probing 2005, figure 1",
        rules: &[
            Rule::at(
                Event::Loss,
                "sends the lost segment again, stops sending and waits `frozen`; window and timeout stay",
                "TCP Freeze-Probing 2005 §3, figure 1",
            ),
            Rule::at(Event::Timeout, "as at fast retransmit", "TCP Freeze-Probing 2005 §3, figure 1"),
            Rule::at(
                Event::Timer,
                "no ACK in that time: a probe of 40 bytes, and again each `probing`",
                "TCP Freeze-Probing 2005 §3, figure 1",
            ),
            Rule::at(
                Event::Ack,
                "while waiting or probing: resumes with half of the window, in congestion avoidance (halve_after_frozen)",
                "TCP Freeze-Probing 2005 §3, figure 1",
            ),
            Rule::at(
                Event::Probe,
                "resumes likewise, and sends everything outstanding again",
                "TCP Freeze-Probing 2005 §3; our reading",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::Reno],
        unless: "it is defined for Reno only",
        needs: Needs::PROBES,
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || FreezeProbing { options, state: State::Normal, old: 1.0, id: 0, asked: 0 })
        })
    }),
};

#[cfg(test)]
mod tests;
