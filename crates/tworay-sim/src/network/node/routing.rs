//! Between link layer and transport: inputs and actions of routing.

use crate::network::Network;
use crate::network::event::Event;
use crate::network::node::NodeTimer;
use crate::network::packets::UNTRACKED;
use crate::observe::{After, Fact, Obstacle, Why};
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_routing::{DropReason, Router, RoutingAction, RoutingNote};
use tworay_wire::dsr::DsrHeader;

impl Network {
    /// Passes an input to a router and carries out its actions.
    pub(crate) fn with_router(
        &mut self,
        node: NodeId,
        mut after: After,
        input: impl FnOnce(&mut Router, SimTime, &mut Vec<RoutingAction>),
    ) {
        let mut out = self.scratch.routing.pop().unwrap_or_default();
        input(&mut self.nodes[node].router, self.common.now, &mut out);
        self.apply_routing(node, &mut out, &mut after);
        out.clear();
        self.scratch.routing.push(out);
    }

    /// Routing buffers a packet that waits for a route; `actions` may contain a request because of it.
    #[cold]
    fn on_wait(&mut self, node: NodeId, packet: PacketId, actions: &[RoutingAction]) {
        self.report(Fact::Waits { node, packet, actions });
    }

    /// A packet arrived from the link layer.
    #[inline(never)]
    pub(crate) fn receive_packet(&mut self, node: NodeId, packet: PacketId, from: NodeId) {
        let mut out = self.scratch.routing.pop().unwrap_or_default();
        if !self.nodes[node].up {
            self.scratch.routing.push(out);
            self.common.kill(packet, node, Why::NodeOff);
            return;
        }
        if self.foresight.is_some() {
            self.note_hop(packet, from, node);
        }
        let n = &mut self.nodes[node];
        n.router.on_receive(self.common.now, packet, self.common.packets.get(packet), from, &mut out);
        let p = self.common.packets.get(packet);
        let mut after = After::received(p, from);
        if p.uid < UNTRACKED && keeps(&out, packet) {
            self.on_wait(node, packet, &out);
        }
        let p = self.common.packets.get_mut(packet);
        if p.dst != node && !p.dst.is_broadcast() {
            p.ttl = p.ttl.saturating_sub(1);
            let (uid, hops) = (p.uid, p.hops);
            if uid < UNTRACKED && self.common.observers.comes_back(node, packet, hops) {
                self.report(Fact::Circles { node, packet });
            }
        }
        self.apply_routing(node, &mut out, &mut after);
        out.clear();
        self.scratch.routing.push(out);
    }

    /// A packet of the node's own transport.
    pub(crate) fn send_packet(&mut self, node: NodeId, packet: PacketId) {
        if !self.nodes[node].up {
            self.common.kill(packet, node, Why::NodeOff);
            return;
        }
        let mut out = self.scratch.routing.pop().unwrap_or_default();
        self.nodes[node].router.on_send(self.common.now, packet, self.common.packets.get(packet), &mut out);
        if keeps(&out, packet) {
            self.on_wait(node, packet, &out);
        }
        self.apply_routing(node, &mut out, &mut After::Other);
        out.clear();
        self.scratch.routing.push(out);
    }

    /// A frame addressed to another node was overheard.
    pub(crate) fn tap_packet(&mut self, node: NodeId, packet: PacketId, from: NodeId, to: NodeId) {
        let mut out = self.scratch.routing.pop().unwrap_or_default();
        self.nodes[node].router.on_tap(self.common.now, self.common.packets.get(packet), from, to, &mut out);
        let mut after = After::received(self.common.packets.get(packet), from);
        self.apply_routing(node, &mut out, &mut after);
        out.clear();
        self.scratch.routing.push(out);
    }

    /// Carries out a router's actions after an event; what they own is taken out of them.
    pub(crate) fn apply_routing(&mut self, node: NodeId, actions: &mut [RoutingAction], after: &mut After) {
        let began = *after;
        // The timer first: an action may call this router again, which then changes it.
        for action in actions.iter() {
            if let RoutingAction::WakeAt(at) = action {
                let slot = self.nodes.timer(node, NodeTimer::Router);
                self.common.agenda.set_timer(slot, *at);
            }
        }
        for action in actions {
            match *action {
                RoutingAction::Forward { packet, next_hop, delay } => {
                    if after.is_break() || self.common.observers.follows(packet) {
                        self.report(Fact::GoesOn { packet, after: *after });
                    }
                    self.common.observe(Fact::Forwarded { node, packet });
                    self.send_after(delay, node, packet, next_hop);
                }
                RoutingAction::Deliver { packet } => self.deliver(node, packet),
                RoutingAction::WakeAt(_) => {}
                ref mut rare => {
                    let rare = std::mem::replace(rare, RoutingAction::WakeAt(SimTime::NEVER));
                    self.apply_rare(node, rare, after);
                }
            }
        }
        // Its router has given up a link meanwhile.
        if after.is_break() && !began.is_break() {
            self.common.observe(Fact::BreakOver);
        }
    }

