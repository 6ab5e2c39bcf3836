//! Facts of a scenario that follow from movement alone: path lengths, partitioning, speeds.

use crate::track::Track;
use tworay_base::{NodeId, Position, SimDuration, SimTime, Speed};

/// How well pairs of nodes are connected over disc links.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct PathFacts {
    /// Mean over pairs and sample times at which a path exists of the shortest path's hops; zero if none
    /// ever exists.
    pub mean_shortest_path_hops: f64,
    /// Fraction of pairs and sample times without a path.
    pub partitioned_fraction: f64,
}

/// Samples the shortest paths of `pairs` every `step` at times from `from` up to, but not including,
/// `to` (once, if nothing moves). Two nodes are linked if they are at most `range_m` metres apart.
/// Nodes outside `tracks` count as unreachable.
pub fn path_facts(
    tracks: &mut [Track],
    pairs: &[(NodeId, NodeId)],
    range_m: f64,
    from: SimTime,
    to: SimTime,
    step: SimDuration,
) -> PathFacts {
    let step = if step.is_zero() { SimDuration::from_millis(500) } else { step };
    let moving = tracks.iter().any(|t| !t.is_static());
    // Pairs with a common source share one search.
    let mut pairs = pairs.to_vec();
    pairs.sort_unstable();
    let mut search = Search::default();
    let (mut hops, mut connected, mut samples) = (0u64, 0u64, 0u64);
    let mut now = from;
    loop {
        search.move_to(tracks, now);
        for same_source in pairs.chunk_by(|a, b| a.0 == b.0) {
            search.run(same_source[0].0, range_m * range_m, same_source);
            for &(_, target) in same_source {
                samples += 1;
                if let Some(distance) = search.hops_to(target) {
                    connected += 1;
                    hops += u64::from(distance);
                }
            }
        }
        now += step;
        if !moving || now >= to {
            break;
        }
    }
    PathFacts {
        mean_shortest_path_hops: if connected == 0 { 0.0 } else { hops as f64 / connected as f64 },
        partitioned_fraction: if samples == 0 { 0.0 } else { 1.0 - connected as f64 / samples as f64 },
    }
}

/// Breadth-first search over the discs, with its buffers.
#[derive(Default)]
struct Search {
    places: Vec<Position>,
    hops: Vec<u32>,
    /// Nodes that were reached, in order of hops.
    reached: Vec<usize>,
    /// Nodes that were not.
    rest: Vec<usize>,
}

const UNREACHED: u32 = u32::MAX;

impl Search {
    fn move_to(&mut self, tracks: &mut [Track], now: SimTime) {
        self.places.clear();
        self.places.extend(tracks.iter_mut().map(|t| t.position(now)));
    }

    /// Finds the hops from `source`, until all targets of `pairs` are reached.
    fn run(&mut self, source: NodeId, range2: f64, pairs: &[(NodeId, NodeId)]) {
        let n = self.places.len();
        self.hops.clear();
        self.hops.resize(n, UNREACHED);
        self.reached.clear();
        self.rest.clear();
        if source.index() >= n {
            return;
        }
        self.hops[source.index()] = 0;
        self.reached.push(source.index());
        self.rest.extend((0..n).filter(|&i| i != source.index()));
        let mut next = 0;
        while let Some(&here) = self.reached.get(next) {
            next += 1;
            let (place, hops) = (self.places[here], self.hops[here] + 1);
            let Self { places, hops: all_hops, reached, rest } = self;
            rest.retain(|&i| {
                let linked = places[i].distance_squared(place) <= range2;
                if linked {
                    all_hops[i] = hops;
                    reached.push(i);
                }
                !linked
            });
            if pairs.iter().all(|&(_, target)| self.hops_to(target).is_some()) {
                return;
            }
        }
    }

    fn hops_to(&self, target: NodeId) -> Option<u32> {
        self.hops.get(target.index()).copied().filter(|&h| h != UNREACHED)
    }
}

/// Whether every place can be reached from every other over links of at most `range_m` metres.
pub fn is_connected(places: &[Position], range_m: f64) -> bool {
    let mut rest = places.to_vec();
    let mut reached: Vec<Position> = rest.pop().into_iter().collect();
    while let Some(here) = reached.pop() {
        rest.retain(|&place| {
            let linked = place.distance_squared(here) <= range_m * range_m;
            if linked {
                reached.push(place);
            }
            !linked
        });
    }
    rest.is_empty()
}

/// The mean speed over all tracks and the time between `from` and `to`, jumps not counted.
pub fn mean_speed(tracks: &mut [Track], from: SimTime, to: SimTime) -> Speed {
    let metres: f64 = tracks.iter_mut().map(|t| t.travelled(from, to)).sum();
    let seconds = to.since(from).as_secs_f64() * tracks.len() as f64;
    Speed(if seconds > 0.0 { metres / seconds } else { 0.0 })
}

#[cfg(test)]
mod tests;
