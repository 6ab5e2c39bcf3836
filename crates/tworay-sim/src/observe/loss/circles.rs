//! Packets that come back to a node that they have passed.

use tworay_base::{NodeId, PacketId};

/// For each live packet that a relay has received one node on its way: the one that it reached after 1, 3, 7, 15, … hops, the
/// latest of them. A packet that is there again circles. As in Brent's search for cycles (1980), the distance to the node that
/// is remembered grows, so that a circle of any length is found, without a list of all nodes passed.
#[derive(Debug, Default)]
pub(crate) struct Circles(Vec<NodeId>);

impl Circles {
    /// A packet becomes another's copy at the next hop.
    #[inline]
    pub fn hand_on(&mut self, id: PacketId, copy: PacketId) {
        let Some(passed) = self.0.get(id.index()).copied() else { return };
        self.note(copy, passed);
    }

    fn note(&mut self, id: PacketId, node: NodeId) {
        if self.0.len() <= id.index() {
            self.0.resize(id.index() + 1, NodeId::BROADCAST);
        }
        self.0[id.index()] = node;
    }

    /// The relay `node` receives a packet, which has travelled `hops` hops. True if it is known to have been there before.
    #[inline]
    pub fn relayed(&mut self, id: PacketId, node: NodeId, hops: u8) -> bool {
        // What is remembered before the first hop is of another packet, which had the same number.
        let again = hops > 1 && self.0.get(id.index()) == Some(&node);
        if (u16::from(hops) + 1).is_power_of_two() {
            self.note(id, node);
        }
        again
    }
}

#[cfg(test)]
mod tests;
