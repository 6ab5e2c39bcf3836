//! Packets that come faster than ARP finds an address, and replace each other in its hold slot.
//!
//! If the neighbour is out of reach, that is the root. If packets came in a burst that a break had held up, or if the break
//! rerouted the traffic so that the address was needed, or an outage made the node forget it, the break is the root, whatever
//! becomes of the exchange's messages: without the break nobody would have had to ask. Otherwise the slot has the root of
//! the exchange if that failed, or, if one of its messages waits in a queue that something other than load keeps from being sent,
//! the root of that; or else packets came too fast. A break is the root of every packet that the slot loses until the answer, and for packets
//! between two ends if a break has held up others between them in the last seconds: acknowledgments, made after the
//! break, take a new path because of it, and so do segments once the search for a way back has shown their source another
//! one. A message of a search that a break has set off may be the first to need the address, or take a packet's place.
//! Tables (OLSR) may reroute a flow that has lost nothing: its node had asked for another next hop's address before, and a
//! break is known to some routers only.
//!
//! A break by errors has no such record of packets that it stopped: errors strike everywhere. A router with several routes (DSR's cache) takes another
//! one after such a break, and what it sends from then on was never held up. If the link layer has lately given up a packet between the same
//! ends, and their packets had arrived before, so that the path in use had all its addresses, that is the reason. With OLSR it is so where nothing moves,
//! once a router has given up a link of the first path; where nodes move, tables change by themselves.

use super::Causes;
use super::search::{is_replaced, searches};
use crate::network::packets::is_message;
use crate::observe::loss::root_cause::RootCause;
use crate::observe::loss::scene::{Messages, Scene};
use tworay_base::{FlowId, LossCause, NodeId, PacketId, SimTime};
use tworay_wire::Packet;

impl Causes {
    /// A newer packet replaces a packet in ARP's hold slot: because the hop is out of reach, the exchange
    /// was lost, or packets arrive too fast. `[replaced, newer]`.
    pub fn hold(
        &mut self,
        scene: &mut Scene<'_>,
        node: NodeId,
        next_hop: NodeId,
        packets: [PacketId; 2],
    ) -> RootCause {
        let now = scene.now;
        let [replaced, newer] = packets.map(|packet| scene.packets.get(packet));
        if is_message(replaced) && is_replaced(replaced, newer) {
            self.note_reply_lost((node, next_hop), replaced);
            return RootCause::new(now, node, LossCause::Unknown);
        }
        if let Some(root) = self.asked_in_vain(scene, node, next_hop) {
            return root;
        }
        let lost = self.spoilt_for_slot(scene, (node, next_hop));
        self.too_fast(scene, (node, next_hop), &packets, lost)
    }

    /// The root cause other than load that spoiled the exchange for whose end a slot waits, though the neighbour is in reach.
    fn spoilt_for_slot(&self, scene: &Scene<'_>, (node, next_hop): (NodeId, NodeId)) -> Option<RootCause> {
        let now = scene.now;
        if let Some(root) = self.repeated_in_noise(scene, node, next_hop) {
            return Some(root);
        }
        let began = self.began(now, node, next_hop);
        let lost = self.breaks.get(&(next_hop, node)).is_some_and(|b| b.at >= began)
            || self.lost_of_exchange(now, node, next_hop).is_some();
        let spoilt = lost.then(|| self.spoiled(scene, node, next_hop)).flatten();
        let waits = || Self::message_waits(scene, (node, next_hop), Messages::OfArp);
        let spoilt = spoilt.or_else(|| waits().filter(RootCause::is_independent_of_load));
        spoilt.or_else(|| self.asked_again_because(now, node, next_hop))
    }

    /// Packets came faster than ARP could answer: its exchange was spoiled by `lost`, they were held up together, a break has
    /// rerouted them, or their node was off and would know the address otherwise. A break or an outage comes before noise and
    /// collisions, which delay packets a little everywhere: where the address is known, they may come as fast as they like. If
    /// there is none of these, the reason is load.
    pub(super) fn too_fast(
        &self,
        scene: &mut Scene<'_>,
        (node, next_hop): (NodeId, NodeId),
        packets: &[PacketId],
        lost: Option<RootCause>,
    ) -> RootCause {
        let now = scene.now;
        // A noisy hop before this one only slows packets down. That matters as long as the request or its answer is under way, not while
        // it waits in a queue.
        let slowed = |id: &PacketId| {
            scene.held_ups.independent_root(*id).is_none() || scene.held_ups.noise(*id).is_some()
        };
        let waits =
            packets.iter().all(slowed) && scene.message_waits(node, next_hop, Messages::OfArp).is_some();
        let burst = scene.burst(packets[0], &packets[1..], None).filter(|_| !waits);
        let [detour, outage] = self.needed_because(scene, (node, next_hop), packets);
        let root = RootCause::break_or_first([lost, burst, detour, outage]);
        root.unwrap_or_else(|| RootCause::new(now, node, LossCause::Congestion).towards(next_hop))
    }

    /// Why an address is needed that a node would not have to ask for otherwise: the break that has rerouted the first of some
    /// packets, and the outage in which the node forgot what it knew. What it had asked for in vain before, it has not
    /// forgotten, and a fade keeps the packets themselves away as well.
    pub(super) fn needed_because(
        &self,
        scene: &mut Scene<'_>,
        (node, next_hop): (NodeId, NodeId),
        packets: &[PacketId],
    ) -> [Option<RootCause>; 2] {
        let forgotten = self.forgotten(scene, node).filter(|_| !self.lacked.contains(&(node, next_hop)));
        let forgotten = forgotten.filter(|_| !scene.is_faded(node, next_hop));
        [self.rerouted(scene, (node, next_hop), packets), forgotten]
    }

