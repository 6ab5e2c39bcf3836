//! A receiver after TACK (Li et al. 2020, draft-li-quic-optimizing-ack-in-wlan §4): it acknowledges by the round
//! trip, not by the segment, because on a shared radio channel every ACK costs about as much air as a segment.
//!
//! TACK's rule is one ACK every RTTmin / β, or for every L segments where that is rarer. The round trip of a
//! multihop path at 2 Mb/s holds few segments, so a fixed L decides alone. Here L follows the path: it is the
//! number of segments that come in a round trip as it is now, divided by β. Then at least β ACKs come in each round
//! trip, which keeps a window of any size moving. Gaps and what fills them are answered at once, as in every TCP.
//!
//! TACK's receiver learns the round trip from its peer; this one measures it, from its own time stamps that the
//! peer echoes with data.

use crate::config::ReceiverConfig;
use tworay_base::{SimDuration, SimTime};

/// Weight of a new value in the smoothed ones, as in RFC 6298.
const WEIGHT: f64 = 0.125;
/// Without a further segment in so many average gaps, the ACK leaves: the sender waits for it.
const PATIENCE: f64 = 2.5;
/// No path is longer: what an older time stamp would say is wrong.
const LONGEST_ROUND_TRIP: SimDuration = SimDuration::from_secs(60);

#[derive(Debug)]
pub(super) struct Tack {
    /// Segments that no ACK covers.
    held: u32,
    /// When the last ACK left.
    since: SimTime,
    /// When the last segment came, unless something came between.
    last: Option<SimTime>,
    /// Smoothed gap between segments, seconds.
    gap: Option<f64>,
    /// Smoothed round trip, seconds.
    round_trip: Option<f64>,
    /// The shortest, seconds.
    shortest: f64,
    /// The last echo used: only the first segment after an ACK measures the path, not the sender's waiting.
    echo: u32,
}

impl Tack {
    pub fn new() -> Self {
        Self {
            held: 0,
            since: SimTime::ZERO,
            last: None,
            gap: None,
            round_trip: None,
            shortest: f64::INFINITY,
            echo: 0,
        }
    }

    /// The peer echoes one of our time stamps.
    pub fn heard(&mut self, echo: u32, now: SimTime, clock: SimDuration) {
        if echo == 0 || std::mem::replace(&mut self.echo, echo) == echo {
            return;
        }
        let age = clock * u64::from(crate::send::timestamp(now, clock).wrapping_sub(echo));
        if age > LONGEST_ROUND_TRIP {
            return;
        }
        let sample = age.as_secs_f64();
        self.shortest = self.shortest.min(sample);
        smooth(&mut self.round_trip, sample);
    }

    /// An in-order segment came: how long to hold its ACK, or `None` to send it now.
    pub fn in_order(&mut self, cfg: &ReceiverConfig, now: SimTime) -> Option<SimDuration> {
        self.held += 1;
        if let Some(last) = self.last.replace(now) {
            smooth(&mut self.gap, now.since(last).as_secs_f64());
        }
        let (Some(gap), Some(round_trip)) = (self.gap, self.round_trip) else {
            self.sent(now);
            return None;
        };
        let beta = f64::from(cfg.tack.beta);
        let per_ack = (round_trip / (beta * gap)).clamp(1.0, f64::from(cfg.tack.most)) as u32;
        let not_before = self.since + SimDuration::from_secs_f64(self.shortest / beta);
        if self.held >= per_ack && now >= not_before {
            self.sent(now);
            return None;
        }
        let until_next = SimDuration::from_secs_f64(PATIENCE * gap);
        let wait = if self.held >= per_ack { not_before.since(now) } else { until_next };
        Some(wait.min(cfg.interval))
    }

    /// An ACK leaves for another reason: disorder, or nothing came in time. Such a pause is no gap of the rhythm.
    pub fn disturbed(&mut self, now: SimTime) {
        self.sent(now);
        self.last = None;
    }

    fn sent(&mut self, now: SimTime) {
        self.held = 0;
        self.since = now;
    }
}

fn smooth(value: &mut Option<f64>, sample: f64) {
    *value = Some(value.map_or(sample, |old| old + WEIGHT * (sample - old)));
}

#[cfg(test)]
mod tests;
