//! TCP-Probing with the Vegas predictor: on a loss without preceding contention the sender stops for a
//! cycle of two probes, whose round trips select the recovery (Psaras, Mamatas and Tsaoussidis).
//!
//! Interpretation of the paper: `gate_rto` and the other parameters name its ambiguities; the first choice
//! is the default. On the ¾ recovery the paper contradicts itself. The comment in its pseudo-code (§4.3)
//! has ssthresh = ¾ ssthresh and cwnd = 1 (`printed`). The text calls the same outcome an immediate
//! recovery, in which there is "no reason to back off adjusting the congestion window to half of its
//! current value (as Reno would)" (§4.3), with "only a small shrinkage of the congestion window" (§6.4). As
//! printed, nothing raises ssthresh again: a dozen such cycles reduce it from 64 to 2, whatever the window
//! was, and each ends in slow start from one segment, which is less than Reno's half. The default is
//! therefore `window`: ssthresh = cwnd = ¾ of the window in use. `capped` takes ¾ of ssthresh as printed,
//! without the single segment; ssthresh falls in the same way.
//!
//! The pseudo-code compares the probes with `best_RTT`. `reference=data` takes the shortest round trip of
//! segments with data. §4.2 adds that `best_rtt` is usually the first round trip of the connection
//! establishment phase: `reference=connection` counts the handshake's too, in the predictor as well. The
//! handshake's segments are as short as probes, so hardly any probe is then shorter than the reference, and
//! full immediate recovery all but disappears.
//!
//! After a cycle started by duplicate ACKs, immediate recovery and Reno's recovery are fast recoveries with
//! NewReno's partial ACKs. When the window falls to one segment, and after a timeout, everything
//! outstanding is retransmitted. The probe timer equals the smoothed round trip at the start of the cycle
//! and is not backed off. However, each answer that arrives too late doubles it for the rest of the cycle;
//! otherwise a path that has become longer would never be measured.
//!
//! §4.3 ends with three changes that the authors suggest. A more sophisticated mechanism may replace the
//! predictor: [`LossPredictor`] (`predictor.rs`). One probe may be enough: `probes=one` ends the cycle after
//! the first answer, and "both probes" becomes that one. The ¾ may become adjustable: `share` replaces it,
//! and `scaled` makes it depend on the distance from the best probe, "the more" of which "the more
//! conservatively we will recover".

mod decision;
mod predictor;

use super::kept::Kept;
use super::*;
use crate::control::{
    AckEvent, Backoff, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, ProbeEvent, ProbeVerdict,
    RtoDecision, RtoEvent, RttEvent, SenderView, Window,
};
use decision::{Decision, Judge, Outcome, Reference, Tie};
pub use predictor::{LossPredictor, PredictorFactory};
use predictor::{Unit, Vegas};
use tworay_base::{Seq32, SimDuration, SimTime};
use tworay_wire::{ProbeKind, ProbeOption};

/// After this many consecutive unanswered probes, an unmarked ACK shows that answers do not get through.
const MOST_UNANSWERED: u16 = 8;

/// Upper bound of the probe timer.
const LONGEST: SimDuration = SimDuration::from_secs(60);

/// Number of probes in a cycle.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Probes {
    Two,
    /// The authors' suggestion (§4.3): half of the time and of the probes, and one sample for the decision.
    One,
}

/// To which quantity the share (¾) applies, and what cwnd becomes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum ThreeQuarters {
    /// ¾ of the window in use, for cwnd and ssthresh.
    Window,
    /// ¾ of ssthresh; cwnd is one segment.
    Printed,
    /// ¾ of ssthresh; cwnd is at most that.
    Capped,
    /// Of the window, a share that falls linearly with the distance of the current round trip from the best
    /// probe's: 1 at the best, `share` halfway to the average. With ¾ it reaches Reno's half at the average,
    /// where Reno's recovery takes over.
    Scaled,
}

