//! The judge: what kept a packet from going on, by what the simulation knows.
//!
//! Routers and MACs only see symptoms: no answer, no route, a full buffer. The rules here find the root:
//!
//! - **A hop that fails** (MAC or ARP gave up, HELLOs stayed away): the fate of the attempts, or the
//!   geometry of the moment. A neighbour that is up and in range makes it a false link failure: contention,
//!   or the channel where bit errors spoiled the attempts. It is remembered by link.
//! - **A route that was lost** has the root of the break that removed it. A node that loses it by a route
//!   error inherits what its informer has on record for the destination (AODV) or what is on record for the
//!   link that the error names (DSR). OLSR's messages name no break: there it is the latest one. The
//!   record is void as soon as a packet is forwarded to the destination again.
//! - **A route that isn't there** and was not lost to a break, or a break that was false, is judged by
//!   geometry: without a path of stations in range it is link failure; if stations that are switched off
//!   would make the path, node down. With a path, the search for the route decides: if messages of it were
//!   lost, their cause; otherwise a full buffer is congestion, anything else contention.
//! - **A full queue** is congestion, unless a packet of it waits for a next hop that can't be reached, or
//!   the MAC is busy with one: then the break fills it. ARP's hold alike.
//! - **A burst after a break**: packets that a break (or bit errors) held up are released together when there
//!   is a route again. If they are at least half of the packets that compete for the full queue or hold, they
//!   fill it and load does not: the root is what held them up. If ARP asks for the address for such a packet,
//!   the break has sent the traffic this way: all that the hold loses up to the answer has this root. A packet
//!   that was held up and meets a queue full of others has met an independent obstacle: congestion.
//! - **A packet in a loop** (hop limit, back at its source) has the root of the break that made tables
//!   disagree; where the shortest path is longer than the hop limit, the hop limit it is.
//!
//! All of this runs only when a packet is held up or dies, or a route is lost. The judge keeps a record of breaks
//! and missed messages, looks at the network as a [`Scene`], and changes nothing in it.

use super::scene::Scene;
use super::transport::INITIAL_TTL;
use crate::provenance::Setback;
use std::collections::BTreeMap;
use tworay_base::{Died, LossCause, NodeId, PacketId, SimDuration, SimTime};
use tworay_mac::QueueEntry;
use tworay_routing::DropReason;
use tworay_wire::Packet;

/// For how long a lost message explains what follows from it, and a path that was found stays one.
const RECENT: SimDuration = SimDuration::from_secs(5);
/// For how long a judgment by geometry stands.
const GEOMETRY: SimDuration = SimDuration::from_secs(1);

/// A frame's last bit has been heard everywhere by then: 300 km.
const PASSING: SimDuration = SimDuration::from_millis(1);

/// What a router reacts to, for the routes that it loses and the packets that it drops meanwhile.
#[derive(Copy, Clone, Debug)]
pub(super) enum Occasion {
    /// A timer, or a packet of its own.
    Other,
    /// A hop that failed: the packet that comes back dies like this, if it dies now.
    Break(Died, Setback),
    /// A packet of this neighbour; the link that a DSR route error in it names.
    Received(NodeId, Option<(NodeId, NodeId)>),
}

impl Occasion {
    /// A packet came in from `from`.
    #[inline]
    pub fn received(packet: &Packet, from: NodeId) -> Self {
        let error = packet.dsr.as_ref().and_then(|header| header.errors.last());
        Occasion::Received(from, error.map(|e| (e.source, e.unreachable)))
    }
}

/// A message that didn't arrive where it was needed.
#[derive(Copy, Clone, Debug)]
struct Miss {
    at: SimTime,
    cause: LossCause,
    interferer: Option<NodeId>,
}

/// What was lost at a node: the way to a destination.
#[derive(Copy, Clone, Debug)]
struct LostRoute {
    root: Setback,
    /// When geometry was looked at last.
    checked: SimTime,
}

