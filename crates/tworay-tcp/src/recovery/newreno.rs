//! NewReno: fast recovery until everything sent before it is acknowledged (RFC 6582).

use super::{Recovery, reno};
use crate::config::{NewRenoEntry, NewRenoExit, NewRenoTimer};
use crate::send::{Ack, CutBy, Cx, Dup, Machinery};
use crate::variant::{Entry, Meaning, RecoveryKind, VariantInfo};

#[derive(Debug, Default)]
pub(super) struct NewReno {
    /// A partial ACK arrived in this recovery.
    had_partial: bool,
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "newreno",
        summary: "fast recovery through partial ACKs",
        source: "RFC 6582",
        parameters: &[],
    },
    meaning: Meaning::Recovery(RecoveryKind::NewReno),
};

impl Recovery for NewReno {
    fn on_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        if ack.to > tx.space.una {
            if ack.to >= tx.cut.point || tx.cut.by != CutBy::DupAcks {
                self.full_ack(tx, cx, ack);
            } else {
                self.partial_ack(tx, cx, ack);
            }
        } else if tx.is_dup(ack) {
            match tx.count_dup(cx, self) {
                Dup::Loss if may_enter(tx, cx) => {
                    self.had_partial &= !reno::enter_fast_recovery(self, tx, cx);
                }
                Dup::More if tx.cut.by == CutBy::DupAcks => tx.window.inflation += 1.0,
                Dup::Early if cx.cfg.limited_transmit => tx.send_one_more(cx, self),
                _ => {}
            }
        }
        if tx.dup_acks == 0 {
            tx.send_window(cx, self, cx.cfg.max_burst);
        } else if tx.dup_acks >= cx.cfg.dup_threshold {
            tx.send_window(cx, self, cx.cfg.newreno.recovery_burst);
        }
    }

    fn begins_on_request(&mut self) -> bool {
        self.had_partial = false;
        true
    }
}

/// RFC 6582 §3.2 step 2.
fn may_enter(tx: &Machinery, cx: &Cx) -> bool {
    let una = tx.space.una;
    una > tx.cut.point
        || una == 1
        || (cx.cfg.newreno.entry == NewRenoEntry::LessCareful && una == tx.cut.point)
}

impl NewReno {
    /// Everything sent before the loss is acknowledged, or no recovery is in progress.
    fn full_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        let bytes = ack.to - tx.space.una;
        let opening = tx.space.una == 0;
        let noticed = tx.window.inflation > 0.0 || !tx.quirks.exit_seen_by_inflation;
        let leaving = tx.cut.by == CutBy::DupAcks && noticed;
        tx.window.inflation = 0.0;
        self.had_partial = false;
        if leaving {
            tx.cut.by = CutBy::Recovered;
            match cx.cfg.newreno.exit {
                NewRenoExit::Flight => {
                    let flight = (tx.space.max - ack.to) as f64 / tx.space.mss as f64;
                    tx.window.cwnd = tx.window.ssthresh.min(flight.max(1.0) + 1.0);
                }
                NewRenoExit::Ssthresh => tx.window.cwnd = tx.window.ssthresh,
                NewRenoExit::Keep => {}
            }
        }
        tx.advance(cx, self, ack);
        if leaving {
            tx.leave_recovery(cx, self);
        }
        if !opening {
            tx.grow(cx, self, bytes, !leaving || cx.cfg.growth_on_exit);
        }
    }

    /// The next segment was lost too (RFC 6582 §3.2 step 3): retransmit it at once.
    fn partial_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        let bytes = ack.to - tx.space.una;
        let acked = bytes as f64 / tx.space.mss as f64;
        let window = &mut tx.window;
        if !cx.cfg.newreno.partial_window_deflation {
            window.inflation = 0.0;
        } else if window.inflation > acked {
            // Deflate by the amount acknowledged, and add back the segment about to be sent.
            window.inflation -= if acked >= 1.0 { acked - 1.0 } else { acked };
        } else {
            window.cwnd = (window.cwnd - (acked - window.inflation)).max(1.0);
            window.inflation = 1.0;
        }
        if cx.cfg.newreno.timer == NewRenoTimer::SlowButSteady || !self.had_partial {
            self.had_partial = true;
            tx.arm_timer(cx);
        }
        tx.advance_partially(cx, ack.to);
        tx.grow(cx, self, bytes, false);
        if !tx.is_frozen() {
            tx.retransmit_una(cx, self);
        }
    }
}
