//! Desynchronises stations: draws their clock offsets, processing delays, and delays of broadcasts.
//!
//! Without it, flows with equal start times transmit in the same nanosecond. Unicast frames recover from
//! this (the MAC draws a backoff and retries), but a broadcast is sent only once: route requests and ARP
//! requests repeated at equal intervals would collide forever.

use tworay_base::{NodeId, Purpose, RngStream, SimDuration, SimTime};
use tworay_scenario::StationConfig;

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
