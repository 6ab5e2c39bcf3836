//! TCP-WELCOME: the history of round trips and the signal of a loss (duplicate ACKs or timeout) distinguish
//! congestion, wireless losses and link failures; each has its own recovery (Ghaleb-Seddik, Ghamri-Doudane
//! and Senouci 2012).
//!
//! Where the paper leaves a choice there is a parameter, and its first choice is the default. A wireless
//! loss keeps the rate (text) or caps it (figure 7). Congestion is handled as in NewReno (text) or as in
//! figure 7. After a link failure cwnd follows proposition 3, 2 or 1; it is capped at bandwidth x shortest
//! round trip as in figure 7, or not capped (`lra_link`; §V.C: "does not decrease its CWND"). RTT_THRESHOLD
//! of table I is not used in figures 6 and 7; `constant=band` gives it the role of equation 2.
//!
//! The rate before the loss is taken from the window in use, min(cwnd, peer's window). cwnd grows beyond
//! the peer's window, and two thirds of a cwnd of 60 segments, of which only 20 can be in flight, would
//! reduce nothing.
//!
//! Equation 6 multiplies the window by RTT_old / RTT_new, which is above 1 on a shorter route. The text calls the
//! mechanism "conservative", meant "to prevent a congestion episode", so the window does not grow (`grow=no`);
//! `grow=yes` is the printed form. Equation 3's 1 / a is bounded to 0.5 to 10.
//!
//! Losses before the tenth round trip (`samples`) count as congestion: there is no history yet, and the
//! connection is in slow start.
//!
//! A link failure is handled in two steps, because the new round trip is known only after some samples.
//! Until then the factor a is 2/3, for the window and for the timeout. Equation 3 derives the new timeout
//! from the one "over the lost old route", so it is the same at every expiry until the path is back
//! (`repeat=once`). Figure 7 numbers the timeouts, RTO_n = (1/a) RTO_(n-1), which can also be read as a
//! timeout that grows by half at each expiry (`repeat=each`). While routing holds the segment for longer than
//! 1.5 RTO, each equal timeout is one more copy of a segment that is not lost.
//!
//! The time without a link is no measure of either route, so the bandwidth estimate leaves it out
//! (`outage=excluded`): the sender "starts the communication after route recovery from this calculated CWND
//! value rather than starting from minimum" (§IV.B). Counted as one gap between two ACKs (`counted`), three
//! seconds leave next to nothing of TIBET's estimate, and the window is capped at two segments. Westwood's
//! filters count idle time, as its authors do; their threshold is set when the timer expires, before the gap
//! can enter it.
//!
//! Every segment sent only once gives a round trip (`timing=every`): "only the data packets that are
//! acknowledged without retransmissions will be considered" (§IV.B, on Karn's algorithm), and the authors'
//! code is a module for Linux 2.6, which they ran in ns-2 through TCP-Linux (§V); both pass a round trip with
//! every ACK. So the ten samples of the history span ten ACKs. `timing=window` times one segment per window,
//! as ns-2's own agents and RFC 6298's gains do.

mod history;

use super::bandwidth::{Bandwidth, PerRoundTrip, Tibet, Tustin};
use super::westwood::{Rtts, Westwood};
use super::*;
use crate::config::{TcpConfig, Timing};
use crate::control::{
    AckEvent, Backoff, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, RtoDecision, RtoEvent,
    RttEvent, Sampling, SenderView, Window,
};
use history::{Filter, History, Predicate, Reading, Relative};
use smallvec::SmallVec;
use tworay_base::SimDuration;

/// Window after a link failure.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Proposition {
    Keep,
    Halve,
    Ratio,
}

/// Reaction to congestion.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Congestion {
    NewReno,
    /// ssthresh from the bandwidth estimate, cwnd 1.
    Figure7,
}

/// Which bandwidth estimator is used.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Estimator {
    Tibet,
    WestwoodPlus,
    Tustin,
}

impl Estimator {
    fn make(self) -> Box<dyn Bandwidth> {
        match self {
            Estimator::Tibet => Box::new(Tibet::new(0.9, 0.5)),
            Estimator::WestwoodPlus => Box::new(PerRoundTrip::default()),
            Estimator::Tustin => Box::new(Tustin::new(1.0)),
        }
    }
}

