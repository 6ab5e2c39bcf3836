//! Between link layer and transport: inputs and actions of routing.

use crate::network::Network;
use crate::network::event::Event;
use crate::network::node::NodeTimer;
use crate::network::packets::UNTRACKED;
use crate::observe::Fact;
use crate::observe::loss::causes::Trigger;
use crate::observe::loss::root_cause::RootCause;
use tworay_base::{Died, NodeId, PacketId, SimDuration, SimTime};
use tworay_routing::{DropReason, Router, RoutingAction, RoutingNote};
use tworay_wire::dsr::DsrHeader;

impl Network {
    /// Passes an input to a router and carries out its actions.
    pub(crate) fn with_router(
        &mut self,
        node: NodeId,
        mut trigger: Trigger,
        input: impl FnOnce(&mut Router, SimTime, &mut Vec<RoutingAction>),
    ) {
        let mut out = self.scratch.routing.pop().unwrap_or_default();
        input(&mut self.nodes[node].router, self.common.now, &mut out);
        self.apply_routing(node, &mut out, &mut trigger);
        out.clear();
        self.scratch.routing.push(out);
    }

    /// Routing buffers a packet that waits for a route; `actions` may contain a request because of it.
    #[cold]
    fn on_wait(&mut self, node: NodeId, packet: PacketId, actions: &[RoutingAction]) {
        let dst = self.common.packets.get(packet).dst;
        let (causes, mut scene) = self.scene();
        for action in actions {
            if let RoutingAction::Originate { packet, .. } = action {
                causes.note_request(&mut scene, node, packet);
            }
        }
        let root = causes.awaited_route(&mut scene, node, dst);
        self.common.hold_up(packet, root);
    }

    /// A packet arrived from the link layer.
    #[inline(never)]
    pub(crate) fn receive_packet(&mut self, node: NodeId, packet: PacketId, from: NodeId) {
        let mut out = self.scratch.routing.pop().unwrap_or_default();
        if !self.nodes[node].up {
            self.scratch.routing.push(out);
            self.common.kill_at_dead_node(packet, node);
            return;
        }
        if self.foresight.is_some() {
            self.note_hop(packet, from, node);
        }
        let n = &mut self.nodes[node];
        n.router.on_receive(self.common.now, packet, self.common.packets.get(packet), from, &mut out);
        let p = self.common.packets.get(packet);
        let mut trigger = Trigger::received(p, from);
        if p.uid < UNTRACKED && keeps(&out, packet) {
            self.on_wait(node, packet, &out);
        }
        let p = self.common.packets.get_mut(packet);
        if p.dst != node && !p.dst.is_broadcast() {
            p.ttl = p.ttl.saturating_sub(1);
        }
        self.apply_routing(node, &mut out, &mut trigger);
        out.clear();
        self.scratch.routing.push(out);
    }

    /// A packet of the node's own transport.
    pub(crate) fn send_packet(&mut self, node: NodeId, packet: PacketId) {
        if !self.nodes[node].up {
            self.common.kill_at_dead_node(packet, node);
            return;
        }
        let mut out = self.scratch.routing.pop().unwrap_or_default();
        self.nodes[node].router.on_send(self.common.now, packet, self.common.packets.get(packet), &mut out);
        if keeps(&out, packet) {
            self.on_wait(node, packet, &out);
        }
        self.apply_routing(node, &mut out, &mut Trigger::Other);
        out.clear();
        self.scratch.routing.push(out);
    }

    /// A frame addressed to another node was overheard.
    pub(crate) fn tap_packet(&mut self, node: NodeId, packet: PacketId, from: NodeId, to: NodeId) {
        let mut out = self.scratch.routing.pop().unwrap_or_default();
        self.nodes[node].router.on_tap(self.common.now, self.common.packets.get(packet), from, to, &mut out);
        let mut trigger = Trigger::received(self.common.packets.get(packet), from);
        self.apply_routing(node, &mut out, &mut trigger);
        out.clear();
        self.scratch.routing.push(out);
    }

