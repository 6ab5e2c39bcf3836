//! Carrying out what a variant asks for.

use super::*;
use crate::control::{Effect, Effects, Window};

impl Sender {
    pub(crate) fn apply(&mut self, cx: &mut Cx, effects: Effects) {
        for effect in effects {
            match effect {
                Effect::SetWindow(window) => {
                    self.set_window(window);
                    self.linux.window_chosen();
                }
                Effect::Retransmit => self.retransmit_una(cx),
                Effect::Freeze => self.freeze(cx),
                Effect::Thaw => self.thaw(cx),
                Effect::EndBackoff => self.rtt.end_backoff(),
                Effect::Recover(window) => self.recover_with(cx, window),
                Effect::GoBack(window) => self.go_back(cx, window),
                Effect::StartTimer(wait) => cx.out.push(TcpAction::Arm(TcpTimer::Variant, cx.now + wait)),
                Effect::StopTimer => cx.out.push(TcpAction::Disarm(TcpTimer::Variant)),
                Effect::Probe(mark) => self.probe(cx, mark),
                Effect::ScaleRtt(factor) => {
                    self.wait = None;
                    self.rtt.scale(factor);
                }
                Effect::Guess { seq, guess } => {
                    cx.counters.ran(crate::costs::Operation::Classification);
                    cx.note(TcpNote::LossGuess { seq, guess });
                }
            }
        }
    }

    fn freeze(&mut self, cx: &mut Cx) {
        if self.una > 0 && !self.is_frozen() {
            self.disarm_timer(cx);
            // What is out may now wait for the path: no measure of it (Karn).
            self.timed = None;
            self.frozen = Some(cx.now);
            cx.counters.freezes += 1;
        }
    }

    fn thaw(&mut self, cx: &mut Cx) {
        if let Some(since) = self.frozen.take() {
            cx.counters.frozen += cx.now.since(since);
            if self.una < self.max {
                self.arm_timer(cx);
            }
        }
    }

    fn recover_with(&mut self, cx: &mut Cx, window: Window) {
        if self.una >= self.max || !matches!(self.kind, RecoveryKind::Reno | RecoveryKind::NewReno) {
            return self.go_back(cx, window);
        }
        self.replace_window(cx, window);
        cx.counters.fast_retransmits += 1;
        cx.note(TcpNote::FastRetransmit { seq: self.seq(self.una) });
        self.recover = self.max;
        self.last_cut = LastCut::DupAcks;
        self.had_partial = false;
        // Each duplicate ACK stands for a segment that has left the network.
        self.inflation = f64::from(self.dup_acks);
        self.timed = None;
        self.arm_timer(cx);
        self.retransmit_una(cx);
    }

    fn go_back(&mut self, cx: &mut Cx, window: Window) {
        self.replace_window(cx, window);
        if self.una >= self.max {
            return;
        }
        self.recover = self.max;
        self.last_cut = LastCut::Timeout;
        self.dup_acks = 0;
        self.inflation = 0.0;
        self.limited_bytes = 0;
        self.timed = None;
        self.go_back_to_una(cx);
        self.arm_timer(cx);
    }

    fn replace_window(&mut self, cx: &mut Cx, window: Window) {
        cx.counters.window_cuts += u64::from(window.cwnd < self.cwnd);
        self.set_window(window);
    }

    /// The variant's timer expired.
    pub fn on_variant_timer(&mut self, cx: &mut Cx) {
        let mut effects = Effects::new();
        let view = self.view(cx);
        self.controls.on_timer(&view, &mut effects);
        self.apply(cx, effects);
        self.send_window(cx, cx.cfg.max_burst);
    }
}