/// The judge, and what it remembers.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    /// The latest break of each link that broke.
    breaks: BTreeMap<(NodeId, NodeId), Setback>,
    /// The latest of all.
    latest: Option<Setback>,
    /// Routing and ARP broadcasts that a station missed: for each station the latest of each neighbour.
    missed: Vec<Vec<(NodeId, Miss)>>,
    /// ARP requests: when the latest from one node for another left the air, and when one was heard.
    asked: BTreeMap<(NodeId, NodeId), SimTime>,
    heard: BTreeMap<(NodeId, NodeId), SimTime>,
    /// Unfinished exchanges that a node began for a packet that had been held up: what held it up.
    detours: BTreeMap<(NodeId, NodeId), Setback>,
    /// The latest routing message lost to other signals or bit errors, anywhere.
    search: Option<Miss>,
    /// For each node the destinations that it lost the way to.
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

    /// An ARP request has left the air.
    pub fn note_asked(&mut self, node: NodeId, target: NodeId, at: SimTime) {
        self.asked.insert((node, target), at);
    }

    /// An ARP request has reached the node that it asks for.
    pub fn note_heard(&mut self, node: NodeId, target: NodeId, at: SimTime) {
        self.heard.insert((node, target), at);
    }

    /// An ARP exchange begins for a packet that had been held up by `root`, if by anything.
    pub fn note_exchange(&mut self, node: NodeId, target: NodeId, root: Option<Setback>) {
        match root {
            Some(root) => self.detours.insert((node, target), root),
            None => self.detours.remove(&(node, target)),
        };
    }

    /// Whether the latest ARP request went unheard: its target was sending, or reading something else.
    fn went_unheard(&self, node: NodeId, target: NodeId, now: SimTime) -> bool {
        let pair = (node, target);
        let heard = self.heard.get(&pair).map_or(SimTime::ZERO, |at| *at + PASSING);
        self.asked.get(&pair).is_some_and(|asked| *asked > heard && *asked + PASSING < now)
    }

    /// Whether `node` has lost the way to anywhere.
    #[inline]
    pub fn lost_any(&self, node: NodeId) -> bool {
        !self.lost[node.index()].is_empty()
    }

    /// A node lost its memory.
    pub fn forget(&mut self, node: NodeId) {
        self.lost[node.index()].clear();
    }

    // ---- packets --------------------------------------------------------------------------------

    /// A packet that routing drops at `node`: how it ends, and what did it if nothing held it up before.
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

    /// The cause of a root, now that the packet has died of it.
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

    /// Why a node holds the link to a neighbour to be broken, or can't resolve its address.
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
        // Neither heard the other's request or HELLO, or the answer was given up.
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

    /// A packet is pushed out of ARP's hold by a newer one: the hop out of reach, the exchange lost, or
    /// nothing but packets that come too fast: `[pushed out, newer]`.
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
        // The break sent the traffic this way, so that the address is needed.
        let detour = self.detours.get(&(node, next_hop)).map(|root| Setback { at: now, ..*root });
        let burst = scene.burst(packets[0], &packets[1..]);
        burst.or(detour).unwrap_or(Setback { cause: Some(LossCause::Congestion), ..root })
    }

    /// The interface queue refuses a packet.
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

    /// A broadcast was spoiled at a station that should have had it; routing's search for routes or ARP's
    /// for addresses may fail of that.
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

    /// A route in use at `node` is gone.
    /// `latest`: the latest break of all explains it where nothing better does.
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
            // It expired, or its repair has failed: then the break is on record.
            Occasion::Other => None,
        };
        let root = root.or(if latest { self.latest } else { None });
        if let Some(root) = root {
            self.lost[node.index()].insert(dst, LostRoute { root, checked: SimTime::ZERO });
        }
    }

    /// A packet goes out again from a node that had lost the way to some destinations.
    #[cold]
    pub fn note_way_found(&mut self, node: NodeId, dst: NodeId) {
        self.lost[node.index()].remove(&dst);
    }

    /// Whether `node` has lost the way to `dst`: the root of it.
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
