//! NewReno-FF: a loss after several much delayed round trips is congestion, any other is the wireless
//! channel and costs no window (Barman and Matta 2002).

use super::flip_flop::{FlipFlop, Verdict};
use super::*;
use crate::control::{
    Backoff, Effect, Effects, LossEvent, RtoDecision, RtoEvent, RttEvent, SenderView, Window,
};

#[derive(Debug)]
struct NewRenoFf {
    filter: FlipFlop,
    /// The newest sample in the lowest bit; 1 for an outlier.
    history: u64,
    samples: u32,
    eta: u32,
}

impl NewRenoFf {
    fn congested(&self) -> bool {
        let mask = u64::MAX >> (64 - self.samples.clamp(1, 64));
        (self.history & mask).count_ones() > self.eta
    }
    fn guess(&self) -> &'static str {
        if self.congested() { CONGESTION } else { CHANNEL }
    }
}

impl CongestionControl for NewRenoFf {
    fn on_rtt(&mut self, _: &SenderView, event: &RttEvent, _: &mut Effects) {
        let high = self.filter.sample(event.exact.as_secs_f64()) == Verdict::High;
        self.history = self.history << 1 | u64::from(high);
    }
    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        effects.push(Effect::Guess { seq: event.seq, guess: self.guess() });
        if self.congested() { event.standard } else { Window { cwnd: view.cwnd, ssthresh: view.ssthresh } }
    }
    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        effects.push(Effect::Guess { seq: event.seq, guess: self.guess() });
        let ssthresh = if self.congested() { event.standard.ssthresh } else { view.ssthresh };
        RtoDecision { window: Window { ssthresh, ..event.standard }, backoff: Backoff::Double }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "newreno-ff",
        summary: "a loss without delayed round trips before it costs no window",
        source: "Barman and Matta 2002; Kim and Noble 2001",
        parameters: &[
            Parameter {
                name: "samples",
                default: Some(10.0),
                min: 1.0,
                max: 64.0,
                about: "round trips remembered",
                choices: &[],
            },
            Parameter {
                name: "eta",
                default: Some(1.0),
                min: 0.0,
                max: 64.0,
                about: "more outliers than this among them mean congestion",
                choices: &[],
            },
            Parameter::number(
                "agile",
                0.0,
                (0.0, 1.0),
                "1: outliers are jumps from the agile mean; 0: departures from the stable one",
            ),
        ],
    },
    meaning: Meaning::Part {
        role: Role::Reduction,
        with: &[RecoveryKind::NewReno],
        unless: "it is defined on NewReno",
        make: |values| {
            let (samples, eta, agile) = (values[0] as u32, values[1] as u32, values[2] >= 0.5);
            factory(move || {
                let filter = if agile { FlipFlop::agile() } else { FlipFlop::new() };
                NewRenoFf { filter, history: 0, samples, eta }
            })
        },
    },
};

#[cfg(test)]
mod tests;
