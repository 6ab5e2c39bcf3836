//! Carries out the decisions of the recovery.

use super::*;
use crate::control::Window;
use crate::recovery::{Advance, Decision, Detected, Kind, NewData, Reduction, Reply, Segment, Sending};

impl Sender {
    /// Passes an ACK to the recovery and does what it decides.
    #[inline]
    pub(super) fn react(&mut self, cx: &mut Cx, ack: &Ack) {
        match self.recovery.on_ack(&self.tx, cx, ack, &mut self.decisions) {
            Reply::Routine => self.advance_and_grow(cx, ack),
            reply => self.react_further(cx, ack, reply),
        }
    }

    #[inline(never)]
    fn react_further(&mut self, cx: &mut Cx, ack: &Ack, reply: Reply) {
        if let Reply::Advance(how) = reply {
            self.carry_out(cx);
            let new = self.advance(cx, ack, how);
            self.recovery.on_advanced(&self.tx, cx, ack, new, &mut self.decisions);
        }
        self.carry_out(cx);
        match self.recovery.after_ack(&self.tx, cx) {
            Sending::Nothing => {}
            Sending::Window { burst } => self.send_window(cx, burst),
            Sending::Selected { burst } => self.send_selected(cx, burst),
        }
    }

    /// An ACK of new data while nothing is being repaired.
    #[inline(never)]
    fn advance_and_grow(&mut self, cx: &mut Cx, ack: &Ack) {
        let before = self.tx.space.una;
        self.advance_fully(cx, ack);
        if before > 0 {
            self.grow(cx, ack.to - before, true);
        }
        self.send_window(cx, cx.cfg.max_burst);
    }

    /// Advances the sequence space.
    #[inline]
    fn advance(&mut self, cx: &mut Cx, ack: &Ack, how: Advance) -> NewData {
        let (una, sent) = (self.tx.space.una, self.tx.sent.len());
        match how {
            Advance::Full => self.advance_fully(cx, ack),
            Advance::Partial => self.tx.advance_partially(cx, ack.to),
            Advance::PartialKeepingBackoff => {
                self.tx.move_una(cx, ack.to);
                self.tx.forget_acked();
            }
        }
        NewData { bytes: ack.to - una, segments: sent - self.tx.sent.len(), opening: una == 0 }
    }

    /// Carries out decisions in order, those that follow from their results included.
    #[inline]
    pub(super) fn carry_out(&mut self, cx: &mut Cx) {
        if !self.decisions.is_empty() {
            self.carry_out_all(cx);
        }
    }

    fn carry_out_all(&mut self, cx: &mut Cx) {
        let mut next = 0;
        while let Some(decision) = self.decisions.get(next) {
            self.carry_out_one(cx, *decision);
            next += 1;
        }
        self.decisions.clear();
    }

    #[inline(always)]
    fn carry_out_one(&mut self, cx: &mut Cx, decision: Decision) {
        let tx = &mut self.tx;
        match decision {
            Decision::CountDup => {
                let dup = self.count_dup(cx);
                self.recovery.on_dup(&self.tx, cx, dup, &mut self.decisions);
            }
            Decision::CountDupSilently => {
                tx.dup_acks += 1;
                cx.counters.dup_acks += 1;
            }
            Decision::SetDupAcks(count) => tx.dup_acks = count,
            Decision::SetCwnd(cwnd) => tx.window.cwnd = cwnd,
            Decision::SetSsthresh(ssthresh) => tx.window.ssthresh = ssthresh,
            Decision::SetInflation(inflation) => tx.window.inflation = inflation,
            Decision::Grow { bytes, may_grow } => {
                self.grow(cx, bytes, may_grow);
            }
            Decision::GrowTo(growth) => {
                self.decide_growth(cx, growth);
                self.recovery.on_grown(&self.tx, cx, &mut self.decisions);
            }
            Decision::Reduce { standard, cause } => {
                let before = Window { cwnd: tx.window.cwnd, ssthresh: tx.window.ssthresh };
                let stands = match cause {
                    Detected::FastRetransmit => self.cut_for_loss(cx, standard),
                    Detected::ByProbe => self.reduce_repaired(cx, standard),
                };
                self.recovery.on_reduced(&self.tx, cx, Reduction { before, stands }, &mut self.decisions);
            }
            Decision::ReduceOwn { cwnd } => {
                tx.window.cwnd = cwnd;
                cx.counters.window_cuts += 1;
            }
            Decision::CountFastRetransmit => tx.count_fast_retransmit(cx, tx.space.una),
            Decision::MarkCut(by) => tx.mark_cut(by),
            Decision::EndCut => tx.cut.by = CutBy::Recovered,
            Decision::ForgetCutPoint => tx.cut.point = 0,
            Decision::StartFastRecovery => {
                tx.mark_cut(CutBy::DupAcks);
                tx.arm_timer(cx);
                tx.timed = None;
                self.retransmit_una(cx);
            }
            Decision::Restore(before) => {
                self.undo_recovery(cx, before);
                self.recovery.on_restored(&self.tx, cx, &mut self.decisions);
            }
            Decision::Leave => {
                self.leave_recovery(cx);
                self.recovery.on_left(&self.tx, cx, &mut self.decisions);
            }
            Decision::ArmTimer => tx.arm_timer(cx),
            Decision::BackOff => tx.rtt.back_off(),
            Decision::EndBackoff => tx.rtt.end_backoff(),
            Decision::StopTiming => tx.timed = None,
            Decision::SampleEcho => self.sample_echo(cx, Timed::Data),
            Decision::SampleSacked(sent) => self.sample_sacked(cx, sent),
            Decision::ForgetLimited => tx.limited_bytes = 0,
            Decision::LimitedTransmit => self.send_one_more(cx),
            Decision::RetransmitUnlessStopped if tx.is_frozen() => {}
            Decision::RetransmitOldest | Decision::RetransmitUnlessStopped => self.retransmit_una(cx),
            Decision::Send(segment) => self.send(cx, segment),
            Decision::Rewind => tx.space.nxt = tx.space.una,
        }
    }

    /// A tail loss probe has repaired a loss: reduces the window without a recovery. Returns false if the
    /// variant has stopped the sender.
    fn reduce_repaired(&mut self, cx: &mut Cx, standard: Window) -> bool {
        let stands = self.reduce_for_loss(cx, standard);
        if stands {
            self.tx.mark_cut(CutBy::Recovered);
        }
        stands
    }

    /// Sends segments that the recovery selects, at most `burst` (0: no limit).
    pub(super) fn send_selected(&mut self, cx: &mut Cx, burst: u32) {
        self.recovery.begin_selecting(&self.tx, cx);
        let mut sent = 0;
        while !self.tx.is_frozen() && self.recovery.has_room(&self.tx, cx) && !self.tx.is_held_back(cx) {
            let Some(segment) = self.recovery.next_segment(&self.tx, cx) else { break };
            self.send(cx, segment);
            sent += 1;
            if sent == burst {
                break;
            }
        }
    }

    /// Sends a segment that the recovery selected.
    fn send(&mut self, cx: &mut Cx, segment: Segment) {
        let Segment { start, len, kind } = segment;
        self.output(cx, start, len);
        match kind {
            Kind::New => self.tx.space.nxt = start + len,
            Kind::Limited => {
                self.tx.space.nxt = start + len;
                self.tx.limited_bytes += len;
            }
            Kind::Again => {}
            Kind::AgainTimed => self.tx.arm_timer(cx),
            Kind::UpTo(offset) => self.tx.space.nxt = self.tx.space.nxt.max(offset),
        }
    }
}
