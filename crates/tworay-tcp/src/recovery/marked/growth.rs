//! How Linux' window grows: in whole segments, by what is acknowledged (RFC 3465 without its bound), and only if
//! the window was used.

use crate::control::Window;
use crate::send::Machinery;

#[derive(Debug, Default)]
pub(super) struct Growth {
    /// Segments acknowledged that haven't made the window grow.
    credit: f64,
    /// The most segments in flight in this round trip, and where it ends.
    most: usize,
    round: u64,
}

impl Growth {
    /// An ACK of `bytes`, with `before` segments in flight before it: the standard window.
    pub fn on_ack(&mut self, tx: &Machinery, bytes: u64, before: usize, may_grow: bool) -> Window {
        let Window { mut cwnd, ssthresh } = Window { cwnd: tx.window.cwnd, ssthresh: tx.window.ssthresh };
        if tx.space.una > self.round {
            (self.round, self.most) = (tx.space.max, 0);
        }
        self.most = self.most.max(before);
        let slow_start = cwnd < ssthresh;
        // In slow start a window used by half may grow: the next burst needs it.
        let used = before as f64 >= cwnd.floor() || (slow_start && cwnd < 2.0 * self.most as f64);
        if !may_grow || !used {
            return Window { cwnd, ssthresh };
        }
        let mut acked = (bytes as f64 / tx.space.mss as f64).max(1.0).round();
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
