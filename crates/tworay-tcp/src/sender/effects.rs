//! Carrying out what a variant asks for.

use super::*;
use crate::control::{Effect, Effects};

impl Sender {
    pub(super) fn apply(&mut self, cx: &mut Cx, effects: Effects) {
        for effect in effects {
            match effect {
                Effect::SetWindow(window) => self.set_window(window),
                Effect::Retransmit => self.retransmit_una(cx),
                Effect::Freeze => {
                    self.disarm_timer(cx);
                    self.frozen = true;
                }
                Effect::Thaw => {
                    self.frozen = false;
                    if self.una < self.max {
                        self.arm_timer(cx);
                    }
                }
                Effect::StartTimer(wait) => cx.out.push(TcpAction::Arm(TcpTimer::Variant, cx.now + wait)),
                Effect::StopTimer => cx.out.push(TcpAction::Disarm(TcpTimer::Variant)),
                Effect::Probe => self.probe(cx),
                Effect::ScaleRtt(factor) => self.rtt.scale(factor),
                Effect::Guess { seq, guess } => cx.note(TcpNote::LossGuess { seq, guess }),
            }
        }
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
