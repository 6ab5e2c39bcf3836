//! A lost route, a missing route, and packets that circle.
//!
//! **A lost route** has the root of the break that removed it. A node that loses a route because of a route
//! error inherits the record of the error's sender for the destination (AODV), or the record of the link that
//! the error names (DSR). OLSR's messages name no break: the latest break on a path between the holder and the
//! destination applies, as the nodes stood at the time of the break. The record ends as soon as a packet is
//! forwarded to the destination again.
//!
//! **A missing route** is judged for every packet; while a break is the reason, and with OLSR, once a second. Without a
//! path of stations in range, `closing` names the break. Where a path exists, a break on record counts while its link is
//! out of reach and packets need the route without a long pause. A link that was given up although it was in reach
//! works: what the latest request for another route, or the answer to it, was lost to comes first. Once a break is over,
//! it counts for packets that wait for a search until that search has had a chance: until the searching node's next request that reaches far enough, however long the backoff before it. The outcome of a
//! search that has had its chance is judged by `search`. Who noticed the break, and earlier breaks, do not matter.
//!
//! Before OLSR has its first route, a break is the reason only from when the node would have had one without it (`undisturbed`).
//!
//! **A packet that circles** (hop limit exceeded, back at its source, or at a relay that it has passed) has the root of the break
//! that made the routing tables inconsistent. If its hop limit is exceeded and the shortest path is longer than its way so far,
//! the cause is the hop limit; if there is no path, geometry decides.

use super::records::{LostRoute, Prospect};
use super::{Causes, Trigger};
use crate::observe::loss::root_cause::RootCause;
use crate::observe::loss::scene::Scene;
use tworay_base::{Died, LossCause, NodeId, PacketId, SimDuration, SimTime};
use tworay_routing::DropReason;

/// Time for which a break counts as the reason without another look at geometry.
const GEOMETRY: SimDuration = SimDuration::from_secs(1);

/// Who needs the route that is missing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Need {
    /// A packet that waits for a search, and for the backoff between its requests.
    OfSearch,
    /// A packet that the node drops; it may not search at all.
    Now,
}

impl Causes {
    /// A route in use at `node` was lost.
    pub fn note_route_lost(
        &mut self,
        scene: &mut Scene<'_>,
        (node, dst): (NodeId, NodeId),
        trigger: &Trigger,
    ) {
        if self.proactive {
            self.routed.insert((node, dst));
        }
        let root = match *trigger {
            Trigger::Break(_, root) => Some(root),
            Trigger::Received(_, Some((a, b))) => {
                let known = self.breaks.get(&(a, b)).copied();
                Some(known.unwrap_or_else(|| self.link(scene, (a, b), &Trigger::Other)))
            }
            Trigger::Received(from, None) if !self.proactive => {
                let reported = self.lost[from.index()].get(&dst).map(|lost| lost.root);
                // An outage of the sender itself, or the lack of any path, is on no hop.
                reported.filter(|root| root.next_hop.is_some() || root.is_physical())
            }
            // The route expired, its repair failed (then the break is already on record), or a table no
            // longer has it.
            Trigger::Received(_, None) | Trigger::Other => None,
        };
        if let Some(root) = root {
            let now = scene.now;
            let lost = LostRoute { root, began: now, checked: SimTime::ZERO, asked: now };
            self.lost[node.index()].insert(dst, lost);
            self.end_prospect(node, dst);
        }
    }

    /// A packet leaves a node that had lost its route to some destinations.
    #[cold]
    pub fn note_way_found(&mut self, node: NodeId, dst: NodeId) {
        if self.lost[node.index()].remove(&dst).is_some() {
            self.end_prospect(node, dst);
        }
    }

    /// Why `node` has no route to `dst` for a packet that it drops.
    pub fn missing_route(&mut self, scene: &mut Scene<'_>, node: NodeId, dst: NodeId) -> RootCause {
        self.why_missing(scene, (node, dst), Need::Now)
    }

