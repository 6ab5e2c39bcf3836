//! SACK as in ns-2's `Agent/TCP/Sack1`: a counted pipe; any hole below SACKed data is lost.

use super::Recovery;
use super::decisions::*;
use super::sack::{restart_scoreboard, take_blocks};
use crate::config::PartialAck;
use crate::send::{Ack, Cx, Dup, Scoreboard, SendState};

/// Meaning of an ACK.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum Arrival {
    /// No recovery was in progress.
    #[default]
    Open,
    /// It ends fast recovery.
    Full,
    /// It advances within fast recovery.
    Partial,
    /// It does not advance within fast recovery.
    Repairing,
}

#[derive(Debug, Default)]
pub(super) struct SackNs2 {
    scoreboard: Scoreboard,
    /// True during fast recovery.
    recovering: bool,
    /// Meaning of the ACK being processed.
    arrival: Arrival,
    /// Estimated number of segments in the network.
    pipe: i64,
    /// Where the answer to the next partial ACK starts (`partial_ack_`).
    repair_from: u64,
    /// A partial ACK arrived in this recovery.
    had_partial: bool,
    /// Ignore duplicate ACKs between a timeout and the next new ACK.
    ignores_dups: bool,
}

impl Recovery for SackNs2 {
    fn on_ack(&mut self, tx: &SendState, _: &Cx, ack: &Ack, out: &mut Decisions) -> Reply {
        if self.recovering {
            return self.ack_in_recovery(tx, ack, out);
        }
        self.arrival = Arrival::Open;
        if ack.to > tx.space.una {
            return Reply::Advance(Advance::Full);
        }
        if tx.is_dup(ack) && !self.ignores_dups && take_blocks(&mut self.scoreboard, tx, ack) {
            out.push(Decision::CountDup);
        }
        Reply::Decided
    }

    fn on_advanced(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, new: NewData, out: &mut Decisions) {
        match self.arrival {
            Arrival::Open | Arrival::Repairing => {
                (self.ignores_dups, self.had_partial) = (false, false);
                self.scoreboard.clear();
                if !new.opening {
                    out.push(Decision::Grow { bytes: new.bytes, may_grow: true });
                }
            }
            Arrival::Full => {
                self.scoreboard.clear();
                out.push(Decision::Leave);
                out.push(Decision::Grow { bytes: new.bytes, may_grow: false });
            }
            Arrival::Partial => {
                self.partial_ack(tx, cx, ack, out);
                out.push(Decision::Grow { bytes: new.bytes, may_grow: false });
            }
        }
    }

    fn on_dup(&mut self, tx: &SendState, cx: &Cx, dup: Dup, out: &mut Decisions) {
        match dup {
            Dup::Loss if tx.space.una > tx.cut.point || tx.space.una == 1 => {
                let segments = (tx.space.max - tx.space.una).div_ceil(tx.space.mss) as i64;
                self.pipe = segments - i64::from(cx.cfg.dup_threshold);
                out.push(Decision::Reduce { standard: tx.halved(cx), cause: Detected::FastRetransmit });
            }
            Dup::Early if cx.cfg.limited_transmit => out.push(Decision::LimitedTransmit),
            _ => {}
        }
    }

    fn on_reduced(&mut self, _: &SendState, _: &Cx, reduction: Reduction, out: &mut Decisions) {
        if reduction.stands {
            self.recovering = true;
            out.push(Decision::StartFastRecovery);
        }
    }

    fn after_ack(&mut self, tx: &SendState, cx: &Cx) -> Sending {
        let burst = cx.cfg.max_burst;
        match (self.arrival, self.recovering) {
            (Arrival::Open, true) => Sending::Nothing,
            (Arrival::Open, false) if tx.dup_acks > 0 => Sending::Nothing,
            (_, false) => Sending::Window { burst },
            (_, true) => Sending::Selected { burst },
        }
    }

    fn in_recovery(&self, _: &SendState) -> bool {
        self.recovering
    }

