//! Data packets: forwarding, buffering, release.

use super::table::{Offer, Outcome, Route, State};
use super::{Aodv, Out, Refresh, Requests, Upkeep};
use crate::{DropReason, RoutingAction, RoutingNote};
use smallvec::SmallVec;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::Packet;

/// Time for which a route that was just used stays valid.
#[derive(Copy, Clone, Debug)]
struct Lifetime {
    until: SimTime,
    /// (ns-2) The time is set even if that shortens the lifetime.
    may_shorten: bool,
}

impl Lifetime {
    fn extend(self, route: &mut Route) {
        route.expire = if self.may_shorten { self.until } else { self.until.max(route.expire) };
    }
}

impl Aodv {
    pub(super) fn on_data(&mut self, now: SimTime, id: PacketId, packet: &Packet, from: NodeId, out: Out) {
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

    /// Forwards the packet, buffers it, or drops it for lack of a route. `from` is the neighbour that sent
    /// it, if it was just received.
    pub(super) fn resolve(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        from: Option<NodeId>,
        out: Out,
    ) {
        let own = packet.src == self.node;
        let dst = packet.dst;
        let both_ways = self.config.refresh == Refresh::BothWays;
        let lifetime = self.lifetime(now);
        let repairing = match self.table.get(now, dst) {
            Some(route) if route.is_up() => {
                let next_hop = route.next_hop;
                route.own |= own;
                lifetime.extend(route);
                if both_ways {
                    // Users of this route must be notified when it breaks (§6.2).
                    from.iter().for_each(|&from| route.add_precursor(from));
                    self.touch_way_back(now, packet, from, next_hop);
                }
                return out.push(forward(id, next_hop, SimDuration::ZERO));
            }
            Some(route) => route.state == State::Repair,
            None => false,
        };
        if own {
            self.table.entry(now, dst).own = true;
            self.wait(now, id, dst, true, out);
            self.request(now, dst, out);
        } else if repairing {
            self.wait(now, id, dst, false, out);
        } else {
            // A packet for an invalid route: its sender must be notified (§6.11 case ii).
            let route = self.table.entry(now, dst);
            route.expire = now;
            let seq = route.seq;
            match from {
                Some(from) => {
                    self.report_unroutable(now, dst, seq, from, out);
                    self.drop_packet(id, DropReason::NoRoute, out);
                }
                // Returned by the MAC or its queue, so that is where it was lost.
                None => self.drop_packet(id, DropReason::MacCallback, out),
            }
        }
    }

    /// Extends the lifetimes of the routes to both neighbours and back to the packet's source.
    fn touch_way_back(&mut self, now: SimTime, packet: &Packet, from: Option<NodeId>, next_hop: NodeId) {
        if let Some(from) = from
            && from != packet.src
        {
            self.touch(now, from);
        }
        if next_hop != packet.dst {
            self.touch(now, next_hop);
        }
        self.touch(now, packet.src);
    }

    /// Extends the lifetime of a valid route that was just used.
    pub(super) fn touch(&mut self, now: SimTime, dst: NodeId) {
        let lifetime = self.lifetime(now);
        if let Some(route) = self.table.up(now, dst) {
            lifetime.extend(route);
        }
    }

    /// The lifetime of a route that is used at `now`.
    fn lifetime(&self, now: SimTime) -> Lifetime {
        Lifetime {
            until: now + self.config.active_route_timeout,
            may_shorten: self.config.refresh == Refresh::DestinationOnly,
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

    /// Sends the packets buffered for `dst`, which now has a route. Returns the delay for the next packet.
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

    /// Accepts the offered route if it is better, and reports the change.
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

    /// Ends the discovery for a destination that now has a route.
    pub(super) fn end_search(&mut self, now: SimTime, dst: NodeId, hops: u8, out: Out) {
        let Some(search) = self.searches.get_mut(&dst) else { return };
        let asking = !search.resting;
        let discovery_time = now.since(search.began_at);
        if self.config.requests == Requests::Ns2 {
            search.succeed(hops);
        } else {
            self.searches.remove(&dst);
        }
        if asking {
            out.push(RoutingAction::Note(RoutingNote::RouteFound { dst, hops, discovery_time }));
        }
        self.stale_timer = true;
    }

    /// Polled upkeep: drops the packets buffered for expired routes, sends those with a valid route, and
    /// requests routes for the others.
    pub(super) fn purge_routes(&mut self, now: SimTime, out: Out) {
        debug_assert!(self.config.upkeep == Upkeep::Polled);
        let mut expired: SmallVec<[NodeId; 8]> = SmallVec::new();
        self.table.settle(now, |dst, route| {
            if route.is_up() && route.expire < now {
                route.bump();
                route.down(now);
                expired.push(dst);
            }
        });
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

pub(super) fn forward(packet: PacketId, next_hop: NodeId, delay: SimDuration) -> RoutingAction {
    RoutingAction::Forward { packet, next_hop, delay }
}
