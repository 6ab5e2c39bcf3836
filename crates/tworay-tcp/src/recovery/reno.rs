//! Reno: fast recovery until the first new ACK (RFC 5681 §3.2).

use super::Recovery;
use crate::config::RenoForm;
use crate::send::{Ack, CutBy, Cx, Dup, Machinery};
use crate::variant::{Entry, Meaning, RecoveryKind, VariantInfo};

#[derive(Debug)]
pub(super) struct Reno;

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "reno",
        summary: "fast recovery until the first new ACK",
        source: "RFC 5681",
        parameters: &[],
    },
    meaning: Meaning::Recovery(RecoveryKind::Reno),
};

impl Recovery for Reno {
    fn on_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        if ack.to > tx.space.una {
            let bytes = ack.to - tx.space.una;
            let opening = tx.space.una == 0;
            let leaving = tx.cut.by == CutBy::DupAcks;
            if leaving {
                tx.cut.by = CutBy::Recovered;
            }
            tx.window.inflation = 0.0;
            tx.advance(cx, self, ack);
            if leaving {
                tx.leave_recovery(cx, self);
            }
            if !opening {
                tx.grow(cx, self, bytes, !leaving || cx.cfg.growth_on_exit);
            }
        } else if tx.is_dup(ack) {
            match tx.count_dup(cx, self) {
                Dup::Loss if may_enter(tx, cx) => {
                    enter_fast_recovery(self, tx, cx);
                }
                Dup::More if tx.cut.by == CutBy::DupAcks => tx.window.inflation += 1.0,
                Dup::Early if cx.cfg.limited_transmit => tx.send_one_more(cx, self),
                _ => {}
            }
        }
        if tx.dup_acks == 0 || tx.dup_acks >= cx.cfg.dup_threshold {
            tx.send_window(cx, self, cx.cfg.max_burst);
        }
    }

    fn begins_on_request(&mut self) -> bool {
        true
    }
}

fn may_enter(tx: &Machinery, cx: &Cx) -> bool {
    cx.cfg.reno == RenoForm::Rfc
        || tx.space.una > tx.cut.point
        || tx.space.una == 1
        || tx.cut.by == CutBy::DupAcks
}

/// Reduces the window, retransmits the lost segment, and inflates the window by the segments that have left
/// the network (RFC 5681 §3.2 steps 2 and 3). Returns whether recovery started. Also used by NewReno.
pub(super) fn enter_fast_recovery(recovery: &mut dyn Recovery, tx: &mut Machinery, cx: &mut Cx) -> bool {
    let standard = tx.halved(cx);
    if !tx.cut_for_loss(cx, recovery, standard) {
        return false;
    }
    tx.mark_cut(CutBy::DupAcks);
    tx.arm_timer(cx);
    tx.timed = None;
    tx.retransmit_una(cx, recovery);
    tx.window.inflation = f64::from(cx.cfg.dup_threshold);
    true
}
