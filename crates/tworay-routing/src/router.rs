//! The common interface of all routing protocols.

use crate::{Aodv, Dsr, Olsr, Protocol, RoutingAction, RoutingConfig, RoutingCounters, StaticRoutes};
use tworay_base::{NodeId, PacketId, RngStream, SimTime};
use tworay_wire::Packet;

/// A node's routing protocol.
#[derive(Clone, Debug)]
pub enum Router {
    /// Fixed next hops.
    Static(Box<StaticRoutes>),
    /// AODV.
    Aodv(Box<Aodv>),
    /// DSR.
    Dsr(Box<Dsr>),
    /// OLSR.
    Olsr(Box<Olsr>),
}

impl Router {
    /// The router of `node`; jitter is drawn from `rng`.
    pub fn new(config: &RoutingConfig, node: NodeId, rng: RngStream) -> Self {
        match config.protocol {
            Protocol::Static => Router::Static(Box::new(StaticRoutes::new(node))),
            Protocol::Aodv => Router::Aodv(Box::new(Aodv::new(&config.aodv, node, rng))),
            Protocol::Dsr => Router::Dsr(Box::new(Dsr::new(&config.dsr, node, rng))),
            Protocol::Olsr => Router::Olsr(Box::new(Olsr::new(&config.olsr, node, rng))),
        }
    }

    /// Sets the next hop and the distance to `dst` in a static router; other protocols ignore it.
    pub fn add_static(&mut self, dst: NodeId, next_hop: NodeId, hops: u8) {
        if let Router::Static(r) = self {
            r.add(dst, next_hop, hops);
        }
    }

    /// The node starts.
    pub fn start(&mut self, now: SimTime, out: &mut Vec<RoutingAction>) {
        match self {
            Router::Static(_) | Router::Dsr(_) => {}
            Router::Aodv(r) => r.start(now, out),
            Router::Olsr(r) => r.start(now, out),
        }
    }

    /// A packet of this node's transport.
    pub fn on_send(&mut self, now: SimTime, id: PacketId, packet: &Packet, out: &mut Vec<RoutingAction>) {
        match self {
            Router::Static(r) => r.on_send(id, packet, out),
            Router::Aodv(r) => r.on_send(now, id, packet, out),
            Router::Dsr(r) => r.on_send(now, id, packet, out),
            Router::Olsr(r) => r.on_send(now, id, packet, out),
        }
    }

    /// A packet from the MAC, sent by neighbour `from` to this node or as broadcast.
    pub fn on_receive(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        from: NodeId,
        out: &mut Vec<RoutingAction>,
    ) {
        match self {
            Router::Static(r) => r.on_receive(id, packet, out),
            Router::Aodv(r) => r.on_receive(now, id, packet, from, out),
            Router::Dsr(r) => r.on_receive(now, id, packet, from, out),
            Router::Olsr(r) => r.on_receive(now, id, packet, from, out),
        }
    }

    /// The MAC gave up the packet to `next_hop`; routing owns it again.
    pub fn on_link_failure(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        next_hop: NodeId,
        out: &mut Vec<RoutingAction>,
    ) {
        match self {
            Router::Static(r) => r.on_lost(id, out),
            Router::Aodv(r) => r.on_link_failure(now, id, packet, next_hop, out),
            Router::Dsr(r) => r.on_link_failure(now, id, packet, next_hop, out),
            Router::Olsr(r) => r.on_link_failure(now, id, packet, next_hop, out),
        }
    }

    /// The packet was removed from the interface queue after [`RoutingAction::PurgeQueue`]; routing owns it
    /// again.
    pub fn on_queue_purged(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        next_hop: NodeId,
        out: &mut Vec<RoutingAction>,
    ) {
        match self {
            Router::Static(r) => r.on_lost(id, out),
            Router::Aodv(r) => r.on_queue_purged(now, id, packet, next_hop, out),
            Router::Dsr(r) => r.on_queue_purged(now, id, packet, next_hop, out),
            Router::Olsr(r) => r.on_queue_purged(now, id, packet, next_hop, out),
        }
    }

    /// A frame from `neighbour` was received, so the neighbour is alive.
    #[inline]
    pub fn on_heard(&mut self, now: SimTime, neighbour: NodeId) {
        match self {
            Router::Static(_) | Router::Dsr(_) | Router::Olsr(_) => {}
            Router::Aodv(r) => r.on_heard(now, neighbour),
        }
    }

    /// The time set by the last [`RoutingAction::WakeAt`] has come.
    pub fn on_timer(&mut self, now: SimTime, out: &mut Vec<RoutingAction>) {
        match self {
            Router::Static(_) => {}
            Router::Aodv(r) => r.on_timer(now, out),
            Router::Dsr(r) => r.on_timer(now, out),
            Router::Olsr(r) => r.on_timer(now, out),
        }
    }

    /// A packet overheard on its way from `from` to `to` (only if [`Router::wants_tap`]). The simulation
    /// keeps the packet.
    pub fn on_tap(
        &mut self,
        now: SimTime,
        packet: &Packet,
        from: NodeId,
        to: NodeId,
        out: &mut Vec<RoutingAction>,
    ) {
        if let Router::Dsr(r) = self {
            r.on_tap(now, packet, from, to, out);
        }
    }

    /// True if the router needs to overhear packets for other nodes.
    pub fn wants_tap(&self) -> bool {
        match self {
            Router::Dsr(r) => r.wants_tap(),
            _ => false,
        }
    }

    /// True if this node chooses the whole route of its packets, so that
    /// [`RoutingNote::RouteChanged`](crate::RoutingNote::RouteChanged) gives its exact length.
    pub fn routes_at_source(&self) -> bool {
        matches!(self, Router::Dsr(_))
    }

    /// Hops of the longest path that a search for a route can find.
    pub fn search_reach(&self) -> u16 {
        match self {
            Router::Static(_) => u16::MAX,
            Router::Aodv(r) => r.search_reach().into(),
            Router::Dsr(r) => r.search_reach().into(),
            // Hop counts in messages have eight bits (RFC 3626 §3.3.2).
            Router::Olsr(_) => u8::MAX.into(),
        }
    }

    /// Hops to `dst` on the route in use, if there is one.
    pub fn hop_count(&self, dst: NodeId) -> Option<u8> {
        match self {
            Router::Static(r) => r.hop_count(dst),
            Router::Aodv(r) => r.hop_count(dst),
            Router::Dsr(r) => r.hop_count(dst),
            Router::Olsr(r) => r.hop_count(dst),
        }
    }

    /// The packets held here, without a route or not yet confirmed by a next hop.
    pub fn buffered(&self) -> Vec<PacketId> {
        match self {
            Router::Static(_) | Router::Olsr(_) => Vec::new(),
            Router::Aodv(r) => r.buffered(),
            Router::Dsr(r) => r.buffered(),
        }
    }

    /// Counters so far.
    pub fn counters(&self) -> &RoutingCounters {
        match self {
            Router::Static(r) => r.counters(),
            Router::Aodv(r) => r.counters(),
            Router::Dsr(r) => r.counters(),
            Router::Olsr(r) => r.counters(),
        }
    }
}
