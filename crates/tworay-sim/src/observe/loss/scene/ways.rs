//! Hop counts from nodes to all others, which are kept where no path changes.

use std::collections::BTreeMap;
use std::sync::Arc;
use tworay_base::NodeId;

/// Most nodes whose hop counts are kept: 5 MB of a network with 5,000 nodes.
const KEPT: usize = 256;

/// Hop counts from some nodes in a network in which no path changes.
#[derive(Debug, Default)]
pub(crate) struct Ways(BTreeMap<NodeId, Arc<Hops>>);

impl Ways {
    pub(super) fn get(&self, from: NodeId) -> Option<Arc<Hops>> {
        self.0.get(&from).cloned()
    }

    pub(super) fn keep(&mut self, from: NodeId, hops: Arc<Hops>) {
        if self.0.len() >= KEPT {
            self.0.clear();
        }
        self.0.insert(from, hops);
    }
}

/// Hop counts from one node to all others.
#[derive(Debug)]
pub(crate) struct Hops(pub(super) Vec<Option<u16>>);

impl Hops {
    /// Hops to a node; `None` if it cannot be reached.
    pub fn of(&self, node: NodeId) -> Option<u16> {
        self.0.get(node.index()).copied().flatten()
    }

    /// True if one node is reached in fewer hops than another.
    pub fn is_closer(&self, node: NodeId, than: NodeId) -> bool {
        self.of(node).zip(self.of(than)).is_some_and(|(a, b)| a < b)
    }
}
