//! Tables that routers exchange (OLSR): when there can be a route at all, and messages that were lost.
//!
//! A lost message matters only if routers could have had a route without its loss. At the start they cannot: a link is
//! symmetric at a node when its neighbour has heard it and has said so in a HELLO (RFC 3626 §7.1.1), the neighbour's
//! neighbours are known from a HELLO after that (§8.2.1), and nodes farther away from the TC messages of the nodes that
//! they have chosen as relays (§9), if relays are chosen all the way (§3.4). [`Causes::could_have_route`] follows these steps with the times at which HELLOs were
//! sent, as if all of them had arrived everywhere in range. For some time after the start, a route must also be known to
//! routers without disturbances (`undisturbed`): these choose relays as the network would.

use super::Causes;
use super::records::Miss;
use super::undisturbed::Undisturbed;
use crate::observe::loss::root_cause::RootCause;
use crate::observe::loss::scene::{Hops, Scene};
use tworay_base::{LossCause, NodeId, SimTime};
use tworay_wire::olsr::OlsrBody;
use tworay_wire::{Body, Packet};

/// Number of HELLOs of a node that are kept, and of times for its TC messages.
const FIRST: usize = 16;

/// A HELLO: what it says was true when it was made.
#[derive(Copy, Clone, Debug)]
struct Hello {
    made: SimTime,
    /// End of its transmission; never, as long as it waits.
    sent: SimTime,
}

/// The first HELLOs of a node, and the first times at which TC messages of its own were due.
#[derive(Clone, Debug, Default)]
pub(super) struct Hellos(Vec<Hello>, Vec<SimTime>);

impl Hellos {
    fn made(&mut self, at: SimTime) {
        if self.0.len() < FIRST {
            self.0.push(Hello { made: at, sent: SimTime::NEVER });
        }
    }

    /// The next TC message is due then. That is known from one HELLO to the next, of which there are more than TC messages.
    fn table_due(&mut self, at: SimTime) {
        if self.1.len() < FIRST && self.1.last() != Some(&at) {
            self.1.push(at);
        }
    }

    /// When the first TC message was or will be due that is made at a time or later. After many, it is long ago.
    fn table_after(&self, at: SimTime) -> Option<SimTime> {
        let long_ago = || (self.1.len() == FIRST).then_some(at);
        self.1.iter().copied().find(|due| *due >= at).or_else(long_ago)
    }

    fn sent(&mut self, at: SimTime) {
        if let Some(hello) = self.0.last_mut().filter(|hello| hello.sent == SimTime::NEVER) {
            hello.sent = at;
        }
    }

    /// When the one at a place was sent.
    fn at(&self, place: usize) -> Option<SimTime> {
        self.0.get(place).map(|hello| hello.sent).filter(|sent| *sent != SimTime::NEVER)
    }

    /// When the first one was sent that was made after a time, not counting those before the one at place `from`; `None` if
    /// that is yet to come. After many, it is long ago.
    fn after(&self, at: SimTime, from: usize) -> Option<SimTime> {
        let later = self.0.iter().skip(from).find(|hello| hello.made > at);
        let long_ago = || (self.0.len() == FIRST).then_some(at);
        later.map(|hello| hello.sent).or_else(long_ago).filter(|sent| *sent != SimTime::NEVER)
    }
}

/// True if a packet carries a HELLO.
fn says_hello(packet: &Packet) -> bool {
    matches!(&packet.body, Body::Olsr(olsr) if olsr.messages.iter().any(|m| matches!(m.body, OlsrBody::Hello(_))))
}

impl Causes {
    /// A node makes a message of its own.
    pub(super) fn note_table_made(&mut self, scene: &Scene<'_>, node: NodeId, packet: &Packet) {
        if says_hello(packet)
            && let Some(hellos) = self.hellos.get_mut(node.index())
        {
            hellos.made(scene.now);
            hellos.table_due(scene.nodes[node].router.tables_due());
        }
    }

