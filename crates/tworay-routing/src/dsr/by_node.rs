//! A map from nodes to values, in two sorted vectors: a node's place is found without leaving one or two lines of the
//! processor's cache.

use tworay_base::NodeId;

/// Values by node, in the order of nodes.
#[derive(Clone, Debug)]
pub(super) struct ByNode<V> {
    nodes: Vec<NodeId>,
    /// At the same places.
    values: Vec<V>,
}

impl<V> Default for ByNode<V> {
    fn default() -> Self {
        Self { nodes: Vec::new(), values: Vec::new() }
    }
}

impl<V> ByNode<V> {
    pub(super) fn get(&self, node: NodeId) -> Option<&V> {
        self.nodes.binary_search(&node).ok().map(|at| &self.values[at])
    }

    pub(super) fn get_mut(&mut self, node: NodeId) -> Option<&mut V> {
        self.nodes.binary_search(&node).ok().map(|at| &mut self.values[at])
    }

    /// The value of a node; if it has none, that of `new` from now on.
    pub(super) fn get_or_insert_with(&mut self, node: NodeId, new: impl FnOnce() -> V) -> &mut V {
        let at = self.nodes.binary_search(&node).unwrap_or_else(|at| {
            self.nodes.insert(at, node);
            self.values.insert(at, new());
            at
        });
        &mut self.values[at]
    }

    pub(super) fn remove(&mut self, node: NodeId) -> Option<V> {
        let at = self.nodes.binary_search(&node).ok()?;
        self.nodes.remove(at);
        Some(self.values.remove(at))
    }

    /// Nodes in order, with their values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (NodeId, &V)> {
        self.nodes.iter().copied().zip(&self.values)
    }
}

#[cfg(test)]
mod tests;
