//! Line: on a row of numbered nodes, the next hop is the neighbour one number closer to the destination.

use crate::{DropReason, RoutingAction, RoutingCounters};
use tworay_base::{NodeId, PacketId, SimDuration};
use tworay_wire::Packet;

/// Line routing in one node.
#[derive(Clone, Debug)]
pub struct Line {
    node: NodeId,
    counters: RoutingCounters,
}

impl Line {
    pub(crate) fn new(node: NodeId) -> Self {
        Self { node, counters: RoutingCounters::default() }
    }

    pub(crate) fn counters(&self) -> &RoutingCounters {
        &self.counters
    }

    pub(crate) fn hop_count(&self, dst: NodeId) -> Option<u8> {
        u8::try_from(dst.0.abs_diff(self.node.0)).ok()
    }

    /// A packet of this node's transport.
    pub(crate) fn on_send(&mut self, packet: PacketId, header: &Packet, out: &mut Vec<RoutingAction>) {
        let next_hop = match header.dst {
            dst if dst == self.node => return out.push(RoutingAction::Deliver { packet }),
            dst if dst > self.node => NodeId(self.node.0 + 1),
            _ => NodeId(self.node.0 - 1),
        };
        out.push(RoutingAction::Forward { packet, next_hop, delay: SimDuration::ZERO });
    }

    /// A packet from a neighbour.
    pub(crate) fn on_receive(&mut self, packet: PacketId, header: &Packet, out: &mut Vec<RoutingAction>) {
        if header.is_routing() {
            self.drop_packet(packet, DropReason::Malformed, out);
        } else if header.ttl <= 1 && header.dst != self.node {
            self.drop_packet(packet, DropReason::Ttl, out);
        } else {
            self.on_send(packet, header, out);
        }
    }

    /// The MAC gave up the packet.
    pub(crate) fn on_link_failure(&mut self, packet: PacketId, out: &mut Vec<RoutingAction>) {
        self.counters.link_failures += 1;
        self.drop_packet(packet, DropReason::MacCallback, out);
    }

    fn drop_packet(&mut self, packet: PacketId, reason: DropReason, out: &mut Vec<RoutingAction>) {
        self.counters.drops[reason as usize] += 1;
        out.push(RoutingAction::Drop { packet, reason });
    }
}
