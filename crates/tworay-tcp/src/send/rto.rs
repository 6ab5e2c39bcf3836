//! The retransmission timer and its expiry (RFC 6298 §5, RFC 5681 §3.1).

use super::*;
use crate::config::Halving;
use crate::control::{Backoff, Effects, RtoDecision, RtoEvent, Window};

/// What the retransmission timer can run for before the timeout: one timer serves all (RFC 8985 §8).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Early {
    /// Segments that may only be out of order count as lost.
    Reordering,
    /// A tail loss probe is due.
    Probe,
}

/// State of the timer; its length comes from the estimator.
#[derive(Debug)]
pub(crate) struct RetransmitTimer {
    armed: bool,
    /// Timeout chosen by the variant, in force until new data is acknowledged.
    pub(super) chosen: Option<SimDuration>,
    /// `una` at the last expiry, and its number of consecutive timeouts.
    pub(super) expired: Option<(u64, u32)>,
    /// The timer runs for this instead of the timeout.
    early: Option<Early>,
    /// When the timeout is due.
    expiry: SimTime,
    /// Phase of the clock at whose beats the timer fires.
    phase: SimDuration,
}

impl RetransmitTimer {
    pub fn new(phase: SimDuration) -> Self {
        Self { armed: false, chosen: None, expired: None, early: None, expiry: SimTime::NEVER, phase }
    }

    pub fn is_armed(&self) -> bool {
        self.armed
    }

    /// The timer runs for this.
    pub fn waits_for(&self, early: Early) -> bool {
        self.early == Some(early)
    }
}

impl Machinery {
    /// Starts or restarts the retransmission timer.
    pub fn arm_timer(&mut self, cx: &mut Cx) {
        if !self.is_frozen() {
            self.timer.armed = true;
            let wait = self.timer.chosen.map_or_else(|| self.rtt.rto(), |w| w.min(cx.cfg.rto.max));
            let at = heartbeat(cx.now + wait, cx.cfg.heartbeat, self.timer.phase);
            (self.timer.early, self.timer.expiry) = (None, at);
            cx.out.push(TcpAction::Arm(TcpTimer::Retransmit, at));
        }
    }

    /// Lets the timer run for something that comes before the timeout. A probe that would come later takes the place
    /// of the timeout (RFC 8985 §7.2).
    pub fn arm_early(&mut self, cx: &mut Cx, early: Early, at: SimTime) {
        if early == Early::Reordering && at >= self.timer.expiry {
            self.rearm_timer(cx);
        } else if !self.is_frozen() {
            (self.timer.armed, self.timer.early) = (true, Some(early));
            cx.out.push(TcpAction::Arm(TcpTimer::Retransmit, at.min(self.timer.expiry).max(cx.now)));
        }
    }

    /// Lets the timer run for the timeout again, which is due when it was before.
    pub fn rearm_timer(&mut self, cx: &mut Cx) {
        if !self.is_frozen() {
            (self.timer.armed, self.timer.early) = (true, None);
            cx.out.push(TcpAction::Arm(TcpTimer::Retransmit, self.timer.expiry.max(cx.now)));
        }
    }

    pub(super) fn disarm_timer(&mut self, cx: &mut Cx) {
        if self.timer.armed {
            self.timer.armed = false;
            cx.out.push(TcpAction::Disarm(TcpTimer::Retransmit));
        }
    }

    /// Whether the sender, at a window of zero, waits for the timer even with nothing outstanding.
    pub fn waits_with_nothing_out(&self) -> bool {
        self.quirks.zero_window_waits && self.window.cwnd < 1.0 && self.space.una < self.space.end()
    }

    /// The retransmission timer expired.
    pub(super) fn on_rto(&mut self, cx: &mut Cx, recovery: &mut dyn Recovery) {
        self.timer.armed = false;
        if (self.space.una >= self.space.max && !self.waits_with_nothing_out()) || self.is_frozen() {
            return;
        }
        if let Some(early) = self.timer.early.take() {
            self.rearm_timer(cx);
            return recovery.on_early(self, cx, early);
        }
        cx.counters.timeouts += 1;
        cx.counters.rto_idle += cx.now.since(self.last_send);
        let una = self.space.una;
        let consecutive = match self.timer.expired {
            Some((before, n)) if before == una => n + 1,
            _ => 1,
        };
        self.timer.expired = Some((una, consecutive));
        self.window.inflation = 0.0;
        recovery.on_expiry(self);
        let opening = una == 0;
        if opening && !self.quirks.lost_syn_keeps_window {
            // A lost SYN: start with one segment (RFC 5681 §3.1).
            self.window.initial = 1.0;
        }
        let half = self.halved(cx).ssthresh;
        let held = cx.cfg.halving == Halving::FlightSize && (consecutive > 1 || opening);
        let ssthresh = if held { self.window.ssthresh } else { half };
        let standard = recovery.timeout_window(self, Window { cwnd: 1.0, ssthresh });
        self.watch_timeout(cx, recovery, consecutive == 1);
        let decision = self.decide_rto(cx, recovery, consecutive, standard);
        if self.is_frozen() {
            self.spurious.trial_is_void();
            // The variant takes over.
            cx.note(TcpNote::Timeout { seq: self.space.seq(una), backoff: self.rtt.backoff() });
            return;
        }
        recovery.on_timeout(self, cx);
        cx.counters.window_cuts += 1;
        self.mark_cut(CutBy::Timeout);
        self.limited_bytes = 0;
        self.timer.chosen = match decision.backoff {
            Backoff::Double => {
                self.rtt.back_off();
                None
            }
            Backoff::Keep => None,
            Backoff::Wait(wait) => Some(wait),
        };
        recovery.go_back(self, cx);
        self.timed = None;
        cx.note(TcpNote::Timeout { seq: self.space.seq(una), backoff: self.rtt.backoff() });
        self.arm_timer(cx);
        self.send_window(cx, recovery, cx.cfg.max_burst);
    }

    fn decide_rto(
        &mut self,
        cx: &mut Cx,
        recovery: &mut dyn Recovery,
        consecutive: u32,
        standard: Window,
    ) -> RtoDecision {
        if self.controls.is_standard() {
            (self.window.cwnd, self.window.ssthresh) = (standard.cwnd, standard.ssthresh);
            return RtoDecision { window: standard, backoff: Backoff::Double };
        }
        let mut effects = Effects::new();
        let view = self.view(cx, recovery);
        let opening = self.space.una == 0;
        let event = RtoEvent { seq: self.space.seq(self.space.una), consecutive, opening, standard };
        let decision = self.controls.on_rto(&view, &event, &mut effects);
        self.set_window(recovery, decision.window);
        self.apply(cx, recovery, effects);
        decision
    }
}
