//! Runs of the retransmission timer, and its expiry (RFC 6298 §5, RFC 5681 §3.1).

use super::*;
use crate::config::Halving;
use crate::control::{Backoff, Effects, RtoDecision, RtoEvent, Window};
use crate::recovery::Restart;

impl SendState {
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

    /// Lets the timer run for something that comes before the timeout. A probe that would come later takes
    /// the place of the timeout (RFC 8985 §7.2).
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

    /// True if the sender, at a window of zero, waits for the timer even with nothing outstanding.
    pub fn waits_with_nothing_outstanding(&self) -> bool {
        self.quirks.zero_window_waits && self.window.cwnd < 1.0 && self.space.una < self.space.end()
    }
}

impl Sender {
    /// The retransmission timer expired.
    pub fn on_rto(&mut self, cx: &mut Cx) {
        self.tx.timer.armed = false;
        if (self.tx.space.una >= self.tx.space.max && !self.tx.waits_with_nothing_outstanding())
            || self.tx.is_frozen()
        {
            return;
        }
        if let Some(early) = self.tx.timer.early.take() {
            self.tx.rearm_timer(cx);
            self.recovery.on_early(&self.tx, cx, early, &mut self.decisions);
            self.carry_out(cx);
            return self.send_window(cx, cx.cfg.max_burst);
        }
        cx.counters.timeouts += 1;
        cx.counters.rto_idle += cx.now.since(self.tx.last_send);
        let una = self.tx.space.una;
        let consecutive = match self.tx.timer.expired {
            Some((before, n)) if before == una => n + 1,
            _ => 1,
        };
        self.tx.timer.expired = Some((una, consecutive));
        self.tx.window.inflation = 0.0;
        if !self.recovery.keeps_dup_acks() {
            self.tx.dup_acks = 0;
        }
        let opening = una == 0;
        if opening && !self.tx.quirks.lost_syn_keeps_window {
            // A lost SYN: start with one segment (RFC 5681 §3.1).
            self.tx.window.initial = 1.0;
        }
        let half = self.tx.halved(cx).ssthresh;
        let held = cx.cfg.halving == Halving::FlightSize && (consecutive > 1 || opening);
        let ssthresh = if held { self.tx.window.ssthresh } else { half };
        let standard = self.recovery.timeout_window(&self.tx, Window { cwnd: 1.0, ssthresh });
        self.watch_timeout(cx, consecutive == 1);
        let decision = self.decide_rto(cx, consecutive, standard);
        if self.tx.is_frozen() {
            self.tx.spurious.trial_is_void();
            // The variant takes over.
            cx.note(TcpNote::Timeout { seq: self.tx.space.seq(una), backoff: self.tx.rtt.backoff() });
            return;
        }
        if let Some(cwnd) = self.recovery.on_timeout(&self.tx, cx) {
            self.tx.window.cwnd = cwnd;
        }
        cx.counters.window_cuts += 1;
        self.tx.mark_cut(CutBy::Timeout);
        self.tx.limited_bytes = 0;
        self.tx.timer.chosen = match decision.backoff {
            Backoff::Double => {
                self.tx.rtt.back_off();
                None
            }
            Backoff::Keep => None,
            Backoff::Wait(wait) => Some(wait),
        };
        self.restart(cx);
        self.tx.timed = None;
        cx.note(TcpNote::Timeout { seq: self.tx.space.seq(una), backoff: self.tx.rtt.backoff() });
        self.tx.arm_timer(cx);
        self.send_window(cx, cx.cfg.max_burst);
    }

    /// Retransmits what is outstanding.
    pub(super) fn restart(&mut self, cx: &Cx) {
        match self.recovery.go_back(&self.tx, cx) {
            Restart::FromOldest => self.tx.space.nxt = self.tx.space.una,
            Restart::ByRecord { cwnd: Some(cwnd) } => self.tx.window.cwnd = cwnd,
            Restart::ByRecord { cwnd: None } => {}
        }
    }

    fn decide_rto(&mut self, cx: &mut Cx, consecutive: u32, standard: Window) -> RtoDecision {
        if self.tx.controls.is_standard() {
            (self.tx.window.cwnd, self.tx.window.ssthresh) = (standard.cwnd, standard.ssthresh);
            return RtoDecision { window: standard, backoff: Backoff::Double };
        }
        let mut effects = Effects::new();
        let view = self.view(cx);
        let opening = self.tx.space.una == 0;
        let event = RtoEvent { seq: self.tx.space.seq(self.tx.space.una), consecutive, opening, standard };
        let decision = self.tx.controls.on_rto(&view, &event, &mut effects);
        self.set_window(decision.window);
        self.apply(cx, effects);
        decision
    }
}
