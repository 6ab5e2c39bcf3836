//! Determines the root cause: what prevented a packet from going on, as known to the simulator.
//!
//! Routers and MACs see only symptoms: no answer, no route, a full buffer. A cause may be named only if its
//! disturbance occurred at a hop and a time that could have touched the packet. What no rule explains is
//! `unknown`; no rule has a cause as its last resort. Each kind of disturbance has its own file:
//!
//! - `closing`: the break that closes the paths between two nodes;
//! - `failed_hop`: a failed hop;
//! - `full_queue`: a full interface queue;
//! - `release`: packets that a search releases at once;
//! - `route`: a lost route, a missing route and a loop;
//! - `search`: a route discovery that found nothing although a path existed;
//! - `slot`: packets that come faster than ARP finds an address;
//! - `olsr_tables`: tables that routers exchange, and their lost messages;
//! - `undisturbed`: when routers that exchange tables would have had a route without disturbances.
//!
//! All of this runs only when a packet is held up or dies, or when a route is lost. It keeps a
//! record of breaks and missed messages and reads the network through a [`Scene`]; it changes nothing in
//! it.

mod answers;
mod closing;
mod failed_hop;
mod full_queue;
mod olsr_tables;
mod records;
mod release;
mod route;
mod search;
mod slot;
mod undisturbed;

use super::scene::Scene;
use crate::observe::loss::root_cause::{RootCause, ends};
use olsr_tables::Hellos;
use records::{Exchange, LostRoute, Miss, Search};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tworay_base::{Died, FlowId, LossCause, NodeId, PacketId, SimTime};
use tworay_routing::{DropReason, RoutingConfig, Timing, Waiting};
use tworay_wire::Packet;
use undisturbed::Undisturbed;

/// Event to which a router reacts when it loses routes or drops packets.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Trigger {
    /// A timer, or a packet of its own.
    Other,
    /// A failed hop: how the returned packet dies if it dies now, and the root. That may be an outage of the node
    /// itself, which has forgotten its neighbours' addresses.
    Break(Died, RootCause),
    /// A packet from this neighbour; the link named by a DSR route error in it.
    Received(NodeId, Option<(NodeId, NodeId)>),
}

/// Root causes, and the records from which they follow.
#[derive(Debug, Default)]
pub(crate) struct Causes {
    /// The latest break of each link that broke.
    breaks: BTreeMap<(NodeId, NodeId), RootCause>,
    /// The same without breaks that change nothing: where routers that exchange tables don't heed the link layer, a packet
    /// may be given up on a link that stays in all tables.
    heeded: BTreeMap<(NodeId, NodeId), RootCause>,
    /// Routing and ARP messages that a station missed: per station the latest one of each neighbour.
    missed: Vec<Vec<(NodeId, Miss)>>,
    /// Messages of route discoveries that were lost, by searching node and destination.
    searches: BTreeMap<(NodeId, NodeId), Search>,
    /// The latest message of ARP that was lost, by the node that it was meant for and its sender.
    arp_lost: BTreeMap<(NodeId, NodeId), Miss>,
    /// Broadcasts that never reached the medium: per sender the latest one.
    unsent: BTreeMap<NodeId, Miss>,
    /// ARP of one node for another: the latest exchange, end of the latest request's transmission, and time of the latest
    /// reception.
    exchanges: BTreeMap<(NodeId, NodeId), Exchange>,
    asked: BTreeMap<(NodeId, NodeId), SimTime>,
    heard: BTreeMap<(NodeId, NodeId), SimTime>,
    /// Neighbours whose addresses ARP has given up since their node was last switched on, and those that it had not learned either
    /// when the node was last switched off.
    unresolved: BTreeSet<(NodeId, NodeId)>,
    lacked: BTreeSet<(NodeId, NodeId)>,
    /// Why stations with several packets under way could not send a message of ARP so far, by sender and receiver.
    repeated: BTreeMap<(NodeId, NodeId), LossCause>,
    /// ARP exchanges in progress for traffic that a break has rerouted: its source, and the break.
    detours: BTreeMap<(NodeId, NodeId), (NodeId, RootCause)>,
    /// For each two ends the latest packet between them that the link layer gave up on a hop in reach, where routers react to that: when, its
    /// source, and the root.
    given_up: BTreeMap<[NodeId; 2], (SimTime, NodeId, RootCause)>,
    /// The same of ARP exchanges in progress, if noise was the reason: its source, and the break.
    avoided: BTreeMap<(NodeId, NodeId), (NodeId, RootCause)>,
    /// The next hop whose address a node first needed for the packets of a flow to a destination, or knew from the first
    /// request of the neighbour that had such packets for it in the other direction.
    first_hops: BTreeMap<(NodeId, FlowId, NodeId), NodeId>,
    /// For each two ends when a break last held up a packet between them, the packet's source, and the break.
    struck: BTreeMap<[NodeId; 2], (SimTime, NodeId, RootCause)>,
    /// For each source and destination when and where they last lost a packet to something else than load, and its root.
    starved: BTreeMap<(NodeId, NodeId), (SimTime, NodeId, RootCause)>,
    /// For each node the destinations to which it lost the route.
    lost: Vec<BTreeMap<NodeId, LostRoute>>,
    /// If routers exchange tables: the destinations to which a node has lost a route since its start.
    routed: BTreeSet<(NodeId, NodeId)>,
    /// The first HELLOs of each node, if routers exchange tables; those that it missed, with their senders.
    hellos: Vec<Hellos>,
    hellos_missed: Vec<VecDeque<(NodeId, Miss)>>,
    /// Messages with tables that a station missed: per station the latest one of each neighbour.
    tables_missed: Vec<Vec<(NodeId, Miss)>>,
    /// The routers without disturbances.
    undisturbed: RefCell<Undisturbed>,
    /// True if routers know routes in advance, from tables that they exchange.
    proactive: bool,
    /// True if they react to packets that the link layer has given up.
    heeds_link_layer: bool,
    /// Times within which one thing can explain another.
    timing: Timing,
    /// True if nodes answer a request from their own routes.
    relays_answer: bool,
    /// The buffer of packets that wait for a search.
    waiting: Option<Waiting>,
}

