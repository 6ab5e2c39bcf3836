//! Tahoe: on a loss, slow start from the lost segment on (Jacobson 1988).

use super::Recovery;
use super::decisions::*;
use crate::control::Window;
use crate::parts::{Entry, Event, Meaning, RecoveryKind, Rule, VariantInfo};
use crate::send::{Ack, CutBy, Cx, Dup, SendState};

#[derive(Debug)]
pub(super) struct Tahoe;

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "tahoe",
        summary: "fast retransmit, then slow start",
        source: "Jacobson 1988; ns-2 Agent/TCP",
        rules: &[
            Rule::GROWTH,
            Rule::LIMITED_TRANSMIT,
            Rule::at(
                Event::Loss,
                "ssthresh is half of the flight (tcp.halving), cwnd 1; sends again from the lost segment on; not for data sent before the last loss",
                "Jacobson 1988; ns-2 tcp.cc, bugFix_",
            ),
            Rule::TIMEOUT,
        ],
        parameters: &[],
    },
    meaning: Meaning::Recovery(RecoveryKind::Tahoe),
};

impl Recovery for Tahoe {
    fn on_ack(&mut self, tx: &SendState, _: &Cx, ack: &Ack, out: &mut Decisions) -> Reply {
        if ack.to > tx.space.una {
            return Reply::Routine;
        }
        if tx.is_dup(ack) {
            out.push(Decision::CountDup);
        }
        Reply::Decided
    }

    fn on_dup(&mut self, tx: &SendState, cx: &Cx, dup: Dup, out: &mut Decisions) {
        match dup {
            // Duplicate ACKs of data retransmitted after a loss do not indicate a new loss.
            Dup::Loss if tx.space.una > tx.cut.point || tx.space.una == 1 => {
                let standard = Window { cwnd: 1.0, ..tx.halved(cx) };
                out.push(Decision::Reduce { standard, cause: Detected::FastRetransmit });
            }
            Dup::Early if cx.cfg.limited_transmit => out.push(Decision::LimitedTransmit),
            _ => {}
        }
    }

    fn on_reduced(&mut self, _: &SendState, _: &Cx, reduction: Reduction, out: &mut Decisions) {
        if reduction.stands {
            out.push(Decision::MarkCut(CutBy::Nothing));
            out.push(Decision::ArmTimer);
            out.push(Decision::Rewind);
            out.push(Decision::StopTiming);
        }
    }

    fn after_ack(&mut self, _: &SendState, cx: &Cx) -> Sending {
        Sending::Window { burst: cx.cfg.max_burst }
    }

    fn in_recovery(&self, _: &SendState) -> bool {
        false
    }

    fn keeps_dup_acks(&self) -> bool {
        true
    }
}
