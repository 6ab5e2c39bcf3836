//! A lost route, a missing route, and packets that circle.
//!
//! **A lost route** has the root of the break that removed it. A node that loses a route because of a route
//! error inherits the record of the error's sender for the destination (AODV), or the record of the link that
//! the error names (DSR). OLSR's messages name no break: the latest break on a path between the holder and the
//! destination applies, as the nodes stood at the time of the break. The record ends as soon as a packet is
//! forwarded to the destination again.
//!
//! **A missing route** is judged anew every second. A recorded break counts as long as it stands and closes a
//! path to the destination. Where a path exists, it counts only while the search goes on that it set off: packets
//! must have waited without a longer pause, and the link must not have been back for more than a
//! dozen seconds. Otherwise geometry decides: without a path of stations in range the cause is link failure, or node
//! down if stations that are switched off would complete the path. If there is a path, the search decides.
//!
//! **A packet that circles** (hop limit exceeded, or back at its source) has the root of the break that made
//! the routing tables inconsistent. If the shortest path is longer than the packet's way so far, the cause is the
//! hop limit; if there is none, geometry decides.

use super::{Judge, Occasion};
use crate::observe::loss::root_cause::Setback;
use crate::observe::loss::scene::Scene;
use tworay_base::{LossCause, NodeId, PacketId, SimDuration, SimTime};
use tworay_routing::DropReason;

/// How long a judgement by geometry stays valid.
const GEOMETRY: SimDuration = SimDuration::from_secs(1);
/// After that time without a packet, the route would have expired by itself (ns-2's ACTIVE_ROUTE_TIMEOUT, the longest
/// of the protocols that forget routes).
const UNUSED: SimDuration = SimDuration::from_secs(10);
/// After its end, a break may keep routing from using a path for that long: searches are repeated at growing intervals
/// of up to 10 s (RFC 4728 §9: MaxRequestPeriod; ns-2's AODV: MAX_RREQ_TIMEOUT).
const AFTERMATH: SimDuration = SimDuration::from_secs(12);
/// How long a break may stay unnoticed by the nodes at its ends (OLSR's NEIGHB_HOLD_TIME, RFC 3626 §18.3).
const NOTICED: SimDuration = SimDuration::from_secs(6);
/// How long OLSR may take to notice a break everywhere: HELLOs must stay away (6 s), and topology entries
/// expire (15 s; RFC 3626 §18.3).
const STALE_TABLES: SimDuration = SimDuration::from_secs(21);

/// Record of a node that lost its route to a destination, or misses it.
#[derive(Copy, Clone, Debug)]
pub(crate) struct LostRoute {
    pub root: Setback,
    /// When the route was lost or first missed.
    pub began: SimTime,
    /// When the judgement was last made, and when a packet last needed the route.
    checked: SimTime,
    asked: SimTime,
}

impl Judge {
    /// A route in use at `node` was lost.
    pub fn note_route_lost(
        &mut self,
        scene: &mut Scene<'_>,
        (node, dst): (NodeId, NodeId),
        occasion: &Occasion,
    ) {
        let root = match *occasion {
            Occasion::Break(_, root) => Some(root),
            Occasion::Received(_, Some((a, b))) => {
                let known = self.breaks.get(&(a, b)).copied();
                Some(known.unwrap_or_else(|| self.link(scene, a, b)))
            }
            Occasion::Received(from, None) if !self.proactive => {
                self.lost[from.index()].get(&dst).map(|l| l.root).filter(|root| root.next_hop.is_some())
            }
            // The route expired, its repair failed (then the break is already on record), or a table no
            // longer has it.
            Occasion::Received(_, None) | Occasion::Other => None,
        };
        if let Some(root) = root {
            let now = scene.now;
            let lost = LostRoute { root, began: now, checked: SimTime::ZERO, asked: now };
            self.lost[node.index()].insert(dst, lost);
        }
    }

    /// A packet leaves a node that had lost its route to some destinations.
    #[cold]
    pub fn note_way_found(&mut self, node: NodeId, dst: NodeId) {
        self.lost[node.index()].remove(&dst);
    }

