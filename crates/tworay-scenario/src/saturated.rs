//! The same scenario under saturation, the reference for metrics of effort and unused resources.

use crate::costs::Costs;
use crate::flow::Application;
use crate::scenario::Scenario;
use tworay_base::{BitRate, NodeId};
use tworay_radio::{EnergyConfig, EnergyModel};

/// A UDP header is shorter than TCP's by this many bytes; datagrams are as long as full segments.
const SHORTER_HEADER: u32 = 12;

impl Scenario {
    /// The same scenario with every TCP flow replaced by datagrams as long as its full segments, sent as
    /// fast as the sender's radio or fastest wire permits, until the end of the run or of the flow.
    ///
    /// There is no energy model: the capacity of a network does not depend on its batteries. The result is
    /// the same for all variants.
    pub fn saturated(&self) -> Self {
        let mut world = self.clone();
        let payload = self.settings.tcp.mss.0 as u32 + SHORTER_HEADER;
        for flow in &mut world.flows {
            if flow.application.variant().is_some() {
                let interval = self.access_rate(flow.from).airtime(payload);
                flow.application = Application::Cbr { interval, payload, packets: None };
            }
        }
        world.settings.energy.model = EnergyModel::None;
        let EnergyConfig { costs, costs_sha256, .. } = EnergyConfig::default();
        (world.settings.energy.costs, world.settings.energy.costs_sha256) = (costs, costs_sha256);
        world.costs = Costs::shipped();
        if let Ok(usual) = Self::read_variant("newreno") {
            world.variant = usual;
        }
        world
    }

    /// Highest rate at which a node can send: that of its fastest wire, or of its radio.
    pub fn access_rate(&self, node: NodeId) -> BitRate {
        let wires = self.settings.wires.iter().filter(|wire| [wire.from, wire.to].contains(&node.0));
        wires.map(|wire| wire.rate).max().unwrap_or(self.settings.mac.data_rate)
    }
}

#[cfg(test)]
mod tests;
