//! Reno's growth in whole segments, by the amount acknowledged, as Linux counts it (`tcp_slow_start`,
//! `tcp_cong_avoid_ai`; RFC 3465 without its limit).

use super::{AckEvent, SenderView, Window, limits};

/// Counts acknowledged segments until they make a window.
#[derive(Debug, Default)]
pub(crate) struct WholeSegments {
    /// Acknowledged segments that have not yet increased the window.
    credit: f64,
}

impl WholeSegments {
    /// Returns cwnd after `acked` more segments: one more for each up to ssthresh, above it one for each window.
    pub fn grow(&mut self, window: Window, acked: f64) -> f64 {
        let threshold = window.ssthresh.floor();
        let mut cwnd = window.cwnd;
        let mut left = acked;
        if cwnd < window.ssthresh {
            cwnd = slow_start(window, acked);
            left -= cwnd - window.cwnd;
        }
        if cwnd >= threshold && left > 0.0 { self.avoid(cwnd, left, cwnd) } else { cwnd }
    }

    /// Returns cwnd after `acked` more segments, of which each `price` make one.
    pub fn avoid(&mut self, mut cwnd: f64, acked: f64, price: f64) -> f64 {
        // Credit of a time when one more segment cost more counts as one.
        if self.credit >= price {
            self.credit = 0.0;
            cwnd += 1.0;
        }
        self.credit += acked;
        if self.credit >= price {
            let up = (self.credit / price).floor();
            self.credit -= up * price;
            cwnd += up;
        }
        cwnd
    }

    /// A loss has reduced the window: the count begins anew.
    pub fn restart(&mut self) {
        self.credit = 0.0;
    }
}

/// True if the window was used as far as Linux demands before it grows: all of it, or in slow start half, because the next
/// burst needs it (`tcp_is_cwnd_limited`). The recovery knows; without its word the flight tells.
pub(crate) fn limits_linux(view: &SenderView, event: &AckEvent) -> bool {
    let half = view.cwnd < view.ssthresh && view.cwnd < 2.0 * (view.flight + event.segments);
    event.limited.unwrap_or(half || limits(view, event))
}

/// Returns cwnd after `acked` segments below ssthresh, which it doesn't pass.
pub(crate) fn slow_start(window: Window, acked: f64) -> f64 {
    window.cwnd + (window.ssthresh.floor() - window.cwnd).clamp(0.0, acked)
}

/// The least ssthresh of a sender that has used this window: three quarters, a half and a quarter in whole segments
/// (`tcp_current_ssthresh`).
pub(crate) fn least_threshold(cwnd: f64) -> f64 {
    (cwnd / 2.0).floor() + (cwnd / 4.0).floor()
}

#[cfg(test)]
mod tests;
