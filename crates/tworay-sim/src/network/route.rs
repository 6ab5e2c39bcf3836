//! Between link and transport: routing's inputs and orders.

use super::judge::Occasion;
use super::{Event, Network, UNTRACKED};
use crate::provenance::Setback;
use tworay_base::{Died, NodeId, PacketId, SimDuration};
use tworay_routing::{RoutingAction, RoutingNote};
use tworay_wire::dsr::DsrHeader;

impl Network {
    /// A packet came up from the link layer.
    #[inline(never)]
    pub(super) fn receive_packet(&mut self, node: NodeId, packet: PacketId, from: NodeId) {
        let mut out = self.route_pool.pop().unwrap_or_default();
        let n = &mut self.nodes[node.index()];
        if !n.up {
            self.route_pool.push(out);
            self.kill_at_dead_node(packet, node);
            return;
        }
        n.router.on_receive(self.now, packet, self.packets.get(packet), from, &mut out);
        let p = self.packets.get(packet);
        let occasion = Occasion::received(p, from);
        if p.uid < UNTRACKED && keeps(&out, packet) {
            self.on_wait(node, packet);
        }
        let p = self.packets.get_mut(packet);
        if p.dst != node && !p.dst.is_broadcast() {
            p.ttl = p.ttl.saturating_sub(1);
        }
        self.apply_routing(node, &mut out, occasion);
        out.clear();
        self.route_pool.push(out);
    }

    /// A packet of the node's own transport.
    pub(super) fn send_packet(&mut self, node: NodeId, packet: PacketId) {
        if !self.nodes[node.index()].up {
            self.kill_at_dead_node(packet, node);
            return;
        }
        let mut out = self.route_pool.pop().unwrap_or_default();
        self.nodes[node.index()].router.on_send(self.now, packet, self.packets.get(packet), &mut out);
        if keeps(&out, packet) {
            self.on_wait(node, packet);
        }
        self.apply_routing(node, &mut out, Occasion::Other);
        out.clear();
        self.route_pool.push(out);
    }

    /// A frame for another node was heard.
    pub(super) fn tap_packet(&mut self, node: NodeId, packet: PacketId, from: NodeId, to: NodeId) {
        let mut out = self.route_pool.pop().unwrap_or_default();
        self.nodes[node.index()].router.on_tap(self.now, self.packets.get(packet), from, to, &mut out);
        let occasion = Occasion::received(self.packets.get(packet), from);
        self.apply_routing(node, &mut out, occasion);
        out.clear();
        self.route_pool.push(out);
    }

    /// Carries out what a router wants after `occasion`.
    pub(super) fn apply_routing(
        &mut self,
        node: NodeId,
        actions: &mut Vec<RoutingAction>,
        mut occasion: Occasion,
    ) {
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
                    if self.record.lost_any(node) {
                        self.note_way_found(node, packet);
                    }
                    self.packets.end_search(packet);
                    self.send_after(delay, node, packet, next_hop);
                }
                RoutingAction::Deliver { packet } => self.deliver(node, packet),
                RoutingAction::WakeAt(_) => {}
                other => self.apply_rare(node, other, &mut occasion),
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
    fn apply_rare(&mut self, node: NodeId, action: RoutingAction, occasion: &mut Occasion) {
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
                if copy.uid < UNTRACKED {
                    self.ledger.copied(copy.uid);
                }
                let copy = self.packets.insert(copy);
                self.packets.hand_on(packet, copy);
                self.send_to_link(node, copy, next_hop);
            }
            RoutingAction::Consume { packet } => self.release(packet),
            RoutingAction::Drop { packet, reason } => {
                let (died, root) = self.judge_drop(node, packet, reason, *occasion);
                self.kill(packet, node, died, root);
            }
            RoutingAction::PurgeQueue { next_hop } => self.purge(node, next_hop, *occasion),
            RoutingAction::Note(note) => self.on_routing_note(node, note, occasion),
        }
    }

    /// Packets that wait for a neighbour go back to routing.
    #[inline(never)]
    fn purge(&mut self, node: NodeId, next_hop: NodeId, occasion: Occasion) {
        let mut gone = Vec::new();
        self.nodes[node.index()].queue.purge(next_hop, &mut gone);
        if gone.is_empty() {
            return;
        }
        if self.watched {
            self.record_queue(node);
        }
        let broken = match occasion {
            Occasion::Break(_, root) if root.next_hop == Some(next_hop) => Some(root),
            // The neighbour has lost the way, the link to it stands: only what went that way is held up.
            Occasion::Received(from, _) if from == next_hop => None,
            _ => Some(self.judge_link(node, next_hop)),
        };
        for e in gone {
            let p = self.packets.get(e.packet).clone();
            let root = broken.map(|root| Setback { at: self.now, ..root });
            let root = root.or_else(|| self.lost_route(node, p.dst));
            if let Some(root) = root {
                self.set_back(e.packet, root);
            }
            let root = root.unwrap_or_else(|| self.judge_link(node, next_hop));
            self.with_router(node, Occasion::Break(Died::Purged, root), |router, now, out| {
                router.on_queue_purged(now, e.packet, &p, next_hop, out)
            });
        }
    }

    /// Counts route changes and tells the sender what it may hear: the length of its source route, a broken
    /// link (ELFN). Breaks and losses are kept on record.
    #[inline(never)]
    fn on_routing_note(&mut self, node: NodeId, note: RoutingNote, occasion: &mut Occasion) {
        self.record_note(node, note);
        match note {
            RoutingNote::RouteChanged { dst, hops } => {
                self.tally.route_changes += 1;
                if self.nodes[node.index()].router.routes_at_source() {
                    self.tell_source_route(node, dst, hops);
                }
            }
            RoutingNote::RouteFound { .. } => self.tally.route_changes += 1,
            RoutingNote::LinkBroken { neighbour } => {
                let known = matches!(occasion, Occasion::Break(_, root) if root.next_hop == Some(neighbour));
                if !known {
                    let root = self.judge_link(node, neighbour);
                    self.note_break(root);
                    *occasion = Occasion::Break(Died::Unconfirmed, root);
                }
            }
            RoutingNote::RouteError { broken_from, broken_to, dst } => {
                if let (Occasion::Received(_, link), Some(to)) = (&mut *occasion, broken_to) {
                    *link = Some((broken_from, to));
                }
                self.notify_of_failure(node, dst);
            }
            RoutingNote::RouteLost { dst } | RoutingNote::LocalRepair { dst } => {
                self.note_route_lost(node, dst, *occasion);
            }
            _ => {}
        }
    }
}

/// Whether routing keeps a packet that it was given just now.
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
