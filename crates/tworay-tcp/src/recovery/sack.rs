//! SACK-based recovery (RFC 6675 §5).

use super::Recovery;
use super::decisions::*;
use crate::config::AfterRto;
use crate::parts::{Entry, Event, Meaning, RecoveryKind, Rule, VariantInfo};
use crate::send::{Ack, Cx, Dup, NextSeg, Scoreboard, SendState};

#[derive(Debug, Default)]
pub(super) struct Sack {
    scoreboard: Scoreboard,
    /// True during fast recovery.
    recovering: bool,
    /// Estimated bytes in the network, while segments are selected.
    pipe: u64,
}

/// Registry entry of all three forms of SACK; the settings select one.
pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "sack",
        summary: "selective ACKs with scoreboard and pipe estimate",
        source: "RFC 2018, RFC 6675",
        rules: &[
            Rule::at(
                Event::Start,
                "the rules of RFC 6675; in dialect ns2 those of ns-2's Sack1, or of its TCP-Linux (tcp.sack.form)",
                "the scenario's key tcp.sack.form",
            ),
            Rule::GROWTH,
            Rule::at(
                Event::Duplicate,
                "counts only if its SACK blocks report something new; the first two: a new segment each, unless tcp.limited_transmit is off",
                "RFC 6675 §2, RFC 3042",
            ),
            Rule::at(
                Event::Loss,
                "at the third, or when three segments above the oldest are SACKed: sends it again; ssthresh and cwnd are half of the flight",
                "RFC 6675 §5, step 4",
            ),
            Rule::at(
                Event::Recovery,
                "while cwnd exceeds the estimated flight (pipe): sends lost holes first, then new data, then other holes",
                "RFC 6675 §4 NextSeg, §5 step C",
            ),
            Rule::at(Event::End, "when all sent before the loss is acknowledged", "RFC 6675 §5, step A"),
            Rule::TIMEOUT,
        ],
        parameters: &[],
    },
    meaning: Meaning::Recovery(RecoveryKind::Sack),
};

impl Recovery for Sack {
    fn on_ack(&mut self, tx: &SendState, _: &Cx, ack: &Ack, out: &mut Decisions) -> Reply {
        let news = take_blocks(&mut self.scoreboard, tx, ack);
        if ack.to > tx.space.una {
            return if self.recovering { Reply::Advance(Advance::Full) } else { Reply::Routine };
        }
        // An ACK is a duplicate only if it SACKs new data (RFC 6675 §2).
        if tx.is_dup(ack) && news {
            out.push(Decision::CountDup);
        }
        Reply::Decided
    }

    fn on_advanced(&mut self, tx: &SendState, cx: &Cx, _: &Ack, new: NewData, out: &mut Decisions) {
        let mut may_grow = !self.recovering;
        if self.recovering && tx.space.una >= tx.cut.point {
            self.recovering = false;
            out.push(Decision::EndCut);
            out.push(Decision::Leave);
            may_grow = cx.cfg.growth_on_exit;
        }
        if !new.opening {
            out.push(Decision::Grow { bytes: new.bytes, may_grow });
        }
    }

    fn on_dup(&mut self, tx: &SendState, cx: &Cx, dup: Dup, out: &mut Decisions) {
        let lost = dup == Dup::Loss || self.scoreboard.is_lost(tx.space.una, &tx.outstanding(cx.cfg));
        if !self.recovering && lost && (tx.space.una >= tx.cut.point || tx.space.una == 1) {
            out.push(Decision::Reduce { standard: tx.halved(cx), cause: Detected::FastRetransmit });
        } else if dup == Dup::Early && !self.recovering && cx.cfg.limited_transmit {
            out.push(Decision::LimitedTransmit);
        }
    }

