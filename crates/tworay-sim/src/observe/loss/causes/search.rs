//! A packet waits for a route, or dies for want of one, although a path exists.
//!
//! The cause is that of the messages of this very search that were lost on a path that could have carried the
//! packet, and without whose loss it would have had a chance: the hop limit of a request must have reached as far as the
//! destination, or a node that knew a route to it. If none were lost, routing had not found the path, or cannot:
//! `no-route`. A copy of a request that is lost at a node that has had another one matters to nobody. A routing buffer that is full before a search has had a second is full because of load. A reply that is
//! lost to another reply of its search kept nothing from being found: what becomes of the other one decides. So does what becomes of the
//! answer to a request that has reached someone in spite of its lost copies.

use super::Causes;
use super::answers::useful;
use super::records::{Had, Leg, LostMessage, LostRoute, Miss, Prospect, Ring};
use crate::observe::loss::root_cause::{Found, Hop, RootCause};
use crate::observe::loss::scene::{Hops, Scene};
use smallvec::{SmallVec, smallvec};
use tworay_base::{Died, LossCause, NodeId, SimTime};
use tworay_wire::aodv::AodvMessage;
use tworay_wire::{Body, Packet};

/// Lost messages of a search.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Which {
    /// Those without whose loss the search might have been answered.
    Decisive,
    /// Copies of requests that were answered all the same: they count only if nothing else explains why the search goes on.
    Answered,
}