    /// A message was sent.
    #[cold]
    pub fn note_table_sent(&mut self, now: SimTime, packet: &Packet) {
        if says_hello(packet)
            && let Some(hellos) = self.hellos.get_mut(packet.src.index())
        {
            hellos.sent(now);
        }
    }

    /// A station missed a message.
    pub(super) fn note_table_missed(&mut self, (node, from): (NodeId, NodeId), miss: Miss, packet: &Packet) {
        let of_table = matches!(packet.body, Body::Olsr(_));
        let Some(tables) = self.tables_missed.get_mut(node.index()).filter(|_| of_table) else { return };
        match tables.iter_mut().find(|(sender, _)| *sender == from) {
            Some((_, latest)) => *latest = miss,
            None => tables.push((from, miss)),
        }
        let missed = self.hellos_missed.get_mut(node.index()).filter(|_| says_hello(packet));
        let Some(missed) = missed else { return };
        while missed.front().is_some_and(|(_, old)| old.at + self.timing.noticed < miss.at) {
            missed.pop_front();
        }
        missed.push_back((from, miss));
    }

    /// Of the HELLOs that `node` missed of a neighbour since a time, the first of those with the most frequent cause.
    pub(super) fn missed_hello(&self, node: NodeId, from: NodeId, since: SimTime) -> Option<Miss> {
        let all = || self.hellos_missed.get(node.index()).into_iter().flatten();
        let missed = || all().filter(|(of, miss)| *of == from && miss.at >= since).map(|(_, miss)| *miss);
        let count = |of: &Miss| missed().filter(|miss| miss.cause == of.cause).count();
        // Of equals, `rev` makes `max` return the first.
        missed().collect::<Vec<_>>().into_iter().rev().max_by_key(count)
    }

    /// When the link to a neighbour became symmetric at `node`, had no HELLO been lost.
    fn symmetric(&self, node: NodeId, neighbour: NodeId) -> Option<SimTime> {
        let [own, other] = [node, neighbour].map(|n| &self.hellos[n.index()]);
        let heard = own.at(self.timing.hellos - 1)?;
        other.after(heard, self.timing.hellos - 1)
    }

    /// When a neighbour's HELLO had told `node` that it reaches `beyond`, had none been lost.
    fn beyond(&self, node: NodeId, neighbour: NodeId, beyond: NodeId) -> Option<SimTime> {
        let told = self.hellos[neighbour.index()].after(self.symmetric(neighbour, beyond)?, 0)?;
        Some(told.max(self.symmetric(node, neighbour)?))
    }

    /// When a node had told that it has chosen a neighbour as relay because of a node beyond, had no HELLO been lost.
    fn chosen(&self, node: NodeId, relay: NodeId, beyond: NodeId) -> Option<SimTime> {
        self.hellos[node.index()].after(self.beyond(node, relay, beyond)?, 0)
    }

    /// When a node had chosen a neighbour as relay for some nodes beyond that are in range of the neighbour.
    fn chosen_for(
        &self,
        scene: &mut Scene<'_>,
        (node, relay): (NodeId, NodeId),
        beyond: &[NodeId],
    ) -> Option<SimTime> {
        let reached = beyond.iter().filter(|z| scene.in_range(relay, **z));
        reached.filter_map(|z| self.chosen(node, relay, *z)).min()
    }