    /// A reply is lost that has waited for an address. Packets that have waited for it lacked it since the message that keeps
    /// the address away was lost. ns-2 asks again for each packet: the latest one, for this reply.
    pub fn note_reply_lost(&mut self, (node, next_hop): (NodeId, NodeId), reply: &Packet) {
        if let Some(miss) = self.misses_of_exchange(node, next_hop).max_by_key(|miss| miss.at).copied() {
            let here = miss.root(RootCause::new(miss.at, node, miss.cause).towards(next_hop));
            let root = self.of_answer(miss.at, (node, next_hop), here);
            self.note_message_lost(miss.at, (node, next_hop), &root, reply);
            self.note_waited(miss.at, (node, next_hop), reply);
        }
    }

    /// The break that rerouted the traffic of the first of some packets, so that the address is needed, or that set off the
    /// search to which another one replies.
    fn rerouted(
        &self,
        scene: &mut Scene<'_>,
        (node, next_hop): (NodeId, NodeId),
        packets: &[PacketId],
    ) -> Option<RootCause> {
        let Packet { flow, src, dst, .. } = *scene.packets.get(*packets.first()?);
        let of_exchange = self.detours.get(&(node, next_hop)).copied();
        // A hop that has only kept a relay's MAC from their packets has rerouted none of them.
        let of_exchange = of_exchange.filter(|(_, root)| {
            let used = self.first_hops.get(&(root.node, flow, dst)).copied();
            used.is_some() && used == root.next_hop || self.may_have_led(scene, (src, dst), root)
        });
        let of_search =
            || packets.iter().find_map(|packet| self.set_off(scene.now, scene.packets.get(*packet)));
        let from = src;
        if let Some((src, root)) = of_exchange.or_else(of_search) {
            // No packet goes to its own source: if that was off, it was so itself.
            let own = root.cause == Some(LossCause::NodeDown) && root.next_hop == Some(from);
            let root = if src == dst || own { root.reversed() } else { root };
            return Some(self.along_path(scene, (from, dst), root).strikes_others(scene.now));
        }
        if !self.proactive {
            let avoided = self.avoided.get(&(node, next_hop));
            return avoided.map(|(of, root)| {
                if *of == dst { root.reversed() } else { *root }.strikes_others(scene.now)
            });
        }
        let first = self.first_hops.get(&(node, flow, dst));
        if first.is_some_and(|first| *first != next_hop) {
            return self.stale_routes(scene, (node, dst), None);
        }
        // A node beside the first path: without a break, another path may have become known as well.
        let stale = self
            .leaves_first_path((src, flow, dst), node)
            .then(|| self.stale_routes(scene, (node, dst), None));
        let stale = stale.flatten()?;
        let by_noise = || stale.is_noise() && !scene.changes() && self.first_path_gave_up((src, flow, dst));
        (stale.is_physical() || by_noise()).then_some(stale)
    }

    /// A link that has broken, in the direction in which packets between two ends would cross it. A packet that circled may have met it from
    /// the other side.
    fn along_path(&self, scene: &mut Scene<'_>, ends: (NodeId, NodeId), root: RootCause) -> RootCause {
        let Some(b) = root.next_hop.filter(|_| root.cause == Some(LossCause::LinkFailure)) else {
            return root;
        };
        let mut crosses = |link: (NodeId, NodeId)| {
            self.times_before(root.at).any(|at| scene.leads(ends, link, at, &[link]).is_some())
        };
        if !crosses((root.node, b)) && crosses((b, root.node)) { root.reversed() } else { root }
    }

    /// The break that set off the search of which a packet is a message, and the node that searches.
    pub(super) fn set_off(&self, now: SimTime, packet: &Packet) -> Option<(NodeId, RootCause)> {
        let breaks = |root: &RootCause| {
            root.is_physical() || matches!(root.cause, Some(LossCause::Channel | LossCause::Rate))
        };
        let of = |(searcher, target, _)| {
            let lost = self.lost.get(NodeId::index(searcher))?.get(&target).map(|lost| lost.root);
            let lost = lost.filter(breaks);
            let of_request = || {
                let (at, root) = self.searches.get(&(searcher, target))?.set_off?;
                Some(root).filter(|root| breaks(root) && at + self.timing.aftermath >= now)
            };
            Some((searcher, lost.or_else(of_request)?))
        };
        searches(packet).into_iter().find_map(of)
    }

    /// True if noise has made a router give up a link of the path whose addresses were first needed for the packets of a flow. Where nothing
    /// moves, only that leads packets away from it.
    fn first_path_gave_up(&self, (src, flow, dst): (NodeId, FlowId, NodeId)) -> bool {
        let hop = |node: &NodeId| Some((*node, *self.first_hops.get(&(*node, flow, dst))?));
        let hops = std::iter::successors(hop(&src), |(_, to)| hop(to)).take(self.lost.len());
        hops.flat_map(|(a, b)| [(a, b), (b, a)])
            .any(|hop| self.heeded.get(&hop).is_some_and(RootCause::is_noise))
    }

    /// True if a node is not on the path whose addresses were first needed for the packets of a flow from `src` to `dst`.
    fn leaves_first_path(&self, (src, flow, dst): (NodeId, FlowId, NodeId), node: NodeId) -> bool {
        let next = |node: &NodeId| self.first_hops.get(&(*node, flow, dst)).copied();
        // Nodes may have changed their next hop one after the other, so that these form a circle.
        let mut path = std::iter::successors(Some(src), next).take(self.lost.len());
        path.find(|n| *n == node || *n == dst).is_some_and(|end| end != node)
    }
}
