//! The routing table and its calculation (RFC 3626 §10).

use super::links::{Link, Links};
use super::mpr::WILL_NEVER;
use super::topology::Topology;
use smallvec::SmallVec;
use tworay_base::{NodeId, SimTime};

/// A route to a destination.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub next_hop: NodeId,
    pub hops: u8,
}

#[derive(Copy, Clone, Debug)]
struct Slot {
    /// The computation that wrote it.
    stamp: u32,
    route: Route,
}

const EMPTY: Slot = Slot { stamp: 0, route: Route { next_hop: NodeId::BROADCAST, hops: 0 } };

/// Routes by destination. A new computation does not clear old routes; their stamp makes them invalid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes {
    slots: Vec<Slot>,
    stamp: u32,
    /// Destinations in the order found, which is order of distance.
    found: Vec<NodeId>,
}

impl Routes {
    pub(crate) fn get(&self, dst: NodeId) -> Option<Route> {
        let slot = self.slots.get(dst.index())?;
        (slot.stamp == self.stamp && slot.route.hops > 0).then_some(slot.route)
    }

    /// Destinations with a route, nearest first.
    pub(crate) fn destinations(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.found.iter().copied()
    }

    fn claim(&mut self, dst: NodeId, route: Route) -> bool {
        if dst.index() >= self.slots.len() {
            self.slots.resize(dst.index() + 1, EMPTY);
        }
        let slot = &mut self.slots[dst.index()];
        if slot.stamp == self.stamp {
            return false;
        }
        *slot = Slot { stamp: self.stamp, route };
        true
    }

    /// Recomputes all routes hop by hop: neighbours, their neighbours, then the topology set.
    pub(crate) fn calculate(&mut self, now: SimTime, me: NodeId, links: &Links, topology: &Topology) {
        self.found.clear();
        self.stamp = match self.stamp.checked_add(1) {
            Some(next) => next,
            None => {
                self.slots.clear();
                1
            }
        };
        // Prevents a route to the node itself.
        self.claim(me, Route { next_hop: me, hops: 0 });
        let mut near: SmallVec<[&Link; 32]> = links.symmetric().collect();
        // If several neighbours lead on, prefer the most willing, then those that have chosen this node as
        // relay.
        let rank = |l: &Link| {
            let (unwilling, stranger) = (7 - u32::from(l.willingness.min(7)), l.selector_until <= now);
            unwilling << 17 | u32::from(stranger) << 16 | u32::from(l.iface.0)
        };
        near.sort_unstable_by_key(|l| rank(l));
        for link in &near {
            let route = Route { next_hop: link.iface, hops: 1 };
            for address in [link.main, link.iface] {
                if self.claim(address, route) && address == link.main {
                    self.found.push(address);
                }
            }
        }
        let second = self.found.len();
        for link in near.iter().filter(|l| l.willingness != WILL_NEVER) {
            for (far, _) in &link.reaches {
                if self.claim(*far, Route { next_hop: link.iface, hops: 2 }) {
                    self.found.push(*far);
                }
            }
        }
        let mut at = second;
        while at < self.found.len() {
            let last = self.found[at];
            at += 1;
            let Some(route) = self.get(last) else { continue };
            for (far, _) in topology.reached_from(last) {
                if self.claim(*far, Route { next_hop: route.next_hop, hops: route.hops.saturating_add(1) }) {
                    self.found.push(*far);
                }
            }
        }
    }
}
