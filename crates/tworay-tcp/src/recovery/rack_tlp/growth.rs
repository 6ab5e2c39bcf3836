//! Growth of the window as in Linux: in whole segments, by those delivered, and only if the window was used.

use crate::control::{WholeSegments, Window};
use crate::send::SendState;

#[derive(Debug, Default)]
pub(super) struct LinuxGrowth {
    whole: WholeSegments,
    used: Used,
}

/// Use of the window in this round trip (`tcp_cwnd_validate`).
#[derive(Debug, Default)]
struct Used {
    /// The window was full after sending.
    full: bool,
    /// If it was not: most segments outstanding.
    most: usize,
    /// The round trip ends when this byte is acknowledged.
    until: u64,
    /// The byte after the highest sent when it was last looked at.
    sent: u64,
}

/// Segments after all that may be sent was sent.
#[derive(Copy, Clone, Debug)]
pub(super) struct Load {
    /// Neither SACKed nor lost.
    pub in_flight: usize,
    /// Not acknowledged.
    pub outstanding: usize,
}

impl LinuxGrowth {
    /// Returns the standard window after an ACK of new data that reports `delivered` segments for the first time: a
    /// segment counts once, SACKed or acknowledged, and pieces of a segment count as one.
    pub fn on_ack(&mut self, window: Window, delivered: usize) -> Window {
        if !self.limits(window) {
            return window;
        }
        Window { cwnd: self.whole.grow(window, delivered as f64), ..window }
    }

    /// True if the window limited what was sent, so that it may grow.
    pub fn limits(&self, window: Window) -> bool {
        self.used.allows_growth(window)
    }

    /// All that may be sent was sent.
    pub fn on_sending_over(&mut self, tx: &SendState, load: Load) {
        let has_sent = tx.space.max > std::mem::replace(&mut self.used.sent, tx.space.max);
        let waits = tx.space.max < tx.space.end();
        let full = load.in_flight as f64 >= tx.window.cwnd.floor();
        if has_sent || (waits && full) {
            self.used.update(tx, full, load.outstanding);
        }
    }

    /// A loss has reduced the window.
    pub fn on_reduced(&mut self) {
        self.whole.restart();
    }
}

impl Used {
    fn update(&mut self, tx: &SendState, full: bool, outstanding: usize) {
        if tx.space.una >= self.until || full || (!self.full && outstanding > self.most) {
            (self.full, self.most, self.until) = (full, outstanding, tx.space.max);
        }
    }

    /// In slow start the window may grow if half of it was used: the next burst needs it (`tcp_is_cwnd_limited`).
    fn allows_growth(&self, window: Window) -> bool {
        self.full || (window.cwnd < window.ssthresh && window.cwnd < 2.0 * self.most as f64)
    }
}
