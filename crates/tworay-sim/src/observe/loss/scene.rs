//! Read-only view of the network for the search for root causes: which nodes are up, in range, and queueing packets.

mod past;
mod sharing;
mod ways;

use crate::network::air::Air;
use crate::network::medium::Radio;
use crate::network::node::{Node, Nodes};
use crate::network::packets::{PacketSlab, is_message};
use crate::network::wires::Wires;
use crate::observe::fact::View;
use crate::observe::loss::exchanges::Exchanges;
use crate::observe::loss::held_up::HeldUps;
use crate::observe::loss::root_cause::RootCause;
use crate::observe::loss::service::{Backlog, Service};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use tworay_base::{LossCause, NodeId, PacketId, SimDuration, SimTime};
use tworay_mac::{FrameKind, QueueEntry};
use tworay_wire::Body;
pub(crate) use ways::{Hops, Ways};

/// Messages whose loss counts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Messages {
    /// Those by which neighbours know of each other: HELLOs, requests, and those of ARP.
    All,
    /// Those by which one finds the other's address.
    OfArp,
}

/// The past of a link is looked at so often, at least and at most, and between these once in `STEP`: a shorter absence may be overlooked.
const LOOKS: (u64, u64) = (12, 120);

/// See `LOOKS`. A MAC gives a hop up sooner or later after some 40 ms.
const STEP: SimDuration = SimDuration::from_millis(100);

/// The times of these looks at a span; where nothing `changes`, its beginning tells all.
fn looks(changes: bool, (from, until): (SimTime, SimTime)) -> impl Iterator<Item = SimTime> {
    let span = until.since(from);
    let count = (span.as_nanos() / STEP.as_nanos()).clamp(LOOKS.0, LOOKS.1);
    let last = if changes { count } else { 0 };
    (0..=last).map(move |i| from + span * i / count)
}

/// The network at one moment, as it is shown to observers. The radio side is borrowed mutably only because
/// tracks cache their latest position.
pub(crate) struct World<'a> {
    pub now: SimTime,
    pub packets: &'a PacketSlab,
    pub nodes: &'a Nodes,
    pub wires: &'a Wires,
    pub radio: Option<&'a mut Radio>,
    /// The stations of 802.11a/g/n/ac, if there are such.
    pub air: Option<&'a Air>,
}

impl<'a> World<'a> {
    /// Number of packets that wait in the interface queues of a node.
    pub fn queued(&self, node: NodeId) -> usize {
        self.nodes[node].queue.len() + self.air.map_or(0, |air| air.flow_packets(node))
    }

    /// The packets that wait in the interface queues of a node.
    pub fn waiting(&self, node: NodeId) -> Vec<PacketId> {
        waiting(&self.nodes[node], node, self.air)
    }

    /// As [`Scene::gathered`].
    pub fn gathered(&self, node: NodeId) -> usize {
        gathered(&self.nodes[node], node, self.air)
    }

    /// The least time that a packet takes on the air, at the fastest rate at which the node's radio may send.
    pub fn airtime(&self, node: NodeId, ip_bytes: u32) -> SimDuration {
        let timing = self.nodes[node].mac.timing();
        let b = || timing.data_airtime(timing.data_bytes(ip_bytes), false);
        self.air.map_or_else(b, |air| air.least_airtime(node, ip_bytes))
    }

    /// The same of the packet that the node sends next.
    pub fn airtime_of_next(&self, node: NodeId) -> Option<SimDuration> {
        let first = || Some(self.packets.get(self.air?.first_waiting(node)?).ip_bytes);
        let next = self.nodes[node].queue.iter().next().map(|entry| entry.ip_bytes).or_else(first);
        next.map(|bytes| self.airtime(node, bytes))
    }

    /// The view of observers that need only packets.
    pub fn view(&self) -> View<'a> {
        View { now: self.now, packets: self.packets }
    }

    /// The view of the search for root causes.
    pub fn scene<'b>(
        &'b mut self,
        held_ups: &'b HeldUps,
        services: &'b [Service],
        exchanges: &'b Exchanges,
        ways: &'b RefCell<Ways>,
    ) -> Scene<'b> {
        let World { now, packets, nodes, wires, air, .. } = *self;
        let radio = self.radio.as_deref_mut();
        Scene { now, packets, held_ups, services, exchanges, ways, nodes, wires, radio, air }
    }
}

