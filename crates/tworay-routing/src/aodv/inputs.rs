//! The inputs of AODV, and what it tells of itself.

use super::data::forward;
use super::{Aodv, Hello, Out, Stranded, Upkeep};
use crate::{DropReason, Malformed, RoutingAction, RoutingCounters, RoutingProtocol};
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::{Body, Packet};

impl RoutingProtocol for Aodv {
    fn start(&mut self, now: SimTime, out: Out) {
        if self.config.upkeep == Upkeep::Polled {
            self.next_purge = now + self.config.purge_interval;
        }
        if self.config.hello != Hello::Off {
            // Nodes that start together should not send together.
            self.next_hello = now + self.rng.jitter(self.config.hello_interval);
        }
        self.stale_timer = true;
        self.arm(out);
    }

    fn on_send(&mut self, now: SimTime, id: PacketId, packet: &Packet, out: Out) {
        if packet.dst == self.node {
            out.push(RoutingAction::Deliver { packet: id });
        } else if packet.dst.is_broadcast() {
            out.push(forward(id, NodeId::BROADCAST, SimDuration::ZERO));
        } else {
            self.resolve(now, id, packet, None, out);
        }
        self.arm(out);
    }

    fn on_receive(&mut self, now: SimTime, id: PacketId, packet: &Packet, from: NodeId, out: Out) {
        match &packet.body {
            Body::Aodv(message) => self.on_message(now, id, packet, message, from, out),
            Body::Tcp(_) | Body::Udp(_) | Body::Datagram(_) => self.on_data(now, id, packet, from, out),
            _ => self.refuse(id, from, Malformed::ForeignProtocol, out),
        }
        self.arm(out);
    }

    #[inline(never)]
    fn on_link_failure(&mut self, now: SimTime, id: PacketId, packet: &Packet, next_hop: NodeId, out: Out) {
        self.counters.link_failures += 1;
        let control = packet.is_routing() || packet.dst.is_broadcast() || next_hop.is_broadcast();
        let counts = self.config.link_layer_feedback && (!control || self.config.control_feedback);
        if !counts || next_hop.is_broadcast() {
            self.drop_packet(id, DropReason::MacCallback, out);
        } else if control {
            self.drop_packet(id, DropReason::MacCallback, out);
            if self.config.blacklist {
                self.add_to_blacklist(now, next_hop);
            }
            self.purge_queue(next_hop, out);
            self.break_link(now, next_hop, None, out);
        } else {
            self.data_link_failure(now, id, packet, next_hop, out);
        }
        self.arm(out);
    }

    #[inline(never)]
    fn on_queue_purged(&mut self, now: SimTime, id: PacketId, packet: &Packet, _next_hop: NodeId, out: Out) {
        if self.config.stranded == Stranded::Drop || packet.is_routing() {
            self.drop_packet(id, DropReason::MacCallback, out);
        } else {
            self.salvage(now, id, packet, out);
        }
        self.arm(out);
    }

    #[inline]
    fn on_heard(&mut self, now: SimTime, neighbour: NodeId) {
        if self.config.hello != Hello::Off {
            self.neighbours.heard_again(neighbour, now);
        }
    }

    #[inline(never)]
    fn on_timer(&mut self, now: SimTime, out: Out) {
        self.armed = SimTime::NEVER;
        self.stale_timer = true;
        self.end_repairs(now, out);
        if self.next_purge <= now {
            self.purge_routes(now, out);
            self.next_purge = now + self.config.purge_interval;
        }
        if self.config.upkeep == Upkeep::Exact {
            self.end_waits(now, out);
        }
        self.check_neighbours(now, out);
        if self.next_hello <= now {
            self.send_hello(now, out);
        }
        self.arm(out);
    }

    fn search_reach(&self) -> u16 {
        // NET_DIAMETER of the widest search (RFC 3561 §10).
        self.config.net_diameter.into()
    }

    /// For a route that is not used, the answer may be out of date.
    fn hop_count(&self, dst: NodeId) -> Option<u8> {
        self.table.peek(dst).filter(|r| r.is_up()).map(|r| r.hops)
    }

    fn next_hop(&self, dst: NodeId) -> Option<NodeId> {
        self.table.peek(dst).filter(|r| r.is_up()).map(|r| r.next_hop)
    }

    fn buffered(&self) -> Vec<PacketId> {
        self.buffer.ids()
    }

    fn counters(&self) -> &RoutingCounters {
        &self.counters
    }
}
