//! Ends of packets at a MAC or a node: what the place alone tells, lifetimes that are over, and packets that are done.

use super::RootCauses;
use crate::observe::fact::{Awaited, GaveUp, View, Why, WireLoss};
use crate::observe::loss::attempts::Failure;
use crate::observe::loss::root_cause::{Noise, RootCause};
use crate::observe::loss::scene::World;
use tworay_base::{Died, LossCause, NodeId, PacketId};
use tworay_mac::hcf::Order;
use tworay_mac::{FrameKind, MSDU_LIFETIME};
use tworay_wire::Body;

impl RootCauses {
    /// End of a packet that dies at `node` for a reason which the place tells, and the root cause.
    pub(in crate::observe) fn ended(&self, why: Why, node: NodeId, view: View<'_>) -> (Died, RootCause) {
        let root = |cause| RootCause::new(view.now, node, cause);
        match why {
            Why::NodeOff => (Died::NodeDown, root(LossCause::NodeDown)),
            Why::NoRadio(next_hop) => (Died::NoRoute, root(LossCause::LinkFailure).towards(next_hop)),
            Why::Errors(_) => (Died::Error, root(LossCause::Channel)),
            Why::Late { from, packet, since } => {
                let cause = self.exchanges.cause(from, packet).unwrap_or(LossCause::Contention);
                (Died::Late, RootCause::new(since, from, cause).towards(node))
            }
            Why::Discarded => (Died::Receiver, root(LossCause::ReorderDiscard)),
            Why::Wire((from, to), why) => {
                let (died, cause) = match why {
                    WireLoss::Errors => (Died::Error, LossCause::Channel),
                    WireLoss::Outage => (Died::Handoff, LossCause::LinkFailure),
                    WireLoss::Refused => (Died::WireQueue, LossCause::Congestion),
                };
                (died, RootCause { node: from, ..root(cause) }.towards(to))
            }
        }
    }

    /// A MAC has given up a packet.
    pub(in crate::observe) fn gave_up(
        &mut self,
        (node, to): (NodeId, NodeId),
        packet: PacketId,
        why: GaveUp,
        view: View<'_>,
    ) {
        match why {
            GaveUp::Retries(_) => self.exchanges.gave_up(view.now, node, packet, None),
            GaveUp::Gone(_) => self.exchanges.gave_up(view.now, node, packet, Some(to)),
            GaveUp::Lifetime => self.exchanges.expired(view.now, node, packet),
        }
        self.arp_done((node, to), packet, view);
    }

    /// A station is done with a packet after failed attempts: if it is a message of ARP, others wait for it no longer.
    pub(super) fn arp_sent(&mut self, node: NodeId, packet: PacketId, view: View<'_>) {
        let (_, to, _) = self.exchanges.of(node).current();
        self.arp_done((node, to), packet, view);
    }

    fn arp_done(&mut self, ends: (NodeId, NodeId), packet: PacketId, view: View<'_>) {
        if matches!(view.packets.get(packet).body, Body::Arp(_)) {
            self.causes.note_repeated(ends, None);
        }
    }

    /// Packets were not acknowledged. Messages of ARP among them, which others wait for, are repeated.
    pub(super) fn missed(
        &mut self,
        (node, to): (NodeId, NodeId),
        packets: &[PacketId],
        awaited: Awaited,
        world: &mut World<'_>,
    ) {
        let lost = self.exchanges.missed(world.now, node, packets, awaited);
        self.lose_exchange(node, lost, packets.first().copied(), world);
        for &packet in packets {
            if matches!(world.packets.get(packet).body, Body::Arp(_)) {
                self.causes.note_repeated((node, to), self.exchanges.cause(node, packet));
            }
        }
    }

    /// A packet of `from` is in order at its next hop: what it had to wait for goes on with it.
    pub(in crate::observe) fn in_order(
        &mut self,
        (copy, node): (PacketId, NodeId),
        from: NodeId,
        order: Order,
        view: View<'_>,
    ) {
        let now = view.now;
        if let Some((failure, since, together)) = self.exchanges.delay(now, from, order) {
            let root = RootCause::new(now, from, failure.cause()).towards(node);
            let noise = Noise { together, time: now.since(since), since: Some(since) };
            self.held_ups.delay_with(copy, root, noise);
        }
    }

    /// The root cause of a packet whose lifetime in the MAC is over: that of its lost attempts. If its next hop has been out of reach for
    /// half of that time, it went to attempts with the packets before it in the window, however often it was repeated itself.
    /// If it was never sent: what kept the frames before it from their next hop, or load, if nothing did.
    pub(super) fn expired(&mut self, (node, next_hop): (NodeId, NodeId), world: &mut World<'_>) -> RootCause {
        let now = world.now;
        let attempts = self.exchanges.of(node);
        let root = if attempts.has_failed_before() {
            let own = attempts.root_of(now, (node, next_hop), FrameKind::Data);
            let half = now.earlier_by(MSDU_LIFETIME / 2);
            let mut scene = world.scene(&self.held_ups, &self.services, &self.exchanges, &self.ways);
            let stuck = scene.stuck_at(node).filter(|(hop, _)| *hop == next_hop).map(|(_, cause)| cause);
            let stuck = stuck.filter(|_| scene.was_out_of_reach_at(node, next_hop, half).is_some());
            RootCause { cause: stuck.filter(|_| !own.is_physical()).or(own.cause), ..own }
        } else {
            let behind = self.exchanges.failing(now, node);
            let cause = behind.map_or(LossCause::Congestion, Failure::cause);
            RootCause::new(now, node, cause).towards(next_hop)
        };
        self.exchanges.reset(node);
        self.services[node.index()].gave_up(now, root);
        if root.is_independent_of_load() {
            self.hold_back(node, root, world);
        }
        root
    }
}
