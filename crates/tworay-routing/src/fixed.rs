//! Fixed next hops.

use crate::about::About;
use crate::protocol::Out;
use crate::{DropReason, RoutingAction, RoutingCounters, RoutingProtocol};
use tworay_base::{NodeId, NodeMap, PacketId, SimDuration, SimTime};
use tworay_wire::Packet;

/// Routing by a table that never changes. A packet that the MAC gave up is lost.
#[derive(Clone, Debug)]
pub struct StaticRoutes {
    node: NodeId,
    /// Next hops of the destinations in use only: most nodes of a large network forward nothing.
    next_hops: NodeMap,
    hops: NodeMap,
    counters: RoutingCounters,
}

impl StaticRoutes {
    /// An empty table for `node`.
    pub fn new(node: NodeId) -> Self {
        Self {
            node,
            next_hops: NodeMap::default(),
            hops: NodeMap::default(),
            counters: RoutingCounters::default(),
        }
    }

    /// Sets the route to `dst`: via the neighbour `next_hop`, `hops` hops long.
    pub fn add(&mut self, dst: NodeId, next_hop: NodeId, hops: u8) {
        self.next_hops.insert(dst, next_hop.0);
        self.hops.insert(dst, hops.into());
    }

    /// True if there is a route to `dst`.
    pub fn knows(&self, dst: NodeId) -> bool {
        self.next_hops.get(dst).is_some()
    }

    fn forward(&mut self, id: PacketId, packet: &Packet, out: Out) {
        let next_hop = if packet.dst.is_broadcast() {
            Some(NodeId::BROADCAST)
        } else {
            self.next_hops.get(packet.dst).map(NodeId)
        };
        match next_hop {
            Some(next_hop) => {
                out.push(RoutingAction::Forward { packet: id, next_hop, delay: SimDuration::ZERO });
            }
            None => self.drop_packet(id, DropReason::NoRoute, out),
        }
    }

    fn drop_packet(&mut self, packet: PacketId, reason: DropReason, out: Out) {
        self.counters.drops[reason as usize] += 1;
        out.push(RoutingAction::Drop { packet, reason });
    }
}

impl About for StaticRoutes {
    type Config = ();
}

impl RoutingProtocol for StaticRoutes {
    fn on_send(&mut self, _now: SimTime, id: PacketId, packet: &Packet, out: Out) {
        if packet.dst == self.node {
            out.push(RoutingAction::Deliver { packet: id });
        } else {
            self.forward(id, packet, out);
        }
    }

    fn on_receive(&mut self, _now: SimTime, id: PacketId, packet: &Packet, _from: NodeId, out: Out) {
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

    fn on_link_failure(
        &mut self,
        _now: SimTime,
        id: PacketId,
        _packet: &Packet,
        _next_hop: NodeId,
        out: Out,
    ) {
        self.counters.link_failures += 1;
        self.drop_packet(id, DropReason::MacCallback, out);
    }

    fn is_configured(&self) -> bool {
        true
    }

    fn hop_count(&self, dst: NodeId) -> Option<u8> {
        self.hops.get(dst).and_then(|hops| u8::try_from(hops).ok())
    }

    fn next_hop(&self, dst: NodeId) -> Option<NodeId> {
        self.next_hops.get(dst).map(NodeId)
    }

    fn counters(&self) -> &RoutingCounters {
        &self.counters
    }
}
