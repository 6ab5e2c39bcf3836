//! Data acknowledged in bursts, as both versions of BBR measure it, and what Linux adds to the first draft's window: room
//! for these bursts, even numbers, and room for the phase that probes (`tcp_bbr.c` of Linux 6.1:
//! `bbr_update_ack_aggregation`, `bbr_quantization_budget`).

use crate::control::RateSample;
use tworay_base::{SimDuration, SimTime};

/// Rounds for which each of the two maxima counts (`bbr_extra_acked_win_rtts`).
const ROUNDS: u32 = 5;
/// The largest burst that counts: what the path delivers in this time (`bbr_extra_acked_max_us`).
const LONGEST: SimDuration = SimDuration::from_millis(100);

/// A period in which ACKs deliver more than the rate explains: they arrive in bursts after they waited for the air, for one
/// another, or for the receiver's timer.
#[derive(Debug)]
pub(super) struct Burst {
    pub since: SimTime,
    delivered: f64,
}

impl Default for Burst {
    fn default() -> Self {
        Self { since: SimTime::ZERO, delivered: 0.0 }
    }
}

impl Burst {
    /// The segments beyond the rate (segments per second) after an ACK that delivers some; at most the window.
    pub fn extra(&mut self, now: SimTime, delivered: f64, rate: f64, cwnd: f64) -> f64 {
        let mut expected = rate * now.since(self.since).as_secs_f64();
        if self.delivered <= expected {
            (self.delivered, self.since, expected) = (0.0, now, 0.0);
        }
        self.delivered += delivered;
        (self.delivered - expected).min(cwnd)
    }
}

/// The largest bursts of the last rounds.
#[derive(Debug, Default)]
pub(super) struct Aggregation {
    burst: Burst,
    /// Maxima of the current and the previous rounds.
    most: [f64; 2],
    rounds: u32,
}

impl Aggregation {
    /// An ACK at `now`; `rate` in segments per second, `cwnd` in segments.
    pub fn update(&mut self, now: SimTime, sample: &RateSample, started: bool, rate: f64, cwnd: f64) {
        if sample.newly_delivered <= 0.0 || sample.interval.is_none() {
            return;
        }
        if started {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.most = [0.0, self.most[0]];
            }
        }
        // Linux counts whole segments, of those that the rate explains, too.
        let extra = self.burst.extra(now, sample.newly_delivered, rate, cwnd).ceil();
        self.most[0] = self.most[0].max(extra);
    }

    /// Segments by which the window grows.
    pub fn extra(&self, rate: f64) -> f64 {
        self.most[0].max(self.most[1]).min((rate * LONGEST.as_secs_f64()).floor())
    }
}

/// A flight of whole segments, even so that delayed ACKs leave none waiting, and two more while the first phase
/// of the cycle probes for rate.
pub(super) fn rounded(segments: f64, probes: bool) -> f64 {
    let even = (segments.ceil() / 2.0).ceil() * 2.0;
    if probes { even + 2.0 } else { even }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(newly_delivered: f64) -> RateSample {
        RateSample {
            delivered: newly_delivered,
            interval: Some(SimDuration::from_millis(100)),
            app_limited: false,
            newly_delivered,
            prior_delivered: 0.0,
            total_delivered: 0.0,
            lost: 0.0,
            sent_in_flight: 0.0,
            prior_in_flight: 0.0,
            in_flight: 0.0,
            rtt: None,
        }
    }

    fn at(ms: u64) -> SimTime {
        SimTime::ZERO + SimDuration::from_millis(ms)
    }

    /// 100 segments/s: of 6 segments that arrive 20 ms after a burst of 4, the rate explains 2; so 4 + 6 - 2 = 8
    /// are extra. The ACKs of the following half second are what the rate explains, and begin anew.
    #[test]
    fn what_the_rate_does_not_explain_is_extra() {
        let mut bursts = Aggregation::default();
        bursts.update(at(1000), &sample(4.0), false, 100.0, 100.0);
        assert_eq!(bursts.extra(100.0), 4.0);
        bursts.update(at(1020), &sample(6.0), false, 100.0, 100.0);
        assert_eq!(bursts.extra(100.0), 8.0);
        bursts.update(at(1500), &sample(1.0), false, 100.0, 100.0);
        assert_eq!(bursts.extra(100.0), 8.0, "a maximum");
    }

    /// 100 segments/s explain 1.5 of what arrives 15 ms after a burst, and Linux counts 1: 4 + 6 - 1 = 9. At 79 segments/s, 100 ms
    /// deliver 7.9, and Linux counts 7.
    #[test]
    fn segments_are_whole() {
        let mut bursts = Aggregation::default();
        bursts.update(at(1000), &sample(4.0), false, 100.0, 100.0);
        bursts.update(at(1015), &sample(6.0), false, 100.0, 100.0);
        assert_eq!(bursts.extra(100.0), 9.0);
        assert_eq!(bursts.extra(79.0), 7.0);
    }

    /// At most what 100 ms deliver, and at most the window.
    #[test]
    fn bursts_are_bounded() {
        let mut bursts = Aggregation::default();
        bursts.update(at(1000), &sample(50.0), false, 100.0, 30.0);
        assert_eq!(bursts.extra(100.0), 10.0);
        assert_eq!(bursts.extra(1000.0), 30.0);
    }

    /// A burst counts for at least five rounds and at most ten.
    #[test]
    fn an_old_burst_is_forgotten() {
        let mut bursts = Aggregation::default();
        bursts.update(at(0), &sample(9.0), true, 100.0, 100.0);
        let mut rounds = 0;
        while bursts.extra(100.0) == 9.0 {
            rounds += 1;
            bursts.update(at(1000 * rounds), &sample(1.0), true, 100.0, 100.0);
        }
        assert!((5..=10).contains(&rounds), "{rounds}");
    }

    #[test]
    fn windows_are_even_and_probing_has_room() {
        assert_eq!(rounded(10.2, false), 12.0);
        assert_eq!(rounded(12.0, false), 12.0);
        assert_eq!(rounded(12.0, true), 14.0);
    }
}