settings! {
    /// Parameters of table I, and choices where the paper is ambiguous.
    struct Options {
        /// on a wireless loss: keep the window, or cap it at bandwidth x shortest round trip
        lra_wireless: Bound = ["keep" => Bound::Kept, "cap" => Bound::Capped];
        /// reaction to congestion
        congestion: Congestion = ["newreno" => Congestion::NewReno, "fig7" => Congestion::Figure7];
        /// cwnd after a link failure, by proposition: 3 scales it by RTT_old / RTT_new, 2 halves it, 1
        /// keeps it
        cwnd: Proposition = ["3" => Proposition::Ratio, "2" => Proposition::Halve, "1" => Proposition::Keep];
        /// which patterns of the history indicate congestion (the numbers are for count = 5)
        predicate: Predicate = [
            "run5" => Predicate::Run,
            "popcount5" => Predicate::Count,
            "popcount6" => Predicate::CountAbove,
            "run_current" => Predicate::CurrentRun,
        ];
        /// reference for the growth of a round trip: the average, or the previous round trip
        relative: Relative = ["average" => Relative::Average, "successive" => Relative::Successive];
        /// outliers by the growth threshold, or by the limit of the flip-flop filter
        filter: Filter = ["ewma" => Filter::Ewma, "flipflop" => Filter::FlipFlop];
        /// with cwnd=3 on a shorter route, where RTT_old / RTT_new is above 1: keep the window, or let it grow as
        /// equation 6 prints
        grow: bool = ["no" => false, "yes" => true];
        /// keep a at 2/3 instead of RTT_old / RTT_new
        a_fixed: bool = ["no" => false, "yes" => true];
        /// bandwidth estimator
        bwe: Estimator = [
            "tibet" => Estimator::Tibet,
            "westwood_plus" => Estimator::WestwoodPlus,
            "tustin" => Estimator::Tustin,
        ];
        /// RTT_SAMPLE_COUNT: number of round trips remembered
        samples: u32 = 10.0, 1.0..64.0;
        /// RTT_G_THRESHOLD, percent
        growth: f64 = 5.0, 0.0..1000.0;
        /// RTT_G_COUNT_THRESHOLD
        count: u32 = 5.0, 1.0..64.0;
        /// RTO_NEW_RTT_SAMPLES: round trips measured on a new path
        new_samples: usize = 4.0, 1.0..64.0;
        /// modification factor a before the new round trips are known
        a: f64 = (2.0 / 3.0), 0.01..1.0;
        /// most segments per ACK after the recovery from a wireless loss
        burst: u32 = 3.0, 1.0..1000.0;
        /// after a link failure: cap the window at bandwidth x shortest round trip, or not
        lra_link: Bound = ["cap" => Bound::Capped, "keep" => Bound::Kept];
        /// which round trips count as constant: any that do not grow, or only if all stay within
        /// RTT_THRESHOLD
        constant: Constant = ["any" => Constant::Any, "band" => Constant::Band];
        /// RTT_THRESHOLD, percent above or below the average (used with constant=band)
        band: f64 = 10.0, 0.0..1000.0;
        /// whether the bandwidth estimate leaves out the time in which the link was broken, or counts it as a
        /// gap between two ACKs
        outage: Outage = ["excluded" => Outage::Excluded, "counted" => Outage::Counted];
        /// which segments give a round trip: every one sent only once, or one per window
        timing: Timing = ["every" => Timing::EverySegment, "window" => Timing::OnePerWindow];
        /// timeouts while the link is broken: RTO / a each time (equation 3), or each time the previous
        /// timeout / a (figure 7)
        repeat: Repeat = ["once" => Repeat::Once, "each" => Repeat::Each];
    }
}

/// Treatment of the time in which the link was broken by the bandwidth estimate.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Outage {
    Excluded,
    Counted,
}

/// The timeouts of one link failure.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Repeat {
    /// All alike.
    Once,
    /// Each longer than the one before.
    Each,
}

/// Bound of the window: none, or bandwidth x shortest round trip.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Bound {
    Kept,
    Capped,
}

/// Which round trips count as constant.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Constant {
    Any,
    Band,
}

impl Options {
    fn reading(&self) -> Reading {
        let band = (self.constant == Constant::Band).then_some(self.band / 100.0);
        Reading {
            predicate: self.predicate,
            relative: self.relative,
            filter: self.filter,
            width: self.samples,
            count: self.count,
            growth: self.growth / 100.0,
            band,
        }
    }
}

#[derive(Copy, Clone, PartialEq, Debug)]
enum Mode {
    Normal,
    /// Fast recovery from a wireless loss, which ends with this window.
    Wireless(Window),
    /// Congestion as in figure 7: one segment until recovery ends.
    Collapsed,
    /// The link is broken; the oldest segment is retransmitted at every timeout.
    Waiting(Before),
    /// The path is back; round trips are being collected.
    Collecting(Before),
}

/// State before the link failure.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Before {
    /// Window in use, segments.
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
    /// Round trips measured on the new path, seconds.
    fresh: SmallVec<[f64; 8]>,
    /// Recovery from a wireless loss has ended and the window is not full yet.
    filling: bool,
    /// The last timeout chosen for a broken link.
    waited: SimDuration,
}

impl Welcome {
    fn pipe(&self, otherwise: f64) -> f64 {
        self.estimate.pipe().unwrap_or(otherwise).max(2.0)
    }

