//! Between routing and MAC: link delay, address resolution, interface queue, and packets that the MAC gave
//! up.

use crate::network::Network;
use crate::network::event::Event;
use crate::network::node::NodeTimer;
use crate::network::packets::UNTRACKED;
use crate::observe::Fact;
use crate::observe::loss::causes::{Causes, Trigger};
use crate::observe::loss::root_cause::RootCause;
use tworay_base::{Died, FlowId, LossCause, NodeId, PacketId, SimDuration};
use tworay_mac::{ArpAction, ArpDue, FrameKind, GiveUp, MAX_REQUESTS, Outgoing, QueueEntry};
use tworay_wire::{ArpBody, Body, Packet};

/// Length of an ARP packet, bytes (RFC 826 for Ethernet and IPv4).
const ARP_BYTES: u32 = 28;

impl Network {
    /// A packet leaves routing for `next_hop`.
    pub(crate) fn send_to_link(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        if !self.nodes[node].up {
            self.common.kill_at_dead_node(packet, node);
            return;
        }
        self.common.watch(|| Fact::Routed { node, packet, next_hop });
        if let Some(wire) = self.wires.between(node, next_hop) {
            self.wires.send(&mut self.common, wire, packet);
            return;
        }
        if self.radio.is_none() {
            let root = RootCause::new(self.common.now, node, LossCause::LinkFailure).towards(next_hop);
            self.common.kill(packet, node, Died::NoRoute, root);
            return;
        }
        if self.plan.settings.mac.arp && !next_hop.is_broadcast() {
            self.resolve(node, packet, next_hop);
        } else {
            self.down(node, packet, next_hop);
        }
    }

