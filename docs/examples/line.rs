//! Line: on a row of numbered nodes, the next hop is the neighbour one number closer to the destination.

use crate::{About, DropReason, RoutingAction, RoutingCounters, RoutingProtocol};
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::Packet;

type Out<'a> = &'a mut Vec<RoutingAction>;

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

    fn drop_packet(&mut self, packet: PacketId, reason: DropReason, out: Out) {
        self.counters.drops[reason as usize] += 1;
        out.push(RoutingAction::Drop { packet, reason });
    }
}

impl About for Line {
    type Config = ();
}

impl RoutingProtocol for Line {
    fn on_send(&mut self, _now: SimTime, packet: PacketId, header: &Packet, out: Out) {
        let next_hop = match header.dst {
            dst if dst == self.node => return out.push(RoutingAction::Deliver { packet }),
            dst if dst > self.node => NodeId(self.node.0 + 1),
            _ => NodeId(self.node.0 - 1),
        };
        out.push(RoutingAction::Forward { packet, next_hop, delay: SimDuration::ZERO });
    }

    fn on_receive(&mut self, now: SimTime, packet: PacketId, header: &Packet, _from: NodeId, out: Out) {
        if header.is_routing() {
            self.drop_packet(packet, DropReason::Malformed, out);
        } else if header.ttl <= 1 && header.dst != self.node {
            self.drop_packet(packet, DropReason::Ttl, out);
        } else {
            self.on_send(now, packet, header, out);
        }
    }

    fn on_link_failure(
        &mut self,
        _now: SimTime,
        packet: PacketId,
        _header: &Packet,
        _next_hop: NodeId,
        out: Out,
    ) {
        self.counters.link_failures += 1;
        self.drop_packet(packet, DropReason::MacCallback, out);
    }

    fn hop_count(&self, dst: NodeId) -> Option<u8> {
        u8::try_from(dst.0.abs_diff(self.node.0)).ok()
    }

    fn counters(&self) -> &RoutingCounters {
        &self.counters
    }
}
