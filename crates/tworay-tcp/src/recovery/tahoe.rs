//! Tahoe: on a loss, slow start from the lost segment on (Jacobson 1988).

use super::Recovery;
use crate::control::Window;
use crate::send::{Ack, CutBy, Cx, Dup, Machinery};
use crate::variant::{Entry, Meaning, RecoveryKind, VariantInfo};

#[derive(Debug)]
pub(super) struct Tahoe;

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "tahoe",
        summary: "fast retransmit, then slow start",
        source: "Jacobson 1988; ns-2 Agent/TCP",
        parameters: &[],
    },
    meaning: Meaning::Recovery(RecoveryKind::Tahoe),
};

impl Recovery for Tahoe {
    fn on_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        if ack.to > tx.space.una {
            let bytes = ack.to - tx.space.una;
            let opening = tx.space.una == 0;
            tx.advance(cx, self, ack);
            if !opening {
                tx.grow(cx, self, bytes, true);
            }
        } else if tx.is_dup(ack) {
            match tx.count_dup(cx, self) {
                Dup::Loss => self.loss(tx, cx),
                Dup::Early if cx.cfg.limited_transmit => tx.send_one_more(cx, self),
                _ => {}
            }
        }
        tx.send_window(cx, self, cx.cfg.max_burst);
    }

    fn in_recovery(&self, _: &Machinery) -> bool {
        false
    }

    /// A timeout does not reset the count of duplicate ACKs.
    fn on_expiry(&mut self, _: &mut Machinery) {}
}

impl Tahoe {
    fn loss(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        // Duplicate ACKs of data retransmitted after a loss do not indicate a new loss.
        if tx.space.una <= tx.cut.point && tx.space.una != 1 {
            return;
        }
        let standard = Window { cwnd: 1.0, ..tx.halved(cx) };
        if !tx.cut_for_loss(cx, self, standard) {
            return;
        }
        tx.mark_cut(CutBy::Nothing);
        tx.arm_timer(cx);
        tx.space.nxt = tx.space.una;
        tx.timed = None;
    }
}