impl Causes {
    pub fn new(nodes: usize) -> Self {
        Self { lost: vec![BTreeMap::new(); nodes], missed: vec![Vec::new(); nodes], ..Self::default() }
    }

    /// The routers follow these settings. OLSR knows routes in advance, and its messages name no break.
    /// `seed`: that of the run.
    pub fn expect(&mut self, routing: &RoutingConfig, seed: u64) {
        self.proactive = routing.protocol.exchanges_tables();
        self.heeds_link_layer = routing.heeds_link_layer();
        self.timing = routing.timing();
        self.waiting = routing.waiting();
        self.relays_answer = routing.relays_answer();
        if self.proactive {
            self.hellos = vec![Hellos::default(); self.lost.len()];
            self.hellos_missed = vec![VecDeque::new(); self.lost.len()];
            self.tables_missed = vec![Vec::new(); self.lost.len()];
            self.undisturbed = RefCell::new(Undisturbed::of(&routing.olsr, seed));
        }
    }

    /// A packet of a transport is held up, and perhaps lost.
    pub fn note_held_up(&mut self, now: SimTime, packet: &Packet, root: RootCause) {
        if root.is_physical() {
            self.struck.insert(ends(packet.src, packet.dst), (now, packet.src, root));
        }
    }

    /// The link layer has given up a packet of a transport.
    pub fn note_packet_given_up(&mut self, now: SimTime, packet: &Packet, root: RootCause) {
        if self.heeds_link_layer && !self.proactive && !root.is_physical() {
            self.given_up.insert(ends(packet.src, packet.dst), (now, packet.src, root));
        }
    }

    /// A packet of a transport died at a node.
    #[cold]
    pub fn note_struck(&mut self, (now, node): (SimTime, NodeId), packet: &Packet, root: RootCause) {
        let Packet { src, dst, .. } = *packet;
        self.note_held_up(now, packet, root);
        if root.cause.is_some_and(|cause| !matches!(cause, LossCause::Congestion | LossCause::NoRoute)) {
            self.starved.insert((src, dst), (now, node, root));
        }
    }

    /// A hop failed because of `root`, which may have struck elsewhere: packets that a break has held up come too fast for
    /// ARP further on.
    pub fn note_break(&mut self, hop: (NodeId, NodeId), root: RootCause) {
        if self.heeds_link_layer || root.is_physical() {
            self.heeded.insert(hop, root);
        }
        self.note_noticed(hop, root);
    }

    /// A router considers the link of a hop broken by itself, because of `root`.
    pub fn note_given_up(&mut self, hop: (NodeId, NodeId), root: RootCause) {
        self.heeded.insert(hop, root);
        self.note_noticed(hop, root);
    }

    /// A node has noticed a break. It may close paths for which the node has had to name another reason so far.
    fn note_noticed(&mut self, hop: (NodeId, NodeId), root: RootCause) {
        self.breaks.insert(hop, root);
        if root.is_physical() {
            self.lost[hop.0.index()].values_mut().for_each(LostRoute::look_again);
        }
    }

    /// True if `node` has lost any route.
    #[inline]
    pub fn lost_any(&self, node: NodeId) -> bool {
        !self.lost[node.index()].is_empty()
    }

