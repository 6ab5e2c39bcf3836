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
//! All of this runs only when a packet is held up or dies, or a route is lost.

use super::transport::INITIAL_TTL;
use super::{Network, UNTRACKED};
use crate::provenance::Setback;
use std::collections::{BTreeMap, VecDeque};
use tworay_base::{Died, LossCause, NodeId, PacketId, SimDuration, SimTime};
use tworay_mac::QueueEntry;
use tworay_routing::{DropReason, Protocol};
use tworay_wire::{Body, Packet};

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

/// What the judge remembers.
#[derive(Debug, Default)]
pub(super) struct Record {
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

impl Record {
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
}

impl Network {
    // ---- packets --------------------------------------------------------------------------------

    /// Something keeps a packet from going on; only the first such thing counts.
    pub(super) fn set_back(&mut self, packet: PacketId, by: Setback) {
        if self.packets.get(packet).uid < UNTRACKED {
            self.packets.set_back(packet, by);
        }
    }

    /// Routing has taken a packet and keeps it: it waits for a route.
    #[cold]
    pub(super) fn on_wait(&mut self, node: NodeId, packet: PacketId) {
        let dst = self.packets.get(packet).dst;
        let root = self.missing_route(node, dst);
        self.packets.set_back(packet, root);
    }

    /// A packet that routing drops at `node`: how it ends, and what did it if nothing held it up before.
    pub(super) fn judge_drop(
        &mut self,
        node: NodeId,
        packet: PacketId,
        reason: DropReason,
        occasion: Occasion,
    ) -> (Died, Setback) {
        let here = Setback::new(self.now, node, LossCause::Channel);
        let p = self.packets.get(packet);
        let (src, dst, tracked) = (p.src, p.dst, p.uid < UNTRACKED);
        let held_up = self.packets.setback(packet);
        let died = match (reason, occasion) {
            (DropReason::MacCallback, Occasion::Break(died, _)) => died,
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
            (None, DropReason::Loop | DropReason::Ttl, _) => self.loop_root(node, src, dst, died),
            (None, DropReason::MacCallback | DropReason::Salvaged, Occasion::Break(_, root)) => root,
            _ => self.missing_route(node, dst),
        };
        (died, root)
    }

    /// The cause of a root, now that the packet has died of it.
    pub(super) fn final_cause(&self, root: &Setback, died: Died) -> (LossCause, Option<NodeId>) {
        let recent = |m: &Miss| m.at + RECENT >= root.at;
        match (root.cause, self.record.search.filter(recent)) {
            (Some(cause), _) => (cause, root.interferer),
            (None, Some(miss)) => (miss.cause, miss.interferer),
            (None, None) if died == Died::Buffer => (LossCause::Congestion, None),
            (None, None) => (LossCause::Contention, None),
        }
    }

    // ---- links ----------------------------------------------------------------------------------

    /// A hop failed.
    pub(super) fn note_break(&mut self, root: Setback) {
        if let Some(next_hop) = root.next_hop {
            self.record.breaks.insert((root.node, next_hop), root);
            self.record.latest = Some(root);
        }
    }

    /// Whether the next hop is physically out of reach, and why.
    pub(super) fn out_of_reach(&mut self, node: NodeId, next_hop: NodeId) -> Option<LossCause> {
        if next_hop.is_broadcast() || self.wires.between(node, next_hop).is_some() {
            None
        } else if !self.nodes[next_hop.index()].up {
            Some(LossCause::NodeDown)
        } else {
            (!self.in_range(node, next_hop)).then_some(LossCause::LinkFailure)
        }
    }