/// The searches that a message belongs to: searching node, destination, direction.
pub(super) fn searches(packet: &Packet) -> SmallVec<[(NodeId, NodeId, Leg); 2]> {
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

/// The number of the request that a message carries.
fn request_number(packet: &Packet) -> Option<u32> {
    match (&packet.body, &packet.dsr) {
        (Body::Aodv(message), _) => match &**message {
            AodvMessage::Rreq(request) => Some(request.id),
            AodvMessage::Rrep(_) | AodvMessage::Rerr(_) | AodvMessage::RrepAck => None,
        },
        (_, Some(header)) => header.request.as_ref().map(|request| request.id.into()),
        _ => None,
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
        let miss = Miss { at: now, cause, interferer, elsewhere: None, delayed: false };
        self.record((node, from), miss, packet);
    }

    pub(super) fn record(&mut self, (node, from): (NodeId, NodeId), miss: Miss, packet: Option<&Packet>) {
        let now = miss.at;
        if let Some(known) = self.missed.get_mut(node.index()) {
            match known.iter_mut().find(|(sender, _)| *sender == from) {
                Some((_, latest)) => *latest = miss,
                None => known.push((from, miss)),
            }
        } else {
            self.unsent.insert(from, miss);
        }
        let Some(packet) = packet else { return };
        if let Body::Arp(arp) = &packet.body
            && (node == arp.target || node.is_broadcast())
        {
            self.arp_lost.insert((arp.target, from), miss);
        }
        self.note_table_missed((node, from), miss, packet);
        for (searcher, target, leg) in searches(packet) {
            let search = self.searches.entry((searcher, target)).or_default();
            let needless = node == searcher || search.has_had(node, request_number(packet));
            if leg == Leg::Request && needless {
                continue;
            }
            while search.lost.front().is_some_and(|lost| lost.miss.at + self.timing.kept < now) {
                search.lost.pop_front();
            }
            search.lost.push_back(LostMessage { leg, from, to: node, ttl: packet.ttl, due: now, miss });
        }
    }

    /// `node` makes a message of its own. If it is a request for a route, this notes whether it can succeed. A request
    /// whose hop limit ends before the destination changes nothing in a search that goes on.
    pub fn note_request(&mut self, scene: &mut Scene<'_>, node: NodeId, packet: &Packet) {
        if self.proactive {
            return self.note_table_made(scene, node, packet);
        }
        let now = scene.now;
        for (searcher, dst, leg) in searches(packet) {
            let search = self.searches.get_mut(&(searcher, dst));
            if let Some(search) = search.filter(|_| searcher != node) {
                let number = request_number(packet).filter(|_| leg == Leg::Request);
                search.had.insert(node, number.map_or(Had::Answered(now), Had::Sent));
            }
            if (searcher, leg) != (node, Leg::Request) {
                continue;
            }
            if self.searches.get(&(node, dst)).is_some_and(|search| search.asked == now) {
                continue;
            }
            let known = self.lost[node.index()].get(&dst).copied();
            let hops = scene.path(node, dst, false);
            if hops.is_some_and(|hops| hops > packet.ttl.into()) {
                self.note_ring(scene, (node, dst));
            }
            let blocked = hops.is_none().then(|| scene.obstruction(node, dst));
            let prospect = match self.obstacle(scene, (node, dst), known, blocked) {
                Some(root) if root.is_physical() => Prospect::Hopeless { at: now, root },
                Some(_) => Prospect::Open,
                None => {
                    let reach = scene.nodes[node].router.search_reach();
                    let far = hops.is_some_and(|hops| hops.min(reach) > packet.ttl.into());
                    if far && known.is_some_and(|lost| lost.is_needed(now, self.timing.unused)) {
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
            while search.requests.front().is_some_and(|asked| *asked + self.timing.kept < now) {
                search.requests.pop_front();
            }
            search.requests.push_back(now);
        }
    }

    /// A packet waits at a node for a search from now on. What TCP sends into a search fits into its window and finds places.
    #[cold]
    pub fn note_wait(&mut self, now: SimTime, ends: (NodeId, NodeId)) {
        if self.waiting.is_some() {
            self.searches.entry(ends).or_default().note_wait(now);
        }
    }

    /// `node` makes a message of its own in reaction to a break.
    pub fn note_set_off(&mut self, now: SimTime, node: NodeId, packet: &Packet, root: RootCause) {
        let own = searches(packet).into_iter().filter(|(of, _, leg)| (*of, *leg) == (node, Leg::Request));
        own.for_each(|(_, dst, _)| {
            self.searches.entry((node, dst)).or_default().set_off = Some((now, root));
        });
    }

    /// `node` sends a request for `dst` that does not reach as far.
    fn note_ring(&mut self, scene: &Scene<'_>, (node, dst): (NodeId, NodeId)) {
        let knows =
            |n: &NodeId| self.relays_answer && *n != node && scene.nodes[*n].router.hop_count(dst).is_some();
        let answerers = scene.nodes.ids().filter(knows).collect();
        let rings = &mut self.searches.entry((node, dst)).or_default().rings;
        while rings.front().is_some_and(|ring| ring.asked + self.timing.kept < scene.now) {
            rings.pop_front();
        }
        rings.push_back(Ring { asked: scene.now, answerers });
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

    /// The MAC, ARP or a queue lost a routing message or an ARP packet on a hop, because of a root that may have struck
    /// elsewhere. A message that its router drops, for a reason that nobody records, explains nothing.
    pub fn note_message_lost(&mut self, now: SimTime, hop: Hop, root: &RootCause, packet: &Packet) {
        self.note_message(now, hop, (root, false), packet);
    }

    /// A message has waited for an address, and goes on. A search that waits for it suffers as if it had been lost.
    pub fn note_message_delayed(&mut self, now: SimTime, hop: Hop, root: &RootCause, packet: &Packet) {
        let root = self.of_answer(now, hop, *root);
        self.note_message(now, hop, (&root, true), packet);
        self.note_waited(now, hop, packet);
    }

    /// The message that was just noted has waited for an address.
    pub(super) fn note_waited(&mut self, now: SimTime, (node, next_hop): Hop, packet: &Packet) {
        let since = self.began(now, node, next_hop);
        for (searcher, target, _) in searches(packet) {
            let Some(search) = self.searches.get_mut(&(searcher, target)) else { continue };
            let due = search.due(since, now);
            let noted = search.lost.back_mut().filter(|lost| lost.miss.at == now);
            noted.into_iter().for_each(|lost| lost.due = due);
        }
    }

    fn note_message(
        &mut self,
        now: SimTime,
        (node, next_hop): Hop,
        (root, delayed): (&RootCause, bool),
        packet: &Packet,
    ) {
        if let Some(cause) = root.cause.filter(|cause| *cause != LossCause::Unknown) {
            let struck = (root.node, root.next_hop);
            let elsewhere = Some(struck).filter(|struck| *struck != (node, Some(next_hop)));
            let elsewhere = elsewhere.filter(|struck| *struck != (node, None) || !next_hop.is_broadcast());
            let miss = Miss { at: now, cause, interferer: root.interferer, elsewhere, delayed };
            self.record((next_hop, node), miss, Some(packet));
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
        if root.cause.is_some() {
            return root;
        }
        let found = self.verdict(scene, (root, dst), died, SimTime::NEVER);
        if found.lost_anyway { RootCause { cause: Some(LossCause::Congestion), ..root } } else { found.root }
    }

    /// As [`Self::outcome`], from the messages lost until `until`.
    fn verdict(
        &self,
        scene: &mut Scene<'_>,
        (root, dst): (RootCause, NodeId),
        died: Died,
        until: SimTime,
    ) -> Found {
        let (node, now) = (root.node, scene.now);
        // When the first packet of a search goes on, the record of the missing route ends; others of it follow.
        let missing = self.lost[node.index()].get(&dst).map(|lost| lost.began);
        let began = missing.unwrap_or(root.at);
        let of_this = |asked: &SimTime| missing.is_none_or(|began| *asked >= began);
        let asked = self.search_since((node, dst), root.at).filter(of_this);
        let since = asked.unwrap_or(began.earlier_by(self.timing.recent));
        let (mut near, mut far) = (scene.hops(node), scene.hops(dst));
        let gone = far.of(node).is_none();
        if gone {
            // The path that existed when the search began has gone.
            let then = self.had_chance(scene, (node, dst), root.at);
            let Some(then) = then.or_else(|| self.missed_chance(scene, (node, dst), (since, root.at))) else {
                let cause = scene.obstruction(node, dst);
                let closed_by = self.closing_break(scene, (node, dst), cause, None);
                let beyond = self.out_of_search(scene, (node, dst), &closed_by);
                let cause = if beyond { LossCause::NoRoute } else { cause };
                return RootCause { cause: Some(cause), ..root }.into();
            };
            (near, far) = (scene.hops_at(node, then).into(), scene.hops_at(dst, then).into());
        }
        let Some(length) = far.of(node) else {
            return RootCause { cause: scene.no_path(node, dst), ..root }.into();
        };
        if length > scene.nodes[node].router.search_reach() {
            return RootCause { cause: Some(LossCause::NoRoute), ..root }.into();
        }
        let spoilt = |scene: &mut Scene<'_>, which| {
            self.spoilt_by(scene, (root, dst), (&near, &far), (since, until), which)
        };
        let decisive = spoilt(scene, Which::Decisive);
        let held =
            |scene: &mut Scene<'_>| Some(RootCause { at: root.at, ..self.held_reply(scene, (node, dst))?.1 });
        let found = decisive.or_else(|| held(scene)).or_else(|| spoilt(scene, Which::Answered));
        if let Some(found) = found {
            let lost_anyway = self.lost_anyway(scene, (node, dst), root.at, (&near, &far));
            return Found { root: found, lost_anyway };
        }
        if !gone && let Some(cause) = scene.was_apart(node, dst, root.at) {
            // The path has come back, but it was gone while the packet waited.
            return RootCause { cause: Some(cause), ..root }.into();
        }
        let young = died == Died::Buffer && began + self.timing.under_way >= now;
        let cause = if young { LossCause::Congestion } else { LossCause::NoRoute };
        RootCause { cause: Some(cause), ..root }.into()
    }

    /// A packet has waited since `from` for a search, and there is no path any more. If there was one for as long as a search
    /// takes that nothing delays, returns the end of that time: what delayed the search came first, and the packet would
    /// have gone on without it.
    fn had_chance(
        &self,
        scene: &mut Scene<'_>,
        (node, dst): (NodeId, NodeId),
        from: SimTime,
    ) -> Option<SimTime> {
        let due = from + self.timing.under_way;
        (due < scene.now && scene.existed((node, dst), (from, due))).then_some(due)
    }

    /// As [`Self::had_chance`], for a packet that has waited since `from`: the path stood until a request or reply, lost after
    /// `since`, would have brought the answer. A search may have gone on for long when the packet came.
    fn missed_chance(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        (since, from): (SimTime, SimTime),
    ) -> Option<SimTime> {
        let search = self.searches.get(&ends)?;
        let mut of_this =
            search.lost.iter().filter(|lost| lost.miss.at >= since && !search.has_answer_to(lost));
        of_this.find_map(|lost| {
            let (near, far) = (scene.hops_at(ends.0, lost.miss.at), scene.hops_at(ends.1, lost.miss.at));
            let due = search.answer_of(lost, (&near, &far)).max(from);
            let stood = due < scene.now && scene.existed(ends, (lost.miss.at, due));
            (stood && useful(scene, search, lost, (&near, &far))).then_some(due)
        })
    }

    /// The node of `root` is about to fail: what prevents its packet for `dst` from going on, if a search has been
    /// doing so. A search that is not late will not have mattered.
    pub fn interrupted(&self, scene: &mut Scene<'_>, root: RootCause, dst: NodeId) -> Option<RootCause> {
        self.held_up_by(scene, (root, dst), SimTime::NEVER).map(|found| found.root)
    }

    /// The search that the packet of `root` for `dst` has waited for has succeeded: what made it late, if anything. A
    /// message that was lost after the latest request did not keep that one from being answered. It counts only for
    /// packets that began to wait then: it may have been the reply, and the route became known in another way.
    pub fn late(&self, scene: &mut Scene<'_>, root: RootCause, dst: NodeId) -> Option<Found> {
        let latest = self.searches.get(&(root.node, dst)).and_then(|search| search.requests.back());
        let until = latest.filter(|asked| root.at < **asked).copied().unwrap_or(SimTime::NEVER);
        self.held_up_by(scene, (root, dst), until)
    }

    /// When the request was sent for whose reply a search waited at a time. Every later request is a new chance: what
    /// earlier ones met no longer matters to packets that begin to wait then.
    fn search_since(&self, ends: (NodeId, NodeId), at: SimTime) -> Option<SimTime> {
        self.searches.get(&ends)?.requests.iter().rev().find(|asked| **asked <= at).copied()
    }

    /// True if a packet that waits for a route since a time waits for longer than a search that nothing delays.
    pub fn is_late(&self, since: SimTime, now: SimTime) -> bool {
        since + self.timing.under_way < now
    }

    fn held_up_by(
        &self,
        scene: &mut Scene<'_>,
        (root, dst): (RootCause, NodeId),
        until: SimTime,
    ) -> Option<Found> {
        let (now, ends) = (scene.now, (root.node, dst));
        let lost = self.searches.get(&ends).and_then(|search| search.lost.back());
        let lost = self.proactive || lost.is_some_and(|lost| lost.miss.at + self.timing.kept >= now);
        let late = self.is_late(root.at, now);
        if !lost && !late && self.held_reply(scene, ends).is_none() {
            return None;
        }
        let found = self.verdict(scene, (root, dst), Died::Buffer, until);
        match found.root.cause {
            Some(LossCause::Congestion) => None,
            // No message of this search was lost: what earlier packets met did not matter to this one.
            Some(LossCause::NoRoute)
                if !late && (found.root.node, found.root.next_hop) == (root.node, root.next_hop) =>
            {
                None
            }
            _ => Some(found),
        }
    }

    /// Root cause of the first message lost in a time that kept the node of `root` from finding `dst`.
    fn spoilt_by(
        &self,
        scene: &mut Scene<'_>,
        (root, dst): (RootCause, NodeId),
        (near, far): (&Hops, &Hops),
        span: (SimTime, SimTime),
        which: Which,
    ) -> Option<RootCause> {
        let ((from, to), miss) = self.spoiler(scene, (root.node, dst), (near, far), span, which)?;
        let hop = miss.root(RootCause { node: from, ..root }.towards(to));
        // A reply comes against the direction of the packet.
        let against = hop.is_physical() && hop.next_hop.is_some_and(|to| far.is_closer(hop.node, to));
        Some(if against { hop.reversed() } else { hop })
    }

    /// The root cause that spoiled the search for a route that was `lost` although the link works. Every request is a new chance,
    /// as in [`Self::search_since`]. If load has cost the route, load during the search is no other cause.
    pub(super) fn search_spoilt(
        &self,
        scene: &mut Scene<'_>,
        (node, dst): (NodeId, NodeId),
        lost: &LostRoute,
    ) -> Option<RootCause> {
        if self.proactive {
            return None;
        }
        let asked = self.search_since((node, dst), scene.now).filter(|asked| *asked > lost.began);
        let span = (asked.unwrap_or(lost.began), SimTime::NEVER);
        // Each packet that waits asks for this, and hop counts take a walk over the network: only if a message was lost.
        let messages = &self.searches.get(&(node, dst))?.lost;
        if !messages.iter().any(|message| message.miss.at >= span.0) {
            return None;
        }
        let (near, far) = (scene.hops(node), scene.hops(dst));
        let search = RootCause::search(scene.now, node);
        let spoilt = [Which::Decisive, Which::Answered]
            .into_iter()
            .find_map(|which| self.spoilt_by(scene, (search, dst), (&near, &far), span, which));
        let both_by_load =
            |spoilt: &RootCause| !spoilt.is_independent_of_load() && !lost.root.is_independent_of_load();
        spoilt.filter(|spoilt| !both_by_load(spoilt))
    }

    /// The first message lost in a time that kept `node` from finding `dst`, and the hop on which it was lost.
    fn spoiler(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        paths: (&Hops, &Hops),
        span: (SimTime, SimTime),
        which: Which,
    ) -> Option<(Hop, Miss)> {
        if self.proactive {
            return if which == Which::Decisive { self.missed_table(scene, ends, paths) } else { None };
        }
        self.lost_of_search(scene, ends, paths, span, which).map(|lost| ((lost.from, lost.to), lost.miss))
    }

    /// The same of a search: the message.
    fn lost_of_search(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        (near, far): (&Hops, &Hops),
        (since, until): (SimTime, SimTime),
        which: Which,
    ) -> Option<LostMessage> {
        let (now, search) = (scene.now, self.searches.get(&ends)?);
        let in_time = |lost: &&LostMessage| lost.miss.at >= since && lost.miss.at < until;
        let is_one = |lost: &&LostMessage| search.has_answer_to(lost) == (which == Which::Answered);
        let of_this = || search.lost.iter().filter(in_time).filter(is_one);
        let mattered = |scene: &mut Scene<'_>, lost: &LostMessage, (near, far): (&Hops, &Hops)| {
            search.answer_of(lost, (near, far)) <= now && useful(scene, search, lost, (near, far))
        };
        let found = of_this().find(|lost| mattered(scene, lost, (near, far)));
        let changes = scene.changes();
        // Where paths change, the one that mattered to a message is that of its own time.
        let then = |lost: &&LostMessage| {
            let [near, far] = [ends.0, ends.1].map(|end| scene.hops_at(end, lost.miss.at));
            far.of(ends.0).is_some() && mattered(scene, lost, (&near, &far))
        };
        let found = if found.is_none() && changes { of_this().find(then) } else { found };
        found.copied()
    }

    /// True if a packet that waits at a node since a time for a late search would have been lost to load when that had ended in time
    /// (`release`).
    fn lost_anyway(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        since: SimTime,
        paths: (&Hops, &Hops),
    ) -> bool {
        let Some((waiting, search)) = self.waiting.zip(self.searches.get(&ends)) else { return false };
        let Some((began, places)) = search.waits.first().zip(scene.places(ends.0)) else { return false };
        if search.finds_places(waiting, places) {
            return false;
        }
        let span = (*began, SimTime::NEVER);
        let decisive = self.lost_of_search(scene, ends, paths, span, Which::Decisive);
        let held = |scene: &mut Scene<'_>| {
            let ((from, to), root) = self.held_reply(scene, ends)?;
            let due = search.due(self.began(scene.now, from, to), scene.now);
            let miss =
                Miss { at: scene.now, cause: root.cause?, interferer: None, elsewhere: None, delayed: true };
            Some(LostMessage { leg: Leg::Reply, from, to, ttl: 0, due, miss })
        };
        let found = decisive.or_else(|| held(scene));
        let found = found.or_else(|| self.lost_of_search(scene, ends, paths, span, Which::Answered));
        let in_time = found.map(|lost| search.answer_of(&lost, paths));
        in_time.is_some_and(|end| search.loses(waiting, since, end, places))
    }

    /// The hop at which a reply to `node` about `dst` waits for an address, and the root cause that keeps the address away.
    fn held_reply(&self, scene: &mut Scene<'_>, (node, dst): (NodeId, NodeId)) -> Option<(Hop, RootCause)> {
        let replies = |id| searches(scene.packets.get(id)).contains(&(node, dst, Leg::Reply));
        let held =
            |n: NodeId| scene.nodes[n].arp.held().filter(|(_, id)| replies(*id)).map(move |(to, _)| (n, to));
        let waiting: Vec<Hop> = scene.nodes.ids().flat_map(held).collect();
        // The packets that wait for the reply go the other way.
        let held = |hop| Some((hop, self.lost_for_address(scene, hop)?));
        let (hop, root) = waiting.into_iter().find_map(held)?;
        let answer = self.of_answer(scene.now, hop, root);
        Some((hop, if root.is_physical() { root.reversed() } else { answer }))
    }
}

#[cfg(test)]
mod tests;
