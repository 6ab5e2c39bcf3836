//! Choosing multipoint relays (RFC 3626 §8.3.1; with coverage above 1, §16).

use std::collections::BTreeMap;
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
        let mut near: Vec<NodeId> = neighbours.iter().map(|n| n.node).collect();
        near.push(me);
        near.sort_unstable();
        let mut index: BTreeMap<NodeId, u32> = BTreeMap::new();
        let mut reached = Vec::new();
        let covers: Vec<Vec<u32>> = neighbours
            .iter()
            .map(|n| {
                if n.willingness == WILL_NEVER {
                    return Vec::new();
                }
                let mut list = Vec::new();
                for far in n.reaches.iter().filter(|far| near.binary_search(far).is_err()) {
                    let i = *index.entry(*far).or_insert_with(|| {
                        reached.push(0);
                        reached.len() as u32 - 1
                    });
                    if !list.contains(&i) {
                        list.push(i);
                        reached[i as usize] += 1;
                    }
                }
                list
            })
            .collect();
        Self {
            neighbours,
            covers,
            have: vec![0; reached.len()],
            wanted: reached.into_iter().map(|by: usize| by.min(coverage)).collect(),
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

#[cfg(test)]
mod tests;
