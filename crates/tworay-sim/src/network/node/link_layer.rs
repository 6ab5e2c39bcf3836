//! Between routing and MAC: link delay, address resolution, interface queue, and packets that the MAC gave
//! up.

use crate::network::Network;
use crate::network::event::Event;
use crate::network::node::NodeTimer;
use crate::network::packets::UNTRACKED;
use crate::observe::{After, Fact, GaveUp, HopFailure, Obstacle, Why};
use tworay_base::{FlowId, NodeId, PacketId, SimDuration};
use tworay_mac::{ArpAction, ArpDue, GiveUp, Outgoing, QueueEntry};
use tworay_wire::{ArpBody, Body, Packet};

/// Length of an ARP packet, bytes (RFC 826 for Ethernet and IPv4).
const ARP_BYTES: u32 = 28;

impl Network {
    /// A packet leaves routing for `next_hop`.
    pub(crate) fn send_to_link(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        if !self.nodes[node].up {
            self.common.kill(packet, node, Why::NodeOff);
            return;
        }
        self.common.watch(|| Fact::Routed { node, packet, next_hop });
        if let Some(wire) = self.wires.between(node, next_hop) {
            self.wires.send(&mut self.common, wire, packet);
            return;
        }
        if self.radio.is_none() {
            self.common.kill(packet, node, Why::NoRadio(next_hop));
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
                    self.stop(old, node, Obstacle::Replaced { next_hop, newer: packet });
                }
                if matches!(action, ArpAction::Request { .. }) {
                    self.ask(node, next_hop);
                    self.arm_arp(node);
                }
            }
            ArpAction::Unreachable { held } => {
                // After three unanswered broadcasts, report a broken link to routing, as ns-2 does.
                for p in held.into_iter().chain([packet]) {
                    self.link_failed(node, p, next_hop, HopFailure::NoAddress);
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
                ArpDue::Unreachable(next_hop, packet) => {
                    self.link_failed(node, packet, next_hop, HopFailure::NoAddress);
                }
            }
        }
        self.arm_arp(node);
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
    pub(crate) fn on_arp(&mut self, node: NodeId, arp: ArpBody) {
        if let Some(held) = self.nodes[node].arp.learn(arp.sender) {
            self.report(Fact::AddressFound { node, target: arp.sender, packet: held });
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
            self.common.kill(packet, node, Why::NodeOff);
            return;
        }
        let p = self.common.packets.get(packet);
        let entry = QueueEntry { packet, next_hop, ip_bytes: p.ip_bytes, routing: p.is_routing() };
        if self.air.is_some() {
            return self.air_enqueue(node, entry);
        }
        let n = &mut self.nodes[node];
        self.common.observe(Fact::Offered { node, packet, idle: n.mac.is_free() });
        if let Some(refused) = n.queue.push(entry) {
            self.common.observe(Fact::Refused);
            self.stop(refused.packet, node, Obstacle::QueueFull(refused));
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
        self.stop(dropped.packet, node, Obstacle::LinkRed(dropped));
    }

    /// A frame's packet arrived at `node`, which takes a copy. Inlined: a call takes 0.2 % more instructions.
    #[inline(always)]
    pub(crate) fn on_delivery(&mut self, node: NodeId, packet: PacketId, from: NodeId) {
        let Some(radio) = &mut self.radio else { return };
        if radio.packet_errs(node, self.common.packets.get(packet).ip_bytes) {
            let copy = self.common.copy(packet);
            return self.common.kill(copy, node, Why::Errors(from));
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
            self.common.observe(Fact::HopDone { packet, copy });
        }
        let packet = copy;
        let delay = self.plan.settings.mac.link_delay;
        if delay.is_zero() {
            self.receive_packet(node, packet, from);
        } else {
            self.common.agenda.push(self.common.now + delay, Event::Up { packet, node, from });
        }
    }

    /// A MAC gives up a packet; `gone`: because it takes the neighbour for gone.
    #[inline(never)]
    pub(crate) fn on_give_up(&mut self, node: NodeId, give_up: GiveUp, gone: bool) {
        let GiveUp { packet, to, unanswered } = give_up;
        let why = if gone { GaveUp::Gone(unanswered) } else { GaveUp::Retries(unanswered) };
        self.common.observe(Fact::GaveUp { node, packet, to, why });
        self.link_failed(node, packet, to, HopFailure::Retries(unanswered));
    }

    /// A packet returns from a failed hop.
    #[inline(never)]
    fn link_failed(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId, why: HopFailure) {
        let now = self.common.now;
        let reaches = self.radio.as_mut().is_some_and(|radio| radio.reaches(now, node, next_hop));
        let in_reach = self.nodes[next_hop].up && reaches;
        self.report(Fact::LinkFailed { node, packet, next_hop, in_reach, why });
        self.give_back(node, packet, (next_hop, in_reach));
        self.common.observe(Fact::BreakOver);
    }

    /// Routing decides what to do with a packet that has returned.
    fn give_back(&mut self, node: NodeId, packet: PacketId, (next_hop, in_reach): (NodeId, bool)) {
        match self.common.packets.get(packet).body {
            Body::Arp(_) => return self.common.release(packet),
            // As with a real network card, no upper layer is notified.
            Body::Frame(_) => return self.stop(packet, node, Obstacle::HopFailed),
            _ => {}
        }
        self.note_stopped(packet);
        let p = self.common.packets.get(packet).clone();
        if let (Some(external), false) = (&mut self.external, in_reach) {
            external.note_break(self.common.now, p.src, p.dst);
        }
        self.with_router(node, After::Break(next_hop), |router, now, out| {
            router.on_link_failure(now, packet, &p, next_hop, out)
        });
    }
}

#[cfg(test)]
mod tests;
