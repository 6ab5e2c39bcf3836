//! Measurements of a flow's path.

use super::delays::Delays;
use tworay_base::{NodeId, SimDuration};

/// Path measurements from arriving packets.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathProbe {
    /// Receiving node.
    to: Option<NodeId>,
    /// Number of packets that had arrived before the latest restart.
    earlier: u64,
    /// Number of packets, counting first arrivals only.
    pub packets: u64,
    delay: f64,
    delays: Delays,
    last: Option<SimDuration>,
    variation: f64,
    /// Number of packets by hops travelled.
    pub hops: Vec<u64>,
}

impl PathProbe {
    /// A probe for packets to a node.
    pub fn to(node: NodeId) -> Self {
        Self { to: Some(node), ..Self::default() }
    }

    /// True if packets that arrive at `node` belong to the path.
    pub fn ends_at(&self, node: NodeId) -> bool {
        self.to == Some(node)
    }

    /// Number of packets since the start.
    pub fn all_packets(&self) -> u64 {
        self.earlier + self.packets
    }

    /// Starts anew: everything before is left out, but the next difference of delays is to the latest packet.
    pub fn restart(&mut self) {
        *self = Self { to: self.to, earlier: self.all_packets(), last: self.last, ..Self::default() };
    }

    /// A packet arrived `delay` after it was sent.
    pub fn arrived(&mut self, delay: SimDuration, hops: u8) {
        self.packets += 1;
        self.delay += delay.as_secs_f64();
        self.delays.add(delay);
        if let Some(last) = self.last.replace(delay) {
            self.variation += delay.max(last).saturating_sub(delay.min(last)).as_secs_f64();
        }
        let hops = usize::from(hops);
        if self.hops.len() <= hops {
            self.hops.resize(hops + 1, 0);
        }
        self.hops[hops] += 1;
    }

    /// Mean one-way delay, s.
    pub fn mean_delay(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.delay / self.packets as f64)
    }

    /// One-way delay that 95 % of the packets don't exceed, s.
    pub fn high_delay(&self) -> Option<f64> {
        self.delays.quantile(0.95)
    }

    /// Mean difference between the delays of consecutive arrivals, s.
    pub fn jitter(&self) -> Option<f64> {
        (self.packets > 1).then(|| self.variation / (self.packets - 1) as f64)
    }

    /// Mean number of hops.
    pub fn mean_hops(&self) -> Option<f64> {
        let sum: u64 = self.hops.iter().zip(0u64..).map(|(n, h)| n * h).sum();
        (self.packets > 0).then(|| sum as f64 / self.packets as f64)
    }
}
