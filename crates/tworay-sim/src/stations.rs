//! What keeps real stations out of step: clocks that differ, processing that takes time, jittered broadcasts.
//!
//! Without it, flows that start at the same moment send in the same nanosecond. Unicast frames survive that
//! (the MAC draws a backoff and tries again), but a broadcast is sent once: route requests and ARP requests
//! that are repeated at equal intervals would collide for ever.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, NodeId, Purpose, RngStream, SimDuration, SimTime};

/// How far the stations of a radio network are out of step. Each node draws from random streams of its own;
/// `0s` switches a part off. With `compat = "ns2"` all are 0s: ns-2's stations act in the same nanosecond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StationConfig {
    /// Each node's clock is late by a uniform time up to this, drawn once: its applications start and stop by
    /// that clock. At most 10s. Clocks that NTP keeps over a network differ by some milliseconds (RFC 5905).
    pub clock_offset: SimDuration,
    /// Time from the transport to routing: uniform up to this, drawn for each packet that a node originates;
    /// packets keep their order. At most 10ms. The mean of the default is the delay of ns-2's link layer, 25 µs.
    pub processing_delay: SimDuration,
    /// Broadcasts that a node originates (ARP requests, route requests, HELLOs, errors) wait a uniform time up
    /// to this, drawn for each; they keep their order. At most 1s. RFC 5148 asks for such a jitter; 10 ms is
    /// that of ns-3's ARP and AODV. Relayed broadcasts have routing's own jitter.
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
    /// Stations in step, as ns-2's are.
    pub const fn ns2() -> Self {
        Self {
            clock_offset: SimDuration::ZERO,
            processing_delay: SimDuration::ZERO,
            broadcast_jitter: SimDuration::ZERO,
        }
    }

    /// Checks ranges; the error is (key, problem, remedy).
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

/// Draws the delays of one kind, and keeps what is delayed in order.
#[derive(Clone, Debug)]
struct Delays {
    rng: RngStream,
    /// When the last one was over.
    last: SimTime,
}

impl Delays {
    fn new(seed: u64, node: NodeId, purpose: Purpose) -> Self {
        Self { rng: RngStream::new(seed, node, purpose), last: SimTime::ZERO }
    }

    /// A uniform delay up to `most`, longer if something that was delayed before is to go first.
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
    /// `nodes` stations; those of a wired network (`radio` is false) have none of these delays.
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

    /// How late the clock of `node` is.
    pub fn clock_offset(&self, node: NodeId) -> SimDuration {
        RngStream::new(self.seed, node, Purpose::ClockOffset).jitter(self.config.clock_offset)
    }

    /// How long a packet that `node` originates at `now` is on its way to routing.
    #[inline]
    pub fn processing(&mut self, now: SimTime, node: NodeId) -> SimDuration {
        let most = self.config.processing_delay;
        self.processing.get_mut(node.index()).map_or(SimDuration::ZERO, |d| d.draw(now, most))
    }

    /// How long a broadcast that `node` originates at `now` waits.
    pub fn jitter(&mut self, now: SimTime, node: NodeId) -> SimDuration {
        let most = self.config.broadcast_jitter;
        self.broadcasts.get_mut(node.index()).map_or(SimDuration::ZERO, |d| d.draw(now, most))
    }
}

#[cfg(test)]
mod tests;
