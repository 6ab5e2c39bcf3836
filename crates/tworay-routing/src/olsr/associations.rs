//! Additional addresses of nodes (MID, RFC 3626 §5) and networks behind nodes (HNA, §12).

use std::collections::BTreeMap;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_wire::olsr::HnaNetwork;

/// Maximum number of networks stored; further ones are ignored.
const MOST_NETWORKS: usize = 4096;

/// The multiple interface and the host and network association sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Associations {
    /// Main address by interface address.
    mains: BTreeMap<NodeId, (NodeId, SimTime)>,
    /// Gateways with their networks.
    networks: BTreeMap<(HnaNetwork, NodeId), SimTime>,
}

impl Associations {
    /// The main address of the node that has this address.
    pub(crate) fn main(&self, address: NodeId) -> NodeId {
        self.mains.get(&address).map_or(address, |(main, _)| *main)
    }

    /// Records that `main` also has this address. Returns whether that is new.
    pub(crate) fn learn_address(
        &mut self,
        now: SimTime,
        main: NodeId,
        address: NodeId,
        hold: SimDuration,
    ) -> bool {
        let old = self.mains.insert(address, (main, now + hold));
        old.is_none_or(|(before, _)| before != main)
    }

    /// Records that `gateway` leads to this network.
    pub(crate) fn learn_network(
        &mut self,
        now: SimTime,
        gateway: NodeId,
        network: HnaNetwork,
        hold: SimDuration,
    ) {
        if self.networks.len() < MOST_NETWORKS || self.networks.contains_key(&(network, gateway)) {
            self.networks.insert((network, gateway), now + hold);
        }
    }

    /// The gateways to networks that contain this IPv4 address, with the masks.
    pub(crate) fn gateways(&self, address: u32) -> impl Iterator<Item = (u32, NodeId)> + '_ {
        let holds = move |n: &HnaNetwork| address & n.mask == n.network & n.mask;
        self.networks.keys().filter(move |(n, _)| holds(n)).map(|(n, gateway)| (n.mask, *gateway))
    }

    /// Removes expired entries. Returns whether an address was removed, and when the next entry expires.
    pub(crate) fn settle(&mut self, now: SimTime) -> (bool, SimTime) {
        let before = self.mains.len();
        self.mains.retain(|_, (_, until)| *until > now);
        self.networks.retain(|_, until| *until > now);
        let ends = self.mains.values().map(|(_, until)| *until).chain(self.networks.values().copied());
        (self.mains.len() != before, ends.min().unwrap_or(SimTime::NEVER))
    }
}
