//! Between routing and MAC: link delay, address resolution, interface queue, give-ups.

use super::judge::Occasion;
use super::{Event, Network};
use crate::provenance::Setback;
use tworay_base::{Died, FlowId, LossCause, NodeId, PacketId, SimDuration};
use tworay_mac::{ArpAction, ArpDue, FrameKind, GiveUp, MAX_REQUESTS, Outgoing, QueueEntry};
use tworay_wire::{ArpBody, Body, Packet};

/// Length of an ARP packet, bytes (RFC 826 for Ethernet and IPv4).
const ARP_BYTES: u32 = 28;

impl Network {
    /// A packet leaves routing for `next_hop`.
    pub(super) fn send_to_link(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        if !self.nodes[node.index()].up {
            self.kill_at_dead_node(packet, node);
            return;
        }
        if self.watched {
            self.record_hop(node, packet, next_hop);
        }
        if let Some(wire) = self.wires.between(node, next_hop) {
            self.wire_send(wire, packet);
            return;
        }
        if self.medium.is_none() {
            let root = Setback::new(self.now, node, LossCause::LinkFailure).towards(next_hop);
            self.kill(packet, node, Died::NoRoute, root);
            return;
        }
        if self.mac_config.arp && !next_hop.is_broadcast() {
            self.resolve(node, packet, next_hop);
        } else {
            self.down(node, packet, next_hop);
        }
    }

    #[inline(never)]
    fn resolve(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        let action = self.nodes[node.index()].arp.resolve(self.now, next_hop, packet);
        match action {
            ArpAction::Send(packet) => self.down(node, packet, next_hop),
            ArpAction::Request { pushed_out } | ArpAction::Wait { pushed_out } => {
                if pushed_out.is_none() {
                    self.record.note_exchange(node, next_hop, self.packets.independent_setback(packet));
                }
                if let Some(old) = pushed_out {
                    self.tally.arp_drops += 1;
                    let root = self.judge_hold(node, next_hop, [old, packet]);
                    self.kill(old, node, Died::Arp, root);
                }
                if matches!(action, ArpAction::Request { .. }) {
                    self.ask(node, next_hop);
                    self.arm_arp(node);
                }
            }
            ArpAction::Unreachable { held } => {
                // Three broadcasts without an answer: like ns-2, routing learns of a broken link.
                for p in held.into_iter().chain([packet]) {
                    self.unresolved(node, p, next_hop);
                }
            }
        }
    }

    fn ask(&mut self, node: NodeId, target: NodeId) {
        self.send_arp(node, ArpBody { request: true, sender: node, target }, NodeId::BROADCAST);
    }

    fn arm_arp(&mut self, node: NodeId) {
        let due = self.nodes[node.index()].arp.next_due();
        let slot = self.node_timer(node, super::ARP);
        self.timers.set(slot, due, &mut self.queue);
    }

    /// Requests for addresses have gone unanswered.
    #[inline(never)]
    pub(super) fn on_arp_timer(&mut self, node: NodeId) {
        let mut due = Vec::new();
        self.nodes[node.index()].arp.on_timer(self.now, &mut due);
        for d in due {
            match d {
                ArpDue::Request(target) => self.ask(node, target),
                ArpDue::Unreachable(next_hop, packet) => self.unresolved(node, packet, next_hop),
            }
        }
        self.arm_arp(node);
    }

    /// ARP gave up on the next hop of a packet.
    fn unresolved(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        let root = Setback { attempts: MAX_REQUESTS.into(), ..self.judge_link(node, next_hop) };
        self.link_failed(packet, next_hop, Died::ArpUnanswered, root);
    }

    #[inline(never)]
    fn send_arp(&mut self, node: NodeId, body: ArpBody, to: NodeId) {
        let uid = self.control_uid();
        let packet = self.packets.insert(Packet {
            uid,
            src: node,
            dst: to,
            ttl: 1,
            hops: 0,
            ip_bytes: ARP_BYTES,
            flow: FlowId::NONE,
            dsr: None,
            body: Body::Arp(body),
        });
        let jitter = if to.is_broadcast() { self.stations.jitter(self.now, node) } else { SimDuration::ZERO };
        self.down_after(self.mac_config.link_delay + jitter, node, packet, to);
    }

    #[inline(never)]
    fn on_arp(&mut self, node: NodeId, arp: ArpBody) {
        if let Some(held) = self.nodes[node.index()].arp.learn(arp.sender) {
            self.down(node, held, arp.sender);
        }
        if arp.request && arp.target == node {
            self.record.note_heard(arp.sender, node, self.now);
            self.send_arp(node, ArpBody { request: false, sender: node, target: arp.sender }, arp.sender);
        }
    }

    fn down(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        self.down_after(self.mac_config.link_delay, node, packet, next_hop);
    }

