//! CUBIC: the window grows as a cubic function of the time since the last reduction (RFC 9438), independent
//! of the round trip. Windows are real numbers of segments, as in the RFC's formulas; nothing is rounded.
//!
//! | here | RFC 9438 |
//! |---|---|
//! | [`Epoch::cubic`] | W_cubic(t), §4.2 figure 1, with K of figure 2 |
//! | [`Cubic::on_ack`] | regions, §4.3 to §4.5; target between cwnd and 1.5 cwnd, §4.2 |
//! | [`Epoch::estimate`] | W_est, §4.3 figure 4; α = 3 (1 − β)/(1 + β), 1 from cwnd_prior on |
//! | [`Cubic::reduce`] | multiplicative decrease, §4.6; fast convergence, §4.7 |
//! | a timeout | §4.8: the next avoidance starts with K = 0 and W_max = cwnd |
//! | [`Cubic::on_undo`] | a spurious timeout, §4.9.1: everything is as before it |
//!
//! The flight size multiplied in §4.6 is limited to cwnd, because limited transmit (RFC 3042) sends beyond it
//! and RFC 5681 does not count these segments. The clock stops on ACKs that arrive while something other than
//! cwnd limits the sender (§5.8), and while nothing is in flight (§4.2; Linux, `cubictcp_cwnd_event`). Slow
//! start is Reno's; §4.10 recommends HyStart++ (`cubic+hystart++`). Linux forgets W_max at a spurious
//! timeout, and CUBIC then grows from the restored window on.
//!
//! `form=linux` is the module of Linux instead: [`linux`].

mod linux;

use super::*;
use crate::config::Timing;
use crate::control::{
    AckEvent, Backoff, Effects, LossEvent, RestartEvent, RtoDecision, RtoEvent, SenderView, UndoEvent, Window,
};
use tworay_base::SimTime;

