//! Inputs and actions of stations.

use super::{NodeHost, Station};
use crate::network::Network;
use crate::network::event::Event;
use crate::network::packets::UNTRACKED;
use crate::observe::{Fact, GaveUp, Obstacle, Why};
use tworay_base::{NodeId, PacketId, SimTime};
use tworay_mac::hcf::{AirFrame, AirKind, Hcf, HcfAction};
use tworay_mac::{FrameKind, GiveUp, QueueEntry};
use tworay_radio::phy::AccessCategory;
use tworay_wire::Body;

impl Network {
    /// Passes an input to a station and carries out its actions.
    fn with_station(
        &mut self,
        node: NodeId,
        input: impl FnOnce(&mut Hcf, SimTime, &mut NodeHost<'_>, &mut Vec<HcfAction>),
    ) {
        let (Some(radio), Some(air)) = (&mut self.radio, &mut self.air) else { return };
        let mut out = self.scratch.air.pop().unwrap_or_default();
        let air = &mut **air;
        let Station { hcf, flows, lanes, .. } = &mut air.stations[node.index()];
        let queue = &mut self.nodes[node].queue;
        let (flows, lanes, dropped) = (flows.as_mut(), lanes.as_deref_mut(), Vec::new());
        let mut host = NodeHost { node, queue, flows, lanes, dropped, radio, judge: &air.judge };
        let waited = host.len();
        input(hcf, self.common.now, &mut host, &mut out);
        let (packets, dropped) = (host.len(), host.dropped);
        if packets != waited {
            self.common.watch(|| Fact::Queued { node, packets });
        }
        // Timers first: an action may call this station again, which then changes them.
        self.air_arm(node);
        for entry in dropped {
            self.common.observe(Fact::Refused);
            self.stop(entry.packet, node, Obstacle::CoDel(entry));
        }
        for action in out.drain(..) {
            self.air_apply(node, action);
        }
        self.scratch.air.push(out);
    }

    /// Sets a station's timer to its deadline.
    pub(super) fn air_arm(&mut self, node: NodeId) {
        let Some(air) = &self.air else { return };
        let deadline = air.stations[node.index()].hcf.deadline();
        self.common.agenda.set_timer(air.timer(node), deadline);
    }

    /// A station's timer expired.
    pub(crate) fn air_timer(&mut self, node: NodeId) {
        let Some(air) = &mut self.air else { return };
        let receives = air.station(node).antenna.current().map(|signal| signal.to);
        self.with_station(node, |hcf, now, host, out| hcf.on_timer(now, receives, host, out));
    }

    /// A packet is passed to the interface queue of a node.
    pub(crate) fn air_enqueue(&mut self, node: NodeId, entry: QueueEntry) {
        let Some(air) = &mut self.air else { return };
        let now = self.common.now;
        let station = &mut air.stations[node.index()];
        let waiting = self.nodes[node].queue.len() + station.waiting();
        let idle = waiting == 0 && station.hcf.is_free();
        let packet = self.common.packets.get(entry.packet);
        let first = entry.routing || matches!(packet.body, Body::Arp(_));
        let category = match self.flows.get(packet.flow.index()) {
            Some(flow) if !first => flow.setup.category.unwrap_or(AccessCategory::BestEffort),
            _ => AccessCategory::BestEffort,
        };
        let number = u64::from(packet.flow.0) << 32 | u64::from(packet.src.0) << 16 | u64::from(packet.dst.0);
        self.common.observe(Fact::Offered { node, packet: entry.packet, idle });
        let limit = self.plan.settings.mac.queue_limit as usize;
        let queue = &mut self.nodes[node].queue;
        let refused = match (&mut station.flows, &mut station.lanes) {
            (_, Some(lanes)) if category != AccessCategory::BestEffort => {
                lanes.push(now, category, entry, number)
            }
            (None, _) => queue.push(entry),
            (Some(flows), _) => {
                let mut refused = None;
                if first {
                    refused = queue.push(entry);
                } else {
                    flows.push(now, entry, number);
                }
                // The limit is that of the interface: of routing's queue and those of all neighbours together.
                let over = refused.is_none() && queue.len() + flows.len() > limit;
                if over { flows.drop_from_longest() } else { refused }
            }
        };
        if let Some(refused) = refused {
            self.common.observe(Fact::Refused);
            self.stop(refused.packet, node, Obstacle::QueueFull(refused));
        }
        let packets =
            self.nodes[node].queue.len() + self.air.as_ref().map_or(0, |air| air.flow_packets(node));
        self.common.watch(|| Fact::Queued { node, packets });
        self.with_station(node, |hcf, now, host, _| hcf.on_waiting(now, category, host));
    }

    /// A frame was received; bit i of `good` stands for its packet i.
    pub(super) fn air_frame(&mut self, node: NodeId, frame: &AirFrame, good: u64) {
        if frame.to == node && matches!(frame.kind, AirKind::Ack | AirKind::BlockAck(_)) {
            self.common.observe(Fact::Answered { node, by: frame.from });
        }
        // Of the packets that are new, in the order of the frame.
        let mut copies = Vec::new();
        if frame.to == node
            && let Some(air) = &mut self.air
            && air.station(node).hcf.config().has_agreements()
        {
            // Copies of what is new are made before the station sees the frame, since it has no packets of its own.
            let fresh = air.station(node).hcf.fresh(frame, good);
            for packet in fresh {
                copies.push((packet, self.air_copy(node, packet, frame.from)));
            }
        }
        self.with_station(node, |hcf, now, host, out| {
            let mut copies = copies.iter();
            let mut copy = |packet| copies.find(|(of, _)| *of == packet).and_then(|(_, copy)| *copy);
            hcf.on_frame(now, frame, good, host, &mut copy, out);
        });
    }

    /// Copies a packet that arrived at `node`; `None` if it is lost above the MAC.
    fn air_copy(&mut self, node: NodeId, packet: PacketId, from: NodeId) -> Option<PacketId> {
        let radio = self.radio.as_mut()?;
        if radio.packet_errs(node, self.common.packets.get(packet).ip_bytes) {
            let copy = self.common.copy(packet);
            self.common.kill(copy, node, Why::Errors(from));
            return None;
        }
        if radio.awaits_packets() {
            self.cut_behind(packet, from, node);
        }
        let sent = self.common.packets.get(packet);
        let uid = sent.uid;
        let mut copy = sent.clone();
        if !matches!(copy.body, Body::Arp(_) | Body::Frame(_)) {
            copy.hops = copy.hops.saturating_add(1);
        }
        let copy = self.common.insert(copy);
        if uid < UNTRACKED {
            self.common.observe(Fact::Copied { uid });
            self.common.observe(Fact::HopDone { packet, copy });
        }
        Some(copy)
    }

    fn air_apply(&mut self, node: NodeId, action: HcfAction) {
        match action {
            HcfAction::Transmit(frame) => self.air_transmit(node, frame),
            HcfAction::Deliver { packet, from } => self.on_delivery(node, packet, from),
            HcfAction::HandUp { copy, from, order } => {
                self.common.observe(Fact::InOrder { node, copy, from, order });
                self.air_hand_up(node, copy, from);
            }
            HcfAction::TooLate { packet, from, since } => {
                let copy = self.common.copy(packet);
                self.common.kill(copy, node, Why::Late { from, packet, since });
            }
            HcfAction::Sent { packet } => {
                self.air_sent(node, packet);
                self.common.release(packet);
            }
            HcfAction::Missed { packets, to, .. } => self.air_missed((node, to), &packets),
            HcfAction::Expired { packet, to } => self.air_expired(node, packet, to),
            HcfAction::GaveUp { packet, to, rts } => {
                let Some(air) = &mut self.air else { return };
                // With agreements a packet ends with its lifetime, or with its neighbour.
                let gone = air.station(node).hcf.config().has_agreements();
                let unanswered = if rts { FrameKind::Rts } else { FrameKind::Data };
                self.on_give_up(node, GiveUp { packet, to, unanswered }, gone);
            }
        }
    }

    /// A packet that was copied on arrival is in order.
    fn air_hand_up(&mut self, node: NodeId, copy: PacketId, from: NodeId) {
        match self.common.packets.get(copy).body {
            Body::Arp(arp) => {
                self.common.packets.discard(copy);
                self.on_arp(node, arp);
            }
            Body::Frame(_) => {
                self.deliver_frame(node, copy);
                self.common.release(copy);
            }
            _ => {
                let delay = self.plan.settings.mac.link_delay;
                if delay.is_zero() {
                    self.receive_packet(node, copy, from);
                } else {
                    let up = Event::Up { packet: copy, node, from };
                    self.common.agenda.push(self.common.now + delay, up);
                }
            }
        }
    }

    /// The station is done with a packet, which was acknowledged or broadcast.
    fn air_sent(&mut self, node: NodeId, packet: PacketId) {
        self.common.observe(Fact::Served { node });
        self.served_late(node, packet);
    }

    /// A packet's lifetime in the station of `node` is over. Routing isn't notified: the link to `next_hop` may work.
    fn air_expired(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        self.common.observe(Fact::GaveUp { node, packet, to: next_hop, why: GaveUp::Lifetime });
        self.stop(packet, node, Obstacle::Expired(next_hop));
    }

    /// An attempt with `packets` got no answer, or was answered without them.
    fn air_missed(&mut self, (node, to): (NodeId, NodeId), packets: &[PacketId]) {
        let Some(radio) = &mut self.radio else { return };
        let in_range = !radio.changes() || radio.reaches(self.common.now, node, to);
        let awaited = self.nodes.awaited(to, in_range);
        self.report(Fact::Missed { node, to, packets, awaited });
    }
}
