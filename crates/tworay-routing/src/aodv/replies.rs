//! Route replies and their acknowledgments (RFC 3561 §6.6, §6.7, §6.8).

use super::table::Offer;
use super::{Aodv, Out, Refresh, Requests};
use crate::{DropReason, Malformed, RoutingAction};
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::Packet;
use tworay_wire::aodv::{AodvMessage, Rrep};

impl Aodv {
    /// A routing message was received.
    #[inline(never)]
    pub(super) fn on_message(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        message: &AodvMessage,
        from: NodeId,
        out: Out,
    ) {
        match message {
            AodvMessage::Rreq(rreq) => self.on_request(now, id, packet, rreq, from, out),
            AodvMessage::Rrep(rrep) if packet.dst.is_broadcast() => self.on_hello(now, id, rrep, from, out),
            AodvMessage::Rrep(rrep) => self.on_reply(now, id, packet, rrep, from, out),
            AodvMessage::Rerr(rerr) => self.on_error(now, id, rerr, from, out),
            AodvMessage::RrepAck => {
                self.neighbours.acknowledged(from);
                self.stale_timer = true;
                out.push(RoutingAction::Consume { packet: id });
            }
        }
    }

    /// Sends a reply of this node towards `rrep.orig`.
    pub(super) fn send_reply(&mut self, now: SimTime, rrep: Rrep, out: Out) {
        let ttl = self.config.net_diameter;
        self.pass_reply(now, rrep, ttl, out);
    }

    /// Sends a reply to the next hop towards `rrep.orig`; returns it, or `None` if there is none.
    fn pass_reply(&mut self, now: SimTime, rrep: Rrep, ttl: u8, out: Out) -> Option<NodeId> {
        let next_hop = self.table.up(now, rrep.orig)?.next_hop;
        if rrep.ack_required {
            self.neighbours.expect_ack(next_hop, now + self.config.next_hop_wait);
            self.stale_timer = true;
        }
        self.emit(now, AodvMessage::Rrep(rrep), next_hop, ttl, SimDuration::ZERO, out);
        Some(next_hop)
    }

    fn on_reply(&mut self, now: SimTime, id: PacketId, packet: &Packet, rrep: &Rrep, from: NodeId, out: Out) {
        if let Err(what) = self.check_reply(rrep, from) {
            return self.refuse(id, from, what, out);
        }
        if rrep.ack_required {
            self.emit(now, AodvMessage::RrepAck, from, 1, SimDuration::ZERO, out);
        }
        self.learn_neighbour(now, from, out);
        let hops = rrep.hop_count + 1;
        let offer = Offer {
            dst: rrep.dst,
            seq: Some(rrep.dst_seq),
            hops,
            via: from,
            expire: now + rrep.lifetime.min(SimDuration::MAX),
        };
        let repairing = self.table.peek(rrep.dst).is_some_and(|r| r.state == super::table::State::Repair);
        let old_hops = self.table.peek(rrep.dst).map_or(u8::MAX, |r| r.last_hops);
        let better = self.learn(now, offer, out);
        if better {
            if rrep.orig == self.node
                && let Some(search) = self.searches.get_mut(&rrep.dst)
            {
                search.measure(now, hops);
            }
            self.end_search(now, rrep.dst, hops, out);
            if repairing && self.config.requests == Requests::Rfc3561 && hops > old_hops {
                self.report_longer_route(now, rrep.dst, out);
            }
            let spacing = self.config.release_spacing;
            self.release(now, rrep.dst, SimDuration::ZERO, spacing, out);
        }
        if rrep.orig == self.node || !better {
            out.push(RoutingAction::Consume { packet: id });
            return;
        }
        self.relay_reply(now, id, packet, rrep, from, out);
    }

    fn relay_reply(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        rrep: &Rrep,
        from: NodeId,
        out: Out,
    ) {
        if packet.ttl <= 1 {
            return self.drop_packet(id, DropReason::Ttl, out);
        }
        let relayed =
            Rrep { hop_count: rrep.hop_count + 1, ack_required: self.config.blacklist, ..rrep.clone() };
        let Some(next_hop) = self.pass_reply(now, relayed, packet.ttl - 1, out) else {
            return self.drop_packet(id, DropReason::NoRoute, out);
        };
        self.touch(now, rrep.orig);
        if let Some(route) = self.table.up(now, rrep.dst) {
            route.add_precursor(next_hop);
        }
        if self.config.refresh == Refresh::BothWays {
            // Data will flow both ways, so each end's route has the other side as precursor (§6.7).
            for (dst, precursor) in [(from, next_hop), (rrep.orig, from)] {
                if let Some(route) = self.table.up(now, dst) {
                    route.add_precursor(precursor);
                }
            }
        }
        out.push(RoutingAction::Consume { packet: id });
    }

    fn check_reply(&self, rrep: &Rrep, from: NodeId) -> Result<(), Malformed> {
        if rrep.orig.is_broadcast() || rrep.dst.is_broadcast() || from.is_broadcast() {
            Err(Malformed::BroadcastAddress)
        } else if rrep.dst == self.node || from == self.node {
            Err(Malformed::OwnAddress)
        } else if rrep.orig == rrep.dst {
            Err(Malformed::SameEnds)
        } else if rrep.hop_count >= u8::MAX - 1 || (rrep.hop_count == 0) != (rrep.dst == from) {
            Err(Malformed::HopCount)
        } else {
            Ok(())
        }
    }
}