settings! {
    struct Options {
        /// fraction of the window that is left after a loss (the RFC's beta)
        beta: f64 = 0.7, 0.1..0.95;
        /// steepness of the cubic function, segments per s³ (the RFC's C)
        c: f64 = 0.4, 0.001..100.0;
        /// fast convergence: aim lower than the last window if it shrinks from loss to loss, or not
        fast_convergence: bool = ["yes" => true, "no" => false];
        /// grow at least as fast as Reno, or only by the cubic function
        friendly: bool = ["yes" => true, "no" => false];
        /// `rfc`, or `linux`: whole segments and clock ticks, with the HyStart of Linux
        form: Form = ["rfc" => Form::Rfc, "linux" => Form::Linux];
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Form {
    Rfc,
    Linux,
}

/// One period of congestion avoidance.
#[derive(Copy, Clone, Debug)]
struct Epoch {
    /// Start time; shifted later by the time in which the window was not the limit.
    began: SimTime,
    /// Seconds until the function reaches its plateau (K).
    k: f64,
    /// Window at the plateau, segments.
    origin: f64,
    /// Estimated window of a Reno sender, segments.
    reno: f64,
}

impl Epoch {
    /// W_cubic after `t` seconds, segments.
    fn cubic(&self, c: f64, t: f64) -> f64 {
        let x = t - self.k;
        c * x * x * x + self.origin
    }

    /// Updates the Reno estimate by an ACK of `segments`.
    fn estimate(&mut self, alpha: f64, segments: f64, cwnd: f64, prior: f64) {
        let alpha = if self.reno >= prior { 1.0 } else { alpha };
        self.reno += alpha * segments / cwnd;
    }
}

#[derive(Debug)]
struct Cubic {
    options: Options,
    /// Window of the last loss, at which the function aims; unset before a loss and after a timeout.
    w_max: Option<f64>,
    /// Window before the last reduction; infinite before the first one.
    prior: f64,
    epoch: Option<Epoch>,
    last_ack: SimTime,
    /// `w_max`, `prior` and `epoch` before the last reduction.
    before_reduction: (Option<f64>, f64, Option<Epoch>),
}

impl Cubic {
    fn new(options: Options) -> Self {
        let (w_max, prior, epoch) = (None, f64::INFINITY, None);
        Self {
            options,
            w_max,
            prior,
            epoch,
            last_ack: SimTime::ZERO,
            before_reduction: (w_max, prior, epoch),
        }
    }

    /// Returns the threshold after a loss, and records the window before it.
    fn reduce(&mut self, view: &SenderView) -> f64 {
        let window = view.in_use();
        let converging = self.options.fast_convergence && self.w_max.is_some_and(|w| window < w);
        let share = if converging { (1.0 + self.options.beta) / 2.0 } else { 1.0 };
        self.w_max = Some(window * share);
        self.prior = window;
        self.epoch = None;
        (outstanding(view) * self.options.beta).max(2.0)
    }

    fn begin(&self, view: &SenderView) -> Epoch {
        let cwnd = view.cwnd;
        let origin = self.w_max.unwrap_or(cwnd).max(cwnd);
        let k = libm::cbrt((origin - cwnd) / self.options.c);
        Epoch { began: view.now, k, origin, reno: cwnd }
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        let since_last = view.now.since(self.last_ack);
        self.last_ack = view.now;
        if view.cwnd < view.ssthresh {
            self.epoch = None;
            return event.standard;
        }
        if !event.may_grow {
            return event.standard;
        }
        let Options { beta, c, friendly, .. } = self.options;
        let cwnd = view.cwnd;
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(view));
        if !limits(view, event) {
            epoch.began += since_last;
            self.epoch = self.epoch.map(|_| epoch);
            return Window { cwnd, ssthresh: view.ssthresh };
        }
        let t = view.now.since(epoch.began).as_secs_f64();
        let rtt = view.srtt.map_or(0.0, |r| r.as_secs_f64());
        let prior = if self.prior.is_finite() { self.prior } else { cwnd };
        epoch.estimate(3.0 * (1.0 - beta) / (1.0 + beta), event.segments, cwnd, prior);
        self.epoch = Some(epoch);
        let grown = if friendly && epoch.cubic(c, t) < epoch.reno {
            epoch.reno.max(cwnd)
        } else {
            let target = epoch.cubic(c, t + rtt).clamp(cwnd, 1.5 * cwnd);
            cwnd + (target - cwnd) / cwnd
        };
        Window { cwnd: grown, ssthresh: view.ssthresh }
    }

    fn on_loss(&mut self, view: &SenderView, _: &LossEvent, _: &mut Effects) -> Window {
        self.before_reduction = (self.w_max, self.prior, self.epoch);
        let ssthresh = self.reduce(view);
        Window { cwnd: ssthresh, ssthresh }
    }

    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        let again = event.consecutive > 1 || event.opening;
        if !again {
            self.before_reduction = (self.w_max, self.prior, self.epoch);
        }
        // An earlier timeout has already reduced the threshold (RFC 5681 §3.1).
        let ssthresh = if again { view.ssthresh } else { self.reduce(view) };
        self.w_max = None;
        self.epoch = None;
        RtoDecision { window: Window { cwnd: event.standard.cwnd, ssthresh }, backoff: Backoff::Double }
    }

    /// The time in which nothing was in flight does not count.
    fn on_restart(&mut self, view: &SenderView, event: &RestartEvent, _: &mut Effects) -> Window {
        if let Some(epoch) = &mut self.epoch {
            epoch.began += event.idle;
        }
        self.last_ack = view.now;
        event.standard
    }

    fn on_undo(&mut self, _: &SenderView, event: &UndoEvent, _: &mut Effects) -> Window {
        (self.w_max, self.prior, self.epoch) = self.before_reduction;
        event.standard
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "cubic",
        summary: "grows the window as a cubic function of the time since the last loss",
        source: "RFC 9438; Linux 6.1 tcp_cubic.c",
        rules: &[
            Rule::at(
                Event::Ack,
                "congestion avoidance: cwnd follows C (t - K)³ + W_max, at most 1.5 cwnd in a round trip, or Reno's estimate if that is more",
                "RFC 9438 §4.2 to §4.5",
            ),
            Rule::at(
                Event::Loss,
                "ssthresh and cwnd are beta of the flight; W_max is the window, less if it is below the last W_max",
                "RFC 9438 §4.6, §4.7",
            ),
            Rule::at(
                Event::Timeout,
                "the same ssthresh, cwnd 1; the next growth starts at its plateau",
                "RFC 9438 §4.8",
            ),
            Rule::at(Event::Spurious, "everything as before", "RFC 9438 §4.9.1, §4.9.2"),
            Rule::at(
                Event::Sample,
                "form=linux: slow start ends, from cwnd 16 on, if 9 samples of a round exceed the shortest by 1/8 (4 to 16 ms)",
                "Linux 6.1 hystart_update",
            ),
            Rule::at(
                Event::Sample,
                "form=linux: it also ends if ACKs at most 2 ms apart have come for half of the shortest round trip",
                "Linux 6.1 hystart_update",
            ),
            Rule::at(
                Event::Ack,
                "form=linux: one segment more for so many acknowledged as the function or Reno's estimate asks, 2 at least; at most 20 before a loss",
                "Linux 6.1 bictcp_update",
            ),
            Rule::at(
                Event::Loss,
                "form=linux: ssthresh and cwnd are 717/1024 of cwnd, whole segments, at least 2",
                "Linux 6.1 cubictcp_recalc_ssthresh",
            ),
            Rule::at(
                Event::Timeout,
                "form=linux: W_max and the shortest round trip are forgotten, and HyStart begins anew",
                "Linux 6.1 cubictcp_state",
            ),
            Rule::at(
                Event::Send,
                "form=linux: the time in which nothing was in flight does not count",
                "Linux 6.1 cubictcp_cwnd_event",
            ),
            Rule::at(
                Event::Spurious,
                "form=linux: the window as before; nothing else comes back",
                "Linux 6.1 tcp_reno_undo_cwnd",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_RENO,
        unless: "it replaces growth and halving of a fast recovery",
        configure: Some(|values, config| {
            if Options::read(values).form == Form::Linux {
                config.timing = Timing::EverySegment;
            }
        }),
        ..Part::new(Role::Avoidance, |values| {
            let options = Options::read(values);
            match options.form {
                Form::Rfc => factory(move || Cubic::new(options)),
                Form::Linux => factory(move || linux::LinuxCubic::new(options)),
            }
        })
    }),
};

#[cfg(test)]
mod tests;
