//! NewReno-FF: a loss after several strongly delayed round trips is congestion. Any other loss is
//! attributed to the wireless channel and reduces neither window nor threshold (Barman and Matta 2002).

use super::flip_flop::{ControlState, FlipFlop};
use super::kept::Kept;
use super::*;
use crate::control::{
    AckEvent, Backoff, Effect, Effects, LossEvent, RtoDecision, RtoEvent, RttEvent, SenderView, Window,
};

settings! {
    struct Options {
        /// number of round trips remembered
        samples: u32 = 10.0, 1.0..64.0;
        /// more outliers than this among them indicate congestion
        eta: u32 = 1.0, 0.0..64.0;
        /// 1: outliers are jumps from the agile mean; 0: deviations from the stable one
        agile: bool = 0.0, 0.0..1.0;
    }
}

#[derive(Debug)]
struct NewRenoFf {
    options: Options,
    filter: FlipFlop,
    /// Newest sample in the lowest bit; 1 marks an outlier.
    history: u64,
    kept: Kept,
}

impl NewRenoFf {
    fn congested(&self) -> bool {
        let mask = u64::MAX >> (64 - self.options.samples.clamp(1, 64));
        (self.history & mask).count_ones() > self.options.eta
    }
    fn guess(&self) -> &'static str {
        if self.congested() { CONGESTION } else { CHANNEL }
    }
}

impl CongestionControl for NewRenoFf {
    fn on_rtt(&mut self, _: &SenderView, event: &RttEvent, _: &mut Effects) {
        let high = self.filter.sample(event.exact.as_secs_f64()) == ControlState::High;
        self.history = self.history << 1 | u64::from(high);
    }
    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        effects.push(Effect::Guess { seq: event.seq, guess: self.guess() });
        if self.congested() {
            self.kept.release();
            return event.standard;
        }
        self.kept.hold(Window { cwnd: view.in_use(), ssthresh: view.ssthresh })
    }
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        self.kept.on_ack(view);
        event.standard
    }
    fn on_recovery_exit(&mut self, _: &SenderView, effects: &mut Effects) {
        self.kept.on_recovery_exit(effects);
    }
    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        self.kept.release();
        effects.push(Effect::Guess { seq: event.seq, guess: self.guess() });
        let ssthresh = if self.congested() { event.standard.ssthresh } else { view.ssthresh };
        RtoDecision { window: Window { ssthresh, ..event.standard }, backoff: Backoff::Double }
    }
    fn burst(&self) -> Option<u32> {
        self.kept.burst()
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "newreno-ff",
        summary: "keeps the window on a loss that no delayed round trips precede",
        source: "Barman and Matta 2002; Kim and Noble 2001",
        rules: &[
            Rule::at(
                Event::Sample,
                "an outlier is above the mean by more than three deviations of a flip-flop filter; the last `samples` are remembered",
                "Barman and Matta 2002, Kim and Noble 2001, as others report them",
            ),
            Rule::at(
                Event::Loss,
                "more than eta outliers: congestion, as newreno; otherwise sends the lost segment again and keeps window and threshold",
                "Barman and Matta 2002, as others report it",
            ),
            Rule::at(
                Event::Timeout,
                "cwnd 1, the timeout doubles; ssthresh falls only with more than eta outliers",
                "our reading",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::NewReno],
        unless: "it is defined for NewReno only",
        needs: Needs::BURSTS,
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || {
                let filter = if options.agile { FlipFlop::agile() } else { FlipFlop::new() };
                NewRenoFf { options, filter, history: 0, kept: Kept::default() }
            })
        })
    }),
};

#[cfg(test)]
mod tests;