    /// Why a node holds the link to a neighbour to be broken, or can't resolve its address.
    pub(super) fn judge_link(&mut self, node: NodeId, next_hop: NodeId) -> Setback {
        let now = self.now;
        let fresh = |cause| Setback::new(now, node, cause).towards(next_hop);
        if let Some(cause) = self.out_of_reach(node, next_hop) {
            return fresh(cause);
        }
        let recent = |at: SimTime| at + RECENT >= now;
        let record = &self.record;
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
    pub(super) fn judge_hold(&mut self, node: NodeId, next_hop: NodeId, packets: [PacketId; 2]) -> Setback {
        let root = self.judge_link(node, next_hop);
        let now = self.now;
        let recent = |at: SimTime| at + RECENT >= now;
        let record = &self.record;
        let lost = record.missed(next_hop, node).is_some_and(|m| recent(m.at))
            || record.breaks.get(&(next_hop, node)).is_some_and(|b| recent(b.at))
            || record.went_unheard(node, next_hop, now);
        if root.is_physical() || lost {
            return root;
        }
        // The break sent the traffic this way, so that the address is needed.
        let detour = self.record.detours.get(&(node, next_hop)).map(|root| Setback { at: now, ..*root });
        let burst = self.burst(packets[0], &packets[1..]);
        burst.or(detour).unwrap_or(Setback { cause: Some(LossCause::Congestion), ..root })
    }

    /// What held up the packets that a full queue holds, if at least half of them and of the one that dies
    /// were held up: then they came together because of it.
    fn burst(&self, dies: PacketId, others: &[PacketId]) -> Option<Setback> {
        let own = self.packets.independent_setback(dies);
        let of_flows = others.iter().filter(|id| self.packets.get(**id).uid < UNTRACKED);
        let (mut all, mut held_up, mut first) = (1, usize::from(own.is_some()), own);
        for other in of_flows {
            all += 1;
            if let Some(root) = self.packets.independent_setback(*other) {
                held_up += 1;
                // The packet that dies was not held up itself: it stands still from now on.
                first = first.or(Some(Setback { at: self.now, ..root }));
            }
        }
        first.filter(|_| 2 * held_up >= all)
    }

    /// The interface queue refuses a packet.
    pub(super) fn judge_queue(&mut self, node: NodeId, refused: QueueEntry) -> Setback {
        let next_hop = refused.next_hop;
        let here = Setback::new(self.now, node, LossCause::Congestion).towards(next_hop);
        let n = &self.nodes[node.index()];
        let mut hops = vec![next_hop];
        for e in n.queue.iter() {
            if !hops.contains(&e.next_hop) {
                hops.push(e.next_hop);
            }
        }
        let fates = n.fates;
        for hop in hops {
            if let Some(cause) = self.out_of_reach(node, hop) {
                return Setback { cause: Some(cause), ..here }.towards(hop);
            }
        }
        let busy_with_the_dead = fates.out_of_range + fates.node_down > fates.contention + fates.channel;
        if busy_with_the_dead {
            return Setback { cause: Some(fates.verdict()), ..here };
        }
        let queued: Vec<PacketId> = self.nodes[node.index()].queue.iter().map(|e| e.packet).collect();
        self.burst(refused.packet, &queued).unwrap_or(here)
    }

    /// A broadcast was spoiled at a station that should have had it; routing's search for routes or ARP's
    /// for addresses may fail of that.
    #[cold]
    pub(super) fn note_missed(&mut self, node: NodeId, from: NodeId, cause: LossCause) {
        let miss = Miss { at: self.now, cause, interferer: None };
        let known = &mut self.record.missed[node.index()];
        match known.iter_mut().find(|(sender, _)| *sender == from) {
            Some((_, latest)) => *latest = miss,
            None => known.push((from, miss)),
        }
        self.record.search = Some(miss);
    }

    /// The MAC gave up a routing message or an ARP packet.
    pub(super) fn note_message_lost(&mut self, packet: PacketId, root: &Setback) {
        let p = self.packets.get(packet);
        let message = p.is_routing() || matches!(p.body, Body::Arp(_));
        if let (true, false, Some(cause)) = (message, root.is_physical(), root.cause) {
            self.record.search = Some(Miss { at: self.now, cause, interferer: root.interferer });
        }
    }

    // ---- routes ---------------------------------------------------------------------------------

    /// A route in use at `node` is gone.
    pub(super) fn note_route_lost(&mut self, node: NodeId, dst: NodeId, occasion: Occasion) {
        let root = match occasion {
            Occasion::Break(_, root) => Some(root),
            Occasion::Received(_, Some((a, b))) => {
                let known = self.record.breaks.get(&(a, b)).copied();
                Some(known.unwrap_or_else(|| self.judge_link(a, b)))
            }
            Occasion::Received(from, None) => self.record.lost[from.index()].get(&dst).map(|l| l.root),
            // It expired, or its repair has failed: then the break is on record.
            Occasion::Other => None,
        };
        let olsr = self.routing.protocol == Protocol::Olsr;
        let root = root.or(if olsr { self.record.latest } else { None });
        if let Some(root) = root {
            self.record.lost[node.index()].insert(dst, LostRoute { root, checked: SimTime::ZERO });
        }
    }

    /// A packet goes out again from a node that had lost the way to some destinations.
    #[cold]
    pub(super) fn note_way_found(&mut self, node: NodeId, packet: PacketId) {
        let dst = self.packets.get(packet).dst;
        self.record.lost[node.index()].remove(&dst);
    }

    /// Whether `node` has lost the way to `dst`: the root of it.
    pub(super) fn lost_route(&self, node: NodeId, dst: NodeId) -> Option<Setback> {
        self.record.lost[node.index()].get(&dst).map(|l| Setback { at: self.now, ..l.root })
    }

    /// Why `node` has no route to `dst`.
    pub(super) fn missing_route(&mut self, node: NodeId, dst: NodeId) -> Setback {
        let now = self.now;
        let known = self.record.lost[node.index()].get(&dst).copied();
        if let Some(lost) = known {
            let of_a_break = lost.root.next_hop.is_some();
            let fresh = lost.checked + GEOMETRY > now;
            if fresh || of_a_break && lost.root.is_physical() {
                return Setback { at: now, ..lost.root };
            }
        }
        let broken = known.filter(|lost| lost.root.next_hop.is_some() && !lost.root.is_physical());
        let root = match (self.no_path(node, dst), broken) {
            (Some(cause), _) => Setback::new(now, node, cause),
            (None, Some(lost)) => lost.root,
            (None, None) => Setback::search(now, node),
        };
        self.record.lost[node.index()].insert(dst, LostRoute { root, checked: now });
        Setback { at: now, ..root }
    }

    fn loop_root(&mut self, node: NodeId, src: NodeId, dst: NodeId, died: Died) -> Setback {
        let too_far = self.path(src, dst, false).is_some_and(|hops| hops >= u16::from(INITIAL_TTL));
        let root = self.lost_route(node, dst).or(self.record.latest).filter(|_| !too_far);
        let here = match died {
            Died::Ttl => Setback::new(self.now, node, LossCause::Ttl),
            _ => Setback::search(self.now, node),
        };
        Setback { at: self.now, ..root.unwrap_or(here) }
    }

    /// Why there is no path between two nodes; `None` if there is one.
    fn no_path(&mut self, from: NodeId, to: NodeId) -> Option<LossCause> {
        if self.path(from, to, false).is_some() {
            None
        } else if self.any_damage && self.path(from, to, true).is_some() {
            Some(LossCause::NodeDown)
        } else {
            Some(LossCause::LinkFailure)
        }
    }

    /// Hops of the shortest path that geometry allows; `all`: also over nodes that are switched off.
    fn path(&mut self, from: NodeId, to: NodeId, all: bool) -> Option<u16> {
        let ends_up = self.nodes[from.index()].up && !to.is_broadcast() && self.nodes[to.index()].up;
        if to.is_broadcast() || !(all || ends_up) {
            return None;
        }
        let mut hops: Vec<Option<u16>> = vec![None; self.nodes.len()];
        hops[from.index()] = Some(0);
        let mut open = VecDeque::from([from]);
        let mut near = Vec::new();
        while let Some(a) = open.pop_front() {
            if a == to {
                return hops[a.index()];
            }
            let next = hops[a.index()].map(|h| h + 1);
            near.clear();
            self.wires.from(a, &mut near);
            let wired = near.len();
            if let Some(medium) = &mut self.medium {
                medium.in_range(self.now, a, &mut self.tracks, &mut near);
            }
            for (i, &b) in near.iter().enumerate() {
                let stands = i < wired || !self.cuts.between(a, b);
                if stands && hops[b.index()].is_none() && (all || self.nodes[b.index()].up) {
                    hops[b.index()] = next;
                    open.push_back(b);
                }
            }
        }
        None
    }
}
