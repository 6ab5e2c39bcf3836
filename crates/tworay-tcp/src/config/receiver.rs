//! When the receiver acknowledges.

use super::Reporting;
use super::refusals::{COARSEST_HEARTBEAT, problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, SimDuration};

/// When the receiver acknowledges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReceiverConfig {
    /// Which in-order segments are acknowledged immediately.
    pub acks: AckPolicy,
    /// Longest delay of an ACK, up to 500ms (RFC 1122 §4.2.3.2). Default 100ms (ns-2).
    pub interval: SimDuration,
    /// With delayed ACKs, acknowledge immediately after this many segments. Default 2 (RFC 5681 §4.2).
    pub every: u32,
    /// Granularity of the ACK timer: it fires only at multiples of this period, at a random phase per
    /// endpoint; "0s" for an exact timer (Papanastasiou 2006, table 5.1: 0, 10, 50, 200, 500 ms). Default:
    /// `tcp.heartbeat`.
    pub heartbeat: Option<SimDuration>,
    /// Parameters of `acks = "daa"`.
    pub daa: DaaConfig,
    /// The parameters of `acks = "stretched"`.
    pub stretched: StretchedConfig,
    /// The parameters of `acks = "tack"`.
    pub tack: TackConfig,
    /// Time before an interruption of the path at which the receiver closes its window; `None` for never. The
    /// variant `freeze-tcp` sets it.
    #[serde(skip)]
    pub warning: Option<SimDuration>,
    /// Reports about the path in the ACKs; `None` for none. Variants set it. Needs `tcp.timestamps`.
    #[serde(skip)]
    pub reporting: Option<Reporting>,
}

impl Default for ReceiverConfig {
    fn default() -> Self {
        Self {
            acks: AckPolicy::EverySegment,
            interval: SimDuration::from_millis(100),
            every: 2,
            heartbeat: None,
            daa: DaaConfig::default(),
            stretched: StretchedConfig::default(),
            tack: TackConfig::default(),
            warning: None,
            reporting: None,
        }
    }
}

impl ReceiverConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigProblem> {
        if self.interval.is_zero() || self.interval > SimDuration::from_millis(500) {
            return problem(
                "receiver.interval",
                format!("{} is out of range", self.interval),
                "choose up to 500ms (RFC 1122 §4.2.3.2)",
            );
        }
        if self.every == 0 {
            return problem(
                "receiver.every",
                "no segment would ever be acknowledged at once".into(),
                "choose 2 (RFC 5681 §4.2)",
            );
        }
        if self.heartbeat.is_some_and(|h| h > COARSEST_HEARTBEAT) {
            return problem(
                "receiver.heartbeat",
                format!("{} is too coarse", self.heartbeat.unwrap_or_default()),
                "choose at most 10s, such as 200ms",
            );
        }
        let unit = |x: f64| x > 0.0 && x < 1.0;
        let d = &self.daa;
        if !(unit(d.alpha) && unit(d.mu) && d.kappa > 0.0 && d.kappa.is_finite() && d.max >= 1) {
            return problem(
                "receiver.daa",
                "alpha and mu lie between 0 and 1, kappa above 0, max at 1 or more".into(),
                "leave them out for 0.75, 0.3, 0.2 and 4",
            );
        }
        if d.count_from > 1 {
            return problem(
                "receiver.daa.count_from",
                format!("{} is out of range", d.count_from),
                "choose 0, or 1 as the thesis describes it",
            );
        }
        if !self.stretched.from.is_sorted_by(|a, b| a < b) || self.stretched.from.len() > 15 {
            return problem(
                "receiver.stretched.from",
                format!("{:?} does not grow from each number to the next", self.stretched.from),
                "write up to 15 growing numbers of segments, such as [2, 5, 9]",
            );
        }
        for (key, value, least) in
            [("receiver.tack.beta", self.tack.beta, 2), ("receiver.tack.most", self.tack.most, 1)]
        {
            if !(least..=64).contains(&value) {
                return problem(key, format!("{value} is out of range"), &format!("choose {least} to 64"));
            }
        }
        Ok(())
    }
}

/// Which in-order segments are acknowledged immediately. Out-of-order segments always are (RFC 5681 §4.2).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckPolicy {
    /// Every segment.
    EverySegment,
    /// Every second segment, or after the interval (RFC 1122).
    Delayed,
    /// Up to four segments per ACK, adapted to their arrival rate (Dynamic Adaptive ACK).
    Daa,
    /// One ACK for a number of segments that grows with the position in the transfer, from one to four by default, or
    /// after the interval (Altman and Jiménez 2003).
    Stretched,
    /// A few ACKs per round trip, whatever the number of segments (after TACK). Needs `tcp.timestamps`; without it,
    /// every segment is acknowledged.
    Tack,
}

/// Dynamic Adaptive ACK (de Oliveira and Braun 2005).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DaaConfig {
    /// Weight of the old value in the smoothed gap between segments, 0 to 1. Default 0.75.
    pub alpha: f64,
    /// Tolerance in the timer (2 + kappa) x gap, above 0. Default 0.2.
    pub kappa: f64,
    /// Growth of the number of segments per ACK during start-up, 0 to 1. Default 0.3.
    pub mu: f64,
    /// Most segments per ACK. Default 4.
    pub max: u32,
    /// Initial value of the segment counter after each ACK, 0 or 1. Default 0: one ACK for `max` segments.
    /// With 1, as Papanastasiou (2006, p. 123) describes `ack_count`, it is one segment less.
    pub count_from: u32,
}

impl Default for DaaConfig {
    fn default() -> Self {
        Self { alpha: 0.75, kappa: 0.2, mu: 0.3, max: 4, count_from: 0 }
    }
}

/// Delayed ACKs that answer more segments the longer the transfer has lasted (Altman and Jiménez 2003).
///
/// At its start a sender has a small window and needs every ACK to make it grow; a fixed number of segments for each ACK
/// would make it wait for the interval. The paper varies the number with the sequence number of the segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StretchedConfig {
    /// Segments of the transfer, counted from 1, from which on an ACK answers one more. Growing; up to 15 numbers.
    /// Default [2, 5, 9]: one segment for each ACK at first, two from the 2nd segment on, three from the 5th, four from
    /// the 9th.
    pub from: Vec<u64>,
}

impl Default for StretchedConfig {
    fn default() -> Self {
        Self { from: vec![2, 5, 9] }
    }
}

impl StretchedConfig {
    /// Segments that an ACK answers at this segment of the transfer.
    pub(crate) fn every(&self, segment: u64) -> u32 {
        1 + self.from.iter().filter(|from| **from <= segment).count() as u32
    }
}

/// Acknowledgments per round trip instead of per segment (after TACK, Li et al. 2020).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TackConfig {
    /// Maximum number of ACKs per shortest round trip, and minimum per current round trip as far as `most`
    /// allows. 2 to 64. Default 2, the fewest that keep a sender going; Li et al. use 4 for fast networks.
    pub beta: u32,
    /// Maximum number of segments per ACK; the ACK still waits for the shortest round trip / beta. 1 to 64.
    /// Default 8.
    pub most: u32,
}

impl Default for TackConfig {
    fn default() -> Self {
        Self { beta: 2, most: 8 }
    }
}
