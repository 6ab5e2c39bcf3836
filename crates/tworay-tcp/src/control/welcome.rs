//! TCP-WELCOME: the history of round trips and the way a loss was seen tell congestion, the wireless
//! channel and a broken link apart; each has its own recovery (Ghaleb-Seddik, Ghamri-Doudane, Senouci).
//!
//! Readings of the paper where it leaves a choice are parameters, the first word being the one taken:
//! the wireless loss keeps the rate (prose) or caps it (figure 7); congestion is NewReno's (prose) or
//! figure 7's; after a broken link cwnd follows proposition 3, 2 or 1, and is capped at bandwidth x shortest
//! round trip as figure 7 has it, or isn't (`lra_link`: "does not decrease its CWND", §V.C). Table I's
//! RTT_THRESHOLD has no role in figures 6 and 7; `constant=band` gives it equation 2's.
//!
//! The rate before the loss is that of the window in use, min(cwnd, peer's window): cwnd grows beyond the
//! peer's window, and two thirds of 60 segments of which 20 are ever in flight would be no cut.
//!
//! Link failure works in two steps,
//! for the new round trip is known only after some samples: until then the factor a is 2/3, for window and
//! timeout alike.

mod history;

use super::bandwidth::{Bandwidth, PerRoundTrip, Tibet, Tustin};
use super::westwood::{Rtts, Westwood};
use super::*;
use crate::control::{
    AckEvent, Backoff, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, RtoDecision, RtoEvent,
    RttEvent, Sampling, SenderView, Window,
};
use history::{Filter, History, Predicate, Reading, Relative};
use smallvec::SmallVec;
use tworay_base::SimDuration;

/// What becomes of cwnd after a broken link.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Proposition {
    Keep,
    Halve,
    Ratio,
}

#[derive(Copy, Clone, Debug)]
struct Options {
    /// Wireless losses cap the window at bandwidth x shortest round trip.
    cap: bool,
    /// Congestion sets ssthresh by the estimate and cwnd to 1.
    fig7: bool,
    cwnd: Proposition,
    /// The window after a broken link isn't capped, and ssthresh stays.
    uncapped_link: bool,
    /// The provisional factor stays.
    a_fixed: bool,
    a: f64,
    new_samples: usize,
    burst: u32,
}

#[derive(Copy, Clone, PartialEq, Debug)]
enum Mode {
    Normal,
    /// Fast recovery from a wireless loss, which ends with this window.
    Wireless(Window),
    /// As figure 7 has congestion: one segment until recovery ends.
    Collapsed,
    /// A link is broken; the oldest segment is sent at every timeout.
    Waiting(Before),
    /// The path is back; round trips are collected.
    Collecting(Before),
}

/// The state before the link broke.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Before {
    /// The window in use.
    cwnd: f64,
    ssthresh: f64,
    rto: SimDuration,
    /// Average round trip, seconds.
    rtt: Option<f64>,
}

#[derive(Debug)]
struct Welcome {
    options: Options,
    history: History,
    estimate: Westwood,
    mode: Mode,
    /// Round trips on the new path, seconds.
    fresh: SmallVec<[f64; 8]>,
    /// A wireless recovery has ended and the window isn't full yet.
    filling: bool,
}

impl Welcome {
    fn pipe(&self, otherwise: f64) -> f64 {
        self.estimate.pipe().unwrap_or(otherwise).max(2.0)
    }

    /// Enough round trips of the new path are known: ratio, window and timeout follow.
    fn adapt(&mut self, view: &SenderView, before: Before, effects: &mut Effects) {
        let count = self.fresh.len() as f64;
        let new = self.fresh.iter().sum::<f64>() / count;
        let shortest = self.fresh.iter().copied().fold(f64::INFINITY, f64::min);
        self.fresh.clear();
        self.mode = Mode::Normal;
        self.history.restart(new);
        self.estimate.set_shortest(SimDuration::from_secs_f64(shortest));
        let ratio = before.rtt.map_or(1.0, |old| old / new);
        let a = if self.options.a_fixed { self.options.a } else { ratio };
        if a.is_finite() && a > 0.0 {
            effects.push(Effect::ScaleRtt((1.0 / a).clamp(0.5, 10.0)));
        }
        if self.options.cwnd == Proposition::Ratio {
            let cwnd = a.min(1.0) * before.cwnd;
            let (cwnd, ssthresh) = if self.options.uncapped_link {
                (cwnd.max(1.0), before.ssthresh)
            } else {
                let ssthresh = self.pipe(view.ssthresh);
                (cwnd.min(ssthresh).max(1.0), ssthresh)
            };
            effects.push(Effect::SetWindow(Window { cwnd, ssthresh }));
        }
    }

