//! The judge determines the root cause: what prevented a packet from going on, as known to the simulator.
//!
//! Routers and MACs see only symptoms: no answer, no route, a full buffer. The following rules find the
//! root:
//!
//! - **A failed hop** (MAC or ARP gave up, HELLOs stayed away): the outcome of the attempts, or the
//!   geometry at that moment. If the neighbour is up and in range, this is a false link failure:
//!   contention, or the channel if bit errors corrupted the attempts. It is recorded by link.
//! - **A lost route** has the root of the break that removed it. A node that loses a route because of a
//!   route error inherits the record of the error's sender for the destination (AODV), or the record of the
//!   link that the error names (DSR). OLSR's messages do not name a break, so the latest one applies. The
//!   record ends as soon as a packet is forwarded to the destination again.
//! - **A missing route** that was not lost through a break, or through a false one, is judged by geometry.
//!   If there is no path of stations in range, the cause is link failure, or node down if stations that are
//!   switched off would complete the path. If there is a path, the route discovery decides: the cause of
//!   its lost messages if any were lost; otherwise congestion for a full buffer, and contention in all
//!   other cases.
//! - **A full queue** is congestion, unless the MAC or one of the queued packets waits for a next hop that
//!   cannot be reached: then that break filled the queue. The same applies to ARP's hold slot.
//! - **A burst after a break**: packets held up by a break (or by bit errors) are released together when a
//!   route exists again. If they are at least half of the packets competing for the full queue or hold
//!   slot, they fill it, not the load, so the root is what held them up. If ARP resolves the address for
//!   such a packet, the break has rerouted the traffic: every packet that the hold slot loses until the
//!   answer has this root. The same holds if the packet belongs to a flow that lost packets to a break in the
//!   last seconds: its acknowledgments, made after the break, take a new path because of it. A packet that
//!   was held up and then meets a queue full of other packets has met an independent obstacle: congestion.
//! - **A packet in a loop** (hop limit exceeded, or back at its source) has the root of the break that made
//!   the routing tables inconsistent. If the shortest path is longer than the hop limit, the cause is the
//!   hop limit.
//!
//! All of this runs only when a packet is held up or dies, or when a route is lost. The judge keeps a
//! record of breaks and missed messages and reads the network through a [`Scene`]; it changes nothing in
//! it.

use super::scene::Scene;
use super::transport::INITIAL_TTL;
use crate::provenance::Setback;
use std::collections::BTreeMap;
use tworay_base::{Died, FlowId, LossCause, NodeId, PacketId, SimDuration, SimTime};
use tworay_mac::QueueEntry;
use tworay_routing::DropReason;
use tworay_wire::Packet;

/// How long a lost message counts as an explanation, and how long a path that was found counts as present.
const RECENT: SimDuration = SimDuration::from_secs(5);
/// How long a judgement by geometry stays valid.
const GEOMETRY: SimDuration = SimDuration::from_secs(1);

/// Upper bound for the propagation of a frame's last bit: 300 km.
const PASSING: SimDuration = SimDuration::from_millis(1);

/// What a router reacts to when it loses routes or drops packets.
#[derive(Copy, Clone, Debug)]
pub(super) enum Occasion {
    /// A timer, or a packet of its own.
    Other,
    /// A failed hop: how the returned packet dies if it dies now, and the root.
    Break(Died, Setback),
    /// A packet from this neighbour; the link named by a DSR route error in it.
    Received(NodeId, Option<(NodeId, NodeId)>),
}

impl Occasion {
    /// `packet` arrived from `from`.
    #[inline]
    pub fn received(packet: &Packet, from: NodeId) -> Self {
        let error = packet.dsr.as_ref().and_then(|header| header.errors.last());
        Occasion::Received(from, error.map(|e| (e.source, e.unreachable)))
    }
}

/// A message that a station failed to receive.
#[derive(Copy, Clone, Debug)]
struct Miss {
    at: SimTime,
    cause: LossCause,
    interferer: Option<NodeId>,
}

/// Record of a node that lost its route to a destination.
#[derive(Copy, Clone, Debug)]
struct LostRoute {
    root: Setback,
    /// When geometry was last checked.
    checked: SimTime,
}