    /// Carries out a router's actions after `trigger`; what they own is taken out of them.
    pub(crate) fn apply_routing(
        &mut self,
        node: NodeId,
        actions: &mut [RoutingAction],
        trigger: &mut Trigger,
    ) {
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
                    if self.common.observers.held_ups.is_searching(packet) {
                        self.end_search(packet);
                    }
                    self.note_rerouted(packet, trigger);
                    self.common.observe(Fact::Forwarded { node, packet });
                    self.send_after(delay, node, packet, next_hop);
                }
                RoutingAction::Deliver { packet } => self.deliver(node, packet),
                RoutingAction::WakeAt(_) => {}
                ref mut rare => {
                    let rare = std::mem::replace(rare, RoutingAction::WakeAt(SimTime::NEVER));
                    self.apply_rare(node, rare, trigger);
                }
            }
        }
    }

    /// A packet that waited for a search goes on. What made the search late may have held up others, too, so that
    /// they arrive together.
    #[cold]
    #[inline(never)]
    fn end_search(&mut self, packet: PacketId) {
        let Some(root) = self.common.observers.held_ups.root_of(packet) else { return };
        let dst = self.common.packets.get(packet).dst;
        let (causes, mut scene) = self.scene();
        let outcome = causes.late(&mut scene, root, dst);
        self.common.end_search(packet, outcome);
    }

    /// A packet goes on after a break that the router has just noticed: that was what delayed it, together with others.
    #[inline]
    fn note_rerouted(&mut self, packet: PacketId, trigger: &Trigger) {
        if let Trigger::Break(.., root) = trigger
            && root.is_independent_of_load()
        {
            self.common.observers.held_ups.delay(packet, *root);
        }
    }

    /// A router gave up a neighbour without its MAC: the packets that it keeps because that neighbour has not confirmed them
    /// were delayed by the break, and go on together.
    #[cold]
    fn note_unconfirmed(&mut self, node: NodeId, neighbour: NodeId, root: RootCause) {
        if !root.is_independent_of_load() {
            return;
        }
        for packet in self.nodes[node].router.buffered() {
            let p = self.common.packets.get(packet);
            let route = p.dsr.as_ref().and_then(|header| header.source_route.as_ref());
            let next_hop = route.map_or(Some(p.dst), |route| route.next_hop(p.dst));
            if next_hop == Some(neighbour) && self.common.observers.held_ups.root_of(packet).is_none() {
                self.common.observers.held_ups.delay(packet, root);
            }
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
    fn apply_rare(&mut self, node: NodeId, action: RoutingAction, trigger: &mut Trigger) {
        match action {
            RoutingAction::Forward { .. } | RoutingAction::Deliver { .. } | RoutingAction::WakeAt(_) => {}
            RoutingAction::Originate { mut packet, next_hop, delay } => {
                packet.uid = self.common.control_uid();
                let (causes, mut scene) = self.scene();
                causes.note_request(&mut scene, node, &packet);
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
                if self.common.observers.held_ups.is_searching(packet) {
                    self.end_search(packet);
                }
                self.note_rerouted(packet, trigger);
                let copy = self.common.copy(packet);
                self.common.hand_on(packet, copy);
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
                let (causes, mut scene) = self.scene();
                let (died, root) = causes.dropped(&mut scene, node, packet, reason, trigger);
                self.common.kill(packet, node, died, root);
            }
            RoutingAction::PurgeQueue { next_hop } => self.purge(node, next_hop, trigger),
            RoutingAction::Note(note) => self.on_routing_note(node, note, trigger),
        }
    }

    /// Packets queued for a neighbour return to routing.
    #[inline(never)]
    fn purge(&mut self, node: NodeId, next_hop: NodeId, trigger: &Trigger) {
        let mut gone = Vec::new();
        self.nodes[node].queue.purge(next_hop, &mut gone);
        if gone.is_empty() {
            return;
        }
        self.nodes[node].service.withdrawn(gone.len());
        self.common.watch(|| Fact::Queued { node, packets: self.nodes[node].queue.len() });
        let broken = match *trigger {
            Trigger::Break(to, _, root) if to == next_hop => Some(root),
            // The neighbour lost its route while the link to it works: only packets that used this route
            // are held up.
            Trigger::Received(from, _) if from == next_hop => None,
            _ => Some(self.link_root(node, next_hop)),
        };
        for e in gone {
            let p = self.common.packets.get(e.packet).clone();
            let root = broken.map(|root| RootCause { at: self.common.now, ..root });
            let root = root.or_else(|| self.common.observers.causes.lost_route(self.common.now, node, p.dst));
            if let Some(root) = root {
                self.common.hold_up(e.packet, root);
            }
            // The link works, and the neighbour has no route: neither has this node.
            let root = root.unwrap_or_else(|| {
                let (causes, mut scene) = self.scene();
                causes.missing_route(&mut scene, node, p.dst)
            });
            self.with_router(node, Trigger::Break(next_hop, Died::Purged, root), |router, now, out| {
                router.on_queue_purged(now, e.packet, &p, next_hop, out)
            });
        }
    }

    /// Notifies the sender as far as it may know: the length of its source route,
    /// a broken link (ELFN), a route found (TCP-F). Records breaks and lost routes.
    #[inline(never)]
    fn on_routing_note(&mut self, node: NodeId, note: RoutingNote, trigger: &mut Trigger) {
        self.common.observe(Fact::Noted { node, note });
        match note {
            RoutingNote::RouteChanged { dst, hops } if self.nodes[node].router.routes_at_source() => {
                self.notify_of_source_route(node, dst, hops);
            }
            RoutingNote::RouteFound { dst, .. } => self.notify_of_route_found(node, dst),
            RoutingNote::LinkBroken { neighbour } => {
                let known = matches!(trigger, Trigger::Break(to, ..) if *to == neighbour);
                if !known {
                    let root = self.link_root(node, neighbour);
                    self.common.observe(Fact::LinkGivenUp { root });
                    self.note_unconfirmed(node, neighbour, root);
                    *trigger = Trigger::Break(neighbour, Died::Unconfirmed, root);
                }
            }
            RoutingNote::RouteError { broken_from, broken_to, dst } => {
                if let (Trigger::Received(_, link), Some(to)) = (&mut *trigger, broken_to) {
                    *link = Some((broken_from, to));
                }
                self.notify_of_failure(node, dst);
            }
            RoutingNote::RouteLost { dst } | RoutingNote::LocalRepair { dst } => {
                let (causes, mut scene) = self.scene();
                causes.note_route_lost(&mut scene, (node, dst), trigger);
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
