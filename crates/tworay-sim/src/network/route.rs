//! Between link and transport: routing's inputs and orders.

use super::{Event, Network};
use tworay_base::{LossCause, NodeId, PacketId, SimDuration};
use tworay_routing::{DropReason, RoutingAction, RoutingNote};
use tworay_wire::dsr::DsrHeader;

impl Network {
    /// A packet came up from the link layer.
    #[inline(never)]
    pub(super) fn receive_packet(&mut self, node: NodeId, packet: PacketId, from: NodeId) {
        let mut out = self.route_pool.pop().unwrap_or_default();
        let n = &mut self.nodes[node.index()];
        if !n.up {
            self.route_pool.push(out);
            self.kill(packet, LossCause::NodeDown, node);
            return;
        }
        n.router.on_receive(self.now, packet, self.packets.get(packet), from, &mut out);
        let p = self.packets.get_mut(packet);
        if p.dst != node && !p.dst.is_broadcast() {
            p.ttl = p.ttl.saturating_sub(1);
        }
        self.apply_routing(node, &mut out);
        out.clear();
        self.route_pool.push(out);
    }

    /// A packet of the node's own transport.
    pub(super) fn send_packet(&mut self, node: NodeId, packet: PacketId) {
        if !self.nodes[node.index()].up {
            self.kill(packet, LossCause::NodeDown, node);
            return;
        }
        let mut out = self.route_pool.pop().unwrap_or_default();
        self.nodes[node.index()].router.on_send(self.now, packet, self.packets.get(packet), &mut out);
        self.apply_routing(node, &mut out);
        out.clear();
        self.route_pool.push(out);
    }

    /// A frame for another node was heard.
    pub(super) fn tap_packet(&mut self, node: NodeId, packet: PacketId, from: NodeId, to: NodeId) {
        let mut out = self.route_pool.pop().unwrap_or_default();
        self.nodes[node.index()].router.on_tap(self.now, self.packets.get(packet), from, to, &mut out);
        self.apply_routing(node, &mut out);
        out.clear();
        self.route_pool.push(out);
    }

    pub(super) fn apply_routing(&mut self, node: NodeId, actions: &mut Vec<RoutingAction>) {
        // The timer first: what follows can come back to this router, which then sets it anew.
        for action in actions.iter() {
            if let RoutingAction::WakeAt(at) = action {
                let slot = self.node_timer(node, super::ROUTER);
                self.timers.set(slot, *at, &mut self.queue);
            }
        }
        for action in actions.drain(..) {
            match action {
                RoutingAction::Forward { packet, next_hop, delay } => {
                    self.send_after(delay, node, packet, next_hop);
                }
                RoutingAction::Deliver { packet } => self.deliver(node, packet),
                RoutingAction::WakeAt(_) => {}
                other => self.apply_rare(node, other),
            }
        }
    }

    fn send_after(&mut self, delay: SimDuration, node: NodeId, packet: PacketId, next_hop: NodeId) {
        if delay.is_zero() {
            self.send_to_link(node, packet, next_hop);
        } else {
            self.queue.push(self.now + delay, Event::Forward { packet, node, next_hop });
        }
    }

    /// What routing wants less often than to pass on a packet.
    #[inline(never)]
    fn apply_rare(&mut self, node: NodeId, action: RoutingAction) {
        match action {
            RoutingAction::Forward { .. } | RoutingAction::Deliver { .. } | RoutingAction::WakeAt(_) => {}
            RoutingAction::Originate { mut packet, next_hop, delay } => {
                packet.uid = self.control_uid();
                let packet = self.packets.insert(*packet);
                // Relayed broadcasts come with a jitter of routing's own.
                let jitter = if next_hop.is_broadcast() && delay.is_zero() {
                    self.stations.jitter(self.now, node)
                } else {
                    SimDuration::ZERO
                };
                self.send_after(delay + jitter, node, packet, next_hop);
            }
            RoutingAction::SetHeader { packet, header } => {
                let p = self.packets.get_mut(packet);
                let length = |h: &Option<Box<DsrHeader>>| h.as_ref().map_or(0, |h| h.wire_bytes());
                p.ip_bytes = p.ip_bytes - length(&p.dsr) + length(&header);
                p.dsr = header;
            }
            RoutingAction::SendCopy { packet, next_hop } => {
                let copy = self.packets.get(packet).clone();
                if copy.uid < super::UNTRACKED {
                    self.ledger.copied(copy.uid);
                }
                let copy = self.packets.insert(copy);
                self.send_to_link(node, copy, next_hop);
            }
            RoutingAction::Consume { packet } => self.release(packet),
            RoutingAction::Drop { packet, cause, reason } => {
                let cause = match reason {
                    DropReason::MacCallback => self.nodes[node.index()].failure,
                    _ => cause,
                };
                self.kill(packet, cause, node);
            }
            RoutingAction::PurgeQueue { next_hop } => self.purge(node, next_hop),
            RoutingAction::Note(note) => self.on_routing_note(node, note),
        }
    }

    #[inline(never)]
    fn purge(&mut self, node: NodeId, next_hop: NodeId) {
        let mut gone = Vec::new();
        self.nodes[node.index()].queue.purge(next_hop, &mut gone);
        for e in gone {
            let p = self.packets.get(e.packet).clone();
            self.with_router(node, |router, now, out| {
                router.on_queue_purged(now, e.packet, &p, next_hop, out)
            });
        }
    }

    /// A route error is the sender's word of a broken link (ELFN).
    #[inline(never)]
    fn on_routing_note(&mut self, node: NodeId, note: RoutingNote) {
        match note {
            RoutingNote::RouteChanged { .. } | RoutingNote::RouteFound { .. } => {
                self.tally.route_changes += 1
            }
            RoutingNote::RouteError { dst, .. } => self.notify_of_failure(node, dst),
            _ => {}
        }
    }
}
