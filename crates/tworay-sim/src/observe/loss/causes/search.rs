//! A packet waits for a route, or dies for want of one, although a path exists.
//!
//! The cause is that of the messages of this very search that were lost on a path that could have carried the
//! packet. If none were lost, routing had not found the path, or cannot: `no-route`. A routing buffer that
//! is full before a search has had a second is full because of load. A reply that is lost to another reply of its search
//! kept nothing from being found: what becomes of the other one decides.

use super::Causes;
use super::records::{Leg, LostRoute, Miss, Prospect};
use crate::observe::loss::root_cause::RootCause;
use crate::observe::loss::scene::{Hops, Scene};
use smallvec::{SmallVec, smallvec};
use tworay_base::{Died, LossCause, NodeId, SimTime};
use tworay_wire::aodv::AodvMessage;
use tworay_wire::{Body, Packet};

/// Sender and intended receiver of a lost message.
type Hop = (NodeId, NodeId);

/// The searches that a message belongs to: searching node, destination, direction.
fn searches(packet: &Packet) -> SmallVec<[(NodeId, NodeId, Leg); 2]> {
    match (&packet.body, &packet.dsr) {
        (Body::Aodv(message), _) => match &**message {
            AodvMessage::Rreq(request) => smallvec![(request.orig, request.dst, Leg::Request)],
            AodvMessage::Rrep(reply) => smallvec![(reply.orig, reply.dst, Leg::Reply)],
            AodvMessage::Rerr(_) | AodvMessage::RrepAck => SmallVec::new(),
        },
        (_, Some(header)) => {
            let request = header.request.iter().map(|r| (packet.src, r.target, Leg::Request));
            let target = |addresses: &[NodeId]| addresses.last().copied();
            let replies = header.replies.iter().filter_map(|r| Some((packet.dst, target(&r.addresses)?)));
            request.chain(replies.map(|(searcher, target)| (searcher, target, Leg::Reply))).collect()
        }
        _ => SmallVec::new(),
    }
}

/// True if a message consists of replies only whose place another message takes.
pub(super) fn is_replaced(lost: &Packet, by: &Packet) -> bool {
    let (lost, by) = (searches(lost), searches(by));
    !lost.is_empty() && lost.iter().all(|search| search.2 == Leg::Reply && by.contains(search))
}

impl Causes {
    /// The latest message of `from` that `node` missed.
    pub(super) fn missed(&self, node: NodeId, from: NodeId) -> Option<&Miss> {
        self.missed[node.index()].iter().find(|(sender, _)| *sender == from).map(|(_, miss)| miss)
    }

    /// Station `node` failed to receive a message of `from`. A route discovery or address resolution may fail
    /// for this reason.
    #[cold]
    pub fn note_missed(
        &mut self,
        now: SimTime,
        (node, from): (NodeId, NodeId),
        (cause, interferer): (LossCause, Option<NodeId>),
        packet: Option<&Packet>,
    ) {
        let miss = Miss { at: now, cause, interferer };
        if let Some(known) = self.missed.get_mut(node.index()) {
            match known.iter_mut().find(|(sender, _)| *sender == from) {
                Some((_, latest)) => *latest = miss,
                None => known.push((from, miss)),
            }
        } else {
            self.unsent.insert(from, miss);
        }
        for (searcher, target, leg) in packet.into_iter().flat_map(searches) {
            let search = self.searches.entry((searcher, target)).or_default();
            while search.lost.front().is_some_and(|(.., miss)| miss.at + self.timers.kept < now) {
                search.lost.pop_front();
            }
            search.lost.push_back((leg, from, node, miss));
        }
    }

    /// `node` sends a message of its own: if it is a request for a route, notes whether it can succeed. A request
    /// whose hop limit ends before the destination changes nothing in a search that goes on.
    pub fn note_request(&mut self, scene: &mut Scene<'_>, node: NodeId, packet: &Packet) {
        for (searcher, dst, leg) in searches(packet) {
            if (searcher, leg) != (node, Leg::Request) {
                continue;
            }
            let now = scene.now;
            if self.searches.get(&(node, dst)).is_some_and(|search| search.asked == now) {
                continue;
            }
            let known = self.lost[node.index()].get(&dst).copied();
            let hops = scene.path(node, dst, false);
            let blocked = hops.is_none().then(|| scene.obstruction(node, dst));
            let prospect = match self.obstacle(scene, (node, dst), known, blocked) {
                Some(root) if root.is_physical() => Prospect::Hopeless { at: now, root },
                Some(_) => Prospect::Open,
                None => {
                    let reach = scene.nodes[node].router.search_reach();
                    let far = hops.is_some_and(|hops| hops.min(reach) > packet.ttl.into());
                    if far && known.is_some_and(|lost| lost.is_needed(now, self.timers.unused)) {
                        continue;
                    }
                    Prospect::Open
                }
            };
            if matches!(prospect, Prospect::Open) {
                // A break that is over explains nothing from here on.
                self.lost[node.index()].entry(dst).and_modify(LostRoute::look_again);
            }
            let search = self.searches.entry((node, dst)).or_default();
            (search.prospect, search.asked) = (prospect, now);
            while search.requests.front().is_some_and(|asked| *asked + self.timers.kept < now) {
                search.requests.pop_front();
            }
            search.requests.push_back(now);
        }
    }