/// The judge and its records.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    /// The latest break of each link that broke.
    breaks: BTreeMap<(NodeId, NodeId), Setback>,
    /// The latest break of any link.
    latest: Option<Setback>,
    /// Routing and ARP broadcasts that a station missed: per station the latest one of each neighbour.
    missed: Vec<Vec<(NodeId, Miss)>>,
    /// ARP requests from one node for another: end of the latest transmission, and time of the latest
    /// reception.
    asked: BTreeMap<(NodeId, NodeId), SimTime>,
    heard: BTreeMap<(NodeId, NodeId), SimTime>,
    /// ARP exchanges in progress for traffic that a break has rerouted, and the break.
    detours: BTreeMap<(NodeId, NodeId), Setback>,
    /// For each flow when it last lost a packet to a break, and the break.
    struck: BTreeMap<FlowId, (SimTime, Setback)>,
    /// The latest routing message lost to interference or bit errors, anywhere.
    search: Option<Miss>,
    /// For each node the destinations to which it lost the route.
    lost: Vec<BTreeMap<NodeId, LostRoute>>,
}

impl Judge {
    pub fn new(nodes: usize) -> Self {
        Self { lost: vec![BTreeMap::new(); nodes], missed: vec![Vec::new(); nodes], ..Self::default() }
    }

    /// The latest broadcast of `from` that `node` missed.
    fn missed(&self, node: NodeId, from: NodeId) -> Option<&Miss> {
        self.missed[node.index()].iter().find(|(sender, _)| *sender == from).map(|(_, miss)| miss)
    }

    /// An ARP request was transmitted.
    pub fn note_asked(&mut self, node: NodeId, target: NodeId, at: SimTime) {
        self.asked.insert((node, target), at);
    }

    /// An ARP request reached its target.
    pub fn note_heard(&mut self, node: NodeId, target: NodeId, at: SimTime) {
        self.heard.insert((node, target), at);
    }

    /// A packet of `flow` was lost to a break.
    #[cold]
    pub fn note_struck(&mut self, now: SimTime, flow: FlowId, root: Setback) {
        self.struck.insert(flow, (now, root));
    }

    /// An ARP exchange starts for a packet of `flow` that was held up by `root`, if by anything.
    pub fn note_exchange(
        &mut self,
        (node, target): (NodeId, NodeId),
        now: SimTime,
        flow: FlowId,
        root: Option<Setback>,
    ) {
        let struck = || self.struck.get(&flow).filter(|(at, _)| *at + RECENT >= now).map(|(_, root)| *root);
        match root.or_else(struck) {
            Some(root) => self.detours.insert((node, target), root),
            None => self.detours.remove(&(node, target)),
        };
    }

    /// Whether the latest ARP request was missed because its target was transmitting or receiving another
    /// frame.
    fn went_unheard(&self, node: NodeId, target: NodeId, now: SimTime) -> bool {
        let pair = (node, target);
        let heard = self.heard.get(&pair).map_or(SimTime::ZERO, |at| *at + PASSING);
        self.asked.get(&pair).is_some_and(|asked| *asked > heard && *asked + PASSING < now)
    }

    /// Whether `node` has lost any route.
    #[inline]
    pub fn lost_any(&self, node: NodeId) -> bool {
        !self.lost[node.index()].is_empty()
    }

    /// A node lost its stored state.
    pub fn forget(&mut self, node: NodeId) {
        self.lost[node.index()].clear();
    }

    // ---- packets --------------------------------------------------------------------------------

    /// Routing drops a packet at `node`: returns how it ends, and the root if nothing held it up before.
    pub fn dropped(
        &mut self,
        scene: &mut Scene<'_>,
        node: NodeId,
        packet: PacketId,
        reason: DropReason,
        occasion: &Occasion,
    ) -> (Died, Setback) {
        let here = Setback::new(scene.now, node, LossCause::Channel);
        let p = scene.packets.get(packet);
        let (src, dst, tracked) = (p.src, p.dst, scene.packets.is_tracked(packet));
        let held_up = scene.packets.setback(packet);
        let died = match (reason, occasion) {
            (DropReason::MacCallback, Occasion::Break(died, _)) => *died,
            (DropReason::MacCallback, _) => Died::Purged,
            (DropReason::NoRoute, _) => Died::NoRoute,
            (DropReason::Ttl, _) => Died::Ttl,
            (DropReason::Timeout, _) => Died::BufferTimeout,
            (DropReason::Loop, _) => Died::Loop,
            (DropReason::BufferFull, _) => Died::Buffer,
            (DropReason::Malformed, _) => Died::Malformed,
            (DropReason::Salvaged, _) => Died::Salvage,
        };
        let root = match (held_up, reason, occasion) {
            (Some(root), ..) => root,
            _ if !tracked => here,
            (None, DropReason::Malformed, _) => here,
            (None, DropReason::Loop | DropReason::Ttl, _) => self.loop_root(scene, node, (src, dst), died),
            (None, DropReason::MacCallback | DropReason::Salvaged, Occasion::Break(_, root)) => *root,
            _ => self.missing_route(scene, node, dst),
        };
        (died, root)
    }

