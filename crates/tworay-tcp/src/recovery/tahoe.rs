//! Tahoe: a loss is followed by slow start from the loss on.

use crate::control::Window;
use crate::send::*;

impl Sender {
    pub(crate) fn tahoe(&mut self, cx: &mut Cx, ack: &Ack) {
        if ack.to > self.una {
            let bytes = ack.to - self.una;
            let opening = self.una == 0;
            self.advance(cx, ack);
            if !opening {
                self.grow(cx, bytes, true);
            }
        } else if self.is_dup(ack) {
            match self.count_dup(cx) {
                Dup::Loss => self.tahoe_loss(cx),
                Dup::Early if cx.cfg.limited_transmit => self.send_one_more(cx),
                _ => {}
            }
        }
        self.send_window(cx, cx.cfg.max_burst);
    }

    fn tahoe_loss(&mut self, cx: &mut Cx) {
        // Duplicates of segments sent again after a loss are no new loss.
        if self.una <= self.recover && self.una != 1 {
            return;
        }
        let standard = Window { cwnd: 1.0, ..self.halved(cx) };
        if !self.cut_for_loss(cx, standard) {
            return;
        }
        self.recover = self.max;
        self.last_cut = LastCut::None;
        self.arm_timer(cx);
        self.nxt = self.una;
        self.timed = None;
    }
}