    /// True if a node could have a route by now to a destination of which hop counts are `far`, had no message been lost.
    /// `near` are hop counts from the node.
    pub(super) fn could_have_route(
        &self,
        scene: &mut Scene<'_>,
        (node, dst): (NodeId, NodeId),
        (near, far): (&Hops, &Hops),
    ) -> bool {
        let Some(length) = far.of(node) else { return false };
        // The nodes of shortest paths by their distance, from the node itself to the destination.
        let layer = |hops: u16| {
            let here = |n: &NodeId| near.of(*n) == Some(hops) && far.of(*n) == Some(length - hops);
            scene.nodes.ids().filter(here).collect::<Vec<_>>()
        };
        let layers: Vec<Vec<NodeId>> = (0..=length).map(layer).collect();
        let mut known = vec![node];
        for (hops, layer) in layers.iter().enumerate().skip(1) {
            let mut next = Vec::new();
            for &v in layer {
                let told = |scene: &mut Scene<'_>, u: NodeId| match hops {
                    1 => self.symmetric(node, v).is_some(),
                    2 => self.beyond(node, u, v).is_some(),
                    _ => self.told(scene, (u, v), &layers[..hops - 1]),
                };
                if known.iter().any(|u| scene.in_range(*u, v) && told(scene, *u)) {
                    next.push(v);
                }
            }
            known = next;
        }
        known.contains(&dst)
    }

    /// True if a break, which is over, may be the reason why a node has no route, or a wrong one. It has cost the node none if it has never
    /// had one, and has kept none from it before routers could have found one, or while a lost message did so. An outage has cost what they knew.
    pub(super) fn may_have_cost_route(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        root: &RootCause,
    ) -> bool {
        if self.routed.contains(&ends) {
            return true;
        }
        if self.worked_by_fading(scene, root) {
            return false;
        }
        if root.cause == Some(LossCause::NodeDown) {
            return self.would_have_route(scene, ends);
        }
        let (near, far) = (scene.hops(ends.0), scene.hops(ends.1));
        if self.missed_before(scene, ends, (&near, &far), root) {
            return false;
        }
        // The routers without disturbances move as those of the run do.
        match root.is_physical() {
            true => self.could_have_route(scene, ends, (&near, &far)),
            false => self.may_be_known(scene, ends, (&near, &far)) && self.would_have_route(scene, ends),
        }
    }

    /// True if the broken hop of a root cause was longer than the mean reach when it broke, and some time before: it has worked only because of
    /// fading, and no route could rely on it.
    fn worked_by_fading(&self, scene: &mut Scene<'_>, root: &RootCause) -> bool {
        let broken = root.next_hop.filter(|_| root.cause == Some(LossCause::LinkFailure));
        let before = root.at.earlier_by(self.timing.stale_tables);
        broken.is_some_and(|hop| {
            scene.out_of_reach(root.node, hop) == Some(LossCause::LinkFailure)
                && !scene.was_in_range(root.node, hop, (before, root.at))
        })
    }

    /// True if a node could have a route by now, had no message been lost; or if it is farther than two hops and would have one without any
    /// disturbance: nodes of a path that is a shortest one now may have met only after another one had become known.
    fn may_be_known(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        (near, far): (&Hops, &Hops),
    ) -> bool {
        let far_away = far.of(ends.0).is_some_and(|hops| hops > 2);
        self.could_have_route(scene, ends, (near, far))
            || far_away && self.undisturbed.borrow_mut().has_route(scene, ends) == Some(true)
    }

    /// True if a lost table had kept a node's first route away before a break struck, which leaves another path as short.
    fn missed_before(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        paths: (&Hops, &Hops),
        root: &RootCause,
    ) -> bool {
        let Some(link) = root.hop() else { return false };
        let Some((_, miss)) = self.missed_table(scene, ends, paths) else { return false };
        let worked = scene.hops_at(link.0, miss.at).of(link.1) == Some(1);
        let over_it = |scene: &mut Scene<'_>| scene.leads(ends, link, scene.now, &[link]);
        worked && over_it(scene).is_none_or(|length| paths.1.of(ends.0).is_some_and(|now| now <= length))
    }

    /// True if a node would have a route by now without any disturbance, as far as can be told.
    pub(super) fn would_have_route(&self, scene: &mut Scene<'_>, ends: (NodeId, NodeId)) -> bool {
        self.undisturbed.borrow_mut().has_route(scene, ends).unwrap_or(true)
    }

    /// True if a node cannot have had a route yet to a destination that outages and cuts keep away now.
    pub(super) fn is_early(&self, scene: &mut Scene<'_>, ends: (NodeId, NodeId)) -> bool {
        let known = !self.proactive || self.routed.contains(&ends) || self.would_have_route(scene, ends);
        !known && Undisturbed::has_path(scene, ends)
    }

    /// True if a node could have a route by now to a neighbour over another one, which both have met earlier.
    fn round_about(
        &self,
        scene: &Scene<'_>,
        (node, dst): (NodeId, NodeId),
        (near, far): (&Hops, &Hops),
    ) -> bool {
        let common = |n: &NodeId| near.of(*n) == Some(1) && far.of(*n) == Some(1);
        scene.nodes.ids().filter(common).any(|m| self.beyond(node, m, dst).is_some())
    }

    /// True if a TC message of `u` that names `v` could have reached a node. `layers` are the nodes of shortest paths from
    /// there to `u`, without `u`: each has to be chosen as relay by the one before.
    fn told(&self, scene: &mut Scene<'_>, (u, v): (NodeId, NodeId), layers: &[Vec<NodeId>]) -> bool {
        let [first, relays @ ..] = layers else { return false };
        let last = relays.last().unwrap_or(first);
        let Some(chosen) = self.chosen_for(scene, (v, u), last) else { return false };
        let mut senders = vec![(u, chosen)];
        for (place, layer) in layers.iter().enumerate().rev() {
            let mut reached = Vec::new();
            for &w in layer {
                let from = |scene: &mut Scene<'_>, (sender, since): (NodeId, SimTime)| {
                    if !scene.in_range(sender, w) {
                        return None;
                    }
                    let symmetric = self.symmetric(w, sender)?;
                    let relays = match place.checked_sub(1).and_then(|place| layers.get(place)) {
                        Some(beyond) => self.chosen_for(scene, (sender, w), beyond)?,
                        None => SimTime::ZERO,
                    };
                    Some(since.max(symmetric).max(relays))
                };
                if let Some(since) = senders.iter().filter_map(|sender| from(scene, *sender)).min() {
                    reached.push((w, since));
                }
            }
            senders = reached;
        }
        let Some(ready) = senders.iter().map(|(_, since)| *since).min() else { return false };
        // The message after that, and its relays' delays.
        let made = if self.timing.topology.is_zero() {
            Some(ready)
        } else {
            self.hellos[u.index()].table_after(ready)
        };
        made.is_some_and(|made| scene.now >= made + self.timing.relayed * relays.len() as u64)
    }

    /// A table that a router on a shortest path missed lately.
    pub(super) fn missed_table(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        (near, far): (&Hops, &Hops),
    ) -> Option<((NodeId, NodeId), Miss)> {
        let shortest = far.of(ends.0)?;
        let length = if self.may_be_known(scene, ends, (near, far)) {
            shortest
        } else if shortest == 1 && self.round_about(scene, ends, (near, far)) {
            2
        } else {
            return None;
        };
        let now = scene.now;
        let stations = (0u16..).map(NodeId).zip(&self.tables_missed);
        let all =
            stations.flat_map(|(to, misses)| misses.iter().map(move |(from, miss)| ((*from, to), *miss)));
        // Messages pass the links of a shortest path in both directions.
        let ahead = |a, b| near.of(a).zip(far.of(b)).is_some_and(|(from, to)| from + 1 + to == length);
        let useful = all.filter(|((from, to), _)| ahead(*from, *to) || ahead(*to, *from));
        // Nodes that have moved apart since have no link now, which the message would have told of.
        let useful = useful.filter(|((from, to), _)| scene.in_range(*from, *to));
        let first =
            useful.filter(|(_, miss)| miss.at + self.timing.tables >= now).min_by_key(|(_, miss)| miss.at);
        first.filter(|_| self.would_have_route(scene, ends))
    }
}