    /// The cause of a root for the packet that died of it.
    pub fn final_cause(&self, root: &Setback, died: Died) -> (LossCause, Option<NodeId>) {
        let recent = |m: &Miss| m.at + RECENT >= root.at;
        match (root.cause, self.search.filter(recent)) {
            (Some(cause), _) => (cause, root.interferer),
            (None, Some(miss)) => (miss.cause, miss.interferer),
            (None, None) if died == Died::Buffer => (LossCause::Congestion, None),
            (None, None) => (LossCause::Contention, None),
        }
    }

    // ---- links ----------------------------------------------------------------------------------

    /// A hop failed.
    pub fn note_break(&mut self, root: Setback) {
        if let Some(next_hop) = root.next_hop {
            self.breaks.insert((root.node, next_hop), root);
            self.latest = Some(root);
        }
    }

    /// Why a node considers the link to a neighbour broken, or cannot resolve its address.
    pub fn link(&self, scene: &mut Scene<'_>, node: NodeId, next_hop: NodeId) -> Setback {
        let now = scene.now;
        let fresh = |cause| Setback::new(now, node, cause).towards(next_hop);
        if let Some(cause) = scene.out_of_reach(node, next_hop) {
            return fresh(cause);
        }
        let recent = |at: SimTime| at + RECENT >= now;
        let record = self;
        if let Some(known) = record.breaks.get(&(node, next_hop)).filter(|b| recent(b.at)) {
            return Setback { at: now, ..*known };
        }
        // Neither received the other's request or HELLO, or the MAC gave up the answer.
        let missed = [(node, next_hop), (next_hop, node)].into_iter();
        let missed = missed.filter_map(|(hearer, from)| record.missed(hearer, from)).find(|m| recent(m.at));
        let answer = record.breaks.get(&(next_hop, node)).filter(|b| recent(b.at) && !b.is_physical());
        match (missed, answer) {
            (Some(m), _) => Setback { interferer: m.interferer, ..fresh(m.cause) },
            (None, Some(b)) => {
                Setback { interferer: b.interferer, ..fresh(b.cause.unwrap_or(LossCause::Contention)) }
            }
            (None, None) => fresh(LossCause::Contention),
        }
    }

    /// A newer packet replaces a packet in ARP's hold slot: because the hop is out of reach, the exchange
    /// was lost, or packets arrive too fast. `[replaced, newer]`.
    pub fn hold(
        &self,
        scene: &mut Scene<'_>,
        node: NodeId,
        next_hop: NodeId,
        packets: [PacketId; 2],
    ) -> Setback {
        let root = self.link(scene, node, next_hop);
        let now = scene.now;
        let recent = |at: SimTime| at + RECENT >= now;
        let record = self;
        let lost = record.missed(next_hop, node).is_some_and(|m| recent(m.at))
            || record.breaks.get(&(next_hop, node)).is_some_and(|b| recent(b.at))
            || record.went_unheard(node, next_hop, now);
        if root.is_physical() || lost {
            return root;
        }
        // The break rerouted the traffic, so that the address is needed.
        let detour = self.detours.get(&(node, next_hop)).map(|root| Setback { at: now, ..*root });
        let burst = scene.burst(packets[0], &packets[1..]);
        burst.or(detour).unwrap_or(Setback { cause: Some(LossCause::Congestion), ..root })
    }

    /// The interface queue rejects a packet.
    pub fn queue(scene: &mut Scene<'_>, node: NodeId, refused: QueueEntry) -> Setback {
        let next_hop = refused.next_hop;
        let here = Setback::new(scene.now, node, LossCause::Congestion).towards(next_hop);
        let n = &scene.nodes[node];
        let mut hops = vec![next_hop];
        for e in n.queue.iter() {
            if !hops.contains(&e.next_hop) {
                hops.push(e.next_hop);
            }
        }
        let attempts = n.attempts;
        for hop in hops {
            if let Some(cause) = scene.out_of_reach(node, hop) {
                return Setback { cause: Some(cause), ..here }.towards(hop);
            }
        }
        let busy_with_the_dead =
            attempts.out_of_range + attempts.node_down > attempts.contention + attempts.channel;
        if busy_with_the_dead {
            return Setback { cause: Some(attempts.verdict()), ..here };
        }
        let queued: Vec<PacketId> = scene.nodes[node].queue.iter().map(|e| e.packet).collect();
        scene.burst(refused.packet, &queued).unwrap_or(here)
    }

