//! Static routes: shortest paths at time 0, computed for the existing flows.

use crate::network::Network;
use std::collections::{BTreeMap, BTreeSet};
use tworay_base::{NodeId, SimTime};
use tworay_routing::Router;

/// Shortest paths from one node; reuses its buffers between searches.
struct Search {
    /// Neighbours of each node in ascending order, computed when first needed.
    links: Vec<Option<Box<[NodeId]>>>,
    /// Far ends of wires, by their near end.
    wires: BTreeMap<NodeId, Vec<NodeId>>,
    /// Number of the last search that reached a node, so that nothing must be cleared between searches.
    reached_by: Vec<u32>,
    number: u32,
    hops: Vec<u8>,
    first: Vec<NodeId>,
    open: Vec<NodeId>,
}

impl Network {
    /// Fills in the next hops that the flows need in both directions: shortest paths over wires and over
    /// links whose frames can be decoded, up to `longest_hop`; ties go to the lower node number. Calls `keep_going` before each
    /// search; returns false if it does.
    #[inline(never)]
    pub(crate) fn fill_static_routes(&mut self, keep_going: &mut dyn FnMut() -> bool) -> bool {
        debug_assert_eq!(self.common.now, SimTime::ZERO);
        let mut search = Search::new(self);
        let mut wanted: BTreeMap<NodeId, BTreeSet<NodeId>> = BTreeMap::new();
        for f in &self.flows {
            wanted.entry(f.setup.from).or_default().insert(f.setup.to);
            wanted.entry(f.setup.to).or_default().insert(f.setup.from);
        }
        for &(a, b) in self.external.iter().flat_map(|external| external.ends()) {
            wanted.entry(a).or_default().insert(b);
            wanted.entry(b).or_default().insert(a);
        }
        // Each node on the path asks for its own next hop.
        while !wanted.is_empty() {
            let mut next: BTreeMap<NodeId, BTreeSet<NodeId>> = BTreeMap::new();
            for (node, mut targets) in std::mem::take(&mut wanted) {
                let Router::Static(known) = &self.nodes[node].router else { return true };
                targets.retain(|&target| target != node && !known.knows(target));
                if targets.is_empty() {
                    continue;
                }
                if !keep_going() {
                    return false;
                }
                search.run(self, node, &targets);
                for target in targets {
                    if let Some((hop, hops)) = search.found(target) {
                        self.nodes[node].router.add_static(target, hop, hops);
                        next.entry(hop).or_default().insert(target);
                    }
                }
            }
            wanted = next;
        }
        true
    }
}

impl Search {
    fn new(network: &Network) -> Self {
        let n = network.nodes.len();
        let mut wires: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for (from, to) in network.wires.ends() {
            wires.entry(from).or_default().push(to);
        }
        Self {
            links: vec![None; n],
            wires,
            reached_by: vec![0; n],
            number: 0,
            hops: vec![0; n],
            first: vec![NodeId::BROADCAST; n],
            open: Vec::new(),
        }
    }

    /// Searches by increasing distance from `source` until all targets are found.
    fn run(&mut self, network: &mut Network, source: NodeId, targets: &BTreeSet<NodeId>) {
        self.number += 1;
        self.reached_by[source.index()] = self.number;
        self.hops[source.index()] = 0;
        self.open.clear();
        self.open.push(source);
        let (mut at, mut missing) = (0, targets.len());
        while missing > 0
            && let Some(&here) = self.open.get(at)
        {
            at += 1;
            if self.links[here.index()].is_none() {
                self.links[here.index()] = Some(self.links_of(network, here));
            }
            for &there in self.links[here.index()].iter().flatten() {
                if self.reached_by[there.index()] == self.number {
                    continue;
                }
                self.reached_by[there.index()] = self.number;
                self.hops[there.index()] = self.hops[here.index()].saturating_add(1);
                self.first[there.index()] = if here == source { there } else { self.first[here.index()] };
                self.open.push(there);
                missing -= usize::from(targets.contains(&there));
            }
        }
    }

    /// The first hop to `target` and its distance, from the last search.
    fn found(&self, target: NodeId) -> Option<(NodeId, u8)> {
        (self.reached_by[target.index()] == self.number)
            .then(|| (self.first[target.index()], self.hops[target.index()]))
    }

    fn links_of(&self, network: &mut Network, node: NodeId) -> Box<[NodeId]> {
        let mut links =
            network.radio.as_ref().map_or_else(Vec::new, |r| r.medium().candidates(node).to_vec());
        let now = network.common.now;
        let longest = network.plan.settings.routing.longest_hop.map_or(f64::INFINITY, |hop| hop.get());
        links.retain(|&other| {
            network.radio.as_mut().is_some_and(|radio| {
                radio.in_range(now, node, other) && radio.distance(now, node, other) <= longest
            })
        });
        links.extend(self.wires.get(&node).into_iter().flatten());
        links.sort_unstable();
        links.dedup();
        links.into_boxed_slice()
    }
}
