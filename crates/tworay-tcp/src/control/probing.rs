//! TCP-Probing with the Vegas predictor: a loss without contention before it stops the sender for a
//! cycle of two probes, whose round trips decide what follows (Psaras, Mamatas, Tsaoussidis).
//!
//! Readings of the paper: `gate_rto` and the other parameters name its ambiguities, the first word
//! being the one taken. The ¾ recovery is the one on which the paper contradicts itself. The comment in
//! its pseudo-code (§4.3) has ssthresh = ¾ ssthresh and cwnd = 1 (`printed`). Its words call the same outcome an
//! immediate recovery, in which there is "no reason to back off adjusting the congestion window to half of
//! its current value (as Reno would)" (§4.3), with "only a small shrinkage of the congestion window" (§6.4).
//! As printed, nothing raises ssthresh again: a dozen such cycles take it from 64 to 2, whatever the window
//! was, and each ends in slow start from one segment, which is less than Reno's half. Default is therefore
//! `window`, ssthresh = cwnd = ¾ of the window in use. `capped` keeps ¾ of ssthresh as printed without the
//! single segment, and ratchets as well.
//!
//! After a cycle that duplicate ACKs began, immediate and Reno's recovery are fast
//! recoveries with NewReno's partial ACKs; wherever the window falls to one, and after a timeout,
//! everything outstanding is sent again. The probe timer is the smoothed round trip at the cycle's
//! start and isn't backed off; but each answer that comes too late doubles it for the rest of the cycle,
//! or a path that has become longer would never be measured.

mod decision;

use super::*;
use crate::control::{
    Backoff, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, ProbeEvent, ProbeVerdict, RtoDecision,
    RtoEvent, RttEvent, SenderView, Window,
};
use decision::{Judge, Outcome, Reference, Tie};
use tworay_base::{Seq32, SimDuration, SimTime};
use tworay_wire::{ProbeKind, ProbeOption};

/// So many probes in a row without an answer, and an ACK without a mark, mean that answers don't come.
const PATIENCE: u16 = 8;

/// The longest the probe timer becomes.
const LONGEST: SimDuration = SimDuration::from_secs(60);

/// The predictor's unit (spec: the paper prints a rate and compares it with a threshold in segments).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Predictor {
    Segments,
    PerSecond,
    /// Losses always probe, as in the original TCP-Probing.
    None,
}

/// Three quarters of what, and what is left of the window.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum ThreeQuarters {
    /// Of the window in use, for cwnd and ssthresh alike.
    Window,
    /// Of ssthresh; cwnd is one segment.
    Printed,
    /// Of ssthresh; cwnd is at most that.
    Capped,
}

settings! {
    /// The readings of the paper.
    struct Options {
        /// Vegas' difference in segments, as printed (segments per second), or not used
        predictor: Predictor = [
            "segments" => Predictor::Segments, "per_second" => Predictor::PerSecond, "none" => Predictor::None,
        ];
        /// a difference above this is contention
        threshold: f64 = 4.0, 0.0..100_000.0;
        /// whether the predictor skips the probes of timeouts too
        gate_rto: bool = ["no" => false, "yes" => true];
        /// both probes are compared with the shortest round trip of data, or of earlier probes
        reference: Reference = ["data" => Reference::Data, "best_probe_prev" => Reference::BestProbe];
        /// how a current round trip equal to the average counts
        tie: Tie = ["above" => Tie::Above, "below" => Tie::Below];
        /// 3/4 of the window for cwnd and ssthresh; as printed, 3/4 of ssthresh and cwnd 1; or cwnd at most that
        three_quarters: ThreeQuarters = [
            "window" => ThreeQuarters::Window,
            "printed" => ThreeQuarters::Printed,
            "capped" => ThreeQuarters::Capped,
        ];
        /// what predicted contention brings
        contention: Contention = ["reno" => Contention::Reno, "slow_start" => Contention::SlowStart];
        /// after a timeout's cycle: everything outstanding, or hole by hole
        resend: Resend = ["by_signal" => Resend::BySignal, "partial_acks" => Resend::PartialAcks];
    }
}

/// What predicted contention brings.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Contention {
    Reno,
    SlowStart,
}

/// What is sent again after a timeout's cycle.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Resend {
    BySignal,
    PartialAcks,
}

