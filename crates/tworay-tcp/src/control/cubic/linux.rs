//! CUBIC as the kernel has it (`tcp_cubic.c` of Linux 6.1): whole segments, time in ticks of 4 ms.
//!
//! | here | Linux |
//! |---|---|
//! | [`curve`] | the function, Reno's estimate and `cnt`: `bictcp_update` |
//! | [`hystart`] | the end of slow start: `hystart_update` |
//! | [`LinuxCubic::on_rtt`] | the shortest round trip: `cubictcp_acked` |
//! | [`LinuxCubic::on_ack`] | `cubictcp_cong_avoid`, `tcp_cong_avoid_ai` |
//! | [`LinuxCubic::on_loss`] | `cubictcp_recalc_ssthresh` |
//! | [`LinuxCubic::on_rto`] | `tcp_enter_loss`, `cubictcp_state` |
//! | [`LinuxCubic::on_sent`] | the clock stands while nothing is in flight: `cubictcp_cwnd_event` |
//!
//! The parameters of the RFC's form become those of the module: beta in 1024ths (0.7 is 717), C in steps of 10/1024
//! (0.4 is 41). Round trips are those of the newest segment that an ACK acknowledges, or else SACKs.

mod curve;
mod hystart;

use super::*;
use crate::control::whole_segments::{WholeSegments, limits_linux, slow_start};
use crate::control::{RttEvent, SentEvent};
use curve::{Curve, Shape, Tick};
use hystart::HyStart;

/// Samples of the first second of an avoidance don't count: they are of the queue of the recovery before it.
const UNSETTLED: Tick = Tick(250);

#[derive(Debug)]
pub(super) struct LinuxCubic {
    shape: Shape,
    curve: Curve,
    hystart: HyStart,
    /// The threshold that HyStart has found and the next ACK sets, segments.
    found: Option<f64>,
    whole: WholeSegments,
    last_sent: Tick,
}

impl LinuxCubic {
    pub fn new(options: Options) -> Self {
        Self {
            shape: Shape::new((options.beta, options.c), options.fast_convergence, options.friendly),
            curve: Curve::default(),
            hystart: HyStart::default(),
            found: None,
            whole: WholeSegments::default(),
            last_sent: Tick(0),
        }
    }

    /// Returns the threshold after a loss, and ends the period of growth.
    fn reduce(&mut self, view: &SenderView) -> f64 {
        self.curve.lose(self.shape, whole(view.cwnd)) as f64
    }
}

impl CongestionControl for LinuxCubic {
    fn on_rtt(&mut self, view: &SenderView, event: &RttEvent, _: &mut Effects) {
        if self.curve.age(Tick::at(view.now)).is_some_and(|age| age < UNSETTLED) {
            return;
        }
        let delay = (event.exact.as_nanos() / 1000).max(1);
        let least = self.curve.note_delay(delay);
        // During a fast recovery the window is that of the repair (PRR).
        if view.cwnd < view.ssthresh && !view.in_recovery && self.hystart.ends(view, delay, least) {
            self.found = Some(view.cwnd);
        }
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        let ssthresh = self.found.take().unwrap_or(view.ssthresh);
        let mut window = Window { cwnd: view.cwnd, ssthresh };
        if !event.may_grow {
            return Window { cwnd: event.standard.cwnd, ssthresh };
        }
        if !limits_linux(view, event) {
            return window;
        }
        let mut acked = event.delivered;
        if window.cwnd < ssthresh {
            let before = window.cwnd;
            window.cwnd = slow_start(window, acked);
            acked -= window.cwnd - before;
        }
        if acked > 0.0 {
            let price = self.curve.price(self.shape, whole(window.cwnd), acked, Tick::at(view.now));
            window.cwnd = self.whole.avoid(window.cwnd, acked, price as f64);
        }
        window
    }

    fn on_loss(&mut self, view: &SenderView, _: &LossEvent, _: &mut Effects) -> Window {
        self.found = None;
        self.whole.restart();
        let ssthresh = self.reduce(view);
        Window { cwnd: ssthresh, ssthresh }
    }

    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        // The first loss of a window has reduced the threshold; a timeout after a retransmission has arrived is a new loss.
        let again = event.opening || view.in_recovery || (view.after_timeout && event.consecutive > 1);
        let ssthresh = if again { view.ssthresh } else { self.reduce(view) };
        self.found = None;
        self.whole.restart();
        self.curve = Curve::default();
        self.hystart.restart(view);
        RtoDecision { window: Window { cwnd: event.standard.cwnd, ssthresh }, backoff: Backoff::Double }
    }

    fn on_sent(&mut self, view: &SenderView, event: &SentEvent) {
        let now = Tick::at(view.now);
        if event.alone {
            self.curve.shift(now, now.since(self.last_sent));
        }
        self.last_sent = now;
    }

    fn wants_sent(&self) -> bool {
        true
    }
}

fn whole(cwnd: f64) -> u64 {
    (cwnd as u64).max(1)
}

#[cfg(test)]
mod tests;