    /// Enough round trips of the new path are known: sets ratio, window and timeout.
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
            // Equation 3, bounded: one odd round trip must not leave a useless timeout.
            effects.push(Effect::ScaleRtt((1.0 / a).clamp(0.5, 10.0)));
        }
        if self.options.cwnd == Proposition::Ratio {
            let share = if self.options.grow { a } else { a.min(1.0) };
            let cwnd = share * before.cwnd;
            let (cwnd, ssthresh) = if self.options.lra_link == Bound::Kept {
                (cwnd.max(1.0), before.ssthresh)
            } else {
                let ssthresh = self.pipe(view.ssthresh);
                (cwnd.min(ssthresh).max(1.0), ssthresh)
            };
            effects.push(Effect::SetWindow(Window { cwnd, ssthresh }));
        }
    }

    /// The link is taken as broken: wait for it without exponential backoff.
    fn wait(&mut self, view: &SenderView, event: &RtoEvent) -> RtoDecision {
        let before = match self.mode {
            Mode::Waiting(before) | Mode::Collecting(before) => before,
            _ => Before {
                cwnd: view.in_use(),
                ssthresh: view.ssthresh,
                rto: view.base_rto,
                rtt: self.history.average(),
            },
        };
        let last = match (self.options.repeat, self.mode) {
            (Repeat::Each, Mode::Waiting(_)) => self.waited,
            _ => before.rto,
        };
        self.waited = last.mul_f64(1.0 / self.options.a);
        self.mode = Mode::Waiting(before);
        self.fresh.clear();
        if self.options.outage == Outage::Excluded {
            self.estimate.pause();
        }
        let ssthresh = if self.options.cwnd == Proposition::Keep || self.options.lra_link == Bound::Kept {
            before.ssthresh
        } else {
            self.pipe(event.standard.ssthresh)
        };
        RtoDecision { window: Window { cwnd: 1.0, ssthresh }, backoff: Backoff::Wait(self.waited) }
    }
}

impl CongestionControl for Welcome {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, effects: &mut Effects) -> Window {
        self.estimate.on_ack(view, event, effects);
        self.filling &= view.flight + f64::from(self.options.burst) < view.in_use();
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
            if !apart {
                self.mode = Mode::Normal;
            }
            if self.options.congestion == Congestion::NewReno {
                return event.standard;
            }
            if !apart {
                self.mode = Mode::Collapsed;
            }
            return Window { cwnd: 1.0, ssthresh: self.pipe(event.standard.ssthresh) };
        }
        effects.push(Effect::Guess { seq: event.seq, guess: CHANNEL });
        let mut window = Window { cwnd: view.in_use(), ssthresh: view.ssthresh };
        if self.options.lra_wireless == Bound::Capped {
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
            let ssthresh = if self.options.congestion == Congestion::Figure7 {
                self.pipe(event.standard.ssthresh)
            } else {
                event.standard.ssthresh
            };
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

fn configure(values: &[f64], config: &mut TcpConfig) {
    if Options::read(values).timing == Timing::EverySegment {
        config.timing = Timing::EverySegment;
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "welcome",
        summary: "tells congestion, wireless loss and link failure apart by round trips and loss signal",
        source: "Ghaleb-Seddik, Ghamri-Doudane, Senouci 2012, table I and figures 6 and 7",
        rules: &[
            Rule::at(
                Event::Sample,
                "a bit of the history: the round trip exceeds the average by `growth` percent",
                "Ghaleb-Seddik et al. 2012 §IV.B.c, table I",
            ),
            Rule::at(
                Event::Loss,
                "round trips grow (`count` bits in a row), or fewer than `samples` are known: congestion, as the recovery does",
                "§IV.A.1.a, figures 6 and 7",
            ),
            Rule::at(
                Event::Loss,
                "otherwise a channel error: sends the lost segment again; window, threshold and timer stay",
                "§IV.A.1.b, §IV.B, figure 5",
            ),
            Rule::at(Event::Timeout, "round trips grow: congestion, as the recovery does", "§IV.A.1.a"),
            Rule::at(
                Event::Timeout,
                "otherwise a link failure: sends only the oldest segment, after timeout / a each time, not doubled; ssthresh is bandwidth x shortest round trip",
                "§IV.A.1.c, §IV.B.a, equations 3 and 7",
            ),
            Rule::at(
                Event::Ack,
                "the first after a link failure: cwnd is a x the window before, with a = 2/3",
                "§IV.B.b, table I",
            ),
            Rule::at(
                Event::Sample,
                "the fourth of the new route: a = old / new round trip sets window (at most the old one) and timer",
                "§IV.B.a and b, equations 3 and 6",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_RENO,
        unless: "it changes what fast recovery does to the window",
        needs: Needs::BURSTS.union(Needs::SAMPLING),
        configure: Some(configure),
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || Welcome {
                options,
                history: History::new(options.reading()),
                estimate: Westwood::new(options.bwe.make(), Rtts::Exact),
                mode: Mode::Normal,
                fresh: SmallVec::new(),
                filling: false,
                waited: SimDuration::ZERO,
            })
        })
    }),
};

#[cfg(test)]
mod tests;
