//! ATCP: a layer between IP and an unmodified TCP of the sender that keeps losses from it (Liu and Singh
//! 2001).
//!
//! | state | entered by | TCP | left by |
//! |---|---|---|---|
//! | normal | – | sends | – |
//! | loss | a third duplicate ACK, or an imminent timeout | persist mode, same window | an ACK of new data |
//! | disconnected | a notice of a broken link | persist mode with cwnd = 1, empty probes | any ACK |
//!
//! In state *loss* ATCP retransmits the oldest segment, and again after each timeout.
//! The notice stands for ICMP's "destination unreachable". Probes follow after a timeout and then after twice
//! as long each time, up to 60 s (RFC 9293 §3.8.6.1). On reconnection TCP starts with one segment and the
//! threshold that it had, and finds the rate of the new route. After a timeout and after a disconnection
//! everything outstanding is retransmitted; after duplicate ACKs only one segment is known to be lost.
//!
//! The paper's fourth state, congested, is entered by an ECN mark, and leaves the reaction to TCP. The
//! simulator has no ECN, neither in wires with RED nor in queues of radios, so this state never occurs: every
//! loss is taken for one of the channel, and no loss reduces the window. Over a congested bottleneck this
//! sender is therefore more aggressive than the paper's.

use super::kept::Kept;
use super::*;
use crate::control::{
    AckEvent, Backoff, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, PathEvent, RtoDecision,
    RtoEvent, SenderView, Window,
};
use tworay_base::{Seq32, SimDuration};

settings! {
    struct Options {
        /// longest time between two probes while disconnected, seconds
        longest: SimDuration = 60.0, 0.1..1000.0;
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    Normal,
    Loss {
        /// A timeout was about to happen.
        timed_out: bool,
    },
    Disconnected {
        /// Time until the next probe.
        wait: SimDuration,
    },
}

#[derive(Debug)]
struct Atcp {
    options: Options,
    state: State,
    kept: Kept,
}

fn unchanged(view: &SenderView) -> Window {
    Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
}

impl Atcp {
    fn lose(&mut self, view: &SenderView, seq: Seq32, timed_out: bool, effects: &mut Effects) {
        if self.state == State::Normal {
            self.state = State::Loss { timed_out };
            effects.push(Effect::Guess { seq, guess: CHANNEL });
            effects.push(Effect::Freeze);
            effects.push(Effect::Retransmit);
            effects.push(Effect::StartTimer(view.base_rto));
        }
    }

    fn resume(&mut self, view: &SenderView, effects: &mut Effects) {
        let was = std::mem::replace(&mut self.state, State::Normal);
        if was == State::Normal {
            return;
        }
        effects.push(Effect::StopTimer);
        effects.push(Effect::EndBackoff);
        effects.push(Effect::Thaw);
        if was != (State::Loss { timed_out: false }) {
            self.kept.fill();
            effects.push(Effect::GoBack(unchanged(view)));
        }
    }
}

impl CongestionControl for Atcp {
    fn on_path_event(&mut self, view: &SenderView, event: PathEvent, effects: &mut Effects) {
        let PathEvent::LinkFailure { segment } = event else { return };
        if !matches!(self.state, State::Disconnected { .. }) {
            self.state = State::Disconnected { wait: view.base_rto };
            effects.push(Effect::Guess { seq: segment.unwrap_or(view.una), guess: LINK_FAILURE });
            effects.push(Effect::Freeze);
            effects.push(Effect::SetWindow(Window { cwnd: 1.0, ssthresh: view.ssthresh }));
            effects.push(Effect::StartTimer(view.base_rto));
        }
    }

    fn on_timer(&mut self, view: &SenderView, effects: &mut Effects) {
        match &mut self.state {
            State::Normal => {}
            State::Loss { .. } => {
                effects.push(Effect::Retransmit);
                effects.push(Effect::StartTimer(view.base_rto));
            }
            State::Disconnected { wait } => {
                *wait = (*wait * 2).min(self.options.longest);
                effects.push(Effect::Probe(None));
                effects.push(Effect::StartTimer(*wait));
            }
        }
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        self.lose(view, event.seq, false, effects);
        unchanged(view)
    }

    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        if event.opening {
            return RtoDecision { window: event.standard, backoff: Backoff::Double };
        }
        self.lose(view, event.seq, true, effects);
        RtoDecision { window: unchanged(view), backoff: Backoff::Keep }
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        self.kept.on_ack(view);
        self.resume(view, effects);
        event.standard
    }

    fn on_dup_ack(&mut self, view: &SenderView, _: &DupAckEvent, effects: &mut Effects) -> DupAckDecision {
        match self.state {
            // Duplicate ACKs of data retransmitted in one go indicate no new loss (as in ns-2's Reno).
            State::Normal if view.after_timeout => DupAckDecision::Ignore,
            State::Normal => DupAckDecision::Recovery,
            State::Loss { .. } => DupAckDecision::Ignore,
            State::Disconnected { .. } => {
                self.resume(view, effects);
                DupAckDecision::Ignore
            }
        }
    }

    fn burst(&self) -> Option<u32> {
        self.kept.burst()
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "atcp",
        summary: "keeps losses from TCP and repairs them itself; on a route error probes and restarts with one segment",
        source: "Liu and Singh 2001, without ECN",
        rules: &[
            Rule::at(
                Event::Loss,
                "keeps it from TCP: sends the oldest segment again, and again after each timeout; the window stays",
                "Liu and Singh 2001, as others report it",
            ),
            Rule::at(
                Event::Timeout,
                "the same; the timeout is not doubled",
                "Liu and Singh 2001, as others report it",
            ),
            Rule::at(
                Event::Notice,
                "cwnd 1; stops sending; an empty probe after a timeout, and after twice as long each time, up to `longest`",
                "Liu and Singh 2001; RFC 9293 §3.8.6.1",
            ),
            Rule::at(
                Event::Ack,
                "normal again; after a timeout or a route error everything outstanding is sent again",
                "Liu and Singh 2001; our reading",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::Reno, RecoveryKind::NewReno],
        unless: "its TCP has no selective acknowledgments",
        needs: Needs::NOTICES.union(Needs::BURSTS),
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || Atcp { options, state: State::Normal, kept: Kept::default() })
        })
    }),
};

#[cfg(test)]
mod tests;
