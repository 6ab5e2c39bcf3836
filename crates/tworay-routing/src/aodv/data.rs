//! Packets on their way: forwarding, waiting, release.

use super::table::{Offer, Outcome, State};
use super::{Aodv, LocalRepair, Out, Refresh, Search, Stranded, Upkeep};
use crate::{DropReason, RoutingAction, RoutingNote};
use smallvec::SmallVec;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::{Body, Packet};

impl Aodv {
    /// A packet of this node's transport.
    pub fn on_send(&mut self, now: SimTime, id: PacketId, packet: &Packet, out: Out) {
        if packet.dst == self.node {
            out.push(RoutingAction::Deliver { packet: id });
        } else if packet.dst.is_broadcast() {
            out.push(forward(id, NodeId::BROADCAST, SimDuration::ZERO));
        } else {
            self.resolve(now, id, packet, None, out);
        }
        self.arm(out);
    }

    /// A packet from neighbour `from`.
    pub fn on_receive(&mut self, now: SimTime, id: PacketId, packet: &Packet, from: NodeId, out: Out) {
        match &packet.body {
            Body::Aodv(message) => self.on_message(now, id, packet, message, from, out),
            Body::Tcp(_) | Body::Udp(_) => self.on_data(now, id, packet, from, out),
        }
        self.arm(out);
    }

    fn on_data(&mut self, now: SimTime, id: PacketId, packet: &Packet, from: NodeId, out: Out) {
        if packet.dst == self.node || packet.dst.is_broadcast() {
            if self.config.refresh == Refresh::BothWays && !packet.dst.is_broadcast() {
                self.touch(now, packet.src);
                self.touch(now, from);
            }
            out.push(RoutingAction::Deliver { packet: id });
        } else if packet.src == self.node {
            self.drop_packet(id, DropReason::Loop, out);
        } else if packet.ttl <= 1 {
            self.drop_packet(id, DropReason::Ttl, out);
        } else {
            self.resolve(now, id, packet, Some(from), out);
        }
    }

    /// Sends the packet on, lets it wait, or drops it for want of a route. `from` is the neighbour
    /// it came from, if it came from one now.
    fn resolve(&mut self, now: SimTime, id: PacketId, packet: &Packet, from: Option<NodeId>, out: Out) {
        let own = packet.src == self.node;
        let dst = packet.dst;
        match self.table.get(now, dst).map_or(State::Down, |r| r.state) {
            State::Up => self.forward_data(now, id, packet, from, out),
            _ if own => {
                self.wait(now, id, dst, true, out);
                self.request(now, dst, out);
            }
            State::Repair => self.wait(now, id, dst, false, out),
            State::Down => {
                // A packet on a dead route: its sender must hear so (§6.11 case ii).
                let route = self.table.entry(now, dst);
                route.expire = now;
                let seq = route.seq;
                if let Some(from) = from {
                    route.add_precursor(from);
                    self.report_unroutable(now, dst, seq, out);
                }
                self.drop_packet(id, DropReason::NoRoute, out);
            }
        }
    }

    fn forward_data(&mut self, now: SimTime, id: PacketId, packet: &Packet, from: Option<NodeId>, out: Out) {
        let Some(route) = self.table.up(now, packet.dst) else {
            return self.drop_packet(id, DropReason::NoRoute, out);
        };
        let next_hop = route.next_hop;
        if self.config.refresh == Refresh::BothWays {
            if let Some(from) = from {
                // Who sends over this route must hear when it breaks (§6.2).
                route.add_precursor(from);
                self.touch(now, from);
            }
            self.touch(now, next_hop);
            self.touch(now, packet.src);
        }
        self.touch(now, packet.dst);
        out.push(forward(id, next_hop, SimDuration::ZERO));
    }

    /// Extends the life of a valid route that was just used.
    pub(super) fn touch(&mut self, now: SimTime, dst: NodeId) {
        let expire = now + self.config.active_route_timeout;
        let set = self.config.refresh == Refresh::DestinationOnly;
        if let Some(route) = self.table.up(now, dst) {
            // ns-2 sets the time, even if that shortens a long life.
            route.expire = if set { expire } else { expire.max(route.expire) };
        }
    }