    /// The link is held broken: wait for it without a longer and longer timeout.
    fn wait(&mut self, view: &SenderView, event: &RtoEvent) -> RtoDecision {
        let before = match self.mode {
            Mode::Waiting(before) | Mode::Collecting(before) => before,
            _ => Before {
                cwnd: in_use(view),
                ssthresh: view.ssthresh,
                rto: view.base_rto,
                rtt: self.history.average(),
            },
        };
        self.mode = Mode::Waiting(before);
        self.fresh.clear();
        let ssthresh = if self.options.cwnd == Proposition::Keep || self.options.uncapped_link {
            before.ssthresh
        } else {
            self.pipe(event.standard.ssthresh)
        };
        RtoDecision {
            window: Window { cwnd: 1.0, ssthresh },
            backoff: Backoff::Wait(before.rto.mul_f64(1.0 / self.options.a)),
        }
    }
}

/// The window that bounds what is in flight, segments.
fn in_use(view: &SenderView) -> f64 {
    view.cwnd.min(view.advertised)
}

impl CongestionControl for Welcome {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        self.estimate.on_ack(view, event, effects);
        self.filling &= view.flight + 1.0 < view.cwnd;
        if let Mode::Waiting(before) = self.mode {
            self.mode = Mode::Collecting(before);
            let share = match self.options.cwnd {
                Proposition::Keep => 1.0,
                Proposition::Halve => 0.5,
                Proposition::Ratio => self.options.a.min(1.0),
            };
            let cwnd = (share * before.cwnd).max(1.0);
            effects.push(Effect::SetWindow(Window { cwnd, ssthresh: view.ssthresh }));
        }
        event.standard
    }

    fn on_dup_ack(
        &mut self,
        view: &SenderView,
        event: &DupAckEvent,
        effects: &mut Effects,
    ) -> DupAckDecision {
        self.estimate.on_dup_ack(view, event, effects)
    }

    fn on_rtt(&mut self, view: &SenderView, event: &RttEvent, effects: &mut Effects) {
        let rtt = event.exact.as_secs_f64();
        if let Mode::Collecting(before) = self.mode {
            self.fresh.push(rtt);
            if self.fresh.len() >= self.options.new_samples {
                self.adapt(view, before, effects);
            }
        } else if !matches!(self.mode, Mode::Waiting(_)) {
            self.history.sample(rtt);
            self.estimate.on_rtt(view, event, effects);
        }
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        self.filling = false;
        let apart = matches!(self.mode, Mode::Waiting(_) | Mode::Collecting(_));
        if self.history.growing() {
            effects.push(Effect::Guess { seq: event.seq, guess: CONGESTION });
            if !self.options.fig7 {
                return event.standard;
            }
            if !apart {
                self.mode = Mode::Collapsed;
            }
            return Window { cwnd: 1.0, ssthresh: self.pipe(event.standard.ssthresh) };
        }
        effects.push(Effect::Guess { seq: event.seq, guess: CHANNEL });
        let mut window = Window { cwnd: in_use(view), ssthresh: view.ssthresh };
        if self.options.cap {
            window.ssthresh = self.pipe(event.standard.ssthresh);
            window.cwnd = window.cwnd.min(window.ssthresh);
        }
        if !apart {
            self.mode = Mode::Wireless(window);
        }
        window
    }

    fn on_recovery_exit(&mut self, view: &SenderView, effects: &mut Effects) {
        match self.mode {
            Mode::Wireless(window) => {
                self.filling = true;
                effects.push(Effect::SetWindow(window));
            }
            Mode::Collapsed => {
                effects.push(Effect::SetWindow(Window { cwnd: 1.0, ssthresh: view.ssthresh }));
            }
            Mode::Normal | Mode::Waiting(_) | Mode::Collecting(_) => return,
        }
        self.mode = Mode::Normal;
    }

    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, effects: &mut Effects) -> RtoDecision {
        self.filling = false;
        let broken = matches!(self.mode, Mode::Waiting(_) | Mode::Collecting(_));
        if !broken && self.history.growing() {
            self.mode = Mode::Normal;
            effects.push(Effect::Guess { seq: event.seq, guess: CONGESTION });
            let ssthresh =
                if self.options.fig7 { self.pipe(event.standard.ssthresh) } else { event.standard.ssthresh };
            return RtoDecision { window: Window { cwnd: 1.0, ssthresh }, backoff: Backoff::Double };
        }
        effects.push(Effect::Guess { seq: event.seq, guess: LINK_FAILURE });
        self.wait(view, event)
    }

    fn burst(&self) -> Option<u32> {
        self.filling.then_some(self.options.burst)
    }

    fn sampling(&self) -> Sampling {
        match self.mode {
            Mode::Waiting(_) | Mode::Collecting(_) => Sampling::Withheld,
            _ => Sampling::Standard,
        }
    }
}

