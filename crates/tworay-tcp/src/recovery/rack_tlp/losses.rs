//! Data that an ACK delivers, and segments that are lost: by time (RFC 8985 §6) or by the number of SACKed
//! segments above (RFC 6675).

use super::*;

impl RackTlp {
    /// Marks what the ACK reports before the sender forgets it; returns the number of newly reported
    /// segments.
    pub(super) fn take(&mut self, tx: &SendState, cx: &Cx, ack: &Ack) -> usize {
        let acked = tx.sent.iter().take_while(|s| s.end <= ack.to).count();
        let mut delivered = 0;
        for segment in tx.sent.range(..acked) {
            let Some(mark) = self.marks.pop() else { break };
            if mark != Mark::Sacked {
                delivered += 1;
                self.note_delivery(tx, cx, ack, *segment);
            }
        }
        if !ack.blocks.is_empty() {
            delivered += self.take_blocks(tx, cx, ack, acked);
        }
        take_blocks(&mut self.scoreboard, tx, ack);
        delivered
    }

    /// Marks the SACKed segments; `acked`: number of segments that the ACK acknowledges cumulatively.
    #[inline(never)]
    pub(super) fn take_blocks(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, acked: usize) -> usize {
        let mut delivered = 0;
        // In ascending order: a higher block of the same ACK is no sign of reordering (RFC 8985 §6.2 step 3).
        let mut blocks = ack.blocks.clone();
        blocks.sort_unstable();
        for (left, right) in blocks {
            let from = tx.sent.partition_point(|s| s.end <= left).max(acked);
            let to = tx.sent.partition_point(|s| s.end <= right);
            for place in from..to {
                if tx.start_of_sent(place) >= left
                    && self.marks.get(place - acked).is_some_and(|m| m != Mark::Sacked)
                {
                    self.marks.set(place - acked, Mark::Sacked);
                    delivered += 1;
                    self.note_delivery(tx, cx, ack, tx.sent[place]);
                    if tx.sent[place].times == 1 {
                        self.newly_sacked = Some(SentBetween::and(self.newly_sacked, tx.sent[place].at));
                    }
                }
            }
        }
        delivered
    }

    pub(super) fn note_delivery(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, segment: Sent) {
        self.probe.measured |= segment.times == 1;
        if let Some(rack) = &mut self.rack {
            // An ACK out of order echoes the last segment in order (RFC 7323 §4.3), whatever it SACKs.
            let echoes_before = segment.end <= ack.to && tx.echoes_before(cx, ack, segment.at);
            rack.delivered(cx.now, segment, echoes_before);
        }
    }

    pub(super) fn reordering_window(&self, tx: &SendState, cx: &Cx) -> SimDuration {
        let situation = Situation {
            repairing: self.state != State::Open,
            many_sacked: self.marks.sacked() >= cx.cfg.dup_threshold as usize,
            srtt: tx.rtt.srtt(),
        };
        self.rack.as_ref().map_or(SimDuration::ZERO, |rack| rack.reordering_window(situation))
    }

    /// Marks segments that are lost by now; returns whether there are any.
    pub(super) fn find_losses(&mut self, tx: &SendState, cx: &Cx, shows_loss: bool) -> bool {
        let mut found = false;
        let places = self.marks.len().min(tx.sent.len());
        if let Some(rack) = &self.rack {
            self.reordering_until = None;
            // A repeated segment that has arrived can have been sent after what is in flight now.
            let in_order =
                self.marks.is_plain() && tx.sent.front().is_none_or(|oldest| !rack.has_overtaken(*oldest));
            if in_order && self.state == State::Open {
                return false;
            }
            let window = self.reordering_window(tx, cx);
            let mut longest = SimDuration::ZERO;
            for place in 0..places {
                if matches!(self.marks.get(place), Some(Mark::Out | Mark::Again(())))
                    && let Some(left) = rack.remaining(cx.now, tx.sent[place], window)
                {
                    if left.is_zero() {
                        self.marks.set(place, Mark::Lost);
                        found = true;
                    }
                    longest = longest.max(left);
                }
            }
            if !longest.is_zero() {
                self.reordering_until = Some(cx.now + self.in_ticks(longest + self.slack()));
            }
        } else {
            let below = self.marks.below_sacked(cx.cfg.dup_threshold as usize).max(usize::from(shows_loss));
            for place in 0..below.min(places) {
                if self.marks.get(place) == Some(Mark::Out) && tx.sent[place].times == 1 {
                    self.marks.set(place, Mark::Lost);
                    found = true;
                }
            }
        }
        if shows_loss && !found && self.marks.get(0) == Some(Mark::Out) && self.rack.is_none() {
            self.marks.set(0, Mark::Lost);
            found = true;
        }
        found
    }
}