    #[inline]
    fn down_after(&mut self, delay: SimDuration, node: NodeId, packet: PacketId, next_hop: NodeId) {
        if delay.is_zero() {
            self.enqueue(node, packet, next_hop);
        } else {
            self.queue.push(self.now + delay, Event::Down { packet, node, next_hop });
        }
    }

    pub(super) fn enqueue(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        if !self.nodes[node.index()].up {
            self.kill_at_dead_node(packet, node);
            return;
        }
        let p = self.packets.get(packet);
        let entry = QueueEntry { packet, next_hop, ip_bytes: p.ip_bytes, routing: p.is_routing() };
        if let Some(refused) = self.nodes[node.index()].queue.push(entry) {
            self.tally.queue_drops += 1;
            let root = self.judge_queue(node, refused);
            self.kill(refused.packet, node, Died::Ifq, root);
        }
        if self.watched {
            self.record_queue(node);
        }
        if self.nodes[node.index()].mac.is_free() {
            self.feed_mac(node);
        }
    }

    /// Gives the MAC its next packet.
    pub(super) fn feed_mac(&mut self, node: NodeId) {
        let n = &mut self.nodes[node.index()];
        if !n.mac.is_free() {
            return;
        }
        let Some(e) = n.queue.pop() else { return };
        let out = Outgoing { packet: e.packet, to: e.next_hop, ip_bytes: e.ip_bytes };
        n.mac.offer(self.now, out);
        self.set_mac_timers(node);
        if self.watched {
            self.record_queue(node);
        }
    }

    /// A frame's packet arrived at `node`: it takes a copy.
    pub(super) fn on_delivery(&mut self, node: NodeId, packet: PacketId, from: NodeId) {
        if self.errors.is_some() && self.packet_errs(node, self.packets.get(packet).ip_bytes) {
            self.lose_copy(node, packet);
            return;
        }
        if self.cuts.await_packets() {
            self.cut_behind(packet, from, node);
        }
        let sent = self.packets.get(packet);
        match sent.body {
            Body::Arp(arp) => return self.on_arp(node, arp),
            Body::Frame(_) => return self.deliver_frame(node, packet),
            _ => {}
        }
        let (uid, copy) = (sent.uid, Packet { hops: sent.hops.saturating_add(1), ..sent.clone() });
        let copy = self.packets.insert(copy);
        if uid < super::UNTRACKED {
            self.ledger.copied(uid);
            self.packets.hand_on(packet, copy);
        }
        let packet = copy;
        let delay = self.mac_config.link_delay;
        if delay.is_zero() {
            self.receive_packet(node, packet, from);
        } else {
            self.queue.push(self.now + delay, Event::Up { packet, node, from });
        }
    }

    #[inline(never)]
    pub(super) fn on_give_up(&mut self, node: NodeId, give_up: GiveUp) {
        let fates = std::mem::take(&mut self.nodes[node.index()].fates);
        let root = fates.give_up(self.now, node, give_up.to);
        let died = if give_up.unanswered == FrameKind::Rts { Died::RtsRetries } else { Died::DataRetries };
        let p = self.packets.get(give_up.packet);
        self.tally.give_ups.add_give_up(died == Died::RtsRetries, p);
        self.link_failed(give_up.packet, give_up.to, died, root);
    }

    /// Whether two nodes can decode each other's frames now.
    pub(super) fn in_range(&mut self, a: NodeId, b: NodeId) -> bool {
        if self.cuts.between(a, b) {
            return false;
        }
        let Some(medium) = &self.medium else { return false };
        if let Some(reach) = medium.measured_reach(a, b) {
            return reach && medium.measured_reach(b, a) == Some(true);
        }
        let pa = self.tracks[a.index()].position(self.now);
        let pb = self.tracks[b.index()].position(self.now);
        medium.channel().rx_power_squared(pa.distance_squared(pb)) >= medium.channel().rx_threshold()
    }

    /// A packet comes back from its next hop: routing decides.
    #[inline(never)]
    fn link_failed(&mut self, packet: PacketId, next_hop: NodeId, died: Died, root: Setback) {
        let node = root.node;
        self.tally.link_failures += 1;
        if self.nodes[next_hop.index()].up && self.in_range(node, next_hop) {
            self.tally.false_link_failures += 1;
        }
        self.note_break(root);
        self.note_message_lost(packet, &root);
        if matches!(self.packets.get(packet).body, Body::Arp(_)) {
            self.release(packet);
            return;
        }
        if matches!(self.packets.get(packet).body, Body::Frame(_)) {
            // Nobody above hears of it, as of a real card.
            self.kill(packet, node, died, root);
            return;
        }
        self.set_back(packet, root);
        let p = self.packets.get(packet).clone();
        if let (Some(external), true) = (&mut self.external, root.is_physical()) {
            external.note_break(self.now, p.src, p.dst);
        }
        self.with_router(node, Occasion::Break(died, root), |router, now, out| {
            router.on_link_failure(now, packet, &p, next_hop, out)
        });
    }
}
