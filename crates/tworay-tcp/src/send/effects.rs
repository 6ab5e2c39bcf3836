//! Carries out the effects that a variant requests.

use super::*;
use crate::control::{Effect, Effects, Window};

impl SendState {
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
}

impl Sender {
    pub(super) fn apply(&mut self, cx: &mut Cx, effects: Effects) {
        for effect in effects {
            match effect {
                Effect::SetWindow(window) => {
                    self.set_window(window);
                    self.recovery.on_window_chosen();
                }
                Effect::Retransmit => self.retransmit_una(cx),
                Effect::Freeze => self.tx.freeze(cx),
                Effect::Thaw => self.tx.thaw(cx),
                Effect::EndBackoff => self.tx.rtt.end_backoff(),
                Effect::Recover(window) => self.recover_with(cx, window),
                Effect::GoBack(window) => self.go_back(cx, window),
                Effect::StartTimer(wait) => cx.out.push(TcpAction::Arm(TcpTimer::Variant, cx.now + wait)),
                Effect::Pace(gap) => self.tx.pace(cx, gap),
                Effect::PaceAsLinux(gap) => self.tx.pace_as_linux(cx, gap),
                Effect::StopTimer => cx.out.push(TcpAction::Disarm(TcpTimer::Variant)),
                Effect::Probe(mark) => self.tx.probe(cx, mark),
                Effect::ScaleRtt(factor) => {
                    self.tx.timer.chosen = None;
                    self.tx.rtt.scale(factor);
                }
                Effect::Guess { seq, guess } => {
                    cx.counters.ran(Operation::Classification);
                    cx.note(TcpNote::LossGuess { seq, guess });
                }
            }
        }
    }

    fn recover_with(&mut self, cx: &mut Cx, window: Window) {
        if self.tx.space.una >= self.tx.space.max || !self.recovery.begins_on_request() {
            return self.go_back(cx, window);
        }
        self.replace_window(cx, window);
        self.tx.count_fast_retransmit(cx, self.tx.space.una);
        self.tx.mark_cut(CutBy::DupAcks);
        // Each duplicate ACK stands for a segment that left the network.
        self.tx.window.inflation = f64::from(self.tx.dup_acks);
        self.tx.timed = None;
        self.tx.arm_timer(cx);
        self.retransmit_una(cx);
    }

    fn go_back(&mut self, cx: &mut Cx, window: Window) {
        self.replace_window(cx, window);
        if self.tx.space.una >= self.tx.space.max {
            return;
        }
        self.tx.mark_cut(CutBy::Timeout);
        self.tx.dup_acks = 0;
        self.tx.window.inflation = 0.0;
        self.tx.limited_bytes = 0;
        self.tx.timed = None;
        self.restart(cx);
        self.tx.arm_timer(cx);
    }

    fn replace_window(&mut self, cx: &mut Cx, window: Window) {
        cx.counters.window_cuts += u64::from(window.cwnd < self.tx.window.cwnd);
        self.set_window(window);
    }

    /// The variant's timer expired.
    pub fn on_variant_timer(&mut self, cx: &mut Cx) {
        let mut effects = Effects::new();
        let view = self.view(cx);
        self.tx.controls.on_timer(&view, &mut effects);
        self.apply(cx, effects);
        self.send_window(cx, cx.cfg.max_burst);
    }
}
