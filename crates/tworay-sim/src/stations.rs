//! Desynchronisation of stations: clock offsets, processing delays, jittered broadcasts.
//!
//! Without it, flows with equal start times transmit in the same nanosecond. Unicast frames recover from
//! this (the MAC draws a backoff and retries), but a broadcast is sent only once: route requests and ARP
//! requests repeated at equal intervals would collide forever.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, NodeId, Purpose, RngStream, SimDuration, SimTime};

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

/// Draws delays of one kind, and keeps delayed items in order.
#[derive(Clone, Debug)]
struct Delays {
    rng: RngStream,
    /// When the latest delay ends.
    last: SimTime,
}

impl Delays {
    fn new(seed: u64, node: NodeId, purpose: Purpose) -> Self {
        Self { rng: RngStream::new(seed, node, purpose), last: SimTime::ZERO }
    }

    /// A uniform delay up to `most`, longer if an earlier item must go first.
    fn draw(&mut self, now: SimTime, most: SimDuration) -> SimDuration {
        self.last = self.last.max(now + self.rng.jitter(most));
        self.last.since(now)
    }
}

/// The delays of all stations.
#[derive(Debug)]
pub(crate) struct Stations {
    config: StationConfig,
    seed: u64,
    processing: Vec<Delays>,
    broadcasts: Vec<Delays>,
}

impl Stations {
    /// Creates `nodes` stations; in a wired network (`radio` is false) they have none of these delays.
    pub fn new(config: &StationConfig, radio: bool, seed: u64, nodes: usize) -> Self {
        let config = if radio { config.clone() } else { StationConfig::ns2() };
        let delays = |most: SimDuration, purpose| -> Vec<Delays> {
            let nodes = if most.is_zero() { 0 } else { nodes };
            (0..nodes).map(|i| Delays::new(seed, NodeId(i as u16), purpose)).collect()
        };
        Self {
            processing: delays(config.processing_delay, Purpose::Processing),
            broadcasts: delays(config.broadcast_jitter, Purpose::BroadcastJitter),
            seed,
            config,
        }
    }

    /// The clock offset of `node`.
    pub fn clock_offset(&self, node: NodeId) -> SimDuration {
        RngStream::new(self.seed, node, Purpose::ClockOffset).jitter(self.config.clock_offset)
    }

    /// Delay until a packet that `node` originates at `now` reaches routing.
    #[inline]
    pub fn processing(&mut self, now: SimTime, node: NodeId) -> SimDuration {
        let most = self.config.processing_delay;
        self.processing.get_mut(node.index()).map_or(SimDuration::ZERO, |d| d.draw(now, most))
    }

    /// Delay of a broadcast that `node` originates at `now`.
    pub fn jitter(&mut self, now: SimTime, node: NodeId) -> SimDuration {
        let most = self.config.broadcast_jitter;
        self.broadcasts.get_mut(node.index()).map_or(SimDuration::ZERO, |d| d.draw(now, most))
    }
}

#[cfg(test)]
mod tests;