settings! {
    /// Choices where the paper is ambiguous.
    struct Options {
        /// Vegas' difference in segments, as printed (in segments per second), or no predictor
        predictor: Option<Unit> = [
            "segments" => Some(Unit::Segments), "per_second" => Some(Unit::PerSecond), "none" => None,
        ];
        /// a difference above this indicates contention
        threshold: f64 = 4.0, 0.0..100_000.0;
        /// also skip the probes of timeouts when contention is predicted
        gate_rto: bool = ["no" => false, "yes" => true];
        /// compare both probes with the shortest round trip of data, of earlier probes, or of the connection
        /// with its handshake
        reference: Reference = [
            "data" => Reference::Data,
            "best_probe_prev" => Reference::BestProbe,
            "connection" => Reference::Connection,
        ];
        /// whether a current round trip equal to the average counts as above or below it
        tie: Tie = ["above" => Tie::Above, "below" => Tie::Below];
        /// 3/4 of the window for cwnd and ssthresh; as printed, 3/4 of ssthresh and cwnd 1; cwnd at most
        /// 3/4 of ssthresh; or a part of the window that falls with the distance from the best probe
        three_quarters: ThreeQuarters = [
            "window" => ThreeQuarters::Window,
            "printed" => ThreeQuarters::Printed,
            "capped" => ThreeQuarters::Capped,
            "scaled" => ThreeQuarters::Scaled,
        ];
        /// recovery when contention is predicted
        contention: Contention = ["reno" => Contention::Reno, "slow_start" => Contention::SlowStart];
        /// after the cycle of a timeout: retransmit everything outstanding, or only on partial ACKs
        resend: Resend = ["by_signal" => Resend::BySignal, "partial_acks" => Resend::PartialAcks];
        /// probes in a cycle
        probes: Probes = ["two" => Probes::Two, "one" => Probes::One];
        /// what the third recovery keeps: the 3/4 of three_quarters
        share: f64 = 0.75, 0.5..1.0;
    }
}

/// Recovery when contention is predicted.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Contention {
    Reno,
    SlowStart,
}

/// Retransmission after the cycle of a timeout.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Resend {
    BySignal,
    PartialAcks,
}

/// Which answer the sender waits for.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Step {
    First,
    Second {
        /// Round trip of the first probe, seconds.
        first: f64,
    },
}

/// One probe cycle.
#[derive(Copy, Clone, Debug)]
struct Cycle {
    step: Step,
    /// First id used in this cycle.
    first_id: u16,
    asked: SimTime,
    wait: SimDuration,
    timed_out: bool,
    /// Segment whose loss started the cycle.
    seq: Seq32,
    /// Window that Reno would have set.
    standard: Window,
}

