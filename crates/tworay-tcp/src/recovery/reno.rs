//! Reno: fast recovery until the first new ACK (RFC 5681 §3.2).

use super::Recovery;
use super::decisions::*;
use crate::config::{RenoForm, TcpConfig};
use crate::parts::{Entry, Event, Meaning, RecoveryKind, Rule, Settings, VariantInfo, settings};
use crate::send::{Ack, CutBy, Cx, Dup, SendState};

settings! {
    pub(super) struct Options {
        /// three more duplicate ACKs for another loss of the same window: as tcp.reno says; halve again (RFC
        /// 5681); or wait for the timer (ns-2's bugFix_)
        second: Option<RenoForm> = [
            "setting" => None, "halve" => Some(RenoForm::Rfc), "wait" => Some(RenoForm::Bugfix),
        ];
    }
}

#[derive(Debug)]
pub(super) struct Reno {
    form: RenoForm,
    /// The ACK being processed ends fast recovery.
    leaving: bool,
}

impl Reno {
    pub fn new(options: Options, cfg: &TcpConfig) -> Self {
        Self { form: options.second.unwrap_or(cfg.reno), leaving: false }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "reno",
        summary: "fast recovery until the first new ACK",
        source: "RFC 5681",
        rules: &[
            Rule::GROWTH,
            Rule::LIMITED_TRANSMIT,
            Rule::at(
                Event::Loss,
                "sends the lost segment again; ssthresh and cwnd are half of the flight (tcp.halving), plus three segments while recovery lasts",
                "RFC 5681 §3.2, steps 2 and 3",
            ),
            Rule::INFLATION,
            Rule::at(
                Event::End,
                "at the first ACK of new data: cwnd is ssthresh; `second` says what the next loss of the same window does",
                "RFC 5681 §3.2, step 6",
            ),
            Rule::TIMEOUT,
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Recovery(RecoveryKind::Reno),
};

impl Recovery for Reno {
    fn on_ack(&mut self, tx: &SendState, _: &Cx, ack: &Ack, out: &mut Decisions) -> Reply {
        if ack.to > tx.space.una {
            self.leaving = tx.cut.by == CutBy::DupAcks;
            if !self.leaving && tx.window.inflation == 0.0 {
                return Reply::Routine;
            }
            if self.leaving {
                out.push(Decision::EndCut);
            }
            out.push(Decision::SetInflation(0.0));
            return Reply::Advance(Advance::Full);
        }
        if tx.is_dup(ack) {
            out.push(Decision::CountDup);
        }
        Reply::Decided
    }

    fn on_advanced(&mut self, _: &SendState, cx: &Cx, _: &Ack, new: NewData, out: &mut Decisions) {
        leave_and_grow(cx, self.leaving, new, out);
    }

    fn on_dup(&mut self, tx: &SendState, cx: &Cx, dup: Dup, out: &mut Decisions) {
        let may_enter = self.form == RenoForm::Rfc
            || tx.space.una > tx.cut.point
            || tx.space.una == 1
            || tx.cut.by == CutBy::DupAcks;
        answer_dup(tx, cx, dup, may_enter, out);
    }

    fn on_reduced(&mut self, _: &SendState, cx: &Cx, reduction: Reduction, out: &mut Decisions) {
        if reduction.stands {
            start_fast_recovery(cx, out);
        }
    }

    fn after_ack(&mut self, tx: &SendState, cx: &Cx) -> Sending {
        if tx.dup_acks == 0 || tx.dup_acks >= cx.cfg.dup_threshold {
            return Sending::Window { burst: cx.cfg.max_burst };
        }
        Sending::Nothing
    }

    fn begins_on_request(&mut self) -> bool {
        true
    }
}

/// An ACK of new data, which may end fast recovery. Also used by NewReno.
#[inline]
pub(super) fn leave_and_grow(cx: &Cx, leaving: bool, new: NewData, out: &mut Decisions) {
    if leaving {
        out.push(Decision::Leave);
    }
    if !new.opening {
        out.push(Decision::Grow { bytes: new.bytes, may_grow: !leaving || cx.cfg.growth_on_exit });
    }
}

/// The reaction to a duplicate ACK: the reduction, inflation, or limited transmit (RFC 5681 §3.2 steps 1, 2
/// and 4). Also used by NewReno.
pub(super) fn answer_dup(tx: &SendState, cx: &Cx, dup: Dup, may_enter: bool, out: &mut Decisions) {
    match dup {
        Dup::Loss if may_enter => {
            out.push(Decision::Reduce { standard: tx.halved(cx), cause: Detected::FastRetransmit });
        }
        Dup::More if tx.cut.by == CutBy::DupAcks => {
            out.push(Decision::SetInflation(tx.window.inflation + 1.0));
        }
        Dup::Early if cx.cfg.limited_transmit => out.push(Decision::LimitedTransmit),
        _ => {}
    }
}

/// Retransmits the lost segment, and inflates the window by the segments that have left the network (RFC
/// 5681 §3.2 step 3). Also used by NewReno.
pub(super) fn start_fast_recovery(cx: &Cx, out: &mut Decisions) {
    out.push(Decision::StartFastRecovery);
    out.push(Decision::SetInflation(f64::from(cx.cfg.dup_threshold)));
}
