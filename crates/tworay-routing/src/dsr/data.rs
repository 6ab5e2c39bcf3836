//! Data packets: sending, receiving, forwarding (RFC 4728 §8.1).

use super::found::Found;
use super::parcel::Parcel;
use super::{Dsr, MaintenanceOrder, Out, RequestPattern};
use crate::{DropReason, RoutingAction, RoutingNote};
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::dsr::{DsrHeader, SourceRoute};
use tworay_wire::{Body, Packet};

/// Length that ns-2 adds to data, bytes.
const SECOND_IP_HEADER: u16 = 20;

impl Dsr {
    pub(super) fn on_header(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        header: &DsrHeader,
        from: NodeId,
        out: Out,
    ) {
        self.process_errors(now, header, out);
        if packet.dst == self.node {
            let mine = header.errors.iter().filter(|error| error.destination == self.node);
            self.counters.notices_arrived += mine.count() as u64;
        }
        if header.request.is_some() {
            self.on_request(now, packet, header, out);
            out.push(RoutingAction::Consume { packet: id });
            return;
        }
        self.heed_acks(now, header, out);
        if let Some(request) = header.ack_request {
            self.acknowledge(request, from, out);
        }
        let ends_here = packet.dst == self.node || packet.dst.is_broadcast();
        if ends_here {
            for reply in &header.replies {
                self.accept_reply(now, reply, out);
            }
        }
        if self.config.snoop || ends_here {
            if !ends_here && self.config.learn_from_replies {
                header.replies.iter().for_each(|r| self.learn_reply(now, packet.dst, r));
            }
            if let Some(route) = &header.source_route {
                self.learn_route(now, packet, route);
            }
        }
        if ends_here {
            let data = !matches!(packet.body, Body::Dsr);
            out.push(if data {
                RoutingAction::Deliver { packet: id }
            } else {
                RoutingAction::Consume { packet: id }
            });
        } else if packet.ttl <= 1 {
            self.drop_packet(id, DropReason::Ttl, out);
        } else {
            self.pass_on(now, id, packet, out);
        }
    }

    /// Sends a packet in transit to the next node of its route.
    fn pass_on(&mut self, now: SimTime, id: PacketId, packet: &Packet, out: Out) {
        let mut parcel = Parcel::of(id, packet);
        parcel.header.ack_request = None;
        let me = self.node;
        parcel.header.acks.retain(|a| a.destination != me);
        // `check` has verified the route and that it continues from here.
        let Some(route) = &mut parcel.header.source_route else { return };
        route.segments_left = route.segments_left.saturating_sub(1);
        let Some(next_hop) = route.next_hop(packet.dst) else { return };
        if self.is_held(&parcel) {
            // The previous node repeated the packet: this node has already forwarded it.
            out.push(RoutingAction::Consume { packet: id });
            return;
        }
        if !parcel.data {
            self.count(&parcel.header, packet.ip_bytes);
        }
        self.transmit(now, parcel, next_hop, SimDuration::ZERO, out);
    }

    /// Sends a packet of this node, or buffers it while a route is searched.
    pub(super) fn send_or_wait(&mut self, now: SimTime, mut parcel: Parcel, out: Out) {
        parcel.header.source_route = None;
        parcel.header.ack_request = None;
        match self.cache.find(now, parcel.dst, Found::Wanted) {
            Some(path) => self.send_along(now, parcel, &path, SimDuration::ZERO, out),
            None => {
                let dst = parcel.dst;
                if self.config.requests == RequestPattern::Ns2 {
                    self.ask_ns2(now, dst, true, out);
                    self.wait(now, parcel, out);
                } else {
                    self.wait(now, parcel, out);
                    self.begin_search(now, dst, out);
                }
            }
        }
    }

    /// Sends a packet along a new route; this salvages a packet of another node.
    pub(super) fn send_along(
        &mut self,
        now: SimTime,
        mut parcel: Parcel,
        path: &[NodeId],
        delay: SimDuration,
        out: Out,
    ) {
        let (Some(&next_hop), Some((_, relays))) = (path.first(), path.split_last()) else { return };
        let left = relays.len() as u8;
        let route = if parcel.src == self.node {
            self.note_use(parcel.dst, path, parcel.data, out);
            SourceRoute { salvage: 0, segments_left: left, addresses: relays.into() }
        } else {
            let before = parcel.header.source_route.as_ref().map_or(0, |r| r.salvage);
            self.counters.salvaged += 1;
            let addresses = std::iter::once(self.node).chain(relays.iter().copied()).collect();
            SourceRoute { salvage: before + 1, segments_left: left, addresses }
        };
        parcel.header.source_route = Some(route);
        if parcel.data && self.config.second_ip_header {
            parcel.header.extra_bytes = SECOND_IP_HEADER;
        }
        self.transmit(now, parcel, next_hop, delay, out);
    }

    /// Records the route that this node's packets take, and reports a change.
    fn note_use(&mut self, dst: NodeId, path: &[NodeId], data: bool, out: Out) {
        if !data {
            return;
        }
        if self.in_use.get(&dst).is_some_and(|known| known.as_slice() == path) {
            return;
        }
        self.counters.route_changes += 1;
        self.in_use.insert(dst, path.into());
        out.push(RoutingAction::Note(RoutingNote::RouteChanged { dst, hops: path.len() as u8 }));
    }

    pub(super) fn wait(&mut self, now: SimTime, parcel: Parcel, out: Out) {
        while let Some(old) = self.buffer.pop_expired(now) {
            self.drop_packet(old, DropReason::Timeout, out);
        }
        if self.config.requests == RequestPattern::Ns2 && self.buffer.is_empty() {
            self.next_poll = self.poll_after(now);
        }
        if let Some(oldest) = self.buffer.push(now, parcel) {
            self.drop_packet(oldest, DropReason::BufferFull, out);
        }
        self.stale_timer = true;
    }

    /// Sends buffered packets whose routes are now known, `spacing` apart, in maintenance order.
    pub(super) fn release(&mut self, now: SimTime, spacing: SimDuration, out: Out) {
        let newest_first = self.config.maintenance_order == MaintenanceOrder::Lifo;
        let mut delay = SimDuration::ZERO;
        // Packets that stay because they have no route, counted from the starting end.
        let mut left = 0;
        while left < self.buffer.len() {
            let at = if newest_first { self.buffer.len() - 1 - left } else { left };
            let Some(waiting) = self.buffer.look(at) else { break };
            let Some(path) = self.cache.find(now, waiting.dst, Found::Wanted) else {
                left += 1;
                continue;
            };
            let dst = waiting.dst;
            if self.config.requests == RequestPattern::Rfc4728 {
                self.end_search(now, dst, path.len(), out);
            }
            if let Some(parcel) = self.buffer.remove(at) {
                self.send_along(now, parcel, &path, delay, out);
            }
            delay += spacing;
            self.stale_timer = true;
        }
    }
}