    /// Why a packet waits at `node` for a route to `dst`. A request that is sent because of this packet has been
    /// noted.
    pub fn awaited_route(&mut self, scene: &mut Scene<'_>, node: NodeId, dst: NodeId) -> RootCause {
        self.why_missing(scene, (node, dst), Need::OfSearch)
    }

    fn why_missing(&mut self, scene: &mut Scene<'_>, (node, dst): (NodeId, NodeId), need: Need) -> RootCause {
        let now = scene.now;
        // OLSR doesn't search; but that there is a path, or a hop, or none, may have changed.
        let unchanged = |scene: &mut Scene<'_>, root: &RootCause| {
            let in_reach = |scene: &mut Scene<'_>, b| scene.out_of_reach(root.node, b).is_none();
            !scene.changes()
                || root.next_hop.is_none_or(|b| in_reach(scene, b)) && scene.no_path(node, dst).is_none()
        };
        // Before its first route, a node may have one from any moment on but for a break that is over.
        let first = self.proactive && scene.changes() && !self.routed.contains(&(node, dst));
        let known = self.lost[node.index()].get_mut(&dst);
        if let Some(lost) = known
            && lost.checked > SimTime::ZERO
            && lost.checked + GEOMETRY > now
            // Any message of a search that is lost from now on may be the reason.
            && (lost.root.is_physical()
                || self.proactive
                    && !(first && matches!(lost.root.cause, None | Some(LossCause::NoRoute)))
                    && unchanged(scene, &lost.root))
        {
            lost.asked = now;
            return lost.root.strikes(now);
        }
        let known = self.lost[node.index()].get(&dst).copied();
        let began =
            known.filter(|lost| lost.is_needed(now, self.timing.unused)).map_or(now, |lost| lost.began);
        let root = self.reason(scene, (node, dst), known, need);
        let root = root.unwrap_or_else(|| RootCause::search(now, node));
        self.lost[node.index()].insert(dst, LostRoute { root, began, checked: now, asked: now });
        root.strikes(now)
    }

    /// Why `node` has no route to `dst`, or a wrong one; `None` if nothing but a search can tell.
    fn reason(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        known: Option<LostRoute>,
        need: Need,
    ) -> Option<RootCause> {
        // Where nothing changes, a path that was there is there.
        let was_open = |lost: LostRoute| {
            let apart = lost.root.is_physical() || lost.root.cause == Some(LossCause::NoRoute);
            lost.checked > SimTime::ZERO && !apart
        };
        let open = !scene.changes() && known.is_some_and(was_open);
        let blocked = if open { None } else { scene.no_path(ends.0, ends.1) };
        self.obstacle(scene, ends, known, blocked).or_else(|| {
            if self.proactive {
                let stale = self.stale_routes(scene, ends, known);
                let stale = stale.filter(|root| self.may_have_cost_route(scene, ends, root));
                let over = stale.or_else(|| self.relearning(scene, ends))?;
                return Some(self.noise_after(scene, ends, &over).unwrap_or(over));
            }
            self.aftermath(scene, ends, known, need)
        })
    }

    /// A break that closes every path from `node` to `dst` now (`blocked`), or on whose account the route was lost
    /// while the link has not come back.
    pub(super) fn obstacle(
        &self,
        scene: &mut Scene<'_>,
        (node, dst): (NodeId, NodeId),
        known: Option<LostRoute>,
        blocked: Option<LossCause>,
    ) -> Option<RootCause> {
        if let Some(cause) = blocked {
            if self.is_early(scene, (node, dst)) {
                return Some(RootCause::new(scene.now, node, LossCause::NoRoute));
            }
            let root = self.closing_break(scene, (node, dst), cause, known.map(|lost| lost.root));
            if self.out_of_search(scene, (node, dst), &root) {
                return Some(RootCause::new(scene.now, node, LossCause::NoRoute));
            }
            return Some(root);
        }
        let lost = known.filter(|lost| lost.is_needed(scene.now, self.timing.unused))?;
        let (a, b) = (lost.root.node, lost.root.next_hop?);
        if lost.root.is_physical() {
            return (scene.out_of_reach(a, b) == lost.root.cause).then_some(lost.root);
        }
        // Since then the nodes of the hop have moved apart: no route over it is missing any more.
        let gone = scene.out_of_reach(a, b).is_some();
        self.search_spoilt(scene, (node, dst), &lost).or(Some(lost.root).filter(|_| !gone))
    }

    /// A path exists again: the break that is over, if the search that it set off has not had a chance since.
    fn aftermath(
        &self,
        scene: &mut Scene<'_>,
        (node, dst): (NodeId, NodeId),
        known: Option<LostRoute>,
        need: Need,
    ) -> Option<RootCause> {
        let now = scene.now;
        match self.prospect(node, dst) {
            Prospect::Open => None,
            Prospect::Hopeless { at, root } => {
                (need == Need::OfSearch || at + self.timing.aftermath >= now).then_some(root)
            }
            Prospect::NotSent => {
                let lost = known.filter(|lost| lost.is_needed(now, self.timing.unused))?;
                let lost = Some(lost).filter(|lost| lost.root.is_physical())?;
                let Some(b) = lost.root.next_hop else {
                    // The node has forgotten addresses, or no path existed.
                    let forgotten = self.forgotten(scene, node);
                    return forgotten.filter(|own| own.cause == lost.root.cause);
                };
                let apart = scene.was_out_of_reach(lost.root.node, b, self.timing.aftermath);
                (apart == lost.root.cause).then_some(lost.root)
            }
        }
    }

    /// Why a packet has used up its hop limit at `node`, or is back at its source.
    pub(crate) fn circling(
        &mut self,
        scene: &mut Scene<'_>,
        node: NodeId,
        packet: PacketId,
        reason: DropReason,
    ) -> RootCause {
        let p = scene.packets.get(packet);
        let (src, dst, hops) = (p.src, p.dst, p.hops);
        let too_far = |scene: &mut Scene<'_>| {
            scene.path(src, dst, false).is_some_and(|shortest| shortest > u16::from(hops))
        };
        if reason == DropReason::Ttl && too_far(scene) {
            return RootCause::new(scene.now, node, LossCause::Ttl);
        }
        let root = self.missing_route(scene, node, dst);
        let missing = root.cause.is_some();
        // The route exists, and leads astray.
        if missing { root } else { self.stale_routes(scene, (node, dst), None).unwrap_or(root) }
    }

    /// Why a packet is back at the relay `node`, which sends it on. It joins the packets of its flow in queues that they alone
    /// would not fill.
    pub fn led_astray(&self, scene: &mut Scene<'_>, node: NodeId, packet: PacketId) -> RootCause {
        let (now, dst) = (scene.now, scene.packets.get(packet).dst);
        let known = self.lost[node.index()].get(&dst).copied();
        let root = self.reason(scene, (node, dst), known, Need::Now);
        let root = root.or_else(|| self.stale_routes(scene, (node, dst), None));
        let root = root.unwrap_or_else(|| RootCause::search(now, node));
        self.outcome(scene, root, dst, Died::Loop).strikes(now)
    }

    /// The root of a route that `node` has lost in this instant.
    pub fn lost_now(&self, now: SimTime, node: NodeId) -> Option<RootCause> {
        let lost = self.lost[node.index()].values().find(|lost| lost.began == now && lost.root.explains());
        lost.map(|lost| lost.root.strikes(now))
    }

    /// The root if `node` has lost its route to `dst`.
    pub fn lost_route(&self, now: SimTime, node: NodeId, dst: NodeId) -> Option<RootCause> {
        self.lost[node.index()].get(&dst).map(|l| l.root.strikes(now))
    }
}