    /// A broadcast was corrupted at a station that should have received it. A route discovery or address
    /// resolution may fail for this reason.
    #[cold]
    pub fn note_missed(&mut self, now: SimTime, node: NodeId, from: NodeId, cause: LossCause) {
        let miss = Miss { at: now, cause, interferer: None };
        let known = &mut self.missed[node.index()];
        match known.iter_mut().find(|(sender, _)| *sender == from) {
            Some((_, latest)) => *latest = miss,
            None => known.push((from, miss)),
        }
        self.search = Some(miss);
    }

    /// The MAC gave up a routing message or an ARP packet.
    pub fn note_message_lost(&mut self, now: SimTime, message: bool, root: &Setback) {
        if let (true, false, Some(cause)) = (message, root.is_physical(), root.cause) {
            self.search = Some(Miss { at: now, cause, interferer: root.interferer });
        }
    }

    // ---- routes ---------------------------------------------------------------------------------

    /// A route in use at `node` was lost. `latest`: without a better explanation, use the latest break of
    /// any link.
    pub fn note_route_lost(
        &mut self,
        scene: &mut Scene<'_>,
        (node, dst): (NodeId, NodeId),
        occasion: &Occasion,
        latest: bool,
    ) {
        let root = match *occasion {
            Occasion::Break(_, root) => Some(root),
            Occasion::Received(_, Some((a, b))) => {
                let known = self.breaks.get(&(a, b)).copied();
                Some(known.unwrap_or_else(|| self.link(scene, a, b)))
            }
            Occasion::Received(from, None) => self.lost[from.index()].get(&dst).map(|l| l.root),
            // The route expired, or its repair failed; in the latter case the break is already on record.
            Occasion::Other => None,
        };
        let root = root.or(if latest { self.latest } else { None });
        if let Some(root) = root {
            self.lost[node.index()].insert(dst, LostRoute { root, checked: SimTime::ZERO });
        }
    }

    /// A packet leaves a node that had lost its route to some destinations.
    #[cold]
    pub fn note_way_found(&mut self, node: NodeId, dst: NodeId) {
        self.lost[node.index()].remove(&dst);
    }

    /// The root if `node` has lost its route to `dst`.
    pub fn lost_route(&self, now: SimTime, node: NodeId, dst: NodeId) -> Option<Setback> {
        self.lost[node.index()].get(&dst).map(|l| Setback { at: now, ..l.root })
    }

    /// Why `node` has no route to `dst`.
    pub fn missing_route(&mut self, scene: &mut Scene<'_>, node: NodeId, dst: NodeId) -> Setback {
        let now = scene.now;
        let known = self.lost[node.index()].get(&dst).copied();
        if let Some(lost) = known {
            let of_a_break = lost.root.next_hop.is_some();
            let fresh = lost.checked + GEOMETRY > now;
            if fresh || of_a_break && lost.root.is_physical() {
                return Setback { at: now, ..lost.root };
            }
        }
        let broken = known.filter(|lost| lost.root.next_hop.is_some() && !lost.root.is_physical());
        let root = match (scene.no_path(node, dst), broken) {
            (Some(cause), _) => Setback::new(now, node, cause),
            (None, Some(lost)) => lost.root,
            (None, None) => Setback::search(now, node),
        };
        self.lost[node.index()].insert(dst, LostRoute { root, checked: now });
        Setback { at: now, ..root }
    }

    fn loop_root(
        &self,
        scene: &mut Scene<'_>,
        node: NodeId,
        (src, dst): (NodeId, NodeId),
        died: Died,
    ) -> Setback {
        let now = scene.now;
        let too_far = scene.path(src, dst, false).is_some_and(|hops| hops >= u16::from(INITIAL_TTL));
        let root = self.lost_route(now, node, dst).or(self.latest).filter(|_| !too_far);
        let here = match died {
            Died::Ttl => Setback::new(now, node, LossCause::Ttl),
            _ => Setback::search(now, node),
        };
        Setback { at: now, ..root.unwrap_or(here) }
    }
}
