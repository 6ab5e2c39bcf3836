//! Fixed next hops.

use crate::{DropReason, RoutingAction, RoutingCounters};
use tworay_base::{NodeId, PacketId, SimDuration};
use tworay_wire::Packet;

/// Routing by a table that never changes; a packet the MAC gives up on is lost.
#[derive(Clone, Debug)]
pub struct StaticRoutes {
    node: NodeId,
    next_hops: Vec<Option<NodeId>>,
    hops: Vec<Option<u8>>,
    counters: RoutingCounters,
}

impl StaticRoutes {
    /// An empty table for `node`.
    pub fn new(node: NodeId) -> Self {
        Self { node, next_hops: Vec::new(), hops: Vec::new(), counters: RoutingCounters::default() }
    }

    /// The neighbour to take for each destination, by node index.
    pub fn set_next_hops(&mut self, next_hops: Vec<Option<NodeId>>) {
        self.next_hops = next_hops;
    }

    /// The distance of each destination, by node index, for transports that want to know it.
    pub fn set_hops(&mut self, hops: Vec<Option<u8>>) {
        self.hops = hops;
    }

    /// Hops to `dst`, if it is known: the distance given, else 1 for a neighbour that is its own next hop.
    pub fn hop_count(&self, dst: NodeId) -> Option<u8> {
        let direct = || (self.next_hops.get(dst.index()).copied().flatten() == Some(dst)).then_some(1);
        self.hops.get(dst.index()).copied().flatten().or_else(direct)
    }

    pub(crate) fn counters(&self) -> &RoutingCounters {
        &self.counters
    }

    pub(crate) fn on_send(&mut self, id: PacketId, packet: &Packet, out: &mut Vec<RoutingAction>) {
        if packet.dst == self.node {
            out.push(RoutingAction::Deliver { packet: id });
        } else {
            self.forward(id, packet, out);
        }
    }

    pub(crate) fn on_receive(&mut self, id: PacketId, packet: &Packet, out: &mut Vec<RoutingAction>) {
        if packet.is_routing() {
            self.drop_packet(id, DropReason::Malformed, out);
        } else if packet.dst == self.node || packet.dst.is_broadcast() {
            out.push(RoutingAction::Deliver { packet: id });
        } else if packet.src == self.node {
            self.drop_packet(id, DropReason::Loop, out);
        } else if packet.ttl <= 1 {
            self.drop_packet(id, DropReason::Ttl, out);
        } else {
            self.forward(id, packet, out);
        }
    }

    pub(crate) fn on_lost(&mut self, id: PacketId, out: &mut Vec<RoutingAction>) {
        self.counters.link_failures += 1;
        self.drop_packet(id, DropReason::MacCallback, out);
    }

    fn forward(&mut self, id: PacketId, packet: &Packet, out: &mut Vec<RoutingAction>) {
        let next_hop = if packet.dst.is_broadcast() {
            Some(NodeId::BROADCAST)
        } else {
            self.next_hops.get(packet.dst.index()).copied().flatten()
        };
        match next_hop {
            Some(next_hop) => {
                out.push(RoutingAction::Forward { packet: id, next_hop, delay: SimDuration::ZERO });
            }
            None => self.drop_packet(id, DropReason::NoRoute, out),
        }
    }

    fn drop_packet(&mut self, packet: PacketId, reason: DropReason, out: &mut Vec<RoutingAction>) {
        self.counters.drops[reason as usize] += 1;
        out.push(RoutingAction::Drop { packet, reason });
    }
}
