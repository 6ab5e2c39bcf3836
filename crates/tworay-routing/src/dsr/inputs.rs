//! The inputs of DSR, and what it tells of itself.

use super::check::check;
use super::parcel::Parcel;
use super::{Dsr, Out, RequestPattern};
use crate::{DropReason, Malformed, RoutingAction, RoutingCounters, RoutingProtocol};
use smallvec::SmallVec;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::{Body, Packet};

impl RoutingProtocol for Dsr {
    #[inline(never)]
    fn on_send(&mut self, now: SimTime, id: PacketId, packet: &Packet, out: Out) {
        if packet.dst == self.node {
            out.push(RoutingAction::Deliver { packet: id });
        } else if packet.dst.is_broadcast() {
            out.push(RoutingAction::Forward {
                packet: id,
                next_hop: NodeId::BROADCAST,
                delay: SimDuration::ZERO,
            });
        } else {
            self.send_or_wait(now, Parcel::of(id, packet), out);
        }
        self.finish(now, out);
    }

    #[inline(never)]
    fn on_receive(&mut self, now: SimTime, id: PacketId, packet: &Packet, from: NodeId, out: Out) {
        match (&packet.body, packet.dsr.as_deref()) {
            (Body::Tcp(_) | Body::Udp(_) | Body::Datagram(_) | Body::Dsr, Some(header)) => {
                let to = if packet.dst.is_broadcast() { NodeId::BROADCAST } else { self.node };
                match check(packet, header, from, to) {
                    Err(what) => self.refuse(id, from, what, out),
                    Ok(()) => self.on_header(now, id, packet, header, from, out),
                }
            }
            (Body::Tcp(_) | Body::Udp(_) | Body::Datagram(_), None)
                if packet.dst == self.node || packet.dst.is_broadcast() =>
            {
                out.push(RoutingAction::Deliver { packet: id });
            }
            (Body::Tcp(_) | Body::Udp(_) | Body::Datagram(_) | Body::Dsr, None) => {
                self.refuse(id, from, Malformed::MissingHeader, out);
            }
            _ => self.refuse(id, from, Malformed::ForeignProtocol, out),
        }
        self.finish(now, out);
    }

    #[inline(never)]
    fn on_link_failure(&mut self, now: SimTime, id: PacketId, packet: &Packet, next_hop: NodeId, out: Out) {
        self.counters.link_failures += 1;
        if next_hop.is_broadcast() || !self.config.link_layer_feedback || packet.dsr.is_none() {
            self.drop_packet(id, DropReason::MacCallback, out);
        } else {
            let parcel = Parcel::of(id, packet);
            self.break_link(now, next_hop, out);
            self.report(&parcel, next_hop, out);
            self.strand(now, parcel, next_hop, out);
            out.push(RoutingAction::PurgeQueue { next_hop });
        }
        self.finish(now, out);
    }

    #[inline(never)]
    fn on_queue_purged(&mut self, now: SimTime, id: PacketId, packet: &Packet, next_hop: NodeId, out: Out) {
        if packet.dsr.is_none() || packet.dst.is_broadcast() {
            self.drop_packet(id, DropReason::MacCallback, out);
        } else {
            let parcel = Parcel::of(id, packet);
            let same_break = self.current_break.0 == now && self.current_break.1 == next_hop;
            // ns-2 notifies only the author of the packet that detected the break.
            if same_break && self.config.requests == RequestPattern::Rfc4728 {
                self.report(&parcel, next_hop, out);
            }
            self.strand(now, parcel, next_hop, out);
        }
        self.finish(now, out);
    }

    #[inline(never)]
    fn on_timer(&mut self, now: SimTime, out: Out) {
        self.armed = SimTime::NEVER;
        self.stale_timer = true;
        while let Some(id) = self.buffer.pop_expired(now) {
            self.drop_packet(id, DropReason::Timeout, out);
        }
        self.end_ack_waits(now, out);
        self.save_stranded(now, out);
        if self.config.requests == RequestPattern::Ns2 {
            if self.next_poll <= now {
                self.poll(now, out);
            }
        } else {
            let due = self.searches.iter().filter(|(dst, s)| s.until <= now && self.buffer.contains(**dst));
            let due: SmallVec<[NodeId; 8]> = due.map(|(dst, _)| *dst).collect();
            for dst in due {
                self.advance(now, dst, out);
            }
        }
        self.finish(now, out);
    }

    fn on_tap(&mut self, now: SimTime, packet: &Packet, from: NodeId, to: NodeId, out: Out) {
        let Some(header) = packet.dsr.as_deref() else { return };
        if from == self.node || to.is_broadcast() {
            return;
        }
        if let Err(what) = check(packet, header, from, to) {
            self.note_malformed(from, what, out);
            return;
        }
        if self.config.watches() && self.config.passive_acks {
            self.confirm_passively(now, packet, header, from, out);
        }
        if self.config.promiscuous && packet.src != self.node && self.first_time(packet.uid) {
            self.process_errors(now, header, out);
            header.replies.iter().for_each(|r| self.learn_reply(now, packet.dst, r));
            self.tap_route(now, packet, header, out);
        }
        self.finish(now, out);
    }

    fn wants_tap(&self) -> bool {
        self.config.promiscuous || self.config.watches() && self.config.passive_acks
    }

    fn routes_at_source(&self) -> bool {
        true
    }

    fn search_reach(&self) -> u16 {
        self.config.max_route_hops.into()
    }

    /// On the route in use, otherwise on the shortest known route.
    fn hop_count(&self, dst: NodeId) -> Option<u8> {
        let used = self.in_use.get(&dst).and_then(|path| u8::try_from(path.len()).ok());
        used.or_else(|| self.cache.distance(dst))
    }

    /// Packets without a route, not yet confirmed by the next hop, or returned just now.
    fn buffered(&self) -> Vec<PacketId> {
        let stranded = self.stranded.iter().map(|(parcel, _)| parcel.id);
        self.buffer.ids().chain(self.held.iter().map(|h| h.parcel.id)).chain(stranded).collect()
    }

    fn counters(&self) -> &RoutingCounters {
        &self.counters
    }
}
