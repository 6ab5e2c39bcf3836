//! NewReno: fast recovery until everything sent before it is acknowledged (RFC 6582).

use crate::config::{NewRenoEntry, NewRenoExit, NewRenoTimer};
use crate::send::*;

impl Sender {
    pub(crate) fn newreno(&mut self, cx: &mut Cx, ack: &Ack) {
        if ack.to > self.una {
            if ack.to >= self.recover || self.last_cut != LastCut::DupAcks {
                self.newreno_full_ack(cx, ack);
            } else {
                self.newreno_partial_ack(cx, ack);
            }
        } else if self.is_dup(ack) {
            match self.count_dup(cx) {
                Dup::Loss if self.newreno_may_enter(cx) => self.enter_fast_recovery(cx),
                Dup::More if self.last_cut == LastCut::DupAcks => self.inflation += 1.0,
                Dup::Early if cx.cfg.limited_transmit => self.send_one_more(cx),
                _ => {}
            }
        }
        if self.dup_acks == 0 {
            self.send_window(cx, cx.cfg.max_burst);
        } else if self.dup_acks >= cx.cfg.dup_threshold {
            self.send_window(cx, cx.cfg.newreno.recovery_burst);
        }
    }

    fn newreno_may_enter(&self, cx: &Cx) -> bool {
        self.una > self.recover
            || self.una == 1
            || (cx.cfg.newreno.entry == NewRenoEntry::LessCareful && self.una == self.recover)
    }

    fn newreno_full_ack(&mut self, cx: &mut Cx, ack: &Ack) {
        let bytes = ack.to - self.una;
        let opening = self.una == 0;
        let recovering = self.last_cut == LastCut::DupAcks;
        // ns-2 notices the end of recovery only by the inflation, which its simple deflation may have
        // removed before.
        let noticed = self.inflation > 0.0 || cx.cfg.newreno.exit != NewRenoExit::Keep;
        let leaving = recovering && noticed;
        self.inflation = 0.0;
        self.had_partial = false;
        if leaving {
            self.last_cut = LastCut::Recovered;
            match cx.cfg.newreno.exit {
                NewRenoExit::Flight => {
                    let flight = (self.max - ack.to) as f64 / self.mss as f64;
                    self.cwnd = self.ssthresh.min(flight.max(1.0) + 1.0);
                }
                NewRenoExit::Ssthresh => self.cwnd = self.ssthresh,
                NewRenoExit::Keep => {}
            }
        }
        self.advance(cx, ack);
        if leaving {
            self.leave_recovery(cx);
        }
        if !opening {
            self.grow(cx, bytes, !leaving || cx.cfg.growth_on_exit);
        }
    }

    fn newreno_partial_ack(&mut self, cx: &mut Cx, ack: &Ack) {
        let bytes = ack.to - self.una;
        let acked = bytes as f64 / self.mss as f64;
        if !cx.cfg.newreno.partial_window_deflation {
            self.inflation = 0.0;
        } else if self.inflation > acked {
            // Out goes what was acknowledged, in comes the segment that is about to be sent.
            self.inflation -= if acked >= 1.0 { acked - 1.0 } else { acked };
        } else {
            self.cwnd = (self.cwnd - (acked - self.inflation)).max(1.0);
            self.inflation = 1.0;
        }
        if cx.cfg.newreno.timer == NewRenoTimer::SlowButSteady || !self.had_partial {
            self.had_partial = true;
            self.arm_timer(cx);
        }
        self.advance_partially(cx, ack.to);
        self.grow(cx, bytes, false);
        if !self.is_frozen() {
            self.retransmit_una(cx);
        }
    }
}
