//! Round-trip estimation and the retransmission timeout (RFC 6298).

use crate::config::{RttArithmetic, TcpConfig};
use tworay_base::{SimDuration, SimTime};

/// A tick of a kernel with 250 Hz.
pub(crate) const LINUX_TICK: SimDuration = SimDuration::from_millis(4);

/// SRTT, RTTVAR, RTO and the backoff.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    arithmetic: RttArithmetic,
    tick: SimDuration,
    phase: SimDuration,
    multiplier: u64,
    min: SimDuration,
    max: SimDuration,
    cap: u32,
    forget_above: u32,
    /// In nanoseconds, or in ticks scaled by 8.
    srtt: u64,
    /// In nanoseconds, or in ticks scaled by 4.
    rttvar: u64,
    has_sample: bool,
    /// RTO before backoff and bounds.
    base_rto: SimDuration,
    backoff: u32,
    /// Linux' own, in nanoseconds: four times the mean deviation, and its highest value in this round trip.
    deviation: u64,
    highest: u64,
    /// Offset at which that round trip ends.
    round: u64,
}

impl RttEstimator {
    /// An estimator whose clock tick started `phase` before time 0.
    pub fn new(config: &TcpConfig, phase: SimDuration) -> Self {
        Self {
            arithmetic: config.rto.arithmetic,
            tick: config.tick,
            phase,
            multiplier: u64::from(config.rto.multiplier),
            min: config.rto.min,
            max: config.rto.max,
            cap: config.rto.backoff_cap,
            forget_above: config.rto.forget_above,
            srtt: 0,
            rttvar: 0,
            has_sample: false,
            base_rto: config.rto.initial,
            backoff: 1,
            deviation: 0,
            highest: 0,
            round: 0,
        }
    }

    /// The time between two moments as the ticking clock measures it: a difference of whole ticks, at least
    /// one. Exact without a tick.
    #[inline]
    pub fn measure(&self, sent: SimTime, now: SimTime) -> SimDuration {
        if self.tick.is_zero() {
            return now.since(sent);
        }
        let ticks = |t: SimTime| (t.since_start() + self.phase).whole(self.tick);
        self.tick * (ticks(now) - ticks(sent)).max(1)
    }

    /// The age of an echoed timestamp. Where the estimators count ticks (ns-2), rounded to the nearest
    /// tick, at least one; otherwise as in [`measure`](Self::measure).
    pub fn measure_age(&self, age: SimDuration, now: SimTime) -> SimDuration {
        if self.arithmetic.counts_ticks() {
            return self.tick * (age + self.tick / 2).whole(self.tick).max(1);
        }
        self.measure(SimTime::ZERO + (now.since_start() - age), now)
    }

    /// Adds a sample of a segment that was sent once (Karn).
    #[inline]
    pub fn sample(&mut self, rtt: SimDuration) {
        match self.arithmetic {
            RttArithmetic::Exact => self.sample_exact(rtt),
            RttArithmetic::Linux => self.sample_linux(rtt),
            _ => self.sample_ticks(rtt.whole(self.tick).max(1)),
        }
        self.has_sample = true;
    }

    // RFC 6298 §2.2 and §2.3: alpha 1/8, beta 1/4, K 4.
    fn sample_exact(&mut self, rtt: SimDuration) {
        let r = rtt.as_nanos();
        if self.srtt == 0 {
            (self.srtt, self.rttvar) = (r.max(1), r / 2);
        } else {
            self.rttvar = (3 * self.rttvar + self.srtt.abs_diff(r)) / 4;
            self.srtt = ((7 * self.srtt + r) / 8).max(1);
        }
        let spread = (4 * self.rttvar).max(self.tick.as_nanos());
        self.base_rto = SimDuration::from_nanos(self.srtt + spread) * self.multiplier;
    }

    // As Linux 6 does: a round trip shorter than SRTT counts an eighth, the highest deviation of a round trip
    // counts at once, and 4 RTTVAR is at least the least RTO. So RTO = SRTT + max(min, 4 RTTVAR).
    fn sample_linux(&mut self, rtt: SimDuration) {
        let (r, least) = (rtt.as_nanos(), self.min.as_nanos());
        if self.srtt == 0 {
            (self.srtt, self.deviation) = (r.max(1), 2 * r);
            self.highest = self.deviation.max(least);
            self.rttvar = self.highest / 4;
        } else {
            let mut change = self.srtt.abs_diff(r) as i64 - (self.deviation / 4) as i64;
            if r < self.srtt && change > 0 {
                change >>= 3;
            }
            self.deviation = self.deviation.saturating_add_signed(change);
            self.srtt = ((7 * self.srtt + r) / 8).max(1);
            self.highest = self.highest.max(self.deviation);
            self.rttvar = self.rttvar.max(self.highest / 4);
        }
        self.set_linux_rto();
    }

    // In whole ticks of a kernel with 250 Hz, rounded up.
    fn set_linux_rto(&mut self) {
        let rto = (self.srtt + 4 * self.rttvar) * self.multiplier;
        self.base_rto = SimDuration::from_nanos(rto.next_multiple_of(LINUX_TICK.as_nanos()));
    }