    fn on_reduced(&mut self, tx: &SendState, _: &Cx, reduction: Reduction, out: &mut Decisions) {
        if reduction.stands {
            self.recovering = true;
            self.scoreboard.start_recovery(tx.space.una);
            out.push(Decision::StartFastRecovery);
        }
    }

    fn after_ack(&mut self, tx: &SendState, cx: &Cx) -> Sending {
        let burst = cx.cfg.max_burst;
        if self.recovering {
            Sending::Selected { burst }
        } else if tx.dup_acks == 0 || self.after_timeout(tx) {
            Sending::Window { burst }
        } else {
            Sending::Nothing
        }
    }

    fn in_recovery(&self, _: &SendState) -> bool {
        self.recovering
    }

    fn go_back(&mut self, tx: &SendState, cx: &Cx) -> Restart {
        self.recovering = false;
        restart_scoreboard(&mut self.scoreboard, tx, cx);
        Restart::FromOldest
    }

    fn selects_now(&self) -> bool {
        self.recovering
    }

    fn begin_selecting(&mut self, tx: &SendState, cx: &Cx) {
        self.pipe = self.scoreboard.pipe(&tx.outstanding(cx.cfg));
    }

    /// The window exceeds the pipe by at least one segment (RFC 6675 §5 step C).
    fn has_room(&self, tx: &SendState, _: &Cx) -> bool {
        self.pipe + tx.space.mss <= (tx.window.cwnd * tx.space.mss as f64) as u64
    }

    /// NextSeg().
    fn next_segment(&mut self, tx: &SendState, cx: &Cx) -> Option<Segment> {
        let nxt = tx.space.nxt;
        let len = if nxt < tx.space.end() { tx.space.segment_len(nxt) } else { 0 };
        let new_data = len > 0 && nxt + len <= tx.space.una + tx.space.rwnd(cx.cfg);
        let (start, end, kind) = match self.scoreboard.next_seg(&tx.outstanding(cx.cfg), new_data) {
            NextSeg::Hole(hole) => {
                self.scoreboard.mark_retransmitted(hole.end);
                (hole.start, hole.end, Kind::Again)
            }
            NextSeg::New => (nxt, nxt + len, Kind::New),
            NextSeg::Rescue(part) => {
                self.scoreboard.mark_rescue(tx.cut.point);
                (part.start, part.end, Kind::Again)
            }
            NextSeg::Nothing => return None,
        };
        self.pipe += end - start;
        let len = if kind == Kind::Again { trimmed(tx, start, end) } else { len };
        Some(Segment { start, len, kind })
    }

    fn on_oldest_sent_again(&mut self, _: &SendState, end: u64) {
        self.scoreboard.mark_retransmitted(end);
    }

    fn scoreboard(&self) -> Option<&Scoreboard> {
        Some(&self.scoreboard)
    }
}

/// Updates the scoreboard; returns true if it changed.
#[inline]
pub(super) fn take_blocks(scoreboard: &mut Scoreboard, tx: &SendState, ack: &Ack) -> bool {
    let mut changed = scoreboard.advance(ack.to.max(tx.space.una));
    for &(left, right) in &ack.blocks {
        changed |= scoreboard.add(left, right);
    }
    changed
}

/// Everything outstanding is to be retransmitted except what the scoreboard keeps.
pub(super) fn restart_scoreboard(scoreboard: &mut Scoreboard, tx: &SendState, cx: &Cx) {
    let una = tx.space.una;
    // A receiver that SACKed the byte it now lacks has discarded data (RFC 2018 §8).
    let reneged = scoreboard.sacked().containing(una).is_some();
    if cx.cfg.sack.after_rto == AfterRto::Clear || reneged {
        scoreboard.clear();
    } else {
        scoreboard.start_recovery(una);
    }
}

/// The FIN is sent separately: removes it from a range that also has data.
fn trimmed(tx: &SendState, start: u64, end: u64) -> u64 {
    if start < tx.space.data_end { end.min(tx.space.data_end) - start } else { 1 }
}
