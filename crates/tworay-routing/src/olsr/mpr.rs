//! Choosing multipoint relays (RFC 3626 §8.3.1; with coverage above 1, §16).

use tworay_base::NodeId;

/// The node relays nothing.
pub(crate) const WILL_NEVER: u8 = 0;
/// Every neighbour chooses the node as relay.
pub(crate) const WILL_ALWAYS: u8 = 7;

/// A symmetric neighbour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its main address.
    pub node: NodeId,
    /// Its willingness, 0..=7.
    pub willingness: u8,
    /// Its own symmetric neighbours.
    pub reaches: Vec<NodeId>,
}

/// The neighbours that `me` chooses as its relays, in ascending order. Together they reach every two-hop
/// neighbour: a neighbour of a willing neighbour that is neither `me` nor its neighbour. Each is reached
/// through `coverage` relays where that many exist.
pub fn choose_relays(me: NodeId, neighbours: &[Candidate], coverage: u8) -> Vec<NodeId> {
    let mut selection = Selection::new(me, neighbours, usize::from(coverage.max(1)));
    selection.take_the_needed();
    selection.take_the_best();
    selection.drop_the_redundant();
    let mut relays = selection.relays();
    relays.sort_unstable();
    relays
}

struct Selection<'a> {
    neighbours: &'a [Candidate],
    /// For each neighbour, the two-hop neighbours it covers, as indices.
    covers: Vec<Vec<u32>>,
    /// For each two-hop neighbour, the number of relays required.
    wanted: Vec<usize>,
    /// The number of relays chosen so far.
    have: Vec<usize>,
    chosen: Vec<bool>,
}

impl<'a> Selection<'a> {
    fn new(me: NodeId, neighbours: &'a [Candidate], coverage: usize) -> Self {
        let mut far_nodes = FarNodes::new(me, neighbours);
        let covers: Vec<Vec<u32>> = neighbours.iter().map(|n| far_nodes.covered_by(n)).collect();
        Self {
            neighbours,
            covers,
            have: vec![0; far_nodes.reached.len()],
            wanted: far_nodes.reached.into_iter().map(|by| by.min(coverage)).collect(),
            chosen: vec![false; neighbours.len()],
        }
    }

    fn take(&mut self, y: usize) {
        if !self.chosen[y] {
            self.chosen[y] = true;
            for &far in &self.covers[y] {
                self.have[far as usize] += 1;
            }
        }
    }

    /// Steps 1 to 3: neighbours that are always willing, and those without an alternative.
    fn take_the_needed(&mut self) {
        let mut by = vec![0; self.wanted.len()];
        for &far in self.covers.iter().flatten() {
            by[far as usize] += 1;
        }
        for y in 0..self.neighbours.len() {
            let irreplaceable = |far: &u32| by[*far as usize] <= self.wanted[*far as usize];
            if self.neighbours[y].willingness == WILL_ALWAYS || self.covers[y].iter().any(irreplaceable) {
                self.take(y);
            }
        }
    }

    /// Step 4: while a two-hop neighbour is not covered, take the neighbour with the highest willingness,
    /// then with the most additional nodes, then with the most neighbours (D(y), here the nodes it covers).
    /// Ties go to the lower address.
    fn take_the_best(&mut self) {
        loop {
            let gain = |y: usize| {
                let open = |far: &&u32| self.have[**far as usize] < self.wanted[**far as usize];
                self.covers[y].iter().filter(open).count()
            };
            let best = (0..self.neighbours.len())
                .filter(|&y| !self.chosen[y])
                .map(|y| (self.neighbours[y].willingness, gain(y), self.covers[y].len(), y))
                .filter(|(_, gain, _, _)| *gain > 0)
                .max_by_key(|&(will, gain, degree, y)| {
                    (will, gain, degree, std::cmp::Reverse(self.neighbours[y].node))
                });
            match best {
                Some((_, _, _, y)) => self.take(y),
                None => return,
            }
        }
    }

    /// Step 5: remove relays, least willing first, if all nodes stay covered without them.
    fn drop_the_redundant(&mut self) {
        let mut order: Vec<usize> = (0..self.neighbours.len()).filter(|&y| self.chosen[y]).collect();
        order.sort_by_key(|&y| (self.neighbours[y].willingness, self.neighbours[y].node));
        for y in order {
            let spare = |far: &u32| self.have[*far as usize] > self.wanted[*far as usize];
            if self.neighbours[y].willingness < WILL_ALWAYS && self.covers[y].iter().all(spare) {
                self.chosen[y] = false;
                for &far in &self.covers[y] {
                    self.have[far as usize] -= 1;
                }
            }
        }
    }

    fn relays(&self) -> Vec<NodeId> {
        self.neighbours.iter().zip(&self.chosen).filter(|(_, c)| **c).map(|(n, _)| n.node).collect()
    }
}

/// Numbers two-hop neighbours in the order in which they are met.
struct FarNodes {
    /// By address: what is known of the node. Addresses are small numbers, so this is quicker than a map.
    places: Vec<Place>,
    /// For each two-hop neighbour, how many neighbours reach it.
    reached: Vec<usize>,
}

/// The relation of an address to this node.
#[derive(Copy, Clone)]
enum Place {
    Unknown,
    /// The node itself, or a neighbour.
    Near,
    /// A two-hop neighbour: its index, and the neighbour that was last found to reach it.
    Far(u32, NodeId),
}

impl FarNodes {
    fn new(me: NodeId, neighbours: &[Candidate]) -> Self {
        let all = neighbours.iter().flat_map(|n| n.reaches.iter().chain([&n.node]));
        let last = all.map(|node| node.index()).fold(me.index(), usize::max);
        let mut places = vec![Place::Unknown; last + 1];
        places[me.index()] = Place::Near;
        for neighbour in neighbours {
            places[neighbour.node.index()] = Place::Near;
        }
        Self { places, reached: Vec::new() }
    }

    /// The two-hop neighbours, as indices, that `neighbour` reaches and is willing to relay to.
    fn covered_by(&mut self, neighbour: &Candidate) -> Vec<u32> {
        if neighbour.willingness == WILL_NEVER {
            return Vec::new();
        }
        let mut list = Vec::with_capacity(neighbour.reaches.len());
        for far in &neighbour.reaches {
            let place = &mut self.places[far.index()];
            let i = match *place {
                Place::Near => continue,
                Place::Far(_, by) if by == neighbour.node => continue,
                Place::Far(i, _) => i,
                Place::Unknown => {
                    self.reached.push(0);
                    self.reached.len() as u32 - 1
                }
            };
            *place = Place::Far(i, neighbour.node);
            self.reached[i as usize] += 1;
            list.push(i);
        }
        list
    }
}

#[cfg(test)]
mod tests;