    /// The prospect of the latest request of `node` for `dst`.
    pub(super) fn prospect(&self, node: NodeId, dst: NodeId) -> Prospect {
        self.searches.get(&(node, dst)).map(|search| search.prospect).unwrap_or_default()
    }

    /// `node` has a route to `dst`, or has just lost it: earlier requests no longer matter.
    pub(super) fn end_prospect(&mut self, node: NodeId, dst: NodeId) {
        if let Some(search) = self.searches.get_mut(&(node, dst)) {
            search.restart();
        }
    }

    /// The MAC, ARP or a queue lost a routing message or an ARP packet. A message that its router drops, for a reason that
    /// nobody records, explains nothing.
    pub fn note_message_lost(&mut self, now: SimTime, root: &RootCause, packet: &Packet) {
        if let Some(cause) = root.cause.filter(|cause| *cause != LossCause::Unknown) {
            let next_hop = root.next_hop.unwrap_or(NodeId::BROADCAST);
            self.note_missed(now, (next_hop, root.node), (cause, root.interferer), Some(packet));
        }
    }

    /// The root of a packet for `dst` that died as `died`, if its root cause is a search whose outcome was open.
    pub(crate) fn outcome(
        &self,
        scene: &mut Scene<'_>,
        root: RootCause,
        dst: NodeId,
        died: Died,
    ) -> RootCause {
        if root.cause.is_some() { root } else { self.verdict(scene, (root, dst), died, SimTime::NEVER) }
    }

    /// As [`Self::outcome`], from the messages lost until `until`.
    fn verdict(
        &self,
        scene: &mut Scene<'_>,
        (root, dst): (RootCause, NodeId),
        died: Died,
        until: SimTime,
    ) -> RootCause {
        let (node, now) = (root.node, scene.now);
        // When the first packet of a search goes on, the record of the missing route ends; others of it follow.
        let missing = self.lost[node.index()].get(&dst).map(|lost| lost.began);
        let began = missing.unwrap_or(root.at);
        let of_this = |asked: &SimTime| missing.is_none_or(|began| *asked >= began);
        let asked = self.search_since((node, dst), root.at).filter(of_this);
        let since = asked
            .unwrap_or(SimTime::from_nanos(began.as_nanos().saturating_sub(self.timers.recent.as_nanos())));
        let (near, far) = (scene.hops(node), scene.hops(dst));
        let Some(length) = far.of(node) else {
            // The path that existed when the search began has gone.
            return RootCause { cause: scene.no_path(node, dst), ..root };
        };
        if length > scene.nodes[node].router.search_reach() {
            return RootCause { cause: Some(LossCause::NoRoute), ..root };
        }
        if let Some(((from, to), miss)) = self.spoiler(now, (node, dst), (&near, &far), (since, until)) {
            let hop = RootCause { node: from, cause: Some(miss.cause), interferer: miss.interferer, ..root };
            let hop = hop.towards(to);
            // A reply comes against the direction of the packet.
            let against = hop.is_physical() && far.is_closer(from, to);
            return if against { hop.reversed() } else { hop };
        }
        if let Some(held) = self.held_reply(scene, (node, dst)) {
            return RootCause { at: root.at, ..held };
        }
        if let Some(cause) = scene.was_apart(node, dst, root.at) {
            // The path has come back, but it was gone while the packet waited.
            return RootCause { cause: Some(cause), ..root };
        }
        let young = died == Died::Buffer && began + self.timers.under_way >= now;
        let cause = if young { LossCause::Congestion } else { LossCause::NoRoute };
        RootCause { cause: Some(cause), ..root }
    }