    #[inline(never)]
    fn resolve(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        let action = self.nodes[node].arp.resolve(self.common.now, next_hop, packet);
        match action {
            ArpAction::Send(packet) => self.down(node, packet, next_hop),
            ArpAction::Request { pushed_out } | ArpAction::Wait { pushed_out } => {
                if pushed_out.is_none() {
                    self.common.observe(Fact::ArpStarted { node, target: next_hop, packet });
                }
                if let Some(old) = pushed_out {
                    self.common.observe(Fact::HoldReplaced);
                    let (causes, mut scene) = self.scene();
                    let root = causes.hold(&mut scene, node, next_hop, [old, packet]);
                    self.common.kill(old, node, Died::Arp, root);
                }
                if matches!(action, ArpAction::Request { .. }) {
                    self.ask(node, next_hop);
                    self.arm_arp(node);
                }
            }
            ArpAction::Unreachable { held } => {
                // After three unanswered broadcasts, report a broken link to routing, as ns-2 does.
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
        let due = self.nodes[node].arp.next_due();
        let slot = self.nodes.timer(node, NodeTimer::Arp);
        self.common.agenda.set_timer(slot, due);
    }

    /// ARP's retry timer expired.
    #[inline(never)]
    pub(crate) fn on_arp_timer(&mut self, node: NodeId) {
        let mut due = Vec::new();
        self.nodes[node].arp.on_timer(self.common.now, &mut due);
        for d in due {
            match d {
                ArpDue::Request(target) => self.ask(node, target),
                ArpDue::Unreachable(next_hop, packet) => self.unresolved(node, packet, next_hop),
            }
        }
        self.arm_arp(node);
    }

    /// ARP gave up resolving a packet's next hop.
    fn unresolved(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        let (causes, mut scene) = self.scene();
        let root = causes.address(&mut scene, node, next_hop);
        let root = RootCause { attempts: MAX_REQUESTS.into(), ..root };
        self.link_failed(node, packet, next_hop, Died::ArpUnanswered, root);
    }

    #[inline(never)]
    fn send_arp(&mut self, node: NodeId, body: ArpBody, to: NodeId) {
        let uid = self.common.control_uid();
        let packet = self.common.insert(Packet {
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
        let jitter =
            if to.is_broadcast() { self.stations.jitter(self.common.now, node) } else { SimDuration::ZERO };
        self.down_after(self.plan.settings.mac.link_delay + jitter, node, packet, to);
    }

    #[inline(never)]
    fn on_arp(&mut self, node: NodeId, arp: ArpBody) {
        if let Some(held) = self.nodes[node].arp.learn(arp.sender) {
            let (causes, scene) = self.scene();
            if let Some(root) = causes.delayed(&scene, node, arp.sender) {
                self.common.observe(Fact::WaitedForAddress { packet: held, root });
                self.common.observers.held_ups.delay(held, root);
            }
            self.down(node, held, arp.sender);
        }
        if arp.request && arp.target == node {
            self.common.observe(Fact::ArpHeard { node: arp.sender, target: node });
            self.send_arp(node, ArpBody { request: false, sender: node, target: arp.sender }, arp.sender);
        }
    }

    fn down(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        self.down_after(self.plan.settings.mac.link_delay, node, packet, next_hop);
    }

    #[inline]
    fn down_after(&mut self, delay: SimDuration, node: NodeId, packet: PacketId, next_hop: NodeId) {
        if delay.is_zero() {
            self.enqueue(node, packet, next_hop);
        } else {
            self.common.agenda.push(self.common.now + delay, Event::Down { packet, node, next_hop });
        }
    }

    pub(crate) fn enqueue(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        if !self.nodes[node].up {
            self.common.kill_at_dead_node(packet, node);
            return;
        }
        let p = self.common.packets.get(packet);
        let entry = QueueEntry { packet, next_hop, ip_bytes: p.ip_bytes, routing: p.is_routing() };
        let n = &mut self.nodes[node];
        n.service.offered(self.common.now, n.mac.is_free());
        if self.common.observers.held_ups.is_held_up(packet)
            && let Some(root) = self.common.observers.held_ups.independent_root(packet)
        {
            n.service.offered_late(self.common.packets.get(packet), root);
        }
        if let Some(refused) = n.queue.push(entry) {
            self.common.observe(Fact::Refused);
            let root = self.queue_root(node, refused);
            self.common.kill(refused.packet, node, Died::Ifq, root);
        }
        self.common.watch(|| Fact::Queued { node, packets: self.nodes[node].queue.len() });
        if self.nodes[node].mac.is_free() {
            self.feed_mac(node);
        }
    }

    /// Passes the next queued packet to the MAC.
    pub(crate) fn feed_mac(&mut self, node: NodeId) {
        let n = &mut self.nodes[node];
        if !n.mac.is_free() {
            return;
        }
        let Some(mut e) = n.queue.pop() else { return };
        while !e.routing && !e.next_hop.is_broadcast() && self.nodes[node].mac.drops_early() {
            self.drop_early(node, e);
            let Some(next) = self.nodes[node].queue.pop() else { return };
            e = next;
        }
        let n = &mut self.nodes[node];
        let out = Outgoing { packet: e.packet, to: e.next_hop, ip_bytes: e.ip_bytes };
        n.mac.offer(self.common.now, out);
        self.nodes.set_mac_timers(node, &mut self.common.agenda);
        self.common.watch(|| Fact::Queued { node, packets: self.nodes[node].queue.len() });
    }

    /// Link-RED drops a packet instead of sending it.
    #[cold]
    fn drop_early(&mut self, node: NodeId, dropped: QueueEntry) {
        self.common.observe(Fact::Refused);
        let root = self.queue_root(node, dropped);
        self.common.kill(dropped.packet, node, Died::LinkRed, root);
    }

    /// Why the interface queue rejects a packet.
    #[inline(never)]
    fn queue_root(&mut self, node: NodeId, refused: QueueEntry) -> RootCause {
        let root = Causes::queue(&mut self.scene().1, node, refused);
        let n = &mut self.nodes[node];
        n.service.refused(n.queue.len() as u32);
        root
    }

    /// A frame's packet arrived at `node`, which takes a copy.
    pub(crate) fn on_delivery(&mut self, node: NodeId, packet: PacketId, from: NodeId) {
        let Some(radio) = &mut self.radio else { return };
        if radio.packet_errs(node, self.common.packets.get(packet).ip_bytes) {
            let copy = self.common.copy(packet);
            let root = RootCause::new(self.common.now, node, LossCause::Channel);
            return self.common.kill(copy, node, Died::Error, root);
        }
        if radio.awaits_packets() {
            self.cut_behind(packet, from, node);
        }
        let sent = self.common.packets.get(packet);
        match sent.body {
            Body::Arp(arp) => return self.on_arp(node, arp),
            Body::Frame(_) => return self.deliver_frame(node, packet),
            _ => {}
        }
        let uid = sent.uid;
        let mut copy = sent.clone();
        copy.hops = copy.hops.saturating_add(1);
        let copy = self.common.insert(copy);
        if uid < UNTRACKED {
            self.common.observe(Fact::Copied { uid });
            self.common.hand_on(packet, copy);
        }
        let packet = copy;
        let delay = self.plan.settings.mac.link_delay;
        if delay.is_zero() {
            self.receive_packet(node, packet, from);
        } else {
            self.common.agenda.push(self.common.now + delay, Event::Up { packet, node, from });
        }
    }

    #[inline(never)]
    pub(crate) fn on_give_up(&mut self, node: NodeId, give_up: GiveUp) {
        let n = &mut self.nodes[node];
        n.attempts.end(self.common.now, n.mac.timing().rts);
        let root = n.attempts.root_of(self.common.now, (node, give_up.to), give_up.unanswered);
        n.service.gave_up(self.common.now, n.attempts.lost(), root);
        n.attempts.reset();
        if root.is_independent_of_load() {
            self.hold_back(node, root);
        }
        let died = if give_up.unanswered == FrameKind::Rts { Died::RtsRetries } else { Died::DataRetries };
        let rts = died == Died::RtsRetries;
        self.common.observe(Fact::GaveUp { packet: give_up.packet, rts });
        self.link_failed(node, give_up.packet, give_up.to, died, root);
    }

    /// A packet has crossed the link from `from` to `node`; an order to cut the link may wait for this.
    #[cold]
    fn cut_behind(&mut self, packet: PacketId, from: NodeId, node: NodeId) {
        let p = self.common.packets.get(packet);
        let (flow, dst) = (p.flow, p.dst);
        if flow == FlowId::NONE || self.flows[flow.index()].setup.to != dst {
            return;
        }
        let Some(radio) = &mut self.radio else { return };
        if let Some((at, mended)) = radio.cut_behind(self.common.now, flow, [from, node]) {
            self.common.agenda.push(at, mended);
        }
    }

    /// Why a node considers the link to a neighbour broken. If nothing is wrong with the link, routing has given up a
    /// path that exists, and the search for it decides.
    pub(crate) fn link_root(&mut self, node: NodeId, next_hop: NodeId) -> RootCause {
        let (causes, mut scene) = self.scene();
        let root = causes.link(&mut scene, node, next_hop);
        if root.cause == Some(LossCause::Unknown) { RootCause { cause: None, ..root } } else { root }
    }

    /// A packet returns from a failed hop: routing decides what to do with it.
    #[inline(never)]
    fn link_failed(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId, died: Died, root: RootCause) {
        let in_reach = self.nodes[next_hop].up && self.scene().1.in_range(node, next_hop);
        self.common.observe(Fact::LinkFailed { packet, root, in_reach });
        if matches!(self.common.packets.get(packet).body, Body::Arp(_)) {
            self.common.release(packet);
            return;
        }
        if matches!(self.common.packets.get(packet).body, Body::Frame(_)) {
            // As with a real network card, no upper layer is notified.
            return self.common.kill(packet, node, died, root);
        }
        self.common.hold_up(packet, root);
        self.note_stopped(packet);
        let p = self.common.packets.get(packet).clone();
        if let (Some(external), false) = (&mut self.external, in_reach) {
            external.note_break(self.common.now, p.src, p.dst);
        }
        self.with_router(node, Trigger::Break(next_hop, died, root), |router, now, out| {
            router.on_link_failure(now, packet, &p, next_hop, out)
        });
    }
}

#[cfg(test)]
mod tests;