    pub(super) fn wait(&mut self, now: SimTime, id: PacketId, dst: NodeId, own: bool, out: Out) {
        while let Some(old) = self.buffer.pop_expired(now) {
            self.drop_packet(old, DropReason::Timeout, out);
        }
        if let Some(oldest) = self.buffer.push(now, id, dst, own) {
            self.drop_packet(oldest, DropReason::BufferFull, out);
        }
        self.stale_timer = true;
    }

    /// Sends what waited for `dst`, which has a route now. Returns the delay for the next packet.
    pub(super) fn release(
        &mut self,
        now: SimTime,
        dst: NodeId,
        mut delay: SimDuration,
        spacing: SimDuration,
        out: Out,
    ) -> SimDuration {
        let Some(route) = self.table.up(now, dst) else { return delay };
        let next_hop = route.next_hop;
        while let Some(old) = self.buffer.pop_expired(now) {
            self.drop_packet(old, DropReason::Timeout, out);
        }
        let mut any = false;
        while let Some(id) = self.buffer.pop(dst) {
            out.push(forward(id, next_hop, delay));
            delay += spacing;
            any = true;
        }
        if any {
            self.touch(now, dst);
            self.stale_timer = true;
        }
        delay
    }

    pub(super) fn drop_waiting(&mut self, dst: NodeId, reason: DropReason, out: Out) {
        while let Some(id) = self.buffer.pop(dst) {
            self.drop_packet(id, reason, out);
        }
        self.stale_timer = true;
    }

    /// Takes the offered route if it is better, and tells of it.
    pub(super) fn learn(&mut self, now: SimTime, offer: Offer, out: Out) -> bool {
        if offer.dst == self.node || offer.dst.is_broadcast() {
            return false;
        }
        let outcome = self.table.offer(now, offer);
        if outcome == Outcome::Changed {
            self.counters.route_changes += 1;
            out.push(RoutingAction::Note(RoutingNote::RouteChanged { dst: offer.dst, hops: offer.hops }));
        }
        outcome != Outcome::Refused
    }

    /// Ends the search for a destination that has a route now.
    pub(super) fn end_search(&mut self, now: SimTime, dst: NodeId, hops: u8, out: Out) {
        let Some(search) = self.searches.get_mut(&dst) else { return };
        let asking = search.until > SimTime::ZERO;
        let discovery_time = now.since(search.began_at);
        if self.config.requests == super::Requests::Ns2 {
            search.succeed(hops);
        } else {
            self.searches.remove(&dst);
        }
        if asking {
            out.push(RoutingAction::Note(RoutingNote::RouteFound { dst, hops, discovery_time }));
        }
        self.stale_timer = true;
    }

    /// The MAC gave up sending the packet to `next_hop`.
    pub fn on_link_failure(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        next_hop: NodeId,
        out: Out,
    ) {
        self.counters.link_failures += 1;
        let control = packet.is_routing() || packet.dst.is_broadcast() || next_hop.is_broadcast();
        let counts = self.config.link_layer_feedback && (!control || self.config.control_feedback);
        if !counts || next_hop.is_broadcast() {
            self.drop_packet(id, DropReason::MacCallback, out);
        } else if control {
            self.drop_packet(id, DropReason::MacCallback, out);
            if self.config.blacklist {
                self.shun(now, next_hop);
            }
            self.purge_queue(next_hop, out);
            self.break_link(now, next_hop, None, out);
        } else {
            self.data_link_failure(now, id, packet, next_hop, out);
        }
        self.arm(out);
    }

    fn data_link_failure(&mut self, now: SimTime, id: PacketId, packet: &Packet, next_hop: NodeId, out: Out) {
        let dst = packet.dst;
        let own = packet.src == self.node;
        if self.repairable(now, packet, next_hop) {
            self.wait(now, id, dst, own, out);
            self.repair(now, dst, next_hop, out);
            return;
        }
        match self.config.stranded {
            Stranded::Drop => {
                self.drop_packet(id, DropReason::MacCallback, out);
                self.purge_queue(next_hop, out);
                self.break_link(now, next_hop, None, out);
            }
            Stranded::Reroute | Stranded::LeaveQueue => {
                self.break_link(now, next_hop, None, out);
                self.salvage(now, id, packet, out);
                self.purge_queue(next_hop, out);
            }
        }
    }

