//! Reno: fast recovery until the first new ACK (RFC 5681 §3.2).

use crate::config::RenoForm;
use crate::send::*;

impl Sender {
    pub(crate) fn reno(&mut self, cx: &mut Cx, ack: &Ack) {
        if ack.to > self.una {
            let bytes = ack.to - self.una;
            let opening = self.una == 0;
            let leaving = self.last_cut == LastCut::DupAcks;
            if leaving {
                self.last_cut = LastCut::Recovered;
            }
            self.inflation = 0.0;
            self.advance(cx, ack);
            if leaving {
                self.leave_recovery(cx);
            }
            if !opening {
                self.grow(cx, bytes, !leaving || cx.cfg.growth_on_exit);
            }
        } else if self.is_dup(ack) {
            match self.count_dup(cx) {
                Dup::Loss if self.reno_may_enter(cx) => self.enter_fast_recovery(cx),
                Dup::More if self.last_cut == LastCut::DupAcks => self.inflation += 1.0,
                Dup::Early if cx.cfg.limited_transmit => self.send_one_more(cx),
                _ => {}
            }
        }
        if self.dup_acks == 0 || self.dup_acks >= cx.cfg.dup_threshold {
            self.send_window(cx, cx.cfg.max_burst);
        }
    }

    fn reno_may_enter(&self, cx: &Cx) -> bool {
        cx.cfg.reno == RenoForm::Rfc
            || self.una > self.recover
            || self.una == 1
            || self.last_cut == LastCut::DupAcks
    }

    /// Halves, sends the lost segment again, and inflates the window by what has left the network.
    pub(crate) fn enter_fast_recovery(&mut self, cx: &mut Cx) {
        let standard = self.halved(cx);
        if !self.cut_for_loss(cx, standard) {
            return;
        }
        self.recover = self.max;
        self.last_cut = LastCut::DupAcks;
        self.had_partial = false;
        self.arm_timer(cx);
        self.timed = None;
        self.retransmit_una(cx);
        self.inflation = f64::from(cx.cfg.dup_threshold);
    }
}