    /// Why `node` has no route to `dst`.
    pub fn missing_route(&mut self, scene: &mut Scene<'_>, node: NodeId, dst: NodeId) -> Setback {
        let now = scene.now;
        let known = self.lost[node.index()].get(&dst).copied();
        if let Some(lost) = known
            && lost.checked > SimTime::ZERO
            && lost.checked + GEOMETRY > now
        {
            if let Some(lost) = self.lost[node.index()].get_mut(&dst) {
                lost.asked = now;
            }
            return Setback { at: now, ..lost.root };
        }
        let pause = known.is_none_or(|lost| lost.asked + UNUSED < now);
        let began = known.filter(|_| !pause).map_or(now, |lost| lost.began);
        let blocked = scene.no_path(node, dst);
        let kept = known.and_then(|lost| self.still_explains(scene, (node, dst), lost, blocked.is_some()));
        let lost = kept.unwrap_or_else(|| {
            let root = match blocked {
                Some(cause) => Setback::new(now, node, cause),
                // Messages of routing by tables name no break.
                None => self
                    .proactive
                    .then(|| self.stale_routes(scene, node, dst))
                    .flatten()
                    .unwrap_or_else(|| Setback::search(now, node)),
            };
            LostRoute { root, began, checked: now, asked: now }
        });
        self.lost[node.index()].insert(dst, LostRoute { checked: now, asked: now, ..lost });
        Setback { at: now, ..lost.root }
    }

    /// The record of a lost route, if its break still explains why the route is missing. `blocked`: no path
    /// exists.
    fn still_explains(
        &self,
        scene: &mut Scene<'_>,
        (node, dst): (NodeId, NodeId),
        lost: LostRoute,
        blocked: bool,
    ) -> Option<LostRoute> {
        let now = scene.now;
        let (a, b) = (lost.root.node, lost.root.next_hop?);
        let goes_on = lost.asked + UNUSED >= now;
        // The link may be out of reach for another reason by now: that is a break of its own.
        let stands = scene.out_of_reach(a, b) == lost.root.cause;
        let stood = stands || scene.was_out_of_reach(a, b, AFTERMATH) == lost.root.cause;
        let explains = if !lost.root.is_physical() {
            goes_on && !blocked
        } else if stands && blocked {
            let broken = self.standing_breaks(scene);
            scene.carries((node, dst), (a, b), now, &broken)
        } else {
            goes_on && stood
        };
        explains.then_some(lost)
    }

    /// Links on record that are out of reach now.
    fn standing_breaks(&self, scene: &mut Scene<'_>) -> Vec<(NodeId, NodeId)> {
        let physical = self.breaks.iter().filter(|(_, root)| root.is_physical());
        physical.map(|(link, _)| *link).filter(|(a, b)| scene.out_of_reach(*a, *b).is_some()).collect()
    }

    /// The latest break on a path from `node` to `dst` that some routers may not have heard of yet.
    fn stale_routes(&self, scene: &mut Scene<'_>, node: NodeId, dst: NodeId) -> Option<Setback> {
        let now = scene.now;
        let mut recent: Vec<Setback> =
            self.breaks.values().filter(|root| root.at + STALE_TABLES >= now).copied().collect();
        recent.sort_by_key(|root| std::cmp::Reverse(root.at));
        let mut on_path = |root: &&Setback| {
            let Some(b) = root.next_hop else { return false };
            let stood = |scene: &mut Scene<'_>| {
                let now = scene.out_of_reach(root.node, b);
                now.or_else(|| scene.was_out_of_reach(root.node, b, AFTERMATH)) == root.cause
            };
            let before =
                |time: SimDuration| SimTime::from_nanos(root.at.as_nanos().saturating_sub(time.as_nanos()));
            // A node that moves on breaks other links as well, and a break may be noticed late.
            let times = [SimDuration::ZERO, NOTICED / 2, NOTICED];
            (!root.is_physical() || stood(scene))
                && times
                    .into_iter()
                    .any(|time| scene.carries((node, dst), (root.node, b), before(time), &[(root.node, b)]))
        };
        recent.iter().find(|root| on_path(root)).map(|root| Setback { at: now, ..*root })
    }

    /// Why a packet has used up its hop limit at `node`, or is back at its source.
    pub(crate) fn circling(
        &mut self,
        scene: &mut Scene<'_>,
        node: NodeId,
        packet: PacketId,
        reason: DropReason,
    ) -> Setback {
        let p = scene.packets.get(packet);
        let (src, dst, hops) = (p.src, p.dst, p.hops);
        let too_far = |scene: &mut Scene<'_>| {
            scene.path(src, dst, false).is_some_and(|shortest| shortest > u16::from(hops))
        };
        if reason == DropReason::Ttl && too_far(scene) {
            return Setback::new(scene.now, node, LossCause::Ttl);
        }
        let root = self.missing_route(scene, node, dst);
        let missing = root.cause.is_some();
        // The route exists, and leads astray.
        if missing { root } else { self.stale_routes(scene, node, dst).unwrap_or(root) }
    }

    /// The root if `node` has lost its route to `dst`.
    pub fn lost_route(&self, now: SimTime, node: NodeId, dst: NodeId) -> Option<Setback> {
        self.lost[node.index()].get(&dst).map(|l| Setback { at: now, ..l.root })
    }
}