/// The network at one moment, and what is known of its packets and queues, for the search for root causes.
pub(crate) struct Scene<'a> {
    pub now: SimTime,
    pub packets: &'a PacketSlab,
    pub held_ups: &'a HeldUps,
    /// Service of each node's interface queue.
    pub services: &'a [Service],
    /// Exchanges of each station.
    pub exchanges: &'a Exchanges,
    /// Hop counts that do not change.
    pub ways: &'a RefCell<Ways>,
    pub nodes: &'a Nodes,
    pub wires: &'a Wires,
    pub radio: Option<&'a mut Radio>,
    /// The stations of 802.11a/g/n/ac, if there are such.
    pub air: Option<&'a Air>,
}

impl Scene<'_> {
    /// The packets that wait in the interface queues of a node.
    pub fn waiting(&self, node: NodeId) -> Vec<PacketId> {
        waiting(&self.nodes[node], node, self.air)
    }

    /// Number of packets that have gathered before the medium at a node: those in its interface queues, and those that a
    /// station with windows has taken out.
    pub fn gathered(&self, node: NodeId) -> u32 {
        gathered(&self.nodes[node], node, self.air) as u32
    }

    /// Packets for which a node has a place before the medium.
    pub fn places(&self, node: NodeId) -> Option<u32> {
        self.services[node.index()].places(self.air.map_or(1, |air| air.takes(node)))
    }

    /// The same packets for judging whether `root` keeps them. TCP's among them matter for noise only, so they are counted only
    /// then: a full queue is judged at each packet that it rejects.
    pub fn backlog(&self, node: NodeId, root: &RootCause) -> Backlog {
        let mut packets = self.waiting(node);
        if let Some(air) = self.air {
            air.sending(node, &mut packets);
        }
        let of_tcp = packets.iter().filter(|id| matches!(self.packets.get(**id).body, Body::Tcp(_)));
        let of_tcp = if root.is_noise() { of_tcp.count() as u32 } else { 0 };
        Backlog { of_tcp, packets: packets.len() as u32 }
    }

    /// The neighbour that the MAC of a node is trying to reach, or has tried to reach last, if that is out of reach; and why.
    pub fn stuck_at(&self, node: NodeId) -> Option<(NodeId, LossCause)> {
        let n = &self.nodes[node];
        let (hop, failure) = match self.air {
            Some(_) => self.exchanges.latest(node)?,
            None => (n.mac.addressee()?, self.exchanges.of(node).current().2),
        };
        failure.is_physical().then(|| (hop, failure.cause()))
    }

    /// True if two nodes can decode each other's frames now.
    pub fn in_range(&mut self, a: NodeId, b: NodeId) -> bool {
        self.radio.as_mut().is_some_and(|radio| radio.reaches(self.now, a, b))
    }

    /// The stations that could decode those of `node` at a time that has passed, cuts and outages aside.
    pub fn in_reach_at(&mut self, node: NodeId, at: SimTime) -> Vec<NodeId> {
        let Some(radio) = &mut self.radio else { return Vec::new() };
        let positions = radio.positions(at);
        // The tracks must return to the present.
        radio.positions(self.now);
        self.nodes.ids().filter(|b| *b != node && radio.could_decode((at, &positions), node, *b)).collect()
    }

    /// True if shadowing or fading keeps frames from a hop now, or answers to them.
    pub fn is_faded(&mut self, node: NodeId, next_hop: NodeId) -> bool {
        self.radio.as_mut().is_some_and(|radio| radio.is_faded(self.now, node, next_hop))
    }

    /// True if the next hop is physically out of reach, and why.
    pub fn out_of_reach(&mut self, node: NodeId, next_hop: NodeId) -> Option<LossCause> {
        if next_hop.is_broadcast() || self.wires.between(node, next_hop).is_some() {
            None
        } else if !self.nodes[next_hop].up {
            Some(LossCause::NodeDown)
        } else {
            (!self.in_range(node, next_hop)).then_some(LossCause::LinkFailure)
        }
    }

    /// Where a message that `next_hop` owes to `node`, or `node` to `next_hop`, still waits to be sent, and behind how many packets.
    pub fn message_waits(&self, node: NodeId, next_hop: NodeId, of: Messages) -> Option<(NodeId, u32)> {
        let waits = |(from, to): (NodeId, NodeId)| {
            let is_for = |e: &QueueEntry| match (of, self.packets.get(e.packet)) {
                (Messages::All, p) => (e.next_hop == to || e.next_hop.is_broadcast()) && is_message(p),
                (Messages::OfArp, p) => matches!(&p.body, Body::Arp(arp) if arp.target == to),
            };
            let place = self.nodes[from].queue.iter().position(is_for)? as u32;
            let taken = self
                .air
                .map_or(u32::from(self.nodes[from].mac.holds().is_some()), |air| air.taken(from) as u32);
            Some((from, place + taken))
        };
        [(node, next_hop), (next_hop, node)].into_iter().find_map(waits)
    }

    /// Which of two neighbours is sending a message of ARP to the other.
    pub fn sends_message(&self, node: NodeId, next_hop: NodeId) -> Option<NodeId> {
        let sends = |(from, to): &(NodeId, NodeId)| {
            let mut packets: Vec<PacketId> = self.nodes[*from].mac.holds().into_iter().collect();
            if let Some(air) = self.air {
                air.sending(*from, &mut packets);
            }
            let meant = |body: &Body| matches!(body, Body::Arp(arp) if arp.target == *to);
            packets.iter().any(|id| meant(&self.packets.get(*id).body))
        };
        [(node, next_hop), (next_hop, node)].into_iter().find(sends).map(|(from, _)| from)
    }

    /// The time that a node's MAC has lost with its current packet for a reason other than load, and the reason.
    pub fn running(&self, node: NodeId) -> Option<(SimDuration, RootCause)> {
        let now = self.now;
        self.exchanges.running(now, node).map(|(time, root)| {
            let began = now.earlier_by(time);
            let lost = || self.services[node.index()].path.lost(self.services, (node, node), (began, now));
            (if root.is_noise() { lost() } else { time }, root)
        })
    }

    /// That time alone.
    pub fn running_time(&self, node: NodeId) -> SimDuration {
        self.running(node).map_or(SimDuration::ZERO, |(time, _)| time)
    }

    /// The root cause that keeps the interface queue of a node at its length, if load alone would not keep it at even half of
    /// that.
    pub fn filled_by(&self, node: NodeId) -> Option<RootCause> {
        let (now, running) = (self.now, self.running(node));
        let service = &self.services[node.index()];
        let root = service.main_reason(running)?;
        service.filled_by(now, self.backlog(node, &root), running)
    }

    /// The root cause because of which a packet behind so many others still waits in the queue of a node, which would be gone otherwise.
    pub fn kept_by(&self, node: NodeId, ahead: u32) -> Option<RootCause> {
        let (now, running) = (self.now, self.running(node));
        let service = &self.services[node.index()];
        // With the packet that is being sent, which a MAC without windows has taken out.
        let sending = u32::from(self.air.is_none() && self.nodes[node].mac.holds().is_some());
        let backlog = self.backlog(node, &service.main_reason(running)?);
        let backlog = Backlog { packets: backlog.packets + sending, ..backlog };
        service.kept_by(now, (backlog, ahead), running)
    }

    /// Why the MAC of one of two neighbours has tried in vain so far to send an ARP packet of their exchange.
    pub fn message_delayed(&self, node: NodeId, next_hop: NodeId) -> Option<LossCause> {
        let tries = |from: NodeId, to: NodeId| {
            let attempts = self.exchanges.of(from);
            let held = self.nodes[from].mac.holds().map(|packet| &self.packets.get(packet).body);
            let tries =
                attempts.has_failed_before() && matches!(held, Some(Body::Arp(arp)) if arp.target == to);
            tries.then(|| attempts.root_of(self.now, (from, to), FrameKind::Data).cause).flatten()
        };
        tries(node, next_hop).or_else(|| tries(next_hop, node))
    }

    /// As [`HeldUps::burst`], now.
    pub fn burst(
        &self,
        dies: PacketId,
        others: &[PacketId],
        released: Option<(NodeId, RootCause)>,
    ) -> Option<RootCause> {
        self.held_ups.burst(View { now: self.now, packets: self.packets }, dies, others, released)
    }

    /// Why there is no path between two nodes; `None` if there is one.
    pub fn no_path(&mut self, from: NodeId, to: NodeId) -> Option<LossCause> {
        if self.path(from, to, false).is_some() { None } else { Some(self.obstruction(from, to)) }
    }

    /// Why there is no path between two nodes that have none.
    pub fn obstruction(&mut self, from: NodeId, to: NodeId) -> LossCause {
        if self.nodes.any_failed && self.path(from, to, true).is_some() {
            LossCause::NodeDown
        } else {
            LossCause::LinkFailure
        }
    }

    /// Hop count of the shortest path that geometry permits; `all` includes nodes that are switched off.
    pub fn path(&mut self, from: NodeId, to: NodeId, all: bool) -> Option<u16> {
        let ends_up = !to.is_broadcast() && self.nodes[from].up && self.nodes[to].up;
        if to.is_broadcast() || !(all || ends_up) {
            return None;
        }
        self.search(from, Some(to), u16::MAX, |scene, b| all || scene.nodes[b].up).of(to)
    }

    /// Hop counts from a node to all others that it can reach now.
    pub fn hops(&mut self, from: NodeId) -> Arc<Hops> {
        if from.is_broadcast() || !self.nodes[from].up {
            return Arc::new(Hops(vec![None; self.nodes.len()]));
        }
        let lasts = !self.changes()
            && self.radio.as_ref().is_none_or(|radio| radio.lasting_candidates(from).is_some());
        if lasts && let Some(known) = self.ways.borrow().get(from) {
            return known;
        }
        let found = Arc::new(self.search(from, None, u16::MAX, |scene, b| scene.nodes[b].up));
        if lasts {
            self.ways.borrow_mut().keep(from, Arc::clone(&found));
        }
        found
    }

    /// True if one of some nodes can be reached from a node within so many hops.
    pub fn reaches_any(&mut self, from: NodeId, nodes: &[NodeId], most: u16) -> bool {
        if from.is_broadcast() || !self.nodes[from].up {
            return false;
        }
        let near = self.search(from, None, most, |scene, b| scene.nodes[b].up);
        nodes.iter().any(|node| near.of(*node).is_some())
    }

    /// Breadth-first search from a node over nodes that `admits` within `most` hops, up to `to` if there is such a node.
    fn search(
        &mut self,
        from: NodeId,
        to: Option<NodeId>,
        most: u16,
        admits: impl Fn(&Self, NodeId) -> bool,
    ) -> Hops {
        let mut hops = Hops(vec![None; self.nodes.len()]);
        hops.0[from.index()] = Some(0);
        let mut open = VecDeque::from([from]);
        let mut near = Vec::new();
        while let Some(a) = open.pop_front() {
            let next = hops.of(a).map(|h| h + 1);
            if next.is_none_or(|hops| hops > most) {
                break;
            }
            near.clear();
            self.wires.from(a, &mut near);
            if let Some(radio) = &mut self.radio {
                radio.neighbours(self.now, a, |b| hops.of(b).is_none(), &mut near);
            }
            for &b in &near {
                if hops.of(b).is_none() && admits(self, b) {
                    hops.0[b.index()] = next;
                    if Some(b) == to {
                        return hops;
                    }
                    open.push_back(b);
                }
            }
        }
        hops
    }

    /// True if the link between `ends` of a hop lay at time `at` on a path from `from` to `to`, if that link
    /// and those in `restored` worked. Nodes that were switched off before count only as ends of these links.
    pub fn carries(
        &mut self,
        (from, to): (NodeId, NodeId),
        link: (NodeId, NodeId),
        at: SimTime,
        restored: &[(NodeId, NodeId)],
    ) -> bool {
        [link, (link.1, link.0)].into_iter().any(|link| self.leads((from, to), link, at, restored).is_some())
    }

    /// As [`Self::carries`], in the direction of the hop alone: the length of the shortest such path.
    pub fn leads(
        &mut self,
        (from, to): (NodeId, NodeId),
        (a, b): (NodeId, NodeId),
        at: SimTime,
        restored: &[(NodeId, NodeId)],
    ) -> Option<u16> {
        if to.is_broadcast() || from == b {
            return None;
        }
        let before = self.walk((from, a), &[b], at, restored, false)?;
        let after = self.walk((b, to), &before, at, restored, false)?;
        u16::try_from(before.len() + after.len() - 1).ok()
    }

    /// The node from which the shortest path between two nodes over node `via` entered it at a time; of the nodes
    /// that `admits`.
    pub fn entry(
        &mut self,
        ends: (NodeId, NodeId),
        via: NodeId,
        at: SimTime,
        admits: impl Fn(NodeId) -> bool,
    ) -> Option<NodeId> {
        let nodes = self.nodes.ids().filter(|a| *a != via && admits(*a));
        let near = nodes.filter(|a| self.radio.as_mut().is_some_and(|radio| radio.reaches(at, *a, via)));
        let near: Vec<NodeId> = near.collect();
        let paths = near.into_iter().filter_map(|a| Some((self.leads(ends, (a, via), at, &[])?, a)));
        paths.min().map(|(_, a)| a)
    }

    /// True if paths may have come or gone: stations have moved, links may have been cut, or a node has failed.
    pub fn changes(&self) -> bool {
        self.nodes.any_failed || self.radio.as_ref().is_some_and(|radio| radio.changes_by(self.now))
    }

    /// Why there was no path between two nodes at some time since `from`, if there was none. There is one now.
    pub fn was_apart(&mut self, node: NodeId, to: NodeId, from: SimTime) -> Option<LossCause> {
        if to.is_broadcast() || from == self.now || !self.changes() {
            return None;
        }
        let now = self.now;
        let apart = |scene: &mut Self, all| {
            let mut way = Vec::new();
            looks(true, (from, now)).any(|at| !scene.joined((node, to), at, all, &mut way))
        };
        if apart(self, true) {
            Some(LossCause::LinkFailure)
        } else {
            (self.nodes.any_failed && apart(self, false)).then_some(LossCause::NodeDown)
        }
    }

    /// True if there was a path between two nodes at a time. `way` is that of another time, or empty: most paths
    /// last, and looking at one is far quicker than a search.
    fn joined(&mut self, ends: (NodeId, NodeId), at: SimTime, all: bool, way: &mut Vec<NodeId>) -> bool {
        if !self.lasted(way, at, all) {
            *way = self.walk(ends, &[], at, &[], all).unwrap_or_default();
        }
        !way.is_empty()
    }

    /// True if a path that [`Self::walk`] found for another time worked at this one.
    fn lasted(&mut self, way: &[NodeId], at: SimTime, all: bool) -> bool {
        let positions = self.radio.as_mut().map(|radio| radio.positions(at)).unwrap_or_default();
        let on_air = |a, b| self.radio.as_ref().is_some_and(|radio| radio.reached_at((at, &positions), a, b));
        let mut hops = way.iter().zip(way.iter().skip(1));
        let works = |(b, a): (&NodeId, &NodeId)| {
            self.wires.between(*a, *b).is_some() || (all || was_up(&self.nodes[*b], at)) && on_air(*a, *b)
        };
        way.len() > 1 && hops.all(works)
    }

    /// The hops of a shortest path between two nodes at a time; none if there was none.
    pub fn way(&mut self, (from, to): (NodeId, NodeId), at: SimTime) -> Vec<(NodeId, NodeId)> {
        let nodes = self.walk((from, to), &[], at, &[], false).unwrap_or_default();
        let ahead = nodes.iter().rev().copied();
        std::iter::once(from).chain(ahead.clone()).zip(ahead).collect()
    }

    /// True if there was a path between two nodes all the time between two times.
    pub fn existed(&mut self, ends: (NodeId, NodeId), times: (SimTime, SimTime)) -> bool {
        let mut way = Vec::new();
        looks(self.changes(), times).all(|at| self.joined(ends, at, false, &mut way))
    }

    /// Hop counts from a node to all others that it could reach at a time.
    pub fn hops_at(&mut self, from: NodeId, at: SimTime) -> Hops {
        let positions = self.radio.as_mut().map(|radio| radio.positions(at)).unwrap_or_default();
        let mut hops = Hops(vec![None; self.nodes.len()]);
        hops.0[from.index()] = Some(0);
        let mut unseen: Vec<_> =
            self.nodes.ids().filter(|b| *b != from && was_up(&self.nodes[*b], at)).collect();
        let mut open = VecDeque::from([from]);
        while let Some(a) = open.pop_front() {
            let next = hops.of(a).map(|h| h + 1);
            unseen.retain(|&b| {
                let on_air = || self.radio.as_ref().is_some_and(|r| r.reached_at((at, &positions), a, b));
                let reached = self.wires.between(a, b).is_some() || on_air();
                if reached {
                    hops.0[b.index()] = next;
                    open.push_back(b);
                }
                !reached
            });
        }
        hops
    }

    /// The nodes of a shortest path at time `at` that avoids some nodes; `all` includes nodes that were off.
    fn walk(
        &mut self,
        (from, to): (NodeId, NodeId),
        without: &[NodeId],
        at: SimTime,
        restored: &[(NodeId, NodeId)],
        all: bool,
    ) -> Option<Vec<NodeId>> {
        let same = |x: (NodeId, NodeId), y: (NodeId, NodeId)| x == y || x == (y.1, y.0);
        let mended = |a, b| restored.iter().any(|link| same(*link, (a, b)));
        let still = self.radio.as_ref().is_none_or(|radio| radio.lasting_candidates(from).is_some());
        let positions = self.radio.as_mut().filter(|_| !still).map(|radio| radio.positions(at));
        let positions = positions.unwrap_or_default();
        // Where the search came from; the first node came from itself.
        let mut before: Vec<Option<NodeId>> = vec![None; self.nodes.len()];
        before[from.index()] = Some(from);
        // Where nodes move, any may be near; otherwise some are.
        let mut near: Vec<NodeId> = if still { Vec::new() } else { self.nodes.ids().collect() };
        let mut open = VecDeque::from([from]);
        while let Some(a) = open.pop_front().filter(|_| before[to.index()].is_none()) {
            if still {
                near.clear();
                let candidates = self.radio.as_ref().and_then(|radio| radio.lasting_candidates(a));
                near.extend_from_slice(candidates.unwrap_or_default());
                self.wires.from(a, &mut near);
                near.extend(restored.iter().flat_map(|(x, y)| [*x, *y]));
                near.sort_unstable();
                near.dedup();
            }
            near.retain(|b| before[b.index()].is_none() && !without.contains(b));
            for &b in &near {
                let works = all || was_up(&self.nodes[b], at);
                let on_air = |radio: &mut Radio| match still {
                    true => radio.reached_in_place(at, a, b),
                    false => radio.reached_at((at, &positions), a, b),
                };
                if mended(a, b)
                    || self.wires.between(a, b).is_some()
                    || works && self.radio.as_deref_mut().is_some_and(on_air)
                {
                    before[b.index()] = Some(a);
                    open.push_back(b);
                }
            }
        }
        before[to.index()]?;
        let back = std::iter::successors(Some(to), |n| before[n.index()].filter(|_| *n != from));
        Some(back.collect())
    }
}

/// True if a node worked at a time that has passed.
fn was_up(node: &Node, at: SimTime) -> bool {
    node.up && node.up_since <= at || node.down_since != SimTime::NEVER && node.down_since >= at
}

/// The packets that wait in the interface queues of a node.
fn waiting(n: &Node, node: NodeId, air: Option<&Air>) -> Vec<PacketId> {
    let mut packets: Vec<PacketId> = n.queue.iter().map(|entry| entry.packet).collect();
    if let Some(air) = air {
        air.waiting(node, &mut packets);
    }
    packets
}

/// Number of packets that have gathered before the medium at a node.
fn gathered(n: &Node, node: NodeId, air: Option<&Air>) -> usize {
    n.queue.len() + air.map_or(0, |air| air.flow_packets(node) + air.taken(node))
}
