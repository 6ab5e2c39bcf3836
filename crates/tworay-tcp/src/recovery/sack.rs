//! SACK-based recovery (RFC 6675 §5).

use super::Recovery;
use crate::config::AfterRto;
use crate::send::{Ack, CutBy, Cx, Dup, Machinery, NextSeg};
use crate::variant::{Entry, Meaning, RecoveryKind, VariantInfo};

#[derive(Debug, Default)]
pub(super) struct Sack {
    /// Whether fast recovery is in progress.
    recovering: bool,
}

/// Registry entry of all three forms of SACK; the settings select one.
pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "sack",
        summary: "selective ACKs with scoreboard and pipe estimate",
        source: "RFC 2018, RFC 6675",
        parameters: &[],
    },
    meaning: Meaning::Recovery(RecoveryKind::Sack),
};

impl Recovery for Sack {
    fn on_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        let advanced = ack.to > tx.space.una;
        let dup = tx.is_dup(ack);
        let news = take_blocks(tx, ack);
        if advanced {
            self.new_ack(tx, cx, ack);
        } else if dup && news {
            // An ACK is a duplicate only if it SACKs new data (RFC 6675 §2).
            let verdict = tx.count_dup(cx, self);
            let lost = verdict == Dup::Loss || tx.scoreboard.is_lost(tx.space.una, &tx.outstanding(cx.cfg));
            if !self.recovering && lost && (tx.space.una >= tx.cut.point || tx.space.una == 1) {
                self.enter(tx, cx);
            } else if verdict == Dup::Early && !self.recovering && cx.cfg.limited_transmit {
                tx.send_one_more(cx, self);
            }
        }
        if self.recovering {
            self.send_next(tx, cx);
        } else if tx.dup_acks == 0 || self.after_timeout(tx) {
            tx.send_window(cx, self, cx.cfg.max_burst);
        }
    }

    fn in_recovery(&self, _: &Machinery) -> bool {
        self.recovering
    }

    fn goes_on(&mut self, tx: &mut Machinery, cx: &mut Cx) -> bool {
        if self.recovering {
            self.send_next(tx, cx);
        }
        self.recovering
    }

    fn go_back(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        self.recovering = false;
        go_back_with_scoreboard(tx, cx);
    }
}

/// Updates the scoreboard; returns whether it changed.
pub(super) fn take_blocks(tx: &mut Machinery, ack: &Ack) -> bool {
    let mut changed = tx.scoreboard.advance(ack.to.max(tx.space.una));
    for &(left, right) in &ack.blocks {
        changed |= tx.scoreboard.add(left, right);
    }
    changed
}

/// Retransmit everything outstanding except what the scoreboard keeps.
pub(super) fn go_back_with_scoreboard(tx: &mut Machinery, cx: &Cx) {
    let una = tx.space.una;
    tx.space.nxt = una;
    // A receiver that SACKed the byte it now lacks has discarded data (RFC 2018 §8).
    let reneged = tx.scoreboard.sacked().containing(una).is_some();
    if cx.cfg.sack.after_rto == AfterRto::Clear || reneged {
        tx.scoreboard.clear();
    } else {
        tx.scoreboard.start_recovery(una);
    }
}

impl Sack {
    fn new_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        let bytes = ack.to - tx.space.una;
        let opening = tx.space.una == 0;
        tx.advance(cx, self, ack);
        let mut may_grow = !self.recovering;
        if self.recovering && tx.space.una >= tx.cut.point {
            self.recovering = false;
            tx.cut.by = CutBy::Recovered;
            tx.leave_recovery(cx, self);
            may_grow = cx.cfg.growth_on_exit;
        }
        if !opening {
            tx.grow(cx, self, bytes, may_grow);
        }
    }

    fn enter(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        let standard = tx.halved(cx);
        if !tx.cut_for_loss(cx, self, standard) {
            return;
        }
        tx.mark_cut(CutBy::DupAcks);
        self.recovering = true;
        tx.timed = None;
        tx.scoreboard.start_recovery(tx.space.una);
        tx.arm_timer(cx);
        tx.retransmit_una(cx, self);
    }

    /// Sends NextSeg() while the window exceeds the pipe by at least one segment (RFC 6675 §5 step C).
    fn send_next(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        let mut pipe = tx.scoreboard.pipe(&tx.outstanding(cx.cfg));
        let window = (tx.window.cwnd * tx.space.mss as f64) as u64;
        let mut sent = 0;
        while !tx.is_frozen() && pipe + tx.space.mss <= window && !tx.is_held_back(cx) {
            let nxt = tx.space.nxt;
            let len = if nxt < tx.space.end() { tx.space.segment_len(nxt) } else { 0 };
            let new_data = len > 0 && nxt + len <= tx.space.una + tx.space.rwnd(cx.cfg);
            match tx.scoreboard.next_seg(&tx.outstanding(cx.cfg), new_data) {
                NextSeg::Hole(hole) => {
                    tx.scoreboard.mark_retransmitted(hole.end);
                    tx.output(cx, self, hole.start, trimmed(tx, hole.start, hole.end));
                    pipe += hole.len();
                }
                NextSeg::New => {
                    tx.output(cx, self, nxt, len);
                    tx.space.nxt += len;
                    pipe += len;
                }
                NextSeg::Rescue(part) => {
                    tx.scoreboard.mark_rescue(tx.cut.point);
                    tx.output(cx, self, part.start, trimmed(tx, part.start, part.end));
                    pipe += part.len();
                }
                NextSeg::Nothing => break,
            }
            sent += 1;
            if sent == cx.cfg.max_burst {
                break;
            }
        }
    }
}

/// The FIN is sent separately: removes it from a range that also has data.
fn trimmed(tx: &Machinery, start: u64, end: u64) -> u64 {
    if start < tx.space.data_end { end.min(tx.space.data_end) - start } else { 1 }
}
