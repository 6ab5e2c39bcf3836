//! Scenario facts that follow from movement alone: path lengths, partitioning, speeds.

use crate::discs::Unvisited;
use crate::track::Track;
use tworay_base::{NodeId, Position, SimDuration, SimTime, Speed};

/// Connectivity of pairs of nodes, assuming links of a fixed range.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct PathFacts {
    /// Mean hop count of the shortest path, over the pairs and sample times with a path; zero if there is
    /// none.
    pub mean_shortest_path_hops: f64,
    /// Fraction of pairs and sample times without a path.
    pub partitioned_fraction: f64,
}

/// Connectivity of one pair of nodes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct PairFacts {
    /// Number of samples.
    pub samples: u64,
    /// Samples with a path.
    pub connected: u64,
    /// Sum of the shortest paths' hops over these samples.
    pub hops: u64,
}

impl PairFacts {
    /// Mean hops of the shortest path over the samples with a path; `None` if there is none.
    pub fn mean_hops(&self) -> Option<f64> {
        (self.connected > 0).then(|| self.hops as f64 / self.connected as f64)
    }

    /// The share of the samples without a path, 0 to 1.
    pub fn partitioned_fraction(&self) -> f64 {
        if self.samples == 0 { 0.0 } else { 1.0 - self.connected as f64 / self.samples as f64 }
    }
}

impl PathFacts {
    /// Aggregates over all pairs.
    pub fn of(pairs: &[PairFacts]) -> Self {
        let sum = |figure: fn(&PairFacts) -> u64| pairs.iter().map(figure).sum::<u64>();
        let (samples, connected, hops) = (sum(|p| p.samples), sum(|p| p.connected), sum(|p| p.hops));
        Self {
            mean_shortest_path_hops: if connected == 0 { 0.0 } else { hops as f64 / connected as f64 },
            partitioned_fraction: PairFacts { samples, connected, hops }.partitioned_fraction(),
        }
    }
}

/// Which nodes are connected.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Maximum length of a radio link, m; `None`: no radio links.
    pub range: Option<f64>,
    /// Wires, each in one direction.
    pub wires: Vec<(NodeId, NodeId)>,
}

/// Samples the shortest paths of `pairs` every `step`, from `from` up to but not including `to` (once if no
/// node moves). Nodes outside `tracks` count as unreachable.
pub fn pair_facts(
    tracks: &mut [Track],
    pairs: &[(NodeId, NodeId)],
    links: &Links,
    from: SimTime,
    to: SimTime,
    step: SimDuration,
) -> Vec<PairFacts> {
    let step = if step.is_zero() { SimDuration::from_millis(500) } else { step };
    let moving = tracks.iter().any(|t| !t.is_static());
    // Pairs with the same source share one search.
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|&i| pairs[i]);
    let mut facts = vec![PairFacts::default(); pairs.len()];
    let mut search = Search::new(links);
    let mut now = from;
    loop {
        search.move_to(tracks, now);
        for same_source in order.chunk_by(|&a, &b| pairs[a].0 == pairs[b].0) {
            search.run(pairs[same_source[0]].0, same_source.iter().map(|&i| pairs[i].1));
            for &i in same_source {
                facts[i].samples += 1;
                if let Some(distance) = search.hops_to(pairs[i].1) {
                    facts[i].connected += 1;
                    facts[i].hops += u64::from(distance);
                }
            }
        }
        now += step;
        if !moving || now >= to {
            return facts;
        }
    }
}

/// Breadth-first search over the links, with reusable buffers.
struct Search<'l> {
    links: &'l Links,
    places: Vec<Position>,
    rest: Unvisited,
    hops: Vec<u32>,
    /// Nodes reached, in order of hops.
    reached: Vec<usize>,
}

const UNREACHED: u32 = u32::MAX;

impl<'l> Search<'l> {
    fn new(links: &'l Links) -> Self {
        Self { links, places: Vec::new(), rest: Unvisited::default(), hops: Vec::new(), reached: Vec::new() }
    }