    fn send_after(&mut self, delay: SimDuration, node: NodeId, packet: PacketId, next_hop: NodeId) {
        if delay.is_zero() {
            self.send_to_link(node, packet, next_hop);
        } else {
            self.common.agenda.push(self.common.now + delay, Event::Forward { packet, node, next_hop });
        }
    }

    /// Actions that are rarer than forwarding a packet.
    #[inline(never)]
    fn apply_rare(&mut self, node: NodeId, action: RoutingAction, after: &mut After) {
        match action {
            RoutingAction::Forward { .. } | RoutingAction::Deliver { .. } | RoutingAction::WakeAt(_) => {}
            RoutingAction::Originate { mut packet, next_hop, delay } => {
                packet.uid = self.common.control_uid();
                self.report(Fact::Originated { node, packet: &packet });
                let packet = self.common.insert(*packet);
                // Rebroadcasts already have a jitter added by routing.
                let jitter = if next_hop.is_broadcast() && delay.is_zero() {
                    self.stations.jitter(self.common.now, node)
                } else {
                    SimDuration::ZERO
                };
                self.send_after(delay + jitter, node, packet, next_hop);
            }
            RoutingAction::SetHeader { packet, header } => {
                let p = self.common.packets.get_mut(packet);
                let length = |h: &Option<Box<DsrHeader>>| h.as_ref().map_or(0, |h| h.wire_bytes());
                p.ip_bytes = p.ip_bytes - length(&p.dsr) + length(&header);
                p.dsr = header;
            }
            RoutingAction::SendCopy { packet, next_hop } => {
                self.report(Fact::GoesOn { packet, after: *after });
                let copy = self.common.copy(packet);
                self.common.observe(Fact::HopDone { packet, copy });
                self.send_to_link(node, copy, next_hop);
            }
            RoutingAction::Consume { packet } => self.common.release(packet),
            RoutingAction::Drop { packet, reason } => {
                if reason == DropReason::NoRoute {
                    self.note_stopped(packet);
                }
                if reason == DropReason::Ttl {
                    self.note_expired(node, packet);
                }
                self.stop(packet, node, Obstacle::Dropped(reason, *after));
            }
            RoutingAction::PurgeQueue { next_hop } => self.purge(node, next_hop, *after),
            RoutingAction::Note(note) => self.on_routing_note(node, note, after),
        }
    }

    /// Packets queued for a neighbour return to routing.
    #[inline(never)]
    fn purge(&mut self, node: NodeId, next_hop: NodeId, after: After) {
        let mut gone = Vec::new();
        self.nodes[node].queue.purge(next_hop, &mut gone);
        if let Some(air) = &mut self.air {
            air.purge(node, next_hop, &mut gone);
        }
        if gone.is_empty() {
            return;
        }
        self.report(Fact::Purging { node, next_hop, packets: gone.len(), after });
        self.common.watch(|| Fact::Queued { node, packets: self.nodes[node].queue.len() });
        for e in gone {
            let p = self.common.packets.get(e.packet).clone();
            self.report(Fact::Purged { node, packet: e.packet });
            self.with_router(node, After::Break(next_hop), |router, now, out| {
                router.on_queue_purged(now, e.packet, &p, next_hop, out)
            });
            self.common.observe(Fact::BreakOver);
        }
        self.common.observe(Fact::BreakOver);
    }

    /// Notifies the sender as far as it may know: the length of its source route,
    /// a broken link (ELFN), a route found (TCP-F). Records breaks and lost routes.
    #[inline(never)]
    fn on_routing_note(&mut self, node: NodeId, note: RoutingNote, after: &mut After) {
        self.common.observe(Fact::Noted { node, note });
        match note {
            RoutingNote::RouteChanged { dst, hops } if self.nodes[node].router.routes_at_source() => {
                self.notify_of_source_route(node, dst, hops);
            }
            RoutingNote::RouteFound { dst, .. } => self.notify_of_route_found(node, dst),
            RoutingNote::LinkBroken { neighbour } if *after != After::Break(neighbour) => {
                self.report(Fact::LinkGivenUp { node, neighbour, after: *after });
                *after = After::Break(neighbour);
            }
            RoutingNote::RouteError { broken_from, broken_to, dst } => {
                if let (After::Received(_, link), Some(to)) = (&mut *after, broken_to) {
                    *link = Some((broken_from, to));
                }
                self.notify_of_failure(node, dst);
            }
            RoutingNote::RouteLost { dst } | RoutingNote::LocalRepair { dst } => {
                self.report(Fact::RouteLost { node, dst, after: *after });
            }
            _ => {}
        }
    }
}

/// True if routing keeps the packet that it has just been given.
#[inline]
fn keeps(actions: &[RoutingAction], given: PacketId) -> bool {
    !actions.iter().any(|action| match action {
        RoutingAction::Forward { packet, .. }
        | RoutingAction::SendCopy { packet, .. }
        | RoutingAction::Deliver { packet }
        | RoutingAction::Consume { packet }
        | RoutingAction::Drop { packet, .. } => *packet == given,
        _ => false,
    })
}

#[cfg(test)]
mod tests;