    /// True if the estimators are those of Linux.
    #[inline]
    pub(crate) fn is_linux(&self) -> bool {
        self.arithmetic == RttArithmetic::Linux
    }

    /// Everything below `una` is acknowledged, and `nxt` is next. At the end of a round trip, Linux lowers
    /// RTTVAR by a quarter of what it exceeds the highest deviation of that round trip.
    pub(crate) fn on_round(&mut self, una: u64, nxt: u64) {
        if una > self.round {
            let highest = self.highest / 4;
            if highest < self.rttvar {
                self.rttvar -= (self.rttvar - highest) / 4;
            }
            (self.round, self.highest) = (nxt, self.min.as_nanos());
            self.set_linux_rto();
        }
    }

    /// A timeout was spurious: the estimators are at least those before it, and allow for the round trip of
    /// the late ACK (RFC 4015 §3.1 step 8).
    pub(crate) fn after_spurious(&mut self, srtt: SimDuration, rttvar: SimDuration, late: SimDuration) {
        let (srtt, rttvar) = (srtt.max(late), rttvar.max(late / 2));
        if self.arithmetic.counts_ticks() {
            let ticks = |d: SimDuration, scale: u64| (d * scale).whole(self.tick).max(1);
            (self.srtt, self.rttvar) = (ticks(srtt, 8), ticks(rttvar, 4));
        } else {
            (self.srtt, self.rttvar) = (srtt.as_nanos(), rttvar.as_nanos());
        }
        self.base_rto = (srtt + (rttvar * 4).max(self.tick)) * self.multiplier;
    }

    // Jacobson's integer arithmetic as in ns-2.
    fn sample_ticks(&mut self, m: u64) {
        let m = m as i64;
        if self.srtt == 0 {
            (self.srtt, self.rttvar) = ((m << 3) as u64, (m << 1) as u64);
        } else {
            let delta = m - (self.srtt >> 3) as i64;
            self.srtt = (self.srtt as i64 + delta).max(1) as u64;
            let mut spread = delta.abs() - (self.rttvar >> 2) as i64;
            let mut least = 1;
            if self.arithmetic == RttArithmetic::LinuxTicks {
                least = 0;
                if delta < 0 && spread > 0 {
                    spread >>= 3;
                }
            }
            self.rttvar = (self.rttvar as i64 + spread).max(least) as u64;
        }
        self.base_rto = self.tick * (((self.rttvar << 3) + self.srtt) >> 3) * self.multiplier;
    }

    /// Ends the backoff: data sent once was acknowledged (RFC 6298 §5, Karn).
    #[inline]
    pub fn end_backoff(&mut self) {
        self.backoff = 1;
    }

    /// Doubles the timeout after an expiry (RFC 6298 §5.5).
    pub fn back_off(&mut self) {
        if self.backoff < self.cap && self.rto() < self.max {
            self.backoff *= 2;
        }
        if self.forget_above > 0 && self.backoff > self.forget_above && self.srtt > 0 {
            if self.arithmetic.counts_ticks() {
                self.rttvar += self.srtt >> 3;
            }
            self.srtt = 0;
        }
    }

    /// The timeout in force, after backoff and bounds; the lower bound applies before the backoff (RFC 6298
    /// §2.4, §2.5).
    #[inline]
    pub fn rto(&self) -> SimDuration {
        let floor = if self.arithmetic.counts_ticks() { self.tick * 2 } else { SimDuration::ZERO };
        (self.base_rto.max(self.min) * u64::from(self.backoff)).min(self.max).max(floor)
    }

    /// The timeout without backoff, within the bounds.
    pub fn rto_without_backoff(&self) -> SimDuration {
        self.base_rto.max(self.min).min(self.max)
    }

    /// The backoff factor.
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// A SYN was lost: the initial timeout for data is at least 3 s (RFC 6298 §5.7).
    pub(crate) fn syn_was_lost(&mut self) {
        if !self.has_sample {
            self.base_rto = self.base_rto.max(SimDuration::from_secs(3));
        }
        self.backoff = 1;
    }

    /// The path length changed: multiplies SRTT and RTTVAR.
    pub(crate) fn scale(&mut self, factor: f64) {
        if self.srtt > 0 && factor.is_finite() && factor > 0.0 {
            self.srtt = ((self.srtt as f64 * factor) as u64).max(1);
            self.rttvar = (self.rttvar as f64 * factor) as u64;
            self.base_rto = self.base_rto.mul_f64(factor);
        }
    }

    /// Smoothed round-trip time.
    pub fn srtt(&self) -> Option<SimDuration> {
        (self.srtt > 0).then(|| match self.arithmetic {
            RttArithmetic::Exact | RttArithmetic::Linux => SimDuration::from_nanos(self.srtt),
            _ => self.tick * self.srtt / 8,
        })
    }

    /// Round-trip time variation.
    pub fn rttvar(&self) -> Option<SimDuration> {
        (self.srtt > 0).then(|| match self.arithmetic {
            RttArithmetic::Exact | RttArithmetic::Linux => SimDuration::from_nanos(self.rttvar),
            _ => self.tick * self.rttvar / 4,
        })
    }
}

#[cfg(test)]
mod tests;
