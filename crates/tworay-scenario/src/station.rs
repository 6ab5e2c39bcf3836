//! Settings that desynchronise stations: clock offsets, processing delays, jittered broadcasts.
//!
//! Without it, flows with equal start times transmit in the same nanosecond. Unicast frames recover from
//! this (the MAC draws a backoff and retries), but a broadcast is sent only once: route requests and ARP
//! requests repeated at equal intervals would collide forever.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, Dialect, FollowsDialect, SimDuration};

/// Desynchronisation of the stations of a radio network. Each node draws from its own random streams; `0s`
/// disables an item. With `dialect = "ns2"` all are 0s: ns-2's stations act in the same nanosecond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StationConfig {
    /// Each node's clock is late by a uniform time up to this value, drawn once; its applications start and
    /// stop by that clock. At most 10s. Clocks synchronised by NTP over a network differ by some
    /// milliseconds (RFC 5905).
    pub clock_offset: SimDuration,
    /// Time from transport to routing: uniform up to this value, drawn for each packet that a node
    /// originates; packets stay in order. At most 10ms. The mean of the default equals the delay of ns-2's
    /// link layer, 25 µs.
    pub processing_delay: SimDuration,
    /// Broadcasts that a node originates (ARP requests, route requests, HELLOs, route errors) are delayed
    /// by a uniform time up to this value, drawn for each; they stay in order. At most 1s. RFC 5148
    /// recommends such a jitter; 10 ms is the value of ns-3's ARP and AODV. Rebroadcasts use routing's own
    /// jitter.
    pub broadcast_jitter: SimDuration,
}

impl Default for StationConfig {
    fn default() -> Self {
        Self {
            clock_offset: SimDuration::from_millis(10),
            processing_delay: SimDuration::from_micros(50),
            broadcast_jitter: SimDuration::from_millis(10),
        }
    }
}

impl FollowsDialect for StationConfig {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Standard => Self::default(),
            Dialect::Ns2 => Self::ns2(),
        }
    }
}

impl StationConfig {
    /// Synchronised stations, as in ns-2.
    pub const fn ns2() -> Self {
        Self {
            clock_offset: SimDuration::ZERO,
            processing_delay: SimDuration::ZERO,
            broadcast_jitter: SimDuration::ZERO,
        }
    }

    /// Checks ranges.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        let most = [
            ("clock_offset", self.clock_offset, SimDuration::from_secs(10)),
            ("processing_delay", self.processing_delay, SimDuration::from_millis(10)),
            ("broadcast_jitter", self.broadcast_jitter, SimDuration::from_secs(1)),
        ];
        match most.into_iter().find(|(_, value, most)| value > most) {
            Some((key, value, most)) => {
                ConfigProblem::refuse(key, format!("{value} is too long"), format!("give at most \"{most}\""))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused() {
        let config =
            StationConfig { broadcast_jitter: SimDuration::from_secs(2), ..StationConfig::default() };
        let ConfigProblem { key, remedy, .. } = config.validate().expect_err("2 s are too long");
        assert_eq!((key.as_str(), remedy.as_str()), ("broadcast_jitter", "give at most \"1s\""));
        assert!(StationConfig::default().validate().is_ok() && StationConfig::ns2().validate().is_ok());
    }
}