    /// Whether the break of the link to `next_hop` is repaired from here for this packet.
    fn repairable(&mut self, now: SimTime, packet: &Packet, next_hop: NodeId) -> bool {
        let max = self.config.max_repair_ttl;
        let own = packet.src == self.node;
        let Some(route) = self.table.get(now, packet.dst) else { return false };
        match self.config.local_repair {
            LocalRepair::Off => false,
            LocalRepair::Rfc3561 => match route.state {
                State::Up => !own && route.next_hop == next_hop && route.hops <= max,
                State::Repair => true,
                State::Down => false,
            },
            LocalRepair::Ns2 => route.state != State::Down && packet.hops > route.hops,
        }
    }

    fn repair(&mut self, now: SimTime, dst: NodeId, next_hop: NodeId, out: Out) {
        let ns2 = self.config.local_repair == LocalRepair::Ns2;
        let route = self.table.entry(now, dst);
        let began = route.state != State::Repair;
        if began {
            self.counters.local_repairs += 1;
            out.push(RoutingAction::Note(RoutingNote::LocalRepair { dst }));
        }
        if ns2 {
            route.state = State::Repair;
            self.request(now, dst, out);
            let until = self.searches.get(&dst).map_or(SimTime::ZERO, |s| s.until);
            self.repair_ends.push((now + until.since_start(), dst));
            self.stale_timer = true;
        } else if began {
            route.state = State::Repair;
            route.last_hops = route.hops;
            route.bump();
            self.break_link(now, next_hop, Some(dst), out);
            let hops = self.table.entry(now, dst).hops;
            self.searches.insert(dst, Search { repair: true, ..Search::new(now) });
            self.ask_for_repair(now, dst, hops, out);
            self.purge_queue(next_hop, out);
        }
    }

    pub(super) fn purge_queue(&mut self, next_hop: NodeId, out: Out) {
        if self.config.stranded != Stranded::LeaveQueue {
            out.push(RoutingAction::PurgeQueue { next_hop });
        }
    }

    /// A packet taken out of the interface queue.
    pub fn on_queue_purged(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        _next_hop: NodeId,
        out: Out,
    ) {
        if self.config.stranded == Stranded::Drop || packet.is_routing() {
            self.drop_packet(id, DropReason::MacCallback, out);
        } else {
            self.salvage(now, id, packet, out);
        }
        self.arm(out);
    }

    /// A packet without its next hop: on another route, or waiting if it is this node's own.
    fn salvage(&mut self, now: SimTime, id: PacketId, packet: &Packet, out: Out) {
        if packet.dst.is_broadcast() {
            self.drop_packet(id, DropReason::MacCallback, out);
        } else {
            self.resolve(now, id, packet, None, out);
        }
    }

    /// Expired routes of polled upkeep take their waiting packets with them; valid ones send theirs;
    /// for the others a request is due.
    pub(super) fn purge_routes(&mut self, now: SimTime, out: Out) {
        debug_assert!(self.config.upkeep == Upkeep::Polled);
        let mut expired: SmallVec<[NodeId; 8]> = SmallVec::new();
        for (dst, route) in self.table.settle(now) {
            if route.is_up() && route.expire < now {
                route.bump();
                route.down(now);
                expired.push(dst);
            }
        }
        for &dst in &expired {
            out.push(RoutingAction::Note(RoutingNote::RouteLost { dst }));
            self.drop_waiting(dst, DropReason::NoRoute, out);
        }
        let mut delay = SimDuration::ZERO;
        let spacing = self.config.release_spacing;
        for dst in self.buffer.destinations() {
            if self.table.up(now, dst).is_some() {
                delay = self.release(now, dst, delay, spacing, out);
            } else {
                self.request(now, dst, out);
            }
        }
    }
}

fn forward(packet: PacketId, next_hop: NodeId, delay: SimDuration) -> RoutingAction {
    RoutingAction::Forward { packet, next_hop, delay }
}
