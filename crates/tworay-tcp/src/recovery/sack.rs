//! SACK-based recovery (RFC 6675 §5).

use crate::send::*;

impl Sender {
    pub(crate) fn sack(&mut self, cx: &mut Cx, ack: &Ack) {
        let advanced = ack.to > self.una;
        let dup = self.is_dup(ack);
        let news = self.take_blocks(ack);
        if advanced {
            let bytes = ack.to - self.una;
            let opening = self.una == 0;
            self.advance(cx, ack);
            let mut may_grow = !self.sack_recovery;
            if self.sack_recovery && self.una >= self.recover {
                self.sack_recovery = false;
                self.last_cut = LastCut::Recovered;
                self.leave_recovery(cx);
                may_grow = cx.cfg.growth_on_exit;
            }
            if !opening {
                self.grow(cx, bytes, may_grow);
            }
        } else if dup && news {
            // Only an ACK that SACKs something new is a duplicate (RFC 6675 §2).
            let verdict = self.count_dup(cx);
            let lost = verdict == Dup::Loss || self.scoreboard.is_lost(self.una, &self.outstanding(cx.cfg));
            if !self.sack_recovery && lost && (self.una >= self.recover || self.una == 1) {
                self.sack_enter(cx);
            } else if verdict == Dup::Early && !self.sack_recovery && cx.cfg.limited_transmit {
                self.send_one_more(cx);
            }
        }
        if self.sack_recovery {
            self.sack_send(cx);
        } else if self.dup_acks == 0 || self.after_timeout() {
            self.send_window(cx, cx.cfg.max_burst);
        }
    }

    fn sack_enter(&mut self, cx: &mut Cx) {
        let standard = self.halved(cx);
        if !self.cut_for_loss(cx, standard) {
            return;
        }
        self.recover = self.max;
        self.sack_recovery = true;
        self.last_cut = LastCut::DupAcks;
        self.timed = None;
        self.scoreboard.start_recovery(self.una);
        self.arm_timer(cx);
        self.retransmit_una(cx);
    }

    /// Sends NextSeg() while the window exceeds the pipe by a segment (RFC 6675 §5 step C).
    fn sack_send(&mut self, cx: &mut Cx) {
        let outstanding = |s: &Self| s.outstanding(cx.cfg);
        let mut pipe = self.scoreboard.pipe(&outstanding(self));
        let window = (self.cwnd * self.mss as f64) as u64;
        let mut sent = 0;
        while !self.is_frozen() && pipe + self.mss <= window {
            let len = if self.nxt < self.end() { self.segment_len(self.nxt) } else { 0 };
            let new_data = len > 0 && self.nxt + len <= self.una + self.rwnd(cx.cfg);
            let q = self.outstanding(cx.cfg);
            match self.scoreboard.next_seg(&q, new_data) {
                NextSeg::Hole(hole) => {
                    self.scoreboard.mark_retransmitted(hole.end);
                    self.output(cx, hole.start, self.trimmed(hole.start, hole.end));
                    pipe += hole.len();
                }
                NextSeg::New => {
                    self.output(cx, self.nxt, len);
                    self.nxt += len;
                    pipe += len;
                }
                NextSeg::Rescue(part) => {
                    self.scoreboard.mark_rescue(self.recover);
                    self.output(cx, part.start, self.trimmed(part.start, part.end));
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

    /// A FIN is sent by itself: a part that ends with it and has data too loses it.
    fn trimmed(&self, start: u64, end: u64) -> u64 {
        if start < self.data_end { end.min(self.data_end) - start } else { 1 }
    }
}
