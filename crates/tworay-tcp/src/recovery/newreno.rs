//! NewReno: fast recovery until everything sent before it is acknowledged (RFC 6582).

use super::decisions::*;
use super::{Recovery, reno};
use crate::config::{NewRenoEntry, NewRenoExit, NewRenoTimer};
use crate::parts::{Entry, Event, Meaning, RecoveryKind, Rule, VariantInfo};
use crate::send::{Ack, CutBy, Cx, Dup, SendState};

/// Meaning of an ACK of new data.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum Arrival {
    /// No recovery is in progress.
    #[default]
    Open,
    /// It ends fast recovery.
    Leaving,
    /// More is lost.
    Partial,
}

#[derive(Debug, Default)]
pub(super) struct NewReno {
    /// A partial ACK arrived in this recovery.
    had_partial: bool,
    /// Meaning of the ACK being processed.
    arrival: Arrival,
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "newreno",
        summary: "fast recovery through partial ACKs",
        source: "RFC 6582",
        rules: &[
            Rule::GROWTH,
            Rule::LIMITED_TRANSMIT,
            Rule::at(
                Event::Loss,
                "as reno, if the ACK is beyond all that had been sent at the last loss (the careful form; tcp.newreno.entry)",
                "RFC 6582 §3.2, step 2",
            ),
            Rule::INFLATION,
            Rule::at(
                Event::Recovery,
                "partial ACK: sends the next hole again and takes what was acknowledged off the window, less one segment; the first one restarts the timer",
                "RFC 6582 §3.2, step 3",
            ),
            Rule::at(
                Event::End,
                "when all sent before the loss is acknowledged: cwnd is min(ssthresh, flight + 1) (tcp.newreno.exit)",
                "RFC 6582 §3.2, step 3",
            ),
            Rule::TIMEOUT,
        ],
        parameters: &[],
    },
    meaning: Meaning::Recovery(RecoveryKind::NewReno),
};

impl Recovery for NewReno {
    fn on_ack(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, out: &mut Decisions) -> Reply {
        if ack.to > tx.space.una && tx.cut.by != CutBy::DupAcks && tx.window.inflation == 0.0 {
            (self.had_partial, self.arrival) = (false, Arrival::Open);
            return Reply::Routine;
        }
        self.on_other_ack(tx, cx, ack, out)
    }

    fn on_advanced(&mut self, _: &SendState, cx: &Cx, _: &Ack, new: NewData, out: &mut Decisions) {
        if self.arrival == Arrival::Partial {
            out.push(Decision::Grow { bytes: new.bytes, may_grow: false });
            out.push(Decision::RetransmitUnlessStopped);
        } else {
            reno::leave_and_grow(cx, self.arrival == Arrival::Leaving, new, out);
        }
    }

    fn on_dup(&mut self, tx: &SendState, cx: &Cx, dup: Dup, out: &mut Decisions) {
        reno::answer_dup(tx, cx, dup, may_enter(tx, cx), out);
    }

    fn on_reduced(&mut self, _: &SendState, cx: &Cx, reduction: Reduction, out: &mut Decisions) {
        if reduction.stands {
            self.had_partial = false;
            reno::start_fast_recovery(cx, out);
        }
    }

    fn after_ack(&mut self, tx: &SendState, cx: &Cx) -> Sending {
        if tx.dup_acks == 0 {
            return Sending::Window { burst: cx.cfg.max_burst };
        }
        if tx.dup_acks >= cx.cfg.dup_threshold {
            return Sending::Window { burst: cx.cfg.newreno.recovery_burst };
        }
        Sending::Nothing
    }

    fn begins_on_request(&mut self) -> bool {
        self.had_partial = false;
        true
    }
}

/// RFC 6582 §3.2 step 2.
fn may_enter(tx: &SendState, cx: &Cx) -> bool {
    let una = tx.space.una;
    una > tx.cut.point
        || una == 1
        || (cx.cfg.newreno.entry == NewRenoEntry::LessCareful && una == tx.cut.point)
}

impl NewReno {
    /// An ACK during a repair, or a duplicate ACK.
    #[inline(never)]
    fn on_other_ack(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, out: &mut Decisions) -> Reply {
        if ack.to > tx.space.una {
            if ack.to >= tx.cut.point || tx.cut.by != CutBy::DupAcks {
                return self.full_ack(tx, cx, ack, out);
            }
            self.partial_ack(tx, cx, ack, out);
            return Reply::Advance(Advance::Partial);
        }
        if tx.is_dup(ack) {
            out.push(Decision::CountDup);
        }
        Reply::Decided
    }

    /// Everything sent before the loss is acknowledged, or no recovery is in progress.
    fn full_ack(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, out: &mut Decisions) -> Reply {
        let noticed = tx.window.inflation > 0.0 || !tx.quirks.exit_seen_by_inflation;
        let leaving = tx.cut.by == CutBy::DupAcks && noticed;
        self.arrival = if leaving { Arrival::Leaving } else { Arrival::Open };
        self.had_partial = false;
        out.push(Decision::SetInflation(0.0));
        if leaving {
            out.push(Decision::EndCut);
            match cx.cfg.newreno.exit {
                NewRenoExit::Flight => {
                    let flight = (tx.space.max - ack.to) as f64 / tx.space.mss as f64;
                    out.push(Decision::SetCwnd(tx.window.ssthresh.min(flight.max(1.0) + 1.0)));
                }
                NewRenoExit::Ssthresh => out.push(Decision::SetCwnd(tx.window.ssthresh)),
                NewRenoExit::Keep => {}
            }
        }
        Reply::Advance(Advance::Full)
    }

    /// The next segment was lost too (RFC 6582 §3.2 step 3): it is retransmitted at once.
    fn partial_ack(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, out: &mut Decisions) {
        self.arrival = Arrival::Partial;
        let acked = (ack.to - tx.space.una) as f64 / tx.space.mss as f64;
        let (cwnd, inflation) = (tx.window.cwnd, tx.window.inflation);
        if !cx.cfg.newreno.partial_window_deflation {
            out.push(Decision::SetInflation(0.0));
        } else if inflation > acked {
            // Deflate by the amount acknowledged, and add back the segment about to be sent.
            let less = if acked >= 1.0 { acked - 1.0 } else { acked };
            out.push(Decision::SetInflation(inflation - less));
        } else {
            out.push(Decision::SetCwnd((cwnd - (acked - inflation)).max(1.0)));
            out.push(Decision::SetInflation(1.0));
        }
        if cx.cfg.newreno.timer == NewRenoTimer::SlowButSteady || !self.had_partial {
            self.had_partial = true;
            out.push(Decision::ArmTimer);
        }
    }
}
