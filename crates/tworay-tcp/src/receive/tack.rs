//! A receiver after TACK (Li et al. 2020, draft-li-quic-optimizing-ack-in-wlan §4): it acknowledges per
//! round trip instead of per segment, because on a shared radio channel an ACK costs about as much air time
//! as a segment.
//!
//! TACK sends one ACK every RTTmin / β, or one for every L segments if that is less often. A round trip on
//! a multihop path at 2 Mb/s holds few segments, so a fixed L would always decide. Here L follows the path:
//! it is the number of segments received in a round trip at the current rate, divided by β. At least β ACKs
//! per round trip result, which keeps a window of any size moving. Gaps and the segments that fill them are
//! acknowledged at once, as in every TCP.
//!
//! TACK's receiver learns the round trip from its peer; this one measures it from its own time stamps,
//! which the peer echoes in data segments.

use crate::config::ReceiverConfig;
use tworay_base::{SimDuration, SimTime};

/// Weight of a new sample in smoothed values, as in RFC 6298.
const WEIGHT: f64 = 0.125;
/// The ACK leaves if no further segment comes within this many average gaps: the sender is waiting for it.
const GAPS: f64 = 2.5;
/// Upper limit of a round trip; older echoes are taken as invalid.
const LONGEST_ROUND_TRIP: SimDuration = SimDuration::from_secs(60);

#[derive(Debug)]
pub(super) struct Tack {
    /// Received segments not yet acknowledged.
    held: u32,
    /// When the last ACK left.
    since: SimTime,
    /// When the last segment came; `None` if something other than an in-order segment came since.
    last: Option<SimTime>,
    /// Smoothed gap between segments, seconds.
    gap: Option<f64>,
    /// Smoothed round trip, seconds.
    round_trip: Option<f64>,
    /// Shortest round trip, seconds.
    shortest: f64,
    /// Last echo used; only the first segment after an ACK measures the path without the sender's waiting
    /// time.
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

    /// Takes a round-trip sample from an echo of one of our time stamps.
    pub fn heard(&mut self, echo: u32, now: SimTime, clock: SimDuration) {
        if echo == 0 || std::mem::replace(&mut self.echo, echo) == echo {
            return;
        }
        let age = clock * u64::from(crate::clock::timestamp(now, clock).wrapping_sub(echo));
        if age > LONGEST_ROUND_TRIP {
            return;
        }
        let sample = age.as_secs_f64();
        self.shortest = self.shortest.min(sample);
        smooth(&mut self.round_trip, sample);
    }

    /// Returns how long to hold the ACK of an in-order segment; `None` to send it now.
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
        let until_next = SimDuration::from_secs_f64(GAPS * gap);
        let wait = if self.held >= per_ack { not_before.since(now) } else { until_next };
        Some(wait.min(cfg.interval))
    }

    /// An ACK leaves for another reason: disorder or a timeout. The pause does not count as a gap.
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
