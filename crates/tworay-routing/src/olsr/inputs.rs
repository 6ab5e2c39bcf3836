//! The inputs of OLSR, and what it tells of itself.

use super::data::forward;
use super::{Olsr, Out};
use crate::{DropReason, Malformed, RoutingAction, RoutingCounters, RoutingProtocol};
use tworay_base::{NodeId, PacketId, SimTime};
use tworay_wire::{Body, Packet};

impl RoutingProtocol for Olsr {
    fn start(&mut self, now: SimTime, out: Out) {
        // Nodes that start together should not send together.
        self.next_hello = now + self.rng.jitter(self.config.hello_interval);
        self.next_tc = now + self.rng.jitter(self.config.tc_interval);
        self.arm(out);
    }

    #[inline(never)]
    fn on_send(&mut self, now: SimTime, id: PacketId, packet: &Packet, out: Out) {
        if packet.dst == self.node {
            out.push(RoutingAction::Deliver { packet: id });
        } else if packet.dst.is_broadcast() {
            out.push(forward(id, NodeId::BROADCAST));
        } else {
            self.send_on(now, id, packet.dst, true, DropReason::NoRoute, out);
        }
    }

    #[inline(never)]
    fn on_receive(&mut self, now: SimTime, id: PacketId, packet: &Packet, from: NodeId, out: Out) {
        match &packet.body {
            Body::Olsr(olsr) => self.on_packet(now, id, olsr, from, out),
            Body::Tcp(_) | Body::Udp(_) | Body::Datagram(_) => self.on_data(now, id, packet, out),
            _ => self.refuse(id, from, Malformed::ForeignProtocol, out),
        }
    }

    #[inline(never)]
    fn on_link_failure(&mut self, now: SimTime, id: PacketId, packet: &Packet, next_hop: NodeId, out: Out) {
        self.counters.link_failures += 1;
        if !self.config.link_layer_feedback || next_hop.is_broadcast() {
            return self.drop_packet(id, DropReason::MacCallback, out);
        }
        let hold = self.config.neighbour_hold_time;
        if let Some(link) = self.links.get_mut(next_hop) {
            // Lost for a while, whatever is received over it (§13).
            link.lost_until = now + hold;
            self.note_expiry(now + hold);
            self.settle_link(now, next_hop, out);
        }
        out.push(RoutingAction::PurgeQueue { next_hop });
        self.try_again(now, id, packet, next_hop, out);
        self.finish(now, out);
    }

    #[inline(never)]
    fn on_queue_purged(&mut self, now: SimTime, id: PacketId, packet: &Packet, next_hop: NodeId, out: Out) {
        self.try_again(now, id, packet, next_hop, out);
    }

    #[inline(never)]
    fn on_timer(&mut self, now: SimTime, out: Out) {
        self.armed = SimTime::NEVER;
        if self.next_end <= now {
            self.settle(now, out);
        }
        if self.next_hello <= now {
            self.send_hello(now);
        }
        if self.next_tc <= now {
            self.send_topology(now);
        }
        if self.outbox_due() <= now {
            self.flush(now, out);
        }
        self.finish(now, out);
    }

    fn search_reach(&self) -> u16 {
        // Hop counts in messages have eight bits (RFC 3626 §3.3.2).
        u8::MAX.into()
    }

    fn tables_due(&self) -> SimTime {
        self.next_tc
    }

    /// In a node without traffic of its own, the answer may lag behind the sets.
    fn hop_count(&self, dst: NodeId) -> Option<u8> {
        self.lookup(dst).map(|r| r.hops)
    }

    fn next_hop(&self, dst: NodeId) -> Option<NodeId> {
        self.lookup(dst).map(|r| r.next_hop)
    }

    fn counters(&self) -> &RoutingCounters {
        &self.counters
    }
}