    /// The node of `root` is about to fail: what prevents its packet for `dst` from going on, if a search has been
    /// doing so. A search that is not late will not have mattered.
    pub fn interrupted(&self, scene: &mut Scene<'_>, root: RootCause, dst: NodeId) -> Option<RootCause> {
        self.held_up_by(scene, (root, dst), SimTime::NEVER)
    }

    /// The search that the packet of `root` for `dst` has waited for has succeeded: what made it late, if anything. A
    /// message that was lost after the latest request did not keep that one from being answered. It counts only for
    /// packets that began to wait then: it may have been the reply, and the route became known in another way.
    pub fn late(&self, scene: &mut Scene<'_>, root: RootCause, dst: NodeId) -> Option<RootCause> {
        let latest = self.searches.get(&(root.node, dst)).and_then(|search| search.requests.back());
        let until = latest.filter(|asked| root.at < **asked).copied().unwrap_or(SimTime::NEVER);
        self.held_up_by(scene, (root, dst), until)
    }

    /// When the request was sent for whose reply a search waited at a time. Every later request is a new chance: what
    /// earlier ones met no longer matters to packets that begin to wait then.
    fn search_since(&self, ends: (NodeId, NodeId), at: SimTime) -> Option<SimTime> {
        self.searches.get(&ends)?.requests.iter().rev().find(|asked| **asked <= at).copied()
    }

    fn held_up_by(
        &self,
        scene: &mut Scene<'_>,
        (root, dst): (RootCause, NodeId),
        until: SimTime,
    ) -> Option<RootCause> {
        let (now, ends) = (scene.now, (root.node, dst));
        let lost = self.searches.get(&ends).and_then(|search| search.lost.back());
        let lost = self.proactive || lost.is_some_and(|(.., miss)| miss.at + self.timers.kept >= now);
        let late = root.at + self.timers.under_way < now;
        if !lost && !late && self.held_reply(scene, ends).is_none() {
            return None;
        }
        let found = self.verdict(scene, (root, dst), Died::Buffer, until);
        (found.cause != Some(LossCause::Congestion)).then_some(found)
    }

    /// The first message lost in a time that kept `node` from finding `dst`, and the hop on which it was lost.
    fn spoiler(
        &self,
        now: SimTime,
        ends: (NodeId, NodeId),
        (near, far): (&Hops, &Hops),
        (since, until): (SimTime, SimTime),
    ) -> Option<(Hop, Miss)> {
        if self.proactive {
            return self.missed_table(now, (near, far), far.of(ends.0)?);
        }
        // On a path that could have carried the packet, requests approach the destination. A reply comes back on
        // the path that its request took, which need not be a shortest one.
        let useful = |(leg, from, to): (Leg, NodeId, NodeId)| match leg {
            // It never reached the medium.
            _ if to.is_broadcast() => near.of(from).is_some(),
            Leg::Request => near.of(from).is_some() && far.is_closer(to, from),
            Leg::Reply => far.of(from).is_some() && near.of(to).is_some(),
        };
        let lost = self.searches.get(&ends)?.lost.iter();
        let mut of_this = lost.filter(|(.., miss)| miss.at >= since && miss.at < until);
        let first = of_this.find(|(leg, from, to, _)| useful((*leg, *from, *to)));
        first.map(|(_, from, to, miss)| ((*from, *to), *miss))
    }

    /// What keeps the address away for which a reply to `node` about `dst` waits.
    fn held_reply(&self, scene: &Scene<'_>, (node, dst): (NodeId, NodeId)) -> Option<RootCause> {
        let replies = |id| searches(scene.packets.get(id)).contains(&(node, dst, Leg::Reply));
        let holders = scene.nodes.ids().filter(|n| scene.nodes[*n].arp.held().any(replies));
        holders.into_iter().find_map(|n| self.lost_for_address(scene.now, n))
    }

    /// A table that a router on a shortest path, of `length` hops, missed lately.
    fn missed_table(&self, now: SimTime, (near, far): (&Hops, &Hops), length: u16) -> Option<(Hop, Miss)> {
        let stations = (0u16..).map(NodeId).zip(&self.missed);
        let all =
            stations.flat_map(|(to, misses)| misses.iter().map(move |(from, miss)| ((*from, to), *miss)));
        // Messages pass the links of a shortest path in both directions.
        let ahead = |a, b| near.of(a).zip(far.of(b)).is_some_and(|(from, to)| from + 1 + to == length);
        let useful = all.filter(|((from, to), _)| ahead(*from, *to) || ahead(*to, *from));
        useful.filter(|(_, miss)| miss.at + self.timers.tables >= now).min_by_key(|(_, miss)| miss.at)
    }
}
