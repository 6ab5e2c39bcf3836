//! Growth of the window as in Linux: in whole segments, by those delivered, and only if the window was used.

use crate::control::{WholeSegments, Window};
use crate::send::SendState;

/// An ACK of new data.
#[derive(Copy, Clone, Debug)]
pub(super) struct Acked {
    /// Segments that it reports for the first time, so that one counts once, SACKed or acknowledged, and pieces of a
    /// segment as one.
    pub delivered: usize,
    /// Segments in flight before it.
    pub before: usize,
}

#[derive(Debug, Default)]
pub(super) struct LinuxGrowth {
    whole: WholeSegments,
    /// Maximum number of segments in flight in this round trip, and the end of the round trip.
    most: usize,
    round: u64,
}

impl LinuxGrowth {
    /// Returns the standard window after an ACK at `window`.
    pub fn on_ack(&mut self, tx: &SendState, window: Window, acked: Acked, may_grow: bool) -> Window {
        let Window { cwnd, ssthresh } = window;
        if tx.space.una > self.round {
            (self.round, self.most) = (tx.space.max, 0);
        }
        self.most = self.most.max(acked.before);
        let slow_start = cwnd < ssthresh;
        // In slow start the window may grow if half of it was used: the next burst needs it.
        let used = acked.before as f64 >= cwnd.floor() || (slow_start && cwnd < 2.0 * self.most as f64);
        if !may_grow || !used {
            return window;
        }
        Window { cwnd: self.whole.grow(window, acked.delivered as f64), ssthresh }
    }

    /// A loss has reduced the window.
    pub fn on_reduced(&mut self) {
        self.whole.restart();
    }
}
