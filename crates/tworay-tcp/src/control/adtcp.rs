//! ADTCP: the receiver identifies the state of the path from four metrics together and reports it in every
//! ACK; the sender reacts to a loss by the latest state (Fu, Meng, Lu 2002). The metrics are in
//! `receive/report/path_state.rs`.
//!
//! | latest state | third duplicate ACK | timeout |
//! |---|---|---|
//! | none yet, congestion | as the recovery does | as the recovery does |
//! | normal | as the recovery does | disconnection |
//! | channel error, change of the route | retransmission, window unchanged | disconnection |
//!
//! Disconnection: the sender stops and retransmits the oldest segment at once and after each probing
//! interval, as ELFN does. The first ACK of new data ends this; window, threshold and timeout are as before,
//! and everything outstanding is retransmitted. The paper's probing interval could not be recovered; ELFN's
//! is the default.

use super::kept::Kept;
use super::*;
use crate::config::{Reporting, StateRule, TcpConfig};
use crate::control::{
    AckEvent, Backoff, Effect, Effects, LossEvent, PathEvent, RtoDecision, RtoEvent, SenderView, Window,
};
use tworay_base::SimDuration;
use tworay_wire::Report;

settings! {
    struct Options {
        /// interval between probes while disconnected, seconds
        probing: SimDuration = 2.0, 0.01..1000.0;
        /// throughput, reordering and losses are counted over this time, seconds
        interval: SimDuration = 0.5, 0.01..60.0;
        /// number of samples of each metric that are remembered
        samples: usize = 50.0, 2.0..1000.0;
        /// a sample is high or low in the top or bottom part of the remembered ones
        share: f64 = 0.3, 0.01..0.5;
    }
}

#[derive(Debug)]
struct Adtcp {
    options: Options,
    /// The receiver's latest state of the path.
    state: Option<Report>,
    disconnected: bool,
    kept: Kept,
}

fn unchanged(view: &SenderView) -> Window {
    Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
}

impl CongestionControl for Adtcp {
    fn on_path_event(&mut self, _: &SenderView, event: PathEvent, _: &mut Effects) {
        // The order of ACKs is no state of the path for data.
        if let PathEvent::Report(report) = event
            && report != Report::OutOfOrder
        {
            self.state = Some(report);
        }
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        if self.disconnected {
            return unchanged(view);
        }
        let guess = match self.state {
            Some(Report::Channel) => CHANNEL,
            Some(Report::RouteChange) => LINK_FAILURE,
            _ => CONGESTION,
        };
        effects.push(Effect::Guess { seq: event.seq, guess });
        if guess == CONGESTION {
            self.kept.release();
            return event.standard;
        }
        self.kept.hold(Window { cwnd: view.in_use(), ssthresh: view.ssthresh })
    }

    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        self.kept.release();
        // No state is known before the connection is open.
        let congested = matches!(self.state, None | Some(Report::Congestion));
        let guess = if congested { CONGESTION } else { LINK_FAILURE };
        effects.push(Effect::Guess { seq: event.seq, guess });
        if congested {
            return RtoDecision { window: event.standard, backoff: Backoff::Double };
        }
        self.disconnected = true;
        effects.push(Effect::Freeze);
        effects.push(Effect::Retransmit);
        effects.push(Effect::StartTimer(self.options.probing));
        RtoDecision { window: unchanged(view), backoff: Backoff::Keep }
    }

    fn on_timer(&mut self, _: &SenderView, effects: &mut Effects) {
        if self.disconnected {
            effects.push(Effect::Retransmit);
            effects.push(Effect::StartTimer(self.options.probing));
        }
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        self.kept.on_ack(view);
        if std::mem::take(&mut self.disconnected) {
            self.kept.fill();
            effects.push(Effect::StopTimer);
            effects.push(Effect::EndBackoff);
            effects.push(Effect::Thaw);
            effects.push(Effect::GoBack(unchanged(view)));
        }
        event.standard
    }

    fn on_recovery_exit(&mut self, _: &SenderView, effects: &mut Effects) {
        self.kept.on_recovery_exit(effects);
    }

    fn burst(&self) -> Option<u32> {
        self.kept.burst()
    }
}

fn configure(values: &[f64], config: &mut TcpConfig) {
    let Options { interval, samples, share, .. } = Options::read(values);
    config.timestamps = true;
    config.receiver.reporting = Some(Reporting::State(StateRule { interval, samples, share }));
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "adtcp",
        summary: "the receiver identifies congestion, channel errors and route changes; disconnected it probes",
        source: "Fu, Meng, Lu 2002",
        rules: &[
            Rule::at(
                Event::Receiver,
                "reports congestion, channel error, change of the route or normal, from delay differences, throughput, reordering and losses",
                "Fu, Meng, Lu 2002, as others report it",
            ),
            Rule::at(
                Event::Loss,
                "channel error or change of the route: sends again, the window stays; otherwise as the recovery",
                "Fu, Meng, Lu 2002, as others report it",
            ),
            Rule::at(
                Event::Timeout,
                "congestion, or no report yet: as the recovery; otherwise disconnected: stops, sends the oldest segment each `probing`",
                "Fu, Meng, Lu 2002; `probing` is ELFN's",
            ),
            Rule::at(
                Event::Ack,
                "while disconnected: sends what is outstanding again, with the old window",
                "Fu, Meng, Lu 2002, as others report it",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_RENO,
        unless: "it replaces the halving of a fast recovery",
        needs: Needs::REPORTS.union(Needs::BURSTS),
        configure: Some(configure),
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || Adtcp { options, state: None, disconnected: false, kept: Kept::default() })
        })
    }),
};

#[cfg(test)]
mod tests;
