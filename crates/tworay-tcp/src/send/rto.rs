//! The retransmission timeout (RFC 6298 §5, RFC 5681 §3.1).

use super::*;
use crate::config::{AfterRto, Halving};
use crate::control::{Backoff, Effects, RtoDecision, RtoEvent, Window};

impl Sender {
    /// The retransmission timer expired.
    pub fn on_rto(&mut self, cx: &mut Cx) {
        self.timer_armed = false;
        if (self.una >= self.max && !self.vegas_waits()) || self.is_frozen() {
            return;
        }
        cx.counters.timeouts += 1;
        cx.counters.rto_idle += cx.now.since(self.last_send);
        let consecutive = match self.timeouts_of {
            Some((una, n)) if una == self.una => n + 1,
            _ => 1,
        };
        self.timeouts_of = Some((self.una, consecutive));
        self.inflation = 0.0;
        if self.kind != RecoveryKind::Tahoe {
            self.dup_acks = 0;
        }
        let opening = self.una == 0;
        if opening && !self.vegas_rushes(cx.cfg) {
            // A lost SYN: start carefully (RFC 5681 §3.1).
            self.initial_window = 1.0;
        }
        let half = self.halved(cx).ssthresh;
        let held = cx.cfg.halving == Halving::FlightSize && (consecutive > 1 || opening);
        let standard = match self.linux.is_on() {
            true => self.linux_after_timeout(),
            false => Window { cwnd: 1.0, ssthresh: if held { self.ssthresh } else { half } },
        };
        let decision = self.decide_rto(cx, consecutive, standard);
        if self.is_frozen() {
            // The variant has taken over.
            cx.note(TcpNote::Timeout { seq: self.seq(self.una), backoff: self.rtt.backoff() });
            return;
        }
        if self.kind == RecoveryKind::Vegas {
            self.vegas_after_timeout(cx);
        }
        cx.counters.window_cuts += 1;
        self.recover = self.max;
        self.last_cut = LastCut::Timeout;
        self.limited_bytes = 0;
        self.wait = match decision.backoff {
            Backoff::Double => {
                self.rtt.back_off();
                None
            }
            Backoff::Keep => None,
            Backoff::Wait(wait) => Some(wait),
        };
        self.go_back_to_una(cx);
        self.timed = None;
        cx.note(TcpNote::Timeout { seq: self.seq(self.una), backoff: self.rtt.backoff() });
        self.arm_timer(cx);
        self.send_window(cx, cx.cfg.max_burst);
    }

    fn decide_rto(&mut self, cx: &mut Cx, consecutive: u32, standard: Window) -> RtoDecision {
        if self.controls.is_standard() {
            (self.cwnd, self.ssthresh) = (standard.cwnd, standard.ssthresh);
            return RtoDecision { window: standard, backoff: Backoff::Double };
        }
        let mut effects = Effects::new();
        let view = self.view(cx);
        let event = RtoEvent { seq: self.seq(self.una), consecutive, opening: self.una == 0, standard };
        let decision = self.controls.on_rto(&view, &event, &mut effects);
        self.set_window(decision.window);
        self.apply(cx, effects);
        decision
    }

    /// Everything outstanding is to be sent again, but for what the scoreboard keeps.
    pub(crate) fn go_back_to_una(&mut self, cx: &Cx) {
        if self.linux.is_on() {
            self.sack_recovery = false;
            self.linux.lose_all(self.sent.len(), self.cwnd);
        } else {
            self.nxt = self.una;
            self.reset_sack(cx);
        }
    }

    fn reset_sack(&mut self, cx: &Cx) {
        self.sack_recovery = false;
        self.deaf_to_dups = true;
        // A receiver that SACKed the byte it now lacks has thrown data away (RFC 2018 §8).
        let reneged = self.scoreboard.sacked().containing(self.una).is_some();
        if cx.cfg.sack.after_rto == AfterRto::Clear || reneged {
            self.scoreboard.clear();
        } else {
            self.scoreboard.start_recovery(self.una);
        }
    }
}
