//! The break that closes the paths between two nodes.
//!
//! The nodes that the source still reaches have an edge; every path to the destination leaves it. A break is the
//! root if its link crosses that edge, is out of reach now for the very reason that no path exists, and was part
//! of a path from the source to the destination at some earlier time. It is named in the direction of the packet,
//! no matter which of its ends noticed it, or for whose packets. Of several, that of the latest notice counts. If nobody can have noticed one
//! yet, it is the hop that crosses the edge on the path of a moment ago.
//!
//! Tables (OLSR) do not change with the network but with its messages. A break also explains a missing or circular
//! route until all routers can have heard of it, and after its end until they can have heard of that.

use super::Causes;
use super::records::LostRoute;
use crate::observe::loss::root_cause::RootCause;
use crate::observe::loss::scene::Scene;
use std::cmp::Reverse;
use tworay_base::{LossCause, NodeId, SimDuration, SimTime};

impl Causes {
    /// The break because of which no path from `node` to `dst` exists: `cause` says of which kind. `known` is the
    /// root on record.
    pub(super) fn closing_break(
        &self,
        scene: &mut Scene<'_>,
        (node, dst): (NodeId, NodeId),
        cause: LossCause,
        known: Option<RootCause>,
    ) -> RootCause {
        let reached = scene.hops(node);
        let inside = |n| reached.of(n).is_some();
        let mut crossing = |root: &RootCause| {
            let b = root.next_hop.filter(|_| root.is_physical())?;
            let (from, to) = match (inside(root.node), inside(b)) {
                (true, false) => (root.node, b),
                (false, true) => (b, root.node),
                _ => return None,
            };
            (scene.out_of_reach(from, to) == Some(cause)).then(|| along(root, (from, to), cause))
        };
        if let Some(root) = known.as_ref().and_then(&mut crossing) {
            return root;
        }
        let latest_first = |mut breaks: Vec<RootCause>| {
            breaks.sort_by_key(|root| Reverse(root.at));
            breaks
        };
        let noticed = latest_first(self.breaks.values().filter_map(crossing).collect());
        let on_path = |scene: &mut Scene<'_>, root: &RootCause| {
            let b = root.next_hop?;
            let mut times = self.times_before(root.at);
            times.any(|at| scene.leads((node, dst), (root.node, b), at, &[]).is_some()).then_some(*root)
        };
        if let Some(root) = noticed.iter().find_map(|root| on_path(scene, root)) {
            return root;
        }
        // Only the far side has noticed that a node is gone: the packets stop where their path entered it.
        let physical = self.breaks.values().filter(|root| root.is_physical()).copied().collect();
        let entered = |scene: &mut Scene<'_>, root: &RootCause| {
            let b = root.next_hop?;
            let gone = [b, root.node].into_iter().filter(|n| !inside(*n));
            let found = gone.flat_map(|x| self.times_before(root.at).take(3).map(move |at| (x, at)));
            found.into_iter().find_map(|(x, at)| {
                let a = scene.entry((node, dst), x, at, inside)?;
                (scene.out_of_reach(a, x) == Some(cause)).then(|| along(root, (a, x), cause))
            })
        };
        let found = latest_first(physical).iter().find_map(|root| entered(scene, root));
        // A break behind the edge counts if others have closed the way to it since.
        let behind = || {
            let root = known.filter(RootCause::is_physical)?;
            let (a, b) = (root.node, root.next_hop?);
            if scene.out_of_reach(a, b) != root.cause {
                return None;
            }
            let broken = self.standing_breaks(scene);
            scene.carries((node, dst), (a, b), scene.now, &broken).then_some(root)
        };
        if let Some(root) = found.or_else(behind) {
            return root;
        }
        // Nobody can have noticed it yet: the packets stop where the path of a moment ago leaves what is still reached.
        let crosses = |scene: &mut Scene<'_>, (a, b): (NodeId, NodeId)| {
            inside(a) && !inside(b) && scene.out_of_reach(a, b) == Some(cause)
        };
        let moments_ago = self.times_before(scene.now).take(3).skip(1);
        let hop = moments_ago.flat_map(|at| scene.way((node, dst), at)).collect::<Vec<_>>();
        let hop = hop.into_iter().find(|hop| crosses(scene, *hop));
        let here = RootCause::new(scene.now, hop.map_or(node, |(a, _)| a), cause);
        hop.map_or(here, |(_, b)| here.towards(b))
    }

    /// True if a search could not find the paths that a break has closed: they have too many hops.
    pub(super) fn out_of_search(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        closed_by: &RootCause,
    ) -> bool {
        let reach = scene.nodes[ends.0].router.search_reach();
        if usize::from(reach) >= scene.nodes.len() {
            return false;
        }
        let standing = match (closed_by.cause, closed_by.next_hop) {
            (Some(LossCause::NodeDown), _) => scene.path(ends.0, ends.1, true),
            (_, Some(b)) => {
                let link = (closed_by.node, b);
                let mut times = self.times_before(closed_by.at);
                times.find_map(|at| scene.leads(ends, link, at, &[link]))
            }
            // Nobody has noticed the break: the path that was there last.
            (_, None) => {
                let mut times = self.times_before(scene.now);
                times.find_map(|at| scene.hops_at(ends.0, at).of(ends.1))
            }
        };
        standing.is_some_and(|hops| hops > reach)
    }

    /// Links on record that are out of reach now.
    fn standing_breaks(&self, scene: &mut Scene<'_>) -> Vec<(NodeId, NodeId)> {
        let physical = self.breaks.iter().filter(|(_, root)| root.is_physical());
        physical.map(|(link, _)| *link).filter(|(a, b)| scene.out_of_reach(*a, *b).is_some()).collect()
    }

    /// A break on a path from `node` to `dst` that some routers may not have heard of yet, or whose end they may
    /// not have heard of. The root on record comes first, then the latest.
    pub(super) fn stale_routes(
        &self,
        scene: &mut Scene<'_>,
        (node, dst): (NodeId, NodeId),
        known: Option<LostRoute>,
    ) -> Option<RootCause> {
        let now = scene.now;
        let open = |scene: &mut Scene<'_>, root: &RootCause| {
            let b = root.next_hop?;
            let late = root.at + self.timing.stale_tables >= now;
            let apart = scene.out_of_reach(root.node, b);
            if !root.is_physical() {
                return Some(*root).filter(|_| late && apart.is_none());
            }
            let stands = apart == root.cause;
            let open = if stands {
                late
            } else {
                scene.was_out_of_reach(root.node, b, self.timing.relearnt) == root.cause
            };
            open.then_some(*root)
        };
        if let Some(root) =
            known.filter(|lost| lost.root.is_physical()).and_then(|lost| open(scene, &lost.root))
        {
            return Some(root);
        }
        // The node itself has lost its tables, and has had no route since then.
        let up = scene.nodes[node].up_since;
        let is_new = !self.routed.contains(&(node, dst));
        if up > SimTime::ZERO && up + self.timing.relearnt >= now && is_new {
            return Some(RootCause::new(now, node, LossCause::NodeDown));
        }
        let mut latest_first: Vec<&RootCause> = self.heeded.values().collect();
        latest_first.sort_by_key(|root| Reverse(root.at));
        let mut lasting = None;
        let on_path = |root: &&RootCause| {
            let root = open(scene, root)?;
            let (a, b, cause) = (root.node, root.next_hop?, root.cause?);
            // A node that moves on breaks other links as well, and a break may be noticed late.
            self.times_before(root.at).take(3).find_map(|at| {
                let mut length = |link| scene.leads((node, dst), link, at, &[link]);
                let (forth, back) = (length((a, b)), length((b, a)));
                let lasting = *lasting.get_or_insert_with(|| self.lasting_path(scene, (node, dst)));
                if is_longer([forth, back], lasting) {
                    return None;
                }
                let from = match (forth, back) {
                    (None, None) => return None,
                    (Some(forth), Some(back)) if forth <= back => a,
                    (Some(_), None) => a,
                    // A node that is off stops packets where they enter it.
                    _ if cause == LossCause::NodeDown => scene.entry((node, dst), b, at, |n| n != a)?,
                    _ => return Some(along(&root, (b, a), cause)),
                };
                Some(along(&root, (from, b), cause))
            })
        };
        latest_first.iter().find_map(on_path).map(|root| root.strikes(now))
    }

    /// True if routers may have used the broken link of a root cause between two nodes. With OLSR they have not if a shorter path stands.
    pub(super) fn may_have_led(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        root: &RootCause,
    ) -> bool {
        let link = root.next_hop.filter(|_| root.cause == Some(LossCause::LinkFailure));
        let Some((a, b)) = link.map(|b| (root.node, b)) else { return true };
        let lasting = self.lasting_path(scene, ends);
        lasting.is_none()
            || self.times_before(root.at).take(3).any(|at| {
                let lengths = [(a, b), (b, a)].map(|link| scene.leads(ends, link, at, &[link]));
                !is_longer(lengths, lasting)
            })
    }

    /// Hops of the shortest path between two nodes, if routers exchange tables and it has stood for longer than they take to use a link
    /// that is back.
    fn lasting_path(&self, scene: &mut Scene<'_>, ends: (NodeId, NodeId)) -> Option<u16> {
        if !self.proactive {
            return None;
        }
        let way = scene.way(ends, scene.now);
        let stood = way.iter().all(|(a, b)| scene.was_out_of_reach(*a, *b, self.timing.relearnt).is_none());
        u16::try_from(way.len()).ok().filter(|hops| stood && *hops > 0)
    }

    /// A break on the shortest path that nobody noticed, and that is over since so short a time that its end cannot be known. Up to two
    /// hops, HELLOs tell when routers could have known. Farther away, so many messages have to follow each other that a break may delay
    /// the last of them for as long as OLSR takes to use a link that is back.
    pub(super) fn relearning(&self, scene: &mut Scene<'_>, ends: (NodeId, NodeId)) -> Option<RootCause> {
        if !scene.changes() {
            return None;
        }
        let (near, far) = (scene.hops(ends.0), scene.hops(ends.1));
        let near_by = far.of(ends.0)? <= 2;
        let known = near_by && self.could_have_route(scene, ends, (&near, &far));
        let way = scene.way(ends, scene.now).into_iter();
        let apart = way.filter(|_| !known).find_map(|(a, b)| {
            let cause = scene.was_out_of_reach(a, b, self.timing.relearnt)?;
            Some(RootCause::new(scene.now, a, cause).towards(b))
        });
        // Without a break, two hops are known after three HELLOs.
        let met = near_by && scene.now >= SimTime::ZERO + self.timing.met;
        apart.filter(|_| met || self.would_have_route(scene, ends))
    }

    /// The noise that has destroyed a message that a route needs, after an outage that has been over for longer than neighbours take to
    /// learn of each other.
    pub(super) fn noise_after(
        &self,
        scene: &mut Scene<'_>,
        ends: (NodeId, NodeId),
        outage: &RootCause,
    ) -> Option<RootCause> {
        let (a, b) = (outage.node, outage.next_hop.filter(|_| outage.is_physical())?);
        if scene.was_out_of_reach(a, b, self.timing.two_hellos).is_some() {
            return None;
        }
        let (near, far) = (scene.hops(ends.0), scene.hops(ends.1));
        let ((from, to), miss) = self.missed_table(scene, ends, (&near, &far))?;
        let root = miss.root(RootCause::search(miss.at, from).towards(to));
        let was_over = scene.was_out_of_reach_at(a, b, miss.at).is_none();
        Some(root.strikes(scene.now)).filter(|root| root.is_noise() && was_over)
    }

    /// The time of a notice and earlier ones, back to the beginning.
    pub(super) fn times_before(&self, notice: SimTime) -> impl Iterator<Item = SimTime> + use<> {
        let before = move |time: SimDuration| notice.earlier_by(time);
        let spans = std::iter::successors(Some(self.timing.noticed / 2), |span| Some(*span * 2));
        let earlier = spans.map(before).take_while(|at| *at > SimTime::ZERO);
        [notice].into_iter().chain(earlier).chain([SimTime::ZERO])
    }
}

/// True if the paths over a link, of these lengths in both directions, are longer than one that stands: routers that know it have used that.
fn is_longer(over_link: [Option<u16>; 2], lasting: Option<u16>) -> bool {
    lasting.is_some_and(|lasting| over_link.into_iter().flatten().all(|hops| hops > lasting))
}

/// A break as it stops a packet on the way from one node to another.
fn along(root: &RootCause, (from, to): (NodeId, NodeId), cause: LossCause) -> RootCause {
    if (root.node, root.next_hop, root.cause) == (from, Some(to), Some(cause)) {
        return *root;
    }
    // The attempts on record were made for another hop.
    RootCause::new(root.at, from, cause).towards(to)
}
