//! Growth of the window as in Linux: in whole segments, by the amount acknowledged (RFC 3465 without its
//! limit), and only if the window was used.

use crate::control::Window;
use crate::send::SendState;

#[derive(Debug, Default)]
pub(super) struct Growth {
    /// Acknowledged segments that have not yet increased the window.
    credit: f64,
    /// Acknowledged bytes that do not make a segment yet, so that pieces of a segment count once.
    bytes: u64,
    /// Maximum number of segments in flight in this round trip, and the end of the round trip.
    most: usize,
    round: u64,
}

impl Growth {
    /// Returns the standard window after an ACK of `bytes` at `window`, with `before` segments in flight
    /// before it.
    pub fn on_ack(
        &mut self,
        tx: &SendState,
        window: Window,
        bytes: u64,
        before: usize,
        may_grow: bool,
    ) -> Window {
        let Window { mut cwnd, ssthresh } = window;
        if tx.space.una > self.round {
            (self.round, self.most) = (tx.space.max, 0);
        }
        self.most = self.most.max(before);
        let slow_start = cwnd < ssthresh;
        // In slow start the window may grow if half of it was used: the next burst needs it.
        let used = before as f64 >= cwnd.floor() || (slow_start && cwnd < 2.0 * self.most as f64);
        if !may_grow || !used {
            return Window { cwnd, ssthresh };
        }
        self.bytes += bytes;
        let mut acked = (self.bytes / tx.space.mss) as f64;
        self.bytes %= tx.space.mss;
        if slow_start {
            let up = (ssthresh.floor() - cwnd).clamp(0.0, acked);
            cwnd += up;
            acked -= up;
        }
        if cwnd >= ssthresh.floor() && acked > 0.0 {
            if self.credit >= cwnd {
                self.credit = 0.0;
                cwnd += 1.0;
            }
            self.credit += acked;
            if self.credit >= cwnd {
                let up = (self.credit / cwnd).floor();
                self.credit -= up * cwnd;
                cwnd += up;
            }
        }
        Window { cwnd, ssthresh }
    }
}
