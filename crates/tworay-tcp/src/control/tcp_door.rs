//! TCP-DOOR: segments or ACKs out of order indicate a change of the route, after which the sender does not
//! react to losses for some time, and takes back a reaction shortly before (Wang and Zhang 2002).
//!
//! The receiver detects that a segment was overtaken by one sent later, and sets a flag in its ACK. The
//! sender detects the same of ACKs. The paper adds a sequence number of packets and one of duplicate ACKs, or
//! uses timestamps; this variant uses timestamps for both. A retransmission has a newer timestamp than the
//! first transmission.
//!
//! - Response 1: for T1 after the detection the window, the threshold and the timeout stay as they are.
//!   Losses are retransmitted, timeouts do not back off.
//! - Response 2: if the window was reduced within T2 before the detection, it returns to its value before the
//!   reduction.
//!
//! The paper ties T1 and T2 to the round trip; its values could not be recovered. Both are one retransmission
//! timeout by default. Not for routing over several paths at a time, where segments are always out of order.
//!
//! The guess is congestion for a loss that reduces the window, although response 2 may revoke it later, and
//! `link-failure` for one within T1.

use super::kept::Kept;
use super::*;
use crate::config::{Reporting, TcpConfig};
use crate::control::{
    AckEvent, Backoff, Effect, Effects, LossEvent, PathEvent, RtoDecision, RtoEvent, Sampling, SenderView,
    Window,
};
use tworay_base::SimTime;
use tworay_wire::Report;

/// Which ends detect.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Detection {
    Both,
    Sender,
}

settings! {
    struct Options {
        /// T1, congestion control is off after a detection, retransmission timeouts
        t1: f64 = 1.0, 0.0..1000.0;
        /// T2, reductions not longer ago than this are taken back, retransmission timeouts
        t2: f64 = 1.0, 0.0..1000.0;
        /// who detects: the receiver (segments) and the sender (ACKs), or the sender alone
        detection: Detection = ["both" => Detection::Both, "sender" => Detection::Sender];
    }
}

/// The window before a reduction.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Before {
    at: SimTime,
    window: Window,
}

#[derive(Debug)]
struct Door {
    options: Options,
    /// Congestion control is off (response 1).
    off: bool,
    before: Option<Before>,
    kept: Kept,
}

impl Door {
    /// True if a reduction at `at` is recent enough to be taken back.
    fn is_recent(&self, view: &SenderView, at: SimTime) -> bool {
        view.now <= at + view.base_rto.mul_f64(self.options.t2)
    }

    /// The window is about to be reduced. Of several reductions within T2 the first counts.
    fn save(&mut self, view: &SenderView) {
        self.kept.release();
        if self.before.is_none_or(|b| !self.is_recent(view, b.at)) {
            let window = Window { cwnd: view.in_use(), ssthresh: view.ssthresh };
            self.before = Some(Before { at: view.now, window });
        }
    }
}

impl CongestionControl for Door {
    fn on_path_event(&mut self, view: &SenderView, event: PathEvent, effects: &mut Effects) {
        if event != PathEvent::Report(Report::OutOfOrder) {
            return;
        }
        if let Some(before) = self.before.take()
            && self.is_recent(view, before.at)
        {
            if view.in_recovery {
                self.kept.hold(before.window);
            } else {
                self.kept.fill();
            }
            effects.push(Effect::SetWindow(before.window));
            effects.push(Effect::EndBackoff);
        }
        if self.options.t1 > 0.0 {
            self.off = true;
            effects.push(Effect::StartTimer(view.base_rto.mul_f64(self.options.t1)));
        }
    }

    fn on_timer(&mut self, _: &SenderView, _: &mut Effects) {
        self.off = false;
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        let guess = if self.off { LINK_FAILURE } else { CONGESTION };
        effects.push(Effect::Guess { seq: event.seq, guess });
        if self.off {
            return self.kept.hold(Window { cwnd: view.in_use(), ssthresh: view.ssthresh });
        }
        self.save(view);
        event.standard
    }

    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        let guess = if self.off { LINK_FAILURE } else { CONGESTION };
        effects.push(Effect::Guess { seq: event.seq, guess });
        if self.off {
            self.kept.release();
            self.kept.fill();
            let window = Window { cwnd: view.in_use(), ssthresh: view.ssthresh };
            return RtoDecision { window, backoff: Backoff::Keep };
        }
        if !event.opening {
            self.save(view);
        }
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        self.kept.on_ack(view);
        if self.off { Window { cwnd: view.cwnd, ssthresh: view.ssthresh } } else { event.standard }
    }

    fn on_recovery_exit(&mut self, _: &SenderView, effects: &mut Effects) {
        self.kept.on_recovery_exit(effects);
    }

    fn burst(&self) -> Option<u32> {
        self.kept.burst()
    }

    fn sampling(&self) -> Sampling {
        if self.off { Sampling::Withheld } else { Sampling::Standard }
    }
}

fn configure(values: &[f64], config: &mut TcpConfig) {
    config.timestamps = true;
    if Options::read(values).detection == Detection::Both {
        config.receiver.reporting = Some(Reporting::Order);
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "tcp-door",
        summary: "after segments or ACKs out of order ignores losses for a while and takes back the last reduction",
        source: "Wang and Zhang 2002",
        rules: &[
            Rule::at(
                Event::Report,
                "segments out of order at the receiver, or ACKs at the sender: takes back a reduction less than t2 timeouts ago",
                "Wang and Zhang 2002, response 2; t2 is not known",
            ),
            Rule::at(
                Event::Report,
                "and for t1 timeouts window, threshold and timeout stay",
                "Wang and Zhang 2002, response 1; t1 is not known",
            ),
            Rule::at(
                Event::Loss,
                "within t1: only sends again; otherwise as the recovery",
                "Wang and Zhang 2002, response 1",
            ),
            Rule::at(
                Event::Timeout,
                "within t1: sends again, not doubled, the window stays; otherwise as the recovery",
                "Wang and Zhang 2002, response 1",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_RENO,
        unless: "it replaces the halving of a fast recovery",
        needs: Needs::REPORTS.union(Needs::BURSTS).union(Needs::SAMPLING),
        configure: Some(configure),
        ..Part::new(Role::Whole, |values| {
            let options = Options::read(values);
            factory(move || Door { options, off: false, before: None, kept: Kept::default() })
        })
    }),
};

#[cfg(test)]
mod tests;