#[derive(Debug)]
struct Probing {
    options: Options,
    /// Shortest probe timer: two clock ticks.
    floor: SimDuration,
    /// Shortest round trip of data, or of the connection (`reference`), seconds.
    best: f64,
    predictor: Box<dyn LossPredictor>,
    judge: Judge,
    id: u16,
    cycle: Option<Cycle>,
    /// ACKs arrive but no answers: something on the path removes the option. Plain NewReno from now on.
    gave_up: bool,
    kept: Kept,
    /// Losses by the way they were handled, in the order of [`HANDLED`].
    handled: [(&'static str, u64); HANDLED.len()],
}

/// Ways to handle a loss: contention was predicted and nothing probed; the four outcomes of a probe cycle;
/// the cycle was given up without an answer.
const HANDLED: [&str; 6] =
    ["predicted", "full-immediate", "three-quarters", "half", "slow-start", "given-up"];
const PREDICTED: usize = 0;
const GIVEN_UP: usize = 5;

impl Probing {
    fn new(options: Options, floor: SimDuration, predictor: Box<dyn LossPredictor>) -> Self {
        let judge = Judge::new(options.reference, options.tie);
        Self {
            options,
            floor,
            best: f64::INFINITY,
            predictor,
            judge,
            id: 0,
            cycle: None,
            gave_up: false,
            kept: Kept::default(),
            handled: HANDLED.map(|name| (name, 0)),
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

    /// The path works but probes get no answers: proceed as after a timeout without probing.
    fn give_up(&mut self, view: &SenderView, effects: &mut Effects) {
        let Some(cycle) = self.cycle.take() else { return };
        self.gave_up = true;
        self.handled[GIVEN_UP].1 += 1;
        effects.push(Effect::StopTimer);
        effects.push(Effect::Thaw);
        let lost = view.una != view.max;
        let ssthresh = if lost { cycle.standard.ssthresh } else { view.ssthresh };
        effects.push(Effect::GoBack(Window { cwnd: if lost { 1.0 } else { view.in_use() }, ssthresh }));
    }

    fn unanswered(&self) -> bool {
        self.cycle
            .is_some_and(|c| c.step == Step::First && self.id.wrapping_sub(c.first_id) >= MOST_UNANSWERED)
    }

    /// The round trips are known: select the recovery.
    fn finish(&mut self, view: &SenderView, cycle: Cycle, probes: &[f64], effects: &mut Effects) {
        self.cycle = None;
        let Decision { outcome, distance } = self.judge.decide(probes, self.best);
        let guess = if outcome.is_contention() { CONGESTION } else { TRANSIENT };
        effects.push(Effect::Guess { seq: cycle.seq, guess });
        effects.push(Effect::StopTimer);
        effects.push(Effect::EndBackoff);
        effects.push(Effect::Thaw);
        self.handled[outcome.place()].1 += 1;
        let half = cycle.standard.ssthresh;
        let window = match outcome {
            Outcome::FullImmediate => unchanged(view),
            Outcome::ThreeQuarters => self.options.reduced(view, distance),
            Outcome::Reno => Window { cwnd: half, ssthresh: half },
            Outcome::SlowStart => Window { cwnd: 1.0, ssthresh: half },
        };
        let hole_by_hole =
            window.cwnd > 1.0 && (!cycle.timed_out || self.options.resend == Resend::PartialAcks);
        if !outcome.is_contention() {
            if hole_by_hole {
                self.kept.hold(window);
            }
            // All ACKs arrived while the sender was stopped.
            self.kept.fill();
        }
        effects.push(if hole_by_hole { Effect::Recover(window) } else { Effect::GoBack(window) });
    }
}

impl Options {
    /// The window of the third recovery; `distance` is that of the current round trip from the best probe's.
    fn reduced(&self, view: &SenderView, distance: f64) -> Window {
        let part = |share: f64, base: f64| (share * base).max(2.0);
        match self.three_quarters {
            ThreeQuarters::Window => both(part(self.share, view.in_use())),
            ThreeQuarters::Printed => Window { cwnd: 1.0, ssthresh: part(self.share, view.ssthresh) },
            ThreeQuarters::Capped => {
                let ssthresh = part(self.share, view.ssthresh);
                Window { cwnd: view.in_use().min(ssthresh), ssthresh }
            }
            ThreeQuarters::Scaled => both(part(1.0 - 2.0 * (1.0 - self.share) * distance, view.in_use())),
        }
    }

    /// The paper's predictor, with this unit.
    fn vegas(&self) -> Box<dyn LossPredictor> {
        Box::new(Vegas::new(self.predictor, self.threshold))
    }
}

fn both(window: f64) -> Window {
    Window { cwnd: window, ssthresh: window }
}

fn unchanged(view: &SenderView) -> Window {
    Window { cwnd: view.in_use(), ssthresh: view.ssthresh }
}

impl CongestionControl for Probing {
    fn counted(&self) -> &[(&'static str, u64)] {
        &self.handled
    }

    fn on_rtt(&mut self, view: &SenderView, event: &RttEvent, _: &mut Effects) {
        self.best = self.best.min(event.exact.as_secs_f64());
        self.predictor.on_rtt(view, event);
    }

    fn on_handshake(&mut self, view: &SenderView, event: &RttEvent, effects: &mut Effects) {
        if self.options.reference == Reference::Connection {
            self.on_rtt(view, event, effects);
        }
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
        self.kept.release();
        if !view.peer_probes || self.gave_up {
            return event.standard;
        }
        if self.predictor.contention(view, event) {
            self.handled[PREDICTED].1 += 1;
            effects.push(Effect::Guess { seq: event.seq, guess: CONGESTION });
            let one = self.options.contention == Contention::SlowStart;
            return if one { Window { cwnd: 1.0, ..event.standard } } else { event.standard };
        }
        self.begin(view, event.seq, event.standard, false, effects);
        unchanged(view)
    }

    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        let standard = RtoDecision { window: event.standard, backoff: Backoff::Double };
        self.kept.release();
        if event.opening || !view.peer_probes || self.gave_up {
            return standard;
        }
        let loss = LossEvent { seq: event.seq, standard: event.standard };
        if self.options.gate_rto && self.predictor.contention(view, &loss) {
            self.handled[PREDICTED].1 += 1;
            effects.push(Effect::Guess { seq: event.seq, guess: CONGESTION });
            return standard;
        }
        self.begin(view, event.seq, event.standard, true, effects);
        RtoDecision { window: unchanged(view), backoff: Backoff::Keep }
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        self.kept.on_ack(view);
        self.predictor.on_ack(view, event);
        event.standard
    }

    fn on_recovery_exit(&mut self, _: &SenderView, effects: &mut Effects) {
        self.kept.on_recovery_exit(effects);
    }

    fn burst(&self) -> Option<u32> {
        self.kept.burst()
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
            (Step::First, ProbeKind::Pr1Ack) if self.options.probes == Probes::One => {
                let cycle = *cycle;
                self.finish(view, cycle, &[rtt], effects);
            }
            (Step::First, ProbeKind::Pr1Ack) => {
                cycle.step = Step::Second { first: rtt };
                self.ask(view.now, ProbeKind::Probe2, effects);
            }
            (Step::Second { first }, ProbeKind::Pr2Ack) => {
                let cycle = *cycle;
                self.finish(view, cycle, &[first, rtt], effects);
            }
            _ => return ProbeVerdict::Stray,
        }
        ProbeVerdict::Expected
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "probing",
        summary: "on a loss without contention sends two probes, whose round trips select the recovery",
        source: "Psaras, Mamatas, Tsaoussidis, On protocol engineering: detect, confirm and adjust",
        rules: &[
            Rule::at(
                Event::Sample,
                "contention is Vegas' difference above `threshold`",
                "Psaras et al. §4.2",
            ),
            Rule::at(
                Event::Loss,
                "contention: as newreno, without probes; otherwise stops sending and begins a cycle of two probes",
                "Psaras et al. §2.2, §4.2",
            ),
            Rule::at(
                Event::Timeout,
                "begins a cycle of two probes; the timeout is not doubled",
                "Psaras et al. §4.1; gate_rto",
            ),
            Rule::at(
                Event::Timer,
                "no answer for a round trip: begins the exchange anew with another id",
                "Psaras et al. §4.1",
            ),
            Rule::at(
                Event::Probe,
                "current round trip: a quarter of its last value and three quarters of a probe's (ALFA 0.25, BETA 0.75)",
                "Psaras et al. §4.3",
            ),
            Rule::at(
                Event::Probe,
                "current round trip below the mean of best and worst, both probes below the best: window and threshold stay (full immediate recovery)",
                "Psaras et al. §4.3",
            ),
            Rule::at(
                Event::Probe,
                "below the mean, but not both below the best: three quarters of the window",
                "Psaras et al. §4.3, §6.4; three_quarters",
            ),
            Rule::at(
                Event::Probe,
                "not below the mean, both below the best: Reno's half; otherwise slow start from one segment",
                "Psaras et al. §4.3",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::NewReno],
        unless: "it is defined for NewReno only",
        needs: Needs::PROBES.union(Needs::BURSTS),
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            Arc::new(move |config| Box::new(Probing::new(options, config.tick * 2, options.vegas())))
        })
    }),
};

/// The part with these parameters and another predictor.
pub(crate) fn with_predictor(values: &[f64], make: PredictorFactory) -> ControlFactory {
    let options = Options::read(values);
    Arc::new(move |config| Box::new(Probing::new(options, config.tick * 2, make(config))))
}

#[cfg(test)]
mod tests;