    /// A node loses its stored state; until now it knows the addresses that `knows` tells, and has routes to these destinations. A search for
    /// one of them, or another node that still uses this one as its next hop, has that reason until the node has a route again.
    pub fn forget(
        &mut self,
        now: SimTime,
        node: NodeId,
        knows: impl Fn(NodeId) -> bool,
        routes: impl Iterator<Item = NodeId>,
    ) {
        let of_node = (node, NodeId(0))..=(node, NodeId::BROADCAST);
        self.lacked.extend(self.unresolved.extract_if(of_node, |_| true));
        self.lacked.retain(|(from, to)| *from != node || !knows(*to));
        // Judgements by geometry no longer hold.
        self.lost.iter_mut().flat_map(BTreeMap::values_mut).for_each(LostRoute::look_again);
        let root = RootCause::new(now, node, LossCause::NodeDown);
        let lost = LostRoute { root, began: now, checked: SimTime::ZERO, asked: now };
        self.lost[node.index()].clear();
        if !self.proactive {
            self.lost[node.index()].extend(routes.map(|dst| (dst, lost)));
        }
        self.routed.retain(|(from, _)| *from != node);
        self.repeated.retain(|(from, _), _| *from != node);
        if let Some(hellos) = self.hellos.get_mut(node.index()) {
            *hellos = Hellos::default();
        }
        let own = self.searches.range_mut((node, NodeId(0))..=(node, NodeId::BROADCAST));
        own.for_each(|(_, search)| search.restart());
        self.searches.values_mut().for_each(|search| {
            search.had.remove(&node);
        });
    }

    /// Routing drops a packet at `node`: returns how it ends and the root, with a cause unless the ledger
    /// does not track the packet.
    pub fn dropped(
        &mut self,
        scene: &mut Scene<'_>,
        node: NodeId,
        packet: PacketId,
        reason: DropReason,
        trigger: &Trigger,
    ) -> (Died, RootCause) {
        let p = scene.packets.get(packet);
        let dst = p.dst;
        let died = match (reason, trigger) {
            (DropReason::MacCallback, Trigger::Break(died, _)) => *died,
            (DropReason::MacCallback, Trigger::Other | Trigger::Received(..)) => Died::Purged,
            (DropReason::NoRoute, _) => Died::NoRoute,
            (DropReason::Ttl, _) => Died::Ttl,
            (DropReason::Timeout, _) => Died::BufferTimeout,
            (DropReason::Loop, _) => Died::Loop,
            (DropReason::BufferFull, _) => Died::Buffer,
            (DropReason::Malformed, _) => Died::Malformed,
            (DropReason::Salvaged, _) => Died::Salvage,
        };
        if !scene.packets.is_tracked(packet) {
            return (died, RootCause::new(scene.now, node, LossCause::Unknown));
        }
        let held_up = scene.held_ups.root_of(packet);
        let root = match (held_up, reason, trigger) {
            (Some(root), ..) => root,
            // Nothing in the network makes a packet malformed.
            (None, DropReason::Malformed, _) => RootCause::new(scene.now, node, LossCause::Unknown),
            (None, DropReason::Loop | DropReason::Ttl, _) => self.circling(scene, node, packet, reason),
            (None, DropReason::MacCallback | DropReason::Salvaged, Trigger::Break(.., root)) => *root,
            (
                None,
                DropReason::MacCallback
                | DropReason::Salvaged
                | DropReason::NoRoute
                | DropReason::Timeout
                | DropReason::BufferFull,
                _,
            ) => self.missing_route(scene, node, dst),
        };
        let root = self.outcome(scene, root, dst, died);
        if root.cause != Some(LossCause::NoRoute) {
            return (died, root);
        }
        let earlier = Self::detour(scene, node, packet);
        (died, earlier.or_else(|| self.expired(scene, node, packet)).unwrap_or(root))
    }

    /// The break that a packet met earlier, if it still stands: a relay would not have got the packet otherwise, which a
    /// repair or a salvage has sent there.
    fn detour(scene: &mut Scene<'_>, node: NodeId, packet: PacketId) -> Option<RootCause> {
        let met = scene.held_ups.independent_root(packet).filter(RootCause::is_physical)?;
        let relayed = scene.packets.get(packet).src != node;
        let stands = relayed && scene.out_of_reach(met.node, met.next_hop?) == met.cause;
        stands.then_some(met)
    }

    /// The root cause that kept packets from a relay whose route they would have kept alive: routes of AODV that no packet uses
    /// expire (ACTIVE_ROUTE_TIMEOUT, RFC 3561 §6.2). It held up this packet before, or an earlier one between the same two ends
    /// was lost to it, at the relay or before it. A root cause that held up this packet for less than that time lets no route
    /// expire by itself: then the earlier one comes first.
    fn expired(&self, scene: &mut Scene<'_>, node: NodeId, packet: PacketId) -> Option<RootCause> {
        let Packet { src, dst, .. } = *scene.packets.get(packet);
        if src == node || self.timing.expiry.is_zero() {
            return None;
        }
        let now = scene.now;
        let kept =
            scene.held_ups.independent_root(packet).filter(|root| root.cause != Some(LossCause::NoRoute));
        let long = kept.filter(|root| root.at + self.timing.expiry <= now);
        let earlier = || {
            let (at, place, root) = *self.starved.get(&(src, dst))?;
            let refreshed = at + self.timing.expiry >= now;
            let on_the_way = refreshed && (place == node || scene.hops(dst).is_closer(node, place));
            on_the_way.then(|| root.strikes(now))
        };
        long.or_else(earlier).or(kept)
    }
}
