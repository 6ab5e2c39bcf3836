//! Veno: Vegas' estimate of the segments queued on the path distinguishes congestion from random loss (Fu
//! and Liew 2003).
//!
//! With N = W (1 − BaseRTT/RTT), W the window in use (§II-A): a loss at N < β is considered random and
//! reduces the window by a fifth, any other halves it (§II-B). In congestion avoidance, N ≥ β halves the
//! growth to one step on every second ACK (§II-C). Slow start and timeouts are Reno's.
//!
//! β = 3, the fifth and the slower growth are also those of Linux' `tcp_veno.c`; ns-3's default of 6 is
//! Linux' number in halves of a segment.
//!
//! RTT is the smoothed round trip. BaseRTT, the shortest sample, is reset at each loss (§II-A). Linux keeps
//! it for the whole connection and uses the shortest round trip of the last window instead of the smoothed
//! one: `veno(base=ever)` and `veno(rtt=shortest)`.

use super::kept::Kept;
use super::slow_growth::Gate;
use super::*;
use crate::control::{
    AckEvent, Backoff, Effect, Effects, LossEvent, RtoDecision, RtoEvent, RttEvent, SenderView, Window,
};
use tworay_base::{Seq32, SimDuration};

/// Time for which the shortest round trip is kept.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Base {
    SinceLoss,
    Ever,
}

/// Which round trip is compared with the shortest.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Current {
    Smoothed,
    /// The shortest of the last window.
    Shortest,
}

settings! {
    struct Options {
        /// number of queued segments from which a loss indicates congestion
        beta: f64 = 3.0, 0.0..1000.0;
        /// fraction of the window that is left after a random loss
        keep: f64 = 0.8, 0.5..1.0;
        /// reset the shortest round trip at each loss, or keep it as in Linux
        base: Base = ["since_loss" => Base::SinceLoss, "ever" => Base::Ever];
        /// round trip compared: smoothed, or the shortest of the last window as in Linux
        rtt: Current = ["smoothed" => Current::Smoothed, "shortest" => Current::Shortest];
    }
}

/// The shortest round trip of each window.
#[derive(Debug, Default)]
struct PerWindow {
    /// The byte whose acknowledgment ends the current window.
    end: Option<Seq32>,
    measuring: Option<SimDuration>,
    last: Option<SimDuration>,
}

#[derive(Debug)]
struct Veno {
    options: Options,
    base: Option<SimDuration>,
    window: PerWindow,
    gate: Gate,
    kept: Kept,
}

impl Veno {
    /// Segments queued on the path (N); `None` before a round trip is known.
    fn backlog(&self, view: &SenderView) -> Option<f64> {
        let rtt = match self.options.rtt {
            Current::Smoothed => view.srtt,
            Current::Shortest => self.window.last,
        };
        let (base, rtt) = (self.base?.as_secs_f64(), rtt?.as_secs_f64());
        // Smoothing may lag behind a path that has become shorter.
        (rtt > 0.0).then(|| (view.in_use() * (1.0 - base / rtt)).max(0.0))
    }

    fn forget(&mut self) {
        if self.options.base == Base::SinceLoss {
            self.base = None;
        }
        self.gate.reset();
        self.kept.release();
    }
}

impl CongestionControl for Veno {
    fn on_rtt(&mut self, view: &SenderView, event: &RttEvent, _: &mut Effects) {
        let shortest = |known: Option<SimDuration>| Some(known.map_or(event.exact, |k| k.min(event.exact)));
        self.base = shortest(self.base);
        let window = &mut self.window;
        window.measuring = shortest(window.measuring);
        if window.end.is_none_or(|end| view.una.ge(end)) {
            window.last = window.measuring.take();
            window.end = Some(view.nxt);
        }
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        self.kept.on_ack(view);
        let full = self.backlog(view).is_some_and(|n| n >= self.options.beta);
        let avoiding = event.may_grow && view.cwnd >= view.ssthresh;
        if avoiding && full && !self.gate.opens(1) {
            return Window { cwnd: view.cwnd, ssthresh: view.ssthresh };
        }
        event.standard
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        let backlog = self.backlog(view);
        self.forget();
        if backlog.is_some_and(|n| n < self.options.beta) {
            effects.push(Effect::Guess { seq: event.seq, guess: CHANNEL });
            let window = (outstanding(view) * self.options.keep).max(2.0);
            return self.kept.hold(Window { cwnd: window, ssthresh: window });
        }
        effects.push(Effect::Guess { seq: event.seq, guess: CONGESTION });
        event.standard
    }

    fn on_recovery_exit(&mut self, _: &SenderView, effects: &mut Effects) {
        self.kept.on_recovery_exit(effects);
    }

    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        self.forget();
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }

    fn burst(&self) -> Option<u32> {
        self.kept.burst()
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "veno",
        summary: "reduces the window by only a fifth on a loss with few segments queued on the path",
        source: "Fu and Liew 2003",
        rules: &[
            Rule::at(
                Event::Sample,
                "N = window x (1 - shortest / smoothed round trip): the segments queued on the path",
                "Fu and Liew 2003 §II-A",
            ),
            Rule::at(
                Event::Loss,
                "N < beta: a random loss, the window falls by a fifth; otherwise it is halved",
                "Fu and Liew 2003 §II-B",
            ),
            Rule::at(
                Event::Ack,
                "congestion avoidance with N of at least beta: grows on every second ACK",
                "Fu and Liew 2003 §II-C",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_RENO,
        unless: "it changes growth and halving of a fast recovery",
        needs: Needs::BURSTS,
        ..Part::new(Role::Avoidance, |values| {
            let options = Options::read(values);
            factory(move || Veno {
                options,
                base: None,
                window: PerWindow::default(),
                gate: Gate::default(),
                kept: Kept::default(),
            })
        })
    }),
};

#[cfg(test)]
mod tests;