    fn go_back(&mut self, tx: &SendState, cx: &Cx) -> Restart {
        self.recovering = false;
        self.ignores_dups = true;
        restart_scoreboard(&mut self.scoreboard, tx, cx);
        Restart::FromOldest
    }

    fn selects_now(&self) -> bool {
        self.recovering
    }

    fn has_room(&self, tx: &SendState, _: &Cx) -> bool {
        self.pipe < tx.window.cwnd.floor() as i64
    }

    /// Holes first, then new data within the advertised window.
    fn next_segment(&mut self, tx: &SendState, cx: &Cx) -> Option<Segment> {
        let window_end = tx.space.una + tx.space.rwnd(cx.cfg);
        let from = self.scoreboard.retransmitted_to().max(tx.space.una);
        let segment = if let Some(hole) = self.scoreboard.hole_from(from, tx.space.mss) {
            if hole.end > window_end {
                return None;
            }
            self.scoreboard.mark_retransmitted(hole.end);
            Segment { start: hole.start, len: hole.len(), kind: Kind::UpTo(hole.end) }
        } else {
            let nxt = tx.space.nxt;
            let len = if nxt < tx.space.end() { tx.space.segment_len(nxt) } else { 0 };
            if len == 0 || nxt + len > window_end {
                return None;
            }
            Segment { start: nxt, len, kind: Kind::New }
        };
        self.pipe += 1;
        Some(segment)
    }

    fn on_oldest_sent_again(&mut self, _: &SendState, end: u64) {
        self.scoreboard.mark_retransmitted(end);
    }

    fn scoreboard(&self) -> Option<&Scoreboard> {
        Some(&self.scoreboard)
    }
}

impl SackNs2 {
    fn ack_in_recovery(&mut self, tx: &SendState, ack: &Ack, out: &mut Decisions) -> Reply {
        self.pipe -= 1;
        if ack.to >= tx.cut.point {
            (self.recovering, self.arrival) = (false, Arrival::Full);
            out.push(Decision::EndCut);
            out.push(Decision::ForgetCutPoint);
            return Reply::Advance(Advance::Full);
        }
        if ack.to > tx.space.una {
            self.arrival = Arrival::Partial;
            return Reply::Advance(Advance::PartialKeepingBackoff);
        }
        self.arrival = Arrival::Repairing;
        if take_blocks(&mut self.scoreboard, tx, ack) && tx.dup_acks > 0 {
            out.push(Decision::CountDupSilently);
        }
        Reply::Decided
    }

    fn partial_ack(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, out: &mut Decisions) {
        take_blocks(&mut self.scoreboard, tx, ack);
        let restart = match cx.cfg.sack.partial_ack {
            PartialAck::Pipe => {
                // Both the retransmission and the original have left the network.
                self.pipe -= 1;
                true
            }
            PartialAck::TwoSegments => {
                self.send_two(tx, out);
                self.pipe += 1;
                !std::mem::replace(&mut self.had_partial, true)
            }
        };
        if restart {
            out.push(Decision::ArmTimer);
            out.push(Decision::EndBackoff);
        }
    }

    /// Sends two segments on a partial ACK, starting where the last such answer ended. The pipe does not
    /// count them, and segments already sent by the pipe are sent once more.
    fn send_two(&mut self, tx: &SendState, out: &mut Decisions) {
        let mut from = self.repair_from.max(tx.space.una);
        for _ in 0..2 {
            let hole = self.scoreboard.hole_from(from, tx.space.mss);
            let start = self.scoreboard.sacked().containing(from).map_or(from, |r| r.end);
            let len = hole.map_or_else(|| tx.space.segment_len(start), |h| h.len());
            if start >= tx.space.end() || len == 0 {
                break;
            }
            out.push(Decision::Send(Segment { start, len, kind: Kind::UpTo(start) }));
            from = start + len;
            if hole.is_some() {
                self.scoreboard.mark_retransmitted(from);
            }
        }
        self.repair_from = from;
    }
}