/// Which answer is waited for.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Step {
    First,
    Second {
        /// The first round trip, seconds.
        first: f64,
    },
}

/// A probe cycle.
#[derive(Copy, Clone, Debug)]
struct Cycle {
    step: Step,
    /// Ids of this cycle begin here.
    first_id: u16,
    asked: SimTime,
    wait: SimDuration,
    timed_out: bool,
    /// The segment whose loss began it.
    seq: Seq32,
    /// What Reno would have set.
    standard: Window,
}

#[derive(Debug)]
struct Probing {
    options: Options,
    /// Smallest probe timer: two ticks of the clock.
    floor: SimDuration,
    best: f64,
    last: f64,
    judge: Judge,
    id: u16,
    cycle: Option<Cycle>,
    /// ACKs come but no answers: something on the way takes the option out. Plain NewReno from now on.
    gave_up: bool,
}

impl Probing {
    fn new(options: Options, floor: SimDuration) -> Self {
        let judge = Judge::new(options.reference, options.tie);
        Self { options, floor, best: f64::INFINITY, last: 0.0, judge, id: 0, cycle: None, gave_up: false }
    }

    /// Vegas' difference between the expected and the actual rate, against the threshold.
    fn contention(&self, view: &SenderView) -> bool {
        if self.last <= 0.0 {
            return false;
        }
        let rate = view.cwnd / self.best - view.cwnd / self.last;
        match self.options.predictor {
            Predictor::Segments => rate * self.best > self.options.threshold,
            Predictor::PerSecond => rate > self.options.threshold,
            Predictor::None => false,
        }
    }

    fn ask(&mut self, now: SimTime, kind: ProbeKind, effects: &mut Effects) {
        let Some(cycle) = &mut self.cycle else { return };
        cycle.asked = now;
        effects.push(Effect::Probe(Some(ProbeOption { kind, id: self.id })));
        effects.push(Effect::StartTimer(cycle.wait));
    }

    fn begin(
        &mut self,
        view: &SenderView,
        seq: Seq32,
        standard: Window,
        timed_out: bool,
        effects: &mut Effects,
    ) {
        self.id = self.id.wrapping_add(1);
        let wait = view.srtt.unwrap_or(view.base_rto).max(self.floor);
        self.cycle = Some(Cycle {
            step: Step::First,
            first_id: self.id,
            asked: view.now,
            wait: wait.max(SimDuration::from_nanos(1)),
            timed_out,
            seq,
            standard,
        });
        effects.push(Effect::Freeze);
        self.ask(view.now, ProbeKind::Probe1, effects);
    }

    /// The path works, but probes get no answers: as a timeout without probing.
    fn give_up(&mut self, view: &SenderView, effects: &mut Effects) {
        let Some(cycle) = self.cycle.take() else { return };
        self.gave_up = true;
        effects.push(Effect::StopTimer);
        effects.push(Effect::Thaw);
        let lost = view.una != view.max;
        let ssthresh = if lost { cycle.standard.ssthresh } else { view.ssthresh };
        effects.push(Effect::GoBack(Window { cwnd: if lost { 1.0 } else { view.cwnd }, ssthresh }));
    }

    fn unanswered(&self) -> bool {
        self.cycle.is_some_and(|c| c.step == Step::First && self.id.wrapping_sub(c.first_id) >= PATIENCE)
    }

    /// Both round trips are known: what now?
    fn finish(&mut self, view: &SenderView, cycle: Cycle, probes: [f64; 2], effects: &mut Effects) {
        self.cycle = None;
        let outcome = self.judge.decide(probes, self.best);
        let guess = if outcome.is_contention() { CONGESTION } else { TRANSIENT };
        effects.push(Effect::Guess { seq: cycle.seq, guess });
        effects.push(Effect::StopTimer);
        effects.push(Effect::EndBackoff);
        effects.push(Effect::Thaw);
        let half = cycle.standard.ssthresh;
        let window = match outcome {
            Outcome::FullImmediate => Window { cwnd: view.cwnd, ssthresh: view.ssthresh },
            Outcome::ThreeQuarters => self.options.three_quarters.window(view),
            Outcome::Reno => Window { cwnd: half, ssthresh: half },
            Outcome::SlowStart => Window { cwnd: 1.0, ssthresh: half },
        };
        let hole_by_hole =
            window.cwnd > 1.0 && (!cycle.timed_out || self.options.resend == Resend::PartialAcks);
        effects.push(if hole_by_hole { Effect::Recover(window) } else { Effect::GoBack(window) });
    }
}

