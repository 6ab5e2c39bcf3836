//! Vegas' measurements and its window decision, once per round trip (Brakmo and Peterson 1995, §3.2 and
//! §3.3).

use super::{VegasRepair, count_to};
use crate::control::Window;
use crate::parts::settings;
use crate::send::{Cx, SendState};
use tworay_base::SimTime;

settings! {
    /// Bounds on the number of segments queued in the network.
    pub(in crate::recovery) struct Thresholds {
        /// grow below this many segments queued in the network
        alpha: f64 = 1.0, 0.0..1000.0;
        /// shrink above this many segments
        beta: f64 = 3.0, 0.0..1000.0;
        /// leave slow start above this many segments
        gamma: f64 = 1.0, 0.0..1000.0;
    }
}

/// The measurements, and the window that follows from them.
#[derive(Debug)]
pub(super) struct Rate {
    thresholds: Thresholds,
    /// Shortest round trip, seconds; infinite before the first sample.
    base_rtt: f64,
    /// Eight times the smoothed fine-grained round trip, seconds.
    sa: f64,
    /// Four times its deviation, seconds.
    sd: f64,
    /// Fine timeout, seconds.
    pub timeout: f64,
    /// Start of the segment whose ACK ends this round trip, and when the round trip began.
    mark: u64,
    mark_at: SimTime,
    samples: u32,
    sum: f64,
    /// Growth per ACK in this round trip, segments.
    step: f64,
    /// True if slow start may grow in this round trip; it does in every second one.
    may_step: bool,
}

impl Rate {
    pub fn new(thresholds: Thresholds) -> Self {
        Self {
            thresholds,
            base_rtt: f64::INFINITY,
            sa: 0.0,
            sd: 0.0,
            timeout: 1000.0,
            mark: 0,
            mark_at: SimTime::ZERO,
            samples: 0,
            sum: 0.0,
            step: 0.0,
            may_step: true,
        }
    }

    pub fn has_begun(&self) -> bool {
        self.base_rtt.is_finite()
    }

    /// The first ACK arrived, for data sent at `sent`.
    pub fn begin(&mut self, sent: SimTime, now: SimTime, una: u64) {
        let rtt = now.since(sent).as_secs_f64();
        self.base_rtt = rtt;
        self.sa = rtt * 8.0;
        self.sd = rtt;
        self.timeout = (self.sa / 4.0 + self.sd) / 2.0;
        (self.mark, self.mark_at) = (una, sent);
    }

    /// A fine-grained sample of a segment that was sent once.
    pub fn sample(&mut self, rtt: f64) {
        self.sum += rtt;
        self.samples += 1;
        if rtt > 0.0 {
            self.base_rtt = self.base_rtt.min(rtt);
            let error = rtt - self.sa / 8.0;
            self.sa += error;
            self.sd += error.abs() - self.sd / 4.0;
            self.timeout = (self.sa / 4.0 + self.sd) / 2.0 * (17.0 / 16.0);
        }
    }
}

impl VegasRepair {
    /// Sets the window after an ACK of new data.
    pub(super) fn grow(&mut self, tx: &SendState, cx: &Cx, window: &mut Window) {
        if tx.space.una > self.rate.mark {
            self.round_trip(tx, cx, window);
        }
        if self.rate.step == 1.0 && window.cwnd >= window.ssthresh {
            self.rate.step = 0.0;
        }
        let used = count_to(tx, tx.space.nxt) - count_to(tx, tx.space.una) + 1.0;
        if self.rate.step > 0.0 && window.cwnd - used <= 2.0 {
            window.cwnd = tx.bounded(window.cwnd + self.rate.step);
        }
    }

    /// Once per round trip: compares expected and actual rate, and sets the window's growth.
    fn round_trip(&mut self, tx: &SendState, cx: &Cx, window: &mut Window) {
        let r = &mut self.rate;
        let rtt =
            if r.samples > 0 { r.sum / f64::from(r.samples) } else { cx.now.since(r.mark_at).as_secs_f64() };
        (r.sum, r.samples) = (0.0, 0);
        let sent = count_to(tx, tx.space.nxt) - count_to(tx, r.mark);
        let in_flight = count_to(tx, tx.space.nxt) - count_to(tx, tx.space.una) + 1.0;
        if rtt > 0.0 {
            if rtt < r.base_rtt || sent <= 1.0 {
                r.base_rtt = rtt;
            }
            let (expected, actual) = (in_flight / r.base_rtt, sent / rtt);
            let excess = ((expected - actual) * r.base_rtt + 0.5).trunc();
            if window.cwnd < window.ssthresh {
                r.may_step = !r.may_step;
                r.step = 0.0;
                if r.may_step && excess > r.thresholds.gamma {
                    window.ssthresh = 2.0;
                    window.cwnd = (window.cwnd - window.cwnd / 8.0).max(2.0);
                } else if r.may_step {
                    r.step = 1.0;
                }
            } else if excess > r.thresholds.beta {
                window.cwnd = (window.cwnd - 1.0).max(2.0);
                r.step = 0.0;
            } else if excess < r.thresholds.alpha {
                r.step = 1.0 / window.cwnd;
            } else {
                r.step = 0.0;
            }
        }
        (r.mark, r.mark_at) = (tx.space.nxt, cx.now);
    }
}
