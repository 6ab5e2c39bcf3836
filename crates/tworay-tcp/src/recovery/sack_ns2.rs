//! SACK as in ns-2's `Agent/TCP/Sack1`: a counted pipe; any hole below SACKed data is lost.

use super::Recovery;
use super::sack::{go_back_with_scoreboard, take_blocks};
use crate::config::PartialAck;
use crate::send::{Ack, CutBy, Cx, Dup, Machinery};

#[derive(Debug, Default)]
pub(super) struct SackNs2 {
    /// Whether fast recovery is in progress.
    recovering: bool,
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
    fn on_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        if self.recovering {
            self.ack_in_recovery(tx, cx, ack);
            self.send_by_pipe(tx, cx);
            return;
        }
        if ack.to > tx.space.una {
            let bytes = ack.to - tx.space.una;
            let opening = tx.space.una == 0;
            tx.advance(cx, self, ack);
            self.ignores_dups = false;
            self.had_partial = false;
            tx.scoreboard.clear();
            if !opening {
                tx.grow(cx, self, bytes, true);
            }
        } else if tx.is_dup(ack) && !self.ignores_dups && take_blocks(tx, ack) {
            match tx.count_dup(cx, self) {
                Dup::Loss if tx.space.una > tx.cut.point || tx.space.una == 1 => self.enter(tx, cx),
                Dup::Early if cx.cfg.limited_transmit => tx.send_one_more(cx, self),
                _ => {}
            }
        }
        if !self.recovering && tx.dup_acks == 0 {
            tx.send_window(cx, self, cx.cfg.max_burst);
        }
    }

    fn in_recovery(&self, _: &Machinery) -> bool {
        self.recovering
    }

    fn goes_on(&mut self, tx: &mut Machinery, cx: &mut Cx) -> bool {
        if self.recovering {
            self.send_by_pipe(tx, cx);
        }
        self.recovering
    }

    fn go_back(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        self.recovering = false;
        self.ignores_dups = true;
        go_back_with_scoreboard(tx, cx);
    }
}

impl SackNs2 {
    fn enter(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        let segments = (tx.space.max - tx.space.una).div_ceil(tx.space.mss) as i64;
        self.pipe = segments - i64::from(cx.cfg.dup_threshold);
        let standard = tx.halved(cx);
        if !tx.cut_for_loss(cx, self, standard) {
            return;
        }
        tx.mark_cut(CutBy::DupAcks);
        tx.arm_timer(cx);
        tx.timed = None;
        self.recovering = true;
        tx.retransmit_una(cx, self);
    }

    fn ack_in_recovery(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        self.pipe -= 1;
        if ack.to >= tx.cut.point {
            let bytes = ack.to - tx.space.una;
            self.recovering = false;
            tx.cut.by = CutBy::Recovered;
            tx.cut.point = 0;
            tx.advance(cx, self, ack);
            tx.scoreboard.clear();
            tx.leave_recovery(cx, self);
            tx.grow(cx, self, bytes, false);
        } else if ack.to > tx.space.una {
            self.partial_ack(tx, cx, ack);
        } else if take_blocks(tx, ack) && tx.dup_acks > 0 {
            tx.dup_acks += 1;
            cx.counters.dup_acks += 1;
        }
    }

    fn partial_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        let bytes = ack.to - tx.space.una;
        tx.move_una(cx, ack.to);
        tx.forget_acked();
        take_blocks(tx, ack);
        let restart = match cx.cfg.sack.partial_ack {
            PartialAck::Pipe => {
                // Both the retransmission and the original have left the network.
                self.pipe -= 1;
                true
            }
            PartialAck::TwoSegments => {
                self.send_two(tx, cx);
                self.pipe += 1;
                !std::mem::replace(&mut self.had_partial, true)
            }
        };
        if restart {
            tx.arm_timer(cx);
            tx.rtt.end_backoff();
        }
        tx.grow(cx, self, bytes, false);
    }

    /// Sends two segments on a partial ACK, starting where the last such answer ended. The pipe does not
    /// count them, and segments already sent by the pipe are sent once more.
    fn send_two(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        let mut from = self.repair_from.max(tx.space.una);
        for _ in 0..2 {
            let hole = tx.scoreboard.hole_from(from, tx.space.mss);
            let start = tx.scoreboard.sacked().containing(from).map_or(from, |r| r.end);
            let len = hole.map_or_else(|| tx.space.segment_len(start), |h| h.len());
            if start >= tx.space.end() || len == 0 {
                break;
            }
            tx.space.nxt = tx.space.nxt.max(start);
            tx.output(cx, self, start, len);
            from = start + len;
            if hole.is_some() {
                tx.scoreboard.mark_retransmitted(from);
            }
        }
        self.repair_from = from;
    }

    /// Sends while the pipe has room: holes first, then new data within the advertised window.
    fn send_by_pipe(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        if !self.recovering {
            tx.send_window(cx, self, cx.cfg.max_burst);
            return;
        }
        let mut sent = 0;
        while !tx.is_frozen() && self.pipe < tx.window.cwnd.floor() as i64 && !tx.is_held_back(cx) {
            let window_end = tx.space.una + tx.space.rwnd(cx.cfg);
            let from = tx.scoreboard.retransmitted_to().max(tx.space.una);
            if let Some(hole) = tx.scoreboard.hole_from(from, tx.space.mss) {
                if hole.end > window_end {
                    break;
                }
                tx.scoreboard.mark_retransmitted(hole.end);
                tx.output(cx, self, hole.start, hole.len());
                tx.space.nxt = tx.space.nxt.max(hole.end);
            } else {
                let nxt = tx.space.nxt;
                let len = if nxt < tx.space.end() { tx.space.segment_len(nxt) } else { 0 };
                if len == 0 || nxt + len > window_end {
                    break;
                }
                tx.output(cx, self, nxt, len);
                tx.space.nxt += len;
            }
            self.pipe += 1;
            sent += 1;
            if sent == cx.cfg.max_burst {
                break;
            }
        }
    }
}