impl ThreeQuarters {
    fn window(self, view: &SenderView) -> Window {
        let of = |base: f64| (0.75 * base).max(2.0);
        match self {
            ThreeQuarters::Window => {
                let three_quarters = of(view.cwnd.min(view.advertised));
                Window { cwnd: three_quarters, ssthresh: three_quarters }
            }
            ThreeQuarters::Printed => Window { cwnd: 1.0, ssthresh: of(view.ssthresh) },
            ThreeQuarters::Capped => {
                let ssthresh = of(view.ssthresh);
                Window { cwnd: view.cwnd.min(ssthresh), ssthresh }
            }
        }
    }
}

fn unchanged(view: &SenderView) -> Window {
    Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
}

impl CongestionControl for Probing {
    fn on_rtt(&mut self, _: &SenderView, event: &RttEvent, _: &mut Effects) {
        self.last = event.exact.as_secs_f64();
        self.best = self.best.min(self.last);
    }

    fn on_dup_ack(&mut self, view: &SenderView, _: &DupAckEvent, effects: &mut Effects) -> DupAckDecision {
        if self.unanswered() {
            self.give_up(view, effects);
            return DupAckDecision::Ignore;
        }
        DupAckDecision::Recovery
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        if self.cycle.is_some() {
            return unchanged(view);
        }
        if !view.peer_probes || self.gave_up {
            return event.standard;
        }
        if self.contention(view) {
            effects.push(Effect::Guess { seq: event.seq, guess: CONGESTION });
            let one = self.options.contention == Contention::SlowStart;
            return if one { Window { cwnd: 1.0, ..event.standard } } else { event.standard };
        }
        self.begin(view, event.seq, event.standard, false, effects);
        unchanged(view)
    }

    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        let standard = RtoDecision { window: event.standard, backoff: Backoff::Double };
        if event.opening || !view.peer_probes || self.gave_up {
            return standard;
        }
        if self.options.gate_rto && self.contention(view) {
            effects.push(Effect::Guess { seq: event.seq, guess: CONGESTION });
            return standard;
        }
        self.begin(view, event.seq, event.standard, true, effects);
        RtoDecision { window: unchanged(view), backoff: Backoff::Keep }
    }

    fn on_timer(&mut self, view: &SenderView, effects: &mut Effects) {
        if self.unanswered() && view.una == view.max {
            return self.give_up(view, effects);
        }
        let Some(cycle) = &mut self.cycle else { return };
        cycle.step = Step::First;
        self.id = self.id.wrapping_add(1);
        self.ask(view.now, ProbeKind::Probe1, effects);
    }

    fn on_probe_answer(
        &mut self,
        view: &SenderView,
        event: &ProbeEvent,
        effects: &mut Effects,
    ) -> ProbeVerdict {
        let Some(cycle) = &mut self.cycle else { return ProbeVerdict::Stray };
        if event.id != self.id {
            let asked_here = self.id.wrapping_sub(cycle.first_id);
            if event.id.wrapping_sub(cycle.first_id) < asked_here {
                cycle.wait = (cycle.wait * 2).min(LONGEST);
            }
            return ProbeVerdict::Stray;
        }
        let rtt = view.now.since(cycle.asked).as_secs_f64();
        match (cycle.step, event.kind) {
            (Step::First, ProbeKind::Pr1Ack) => {
                cycle.step = Step::Second { first: rtt };
                self.ask(view.now, ProbeKind::Probe2, effects);
            }
            (Step::Second { first }, ProbeKind::Pr2Ack) => {
                let cycle = *cycle;
                self.finish(view, cycle, [first, rtt], effects);
            }
            _ => return ProbeVerdict::Stray,
        }
        ProbeVerdict::Expected
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "probing",
        summary: "a loss without contention before it starts two probes whose round trips choose the recovery",
        source: "Psaras, Mamatas, Tsaoussidis, On protocol engineering: detect, confirm and adjust",
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::NewReno],
        unless: "it is defined on NewReno",
        needs: Needs { probes: true, ..Needs::NOTHING },
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            Arc::new(move |config| Box::new(Probing::new(options, config.tick * 2)))
        })
    }),
};

#[cfg(test)]
mod tests;
