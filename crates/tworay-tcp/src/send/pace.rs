//! Pacing: a minimum time between two segments with payload, which a variant sets by
//! [`Effect::Pace`](crate::Effect::Pace). A segment that is due too early is held back and sent when the
//! pacing timer expires.

use super::*;

impl SendState {
    /// True if pacing holds the next segment back; the timer then sends it.
    #[inline]
    pub fn is_held_back(&mut self, cx: &mut Cx) -> bool {
        !self.pacer.gap.is_zero() && self.hold_back(cx)
    }

    #[cold]
    fn hold_back(&mut self, cx: &mut Cx) -> bool {
        let due = self.pacer.due();
        if due <= cx.now {
            return false;
        }
        if !self.pacer.armed {
            self.pacer.armed = true;
            cx.out.push(TcpAction::Arm(TcpTimer::Pace, due));
        }
        true
    }

    /// A segment with payload is sent.
    #[inline]
    pub(super) fn note_paced(&mut self, now: SimTime) {
        self.pacer.sent(now);
    }

    /// Sets the gap. A segment that is held back waits for the new gap, counted from the last segment (in Linux: for its old
    /// departure time).
    pub(super) fn pace(&mut self, cx: &mut Cx, gap: SimDuration) {
        debug_assert!(self.needs.contains(Needs::PACING), "paces without need");
        if !self.needs.contains(Needs::PACING) || self.pacer.gap == gap {
            return;
        }
        self.pacer.gap = gap;
        if self.pacer.armed {
            cx.out.push(TcpAction::Arm(TcpTimer::Pace, self.pacer.due().max(cx.now)));
        }
    }

    /// Sets the gap of segments that leave as in Linux.
    pub(super) fn pace_as_linux(&mut self, cx: &mut Cx, gap: SimDuration) {
        self.pacer.follow_linux();
        self.pace(cx, gap);
    }
}

impl Sender {
    /// The pacing timer expired: the segment held back is sent, if that is still permitted.
    pub fn on_pace(&mut self, cx: &mut Cx) {
        self.tx.pacer.armed = false;
        if self.tx.is_frozen() {
            return;
        }
        if self.recovery.selects_now() {
            self.send_selected(cx, cx.cfg.max_burst);
        } else {
            self.send_window(cx, cx.cfg.max_burst);
        }
    }
}