const BANDWIDTHS: &[&str] = &["tibet", "westwood_plus", "tustin"];

fn bandwidth(choice: f64) -> Box<dyn Bandwidth> {
    match choice as u32 {
        0 => Box::new(Tibet::new(0.9, 0.5)),
        1 => Box::new(PerRoundTrip::default()),
        _ => Box::new(Tustin::new(1.0)),
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "welcome",
        summary: "round trips and the kind of signal tell congestion, channel and broken link apart",
        source: "Ghaleb-Seddik, Ghamri-Doudane, Senouci 2009, table I and figures 6 and 7",
        parameters: &[
            Parameter::choice(
                "lra_wireless",
                &["keep", "cap"],
                "a wireless loss keeps the window, or caps it at bandwidth x shortest round trip",
            ),
            Parameter::choice("congestion", &["newreno", "fig7"], "reaction to congestion"),
            Parameter::choice(
                "cwnd",
                &["3", "2", "1"],
                "proposition for cwnd after a link failure: ratio, half, keep",
            ),
            Parameter::choice(
                "predicate",
                &["run5", "popcount5", "popcount6", "run_current"],
                "what of the history means congestion (the numbers hold for count = 5)",
            ),
            Parameter::choice("relative", &["average", "successive"], "what a round trip grows from"),
            Parameter::choice(
                "filter",
                &["ewma", "flipflop"],
                "growth threshold, or the flip-flop filter's limit",
            ),
            Parameter::choice("a_fixed", &["no", "yes"], "a stays 2/3 instead of RTT_old / RTT_new"),
            Parameter::choice("bwe", BANDWIDTHS, "bandwidth estimator"),
            Parameter::number("samples", 10.0, (1.0, 64.0), "RTT_SAMPLE_COUNT: round trips remembered"),
            Parameter::number("growth", 5.0, (0.0, 1000.0), "RTT_G_THRESHOLD, percent"),
            Parameter::number("count", 5.0, (1.0, 64.0), "RTT_G_COUNT_THRESHOLD"),
            Parameter::number("new_samples", 4.0, (1.0, 64.0), "RTO_NEW_RTT_SAMPLES"),
            Parameter::number(
                "a",
                2.0 / 3.0,
                (0.01, 1.0),
                "modification factor before new round trips are known",
            ),
            Parameter::number("burst", 3.0, (1.0, 1000.0), "segments per ACK after a wireless recovery"),
            Parameter::choice(
                "lra_link",
                &["cap", "keep"],
                "after a link failure the window is at most bandwidth x shortest round trip, or isn't capped",
            ),
            Parameter::choice(
                "constant",
                &["any", "band"],
                "round trips that don't grow count as constant, or only if all stay within RTT_THRESHOLD",
            ),
            Parameter::number(
                "band",
                10.0,
                (0.0, 1000.0),
                "RTT_THRESHOLD, percent above or below the average (with constant=band)",
            ),
        ],
    },
    meaning: Meaning::Part {
        role: Role::Reduction,
        with: ANY_RENO,
        unless: "it changes what fast recovery does to the window",
        make: |values| {
            let set = |i: usize| values[i] > 0.0;
            let options = Options {
                cap: set(0),
                fig7: set(1),
                cwnd: match values[2] as u32 {
                    0 => Proposition::Ratio,
                    1 => Proposition::Halve,
                    _ => Proposition::Keep,
                },
                uncapped_link: set(14),
                a_fixed: set(6),
                a: values[12],
                new_samples: values[11] as usize,
                burst: values[13] as u32,
            };
            let predicate = match values[3] as u32 {
                0 => Predicate::Run,
                1 => Predicate::Count,
                2 => Predicate::CountAbove,
                _ => Predicate::CurrentRun,
            };
            let relative = if set(4) { Relative::Successive } else { Relative::Average };
            let filter = if set(5) { Filter::FlipFlop } else { Filter::Ewma };
            let reading = Reading {
                predicate,
                relative,
                filter,
                width: values[8] as u32,
                count: values[10] as u32,
                growth: values[9] / 100.0,
                band: set(15).then_some(values[16] / 100.0),
            };
            let estimator = values[7];
            factory(move || Welcome {
                options,
                history: History::new(reading),
                estimate: Westwood::new(bandwidth(estimator), Rtts::Exact),
                mode: Mode::Normal,
                fresh: SmallVec::new(),
                filling: false,
            })
        },
    },
};

#[cfg(test)]
mod tests;