    fn move_to(&mut self, tracks: &mut [Track], now: SimTime) {
        self.places.clear();
        self.places.extend(tracks.iter_mut().map(|t| t.position(now)));
        self.rest.place(&self.places, self.links.range.unwrap_or(0.0));
    }

    /// Finds the hops from `source` to all targets.
    fn run(&mut self, source: NodeId, targets: impl Iterator<Item = NodeId> + Clone) {
        let n = self.places.len();
        self.hops.clear();
        self.hops.resize(n, UNREACHED);
        self.reached.clear();
        if source.index() >= n {
            return;
        }
        self.rest.reset();
        self.rest.visit(source.index());
        self.hops[source.index()] = 0;
        self.reached.push(source.index());
        let mut next = 0;
        while let Some(&here) = self.reached.get(next) {
            next += 1;
            let hops = self.hops[here] + 1;
            let Self { links, places, rest, hops: all_hops, reached } = self;
            let mut reach = |i: usize| {
                all_hops[i] = hops;
                reached.push(i);
            };
            if links.range.is_some() {
                rest.visit_near(places, places[here], &mut reach);
            }
            for (_, to) in links.wires.iter().filter(|(from, to)| from.index() == here && to.index() < n) {
                if rest.visit(to.index()) {
                    reach(to.index());
                }
            }
            if targets.clone().all(|target| self.hops_to(target).is_some()) {
                return;
            }
        }
    }

    fn hops_to(&self, target: NodeId) -> Option<u32> {
        self.hops.get(target.index()).copied().filter(|&h| h != UNREACHED)
    }
}

/// The longest hop of the best path from `from` to `to`: its two nodes and its length in metres. A radio
/// range of this length would connect them. Costs O(pairs of positions).
pub fn widest_gap(places: &[Position], from: NodeId, to: NodeId) -> Option<(NodeId, NodeId, f64)> {
    let n = places.len();
    if from.index() >= n || to.index() >= n || from == to {
        return None;
    }
    // Prim's algorithm: the minimum spanning tree grows from `from`. The longest link added before it reaches
    // `to` is unavoidable.
    let mut nearest: Vec<(f64, usize)> = vec![(f64::INFINITY, from.index()); n];
    let mut rest: Vec<usize> = (0..n).filter(|&i| i != from.index()).collect();
    let (mut here, mut widest) = (from.index(), (0.0, 0, 0));
    while !rest.is_empty() {
        for &i in &rest {
            let distance = places[i].distance_squared(places[here]);
            if distance < nearest[i].0 {
                nearest[i] = (distance, here);
            }
        }
        let at = (0..rest.len()).min_by(|&a, &b| nearest[rest[a]].0.total_cmp(&nearest[rest[b]].0))?;
        here = rest.swap_remove(at);
        if nearest[here].0 > widest.0 {
            widest = (nearest[here].0, nearest[here].1, here);
        }
        if here == to.index() {
            break;
        }
    }
    Some((NodeId(widest.1 as u16), NodeId(widest.2 as u16), widest.0.sqrt()))
}

/// True if every position can be reached from every other over links of at most `range_m` metres.
pub fn is_connected(places: &[Position], range_m: f64) -> bool {
    let mut rest = Unvisited::default();
    rest.place(places, range_m);
    let mut reached: Vec<usize> = Vec::new();
    if !places.is_empty() && rest.visit(0) {
        reached.push(0);
    }
    let mut next = 0;
    while let Some(&here) = reached.get(next) {
        next += 1;
        rest.visit_near(places, places[here], |place| reached.push(place));
    }
    reached.len() == places.len()
}

/// The mean speed over all tracks and the time between `from` and `to`; jumps do not count.
pub fn mean_speed(tracks: &mut [Track], from: SimTime, to: SimTime) -> Speed {
    let metres: f64 = tracks.iter_mut().map(|t| t.travelled(from, to)).sum();
    let seconds = to.since(from).as_secs_f64() * tracks.len() as f64;
    Speed(if seconds > 0.0 { metres / seconds } else { 0.0 })
}

#[cfg(test)]
mod tests;
