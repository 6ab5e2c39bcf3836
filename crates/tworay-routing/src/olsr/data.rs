//! Data packets: OLSR has a route or drops the packet; it never buffers.

use super::{Olsr, Out, Route};
use crate::{DropReason, RoutingAction, RoutingNote};
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::Packet;
use tworay_wire::bytes::ipv4_address;

/// A destination to which this node has sent packets, with the last known route.
#[derive(Copy, Clone, Debug)]
pub(super) struct Used {
    dst: NodeId,
    route: Option<Route>,
    /// Some of these packets were generated here.
    own: bool,
}

impl Olsr {
    pub(super) fn on_data(&mut self, now: SimTime, id: PacketId, packet: &Packet, out: Out) {
        if packet.dst == self.node || packet.dst.is_broadcast() {
            out.push(RoutingAction::Deliver { packet: id });
        } else if packet.src == self.node {
            self.drop_packet(id, DropReason::Loop, out);
        } else if packet.ttl <= 1 {
            self.drop_packet(id, DropReason::Ttl, out);
        } else {
            self.send_on(now, id, packet.dst, false, DropReason::NoRoute, out);
        }
    }

    pub(super) fn send_on(
        &mut self,
        now: SimTime,
        id: PacketId,
        dst: NodeId,
        own: bool,
        otherwise: DropReason,
        out: Out,
    ) {
        self.calculate_routes(now, out);
        let route = self.lookup(dst);
        self.note_use(dst, route, own, out);
        match route {
            Some(route) => out.push(forward(id, route.next_hop)),
            None => self.drop_packet(id, otherwise, out),
        }
    }

    /// Sends a packet whose next hop was lost on another route, if there is one.
    pub(super) fn try_again(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        next_hop: NodeId,
        out: Out,
    ) {
        self.calculate_routes(now, out);
        let another = self.lookup(packet.dst).is_some_and(|r| r.next_hop != next_hop);
        if another && !packet.is_routing() && !packet.dst.is_broadcast() {
            let own = packet.src == self.node;
            self.send_on(now, id, packet.dst, own, DropReason::MacCallback, out);
        } else {
            self.drop_packet(id, DropReason::MacCallback, out);
        }
    }

    /// The route to a node's main address, to another of its addresses (§5.4), or to the nearest gateway of
    /// the most specific network that contains it (§12.6).
    pub(super) fn lookup(&self, dst: NodeId) -> Option<Route> {
        let direct = || self.routes.get(dst);
        let other_address = || self.routes.get(self.associations.main(dst));
        let gateway = || {
            self.associations
                .gateways(u32::from_be_bytes(ipv4_address(dst)))
                .filter_map(|(mask, gateway)| self.routes.get(gateway).map(|route| (mask, route)))
                .max_by_key(|(mask, route)| (*mask, std::cmp::Reverse((route.hops, route.next_hop))))
                .map(|(_, route)| route)
        };
        direct().or_else(other_address).or_else(gateway)
    }

    /// Records that packets go to `dst`, and reports a change of their route.
    fn note_use(&mut self, dst: NodeId, route: Option<Route>, own: bool, out: Out) {
        match self.used.binary_search_by_key(&dst, |u| u.dst) {
            Ok(i) => {
                self.used[i].own |= own;
                self.report_change(i, route, out);
            }
            Err(i) => {
                self.used.insert(i, Used { dst, route, own });
                self.has_own_traffic |= own;
            }
        }
    }

    fn report_change(&mut self, i: usize, route: Option<Route>, out: Out) {
        let used = &mut self.used[i];
        self.has_own_traffic |= used.own;
        if used.route == route {
            return;
        }
        used.route = route;
        let dst = used.dst;
        out.push(RoutingAction::Note(match route {
            Some(route) => {
                self.counters.route_changes += 1;
                RoutingNote::RouteChanged { dst, hops: route.hops }
            }
            None => RoutingNote::RouteLost { dst },
        }));
    }

    /// Recomputes the routes if the sets they depend on have changed.
    pub(super) fn calculate_routes(&mut self, now: SimTime, out: Out) {
        if !std::mem::take(&mut self.stale_routes) {
            return;
        }
        self.routes.calculate(now, self.node, &self.links, &self.topology);
        for i in 0..self.used.len() {
            if self.used[i].own {
                let route = self.lookup(self.used[i].dst);
                self.report_change(i, route, out);
            }
        }
    }
}

pub(super) fn forward(packet: PacketId, next_hop: NodeId) -> RoutingAction {
    RoutingAction::Forward { packet, next_hop, delay: SimDuration::ZERO }
}
