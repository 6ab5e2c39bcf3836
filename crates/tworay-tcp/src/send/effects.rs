//! Carries out the effects that a variant requests.

use super::*;
use crate::control::{Effect, Effects, Window};

impl Machinery {
    pub(super) fn apply(&mut self, cx: &mut Cx, recovery: &mut dyn Recovery, effects: Effects) {
        for effect in effects {
            match effect {
                Effect::SetWindow(window) => {
                    self.set_window(recovery, window);
                    recovery.on_window_chosen();
                }
                Effect::Retransmit => self.retransmit_una(cx, recovery),
                Effect::Freeze => self.freeze(cx),
                Effect::Thaw => self.thaw(cx),
                Effect::EndBackoff => self.rtt.end_backoff(),
                Effect::Recover(window) => self.recover_with(cx, recovery, window),
                Effect::GoBack(window) => self.go_back(cx, recovery, window),
                Effect::StartTimer(wait) => cx.out.push(TcpAction::Arm(TcpTimer::Variant, cx.now + wait)),
                Effect::Pace(gap) => self.pace(cx, gap),
                Effect::StopTimer => cx.out.push(TcpAction::Disarm(TcpTimer::Variant)),
                Effect::Probe(mark) => self.probe(cx, mark),
                Effect::ScaleRtt(factor) => {
                    self.timer.chosen = None;
                    self.rtt.scale(factor);
                }
                Effect::Guess { seq, guess } => {
                    cx.counters.ran(Operation::Classification);
                    cx.note(TcpNote::LossGuess { seq, guess });
                }
            }
        }
    }

    fn freeze(&mut self, cx: &mut Cx) {
        if self.space.una > 0 && !self.is_frozen() {
            self.disarm_timer(cx);
            // Outstanding segments may now wait for the path, so they are no measure of it (Karn).
            self.timed = None;
            self.frozen = Some(cx.now);
            cx.counters.freezes += 1;
        }
    }

    fn thaw(&mut self, cx: &mut Cx) {
        if let Some(since) = self.frozen.take() {
            cx.counters.frozen += cx.now.since(since);
            if self.space.una < self.space.max {
                self.arm_timer(cx);
            }
        }
    }

    fn recover_with(&mut self, cx: &mut Cx, recovery: &mut dyn Recovery, window: Window) {
        if self.space.una >= self.space.max || !recovery.begins_on_request() {
            return self.go_back(cx, recovery, window);
        }
        self.replace_window(cx, recovery, window);
        cx.counters.fast_retransmits += 1;
        cx.note(TcpNote::FastRetransmit { seq: self.space.seq(self.space.una) });
        self.mark_cut(CutBy::DupAcks);
        // Each duplicate ACK stands for a segment that left the network.
        self.window.inflation = f64::from(self.dup_acks);
        self.timed = None;
        self.arm_timer(cx);
        self.retransmit_una(cx, recovery);
    }

    fn go_back(&mut self, cx: &mut Cx, recovery: &mut dyn Recovery, window: Window) {
        self.replace_window(cx, recovery, window);
        if self.space.una >= self.space.max {
            return;
        }
        self.mark_cut(CutBy::Timeout);
        self.dup_acks = 0;
        self.window.inflation = 0.0;
        self.limited_bytes = 0;
        self.timed = None;
        recovery.go_back(self, cx);
        self.arm_timer(cx);
    }

    fn replace_window(&mut self, cx: &mut Cx, recovery: &mut dyn Recovery, window: Window) {
        cx.counters.window_cuts += u64::from(window.cwnd < self.window.cwnd);
        self.set_window(recovery, window);
    }

    /// The variant's timer expired.
    pub(super) fn on_variant_timer(&mut self, cx: &mut Cx, recovery: &mut dyn Recovery) {
        let mut effects = Effects::new();
        let view = self.view(cx, recovery);
        self.controls.on_timer(&view, &mut effects);
        self.apply(cx, recovery, effects);
        self.send_window(cx, recovery, cx.cfg.max_burst);
    }
}
