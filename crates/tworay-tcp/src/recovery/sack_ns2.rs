//! SACK as ns-2's `Agent/TCP/Sack1` does it: a counted pipe, and any hole below SACKed data is lost.

use crate::PartialAck;
use crate::send::*;

impl Sender {
    pub(crate) fn sack_ns2(&mut self, cx: &mut Cx, ack: &Ack) {
        if self.sack_recovery {
            self.sack_ns2_in_recovery(cx, ack);
            self.sack_ns2_send(cx);
            return;
        }
        if ack.to > self.una {
            let bytes = ack.to - self.una;
            let opening = self.una == 0;
            self.advance(cx, ack);
            self.deaf_to_dups = false;
            self.had_partial = false;
            self.scoreboard.clear();
            if !opening {
                self.grow(cx, bytes, true);
            }
        } else if self.is_dup(ack) && !self.deaf_to_dups && self.take_blocks(ack) {
            match self.count_dup(cx) {
                Dup::Loss if self.una > self.recover || self.una == 1 => self.sack_ns2_enter(cx),
                Dup::Early if cx.cfg.limited_transmit => self.send_one_more(cx),
                _ => {}
            }
        }
        if self.sack_recovery {
            return;
        }
        if self.dup_acks == 0 {
            self.send_window(cx, cx.cfg.max_burst);
        }
    }

    /// Updates the scoreboard; whether that changed it.
    pub(crate) fn take_blocks(&mut self, ack: &Ack) -> bool {
        let mut changed = self.scoreboard.advance(ack.to.max(self.una));
        for &(left, right) in &ack.blocks {
            changed |= self.scoreboard.add(left, right);
        }
        changed
    }

    fn sack_ns2_enter(&mut self, cx: &mut Cx) {
        let segments = (self.max - self.una).div_ceil(self.mss) as i64;
        self.pipe = segments - i64::from(cx.cfg.dup_threshold);
        let standard = self.halved(cx);
        if !self.cut_for_loss(cx, standard) {
            return;
        }
        self.recover = self.max;
        self.arm_timer(cx);
        self.timed = None;
        self.sack_recovery = true;
        self.last_cut = LastCut::DupAcks;
        self.retransmit_una(cx);
    }

    fn sack_ns2_in_recovery(&mut self, cx: &mut Cx, ack: &Ack) {
        self.pipe -= 1;
        if ack.to >= self.recover {
            let bytes = ack.to - self.una;
            self.sack_recovery = false;
            self.last_cut = LastCut::Recovered;
            self.recover = 0;
            self.advance(cx, ack);
            self.scoreboard.clear();
            self.leave_recovery(cx);
            self.grow(cx, bytes, false);
        } else if ack.to > self.una {
            let bytes = ack.to - self.una;
            self.move_una(cx, ack.to);
            self.forget_acked();
            self.take_blocks(ack);
            let restart = match cx.cfg.sack.partial_ack {
                PartialAck::Pipe => {
                    // The retransmission and the original have both left the network.
                    self.pipe -= 1;
                    true
                }
                PartialAck::TwoSegments => {
                    self.sack_ns2_repair(cx);
                    self.pipe += 1;
                    !std::mem::replace(&mut self.had_partial, true)
                }
            };
            if restart {
                self.arm_timer(cx);
                self.rtt.end_backoff();
            }
            self.grow(cx, bytes, false);
        } else if self.take_blocks(ack) && self.dup_acks > 0 {
            self.dup_acks += 1;
            cx.counters.dup_acks += 1;
        }
    }

    /// Two segments in answer to a partial ACK, beginning where the last such answer ended; the pipe
    /// does not count them, and what the pipe had sent already is sent once more.
    fn sack_ns2_repair(&mut self, cx: &mut Cx) {
        let mut from = self.repair_from.max(self.una);
        for _ in 0..2 {
            let hole = self.scoreboard.hole_from(from, self.mss);
            let start = self.scoreboard.sacked().containing(from).map_or(from, |r| r.end);
            let len = hole.map_or_else(|| self.segment_len(start), |h| h.len());
            if start >= self.end() || len == 0 {
                break;
            }
            self.nxt = self.nxt.max(start);
            self.output(cx, start, len);
            from = start + len;
            if hole.is_some() {
                self.scoreboard.mark_retransmitted(from);
            }
        }
        self.repair_from = from;
    }

    /// Sends while the pipe has room: holes first, then new data within the advertised window.
    fn sack_ns2_send(&mut self, cx: &mut Cx) {
        if !self.sack_recovery {
            self.send_window(cx, cx.cfg.max_burst);
            return;
        }
        let mut sent = 0;
        while !self.is_frozen() && self.pipe < self.cwnd.floor() as i64 {
            let window_end = self.una + self.rwnd(cx.cfg);
            let from = self.scoreboard.retransmitted_to().max(self.una);
            if let Some(hole) = self.scoreboard.hole_from(from, self.mss) {
                if hole.end > window_end {
                    break;
                }
                self.scoreboard.mark_retransmitted(hole.end);
                self.output(cx, hole.start, hole.len());
                self.nxt = self.nxt.max(hole.end);
            } else {
                let len = if self.nxt < self.end() { self.segment_len(self.nxt) } else { 0 };
                if len == 0 || self.nxt + len > window_end {
                    break;
                }
                self.output(cx, self.nxt, len);
                self.nxt += len;
            }
            self.pipe += 1;
            sent += 1;
            if sent == cx.cfg.max_burst {
                break;
            }
        }
    }
}
