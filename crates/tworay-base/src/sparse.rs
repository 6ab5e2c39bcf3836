//! A small map from nodes to 16-bit numbers, for tables that hold few of very many nodes.

use crate::NodeId;

#[derive(Copy, Clone, Debug)]
struct Slot {
    /// [`NodeId::BROADCAST`] marks an empty slot.
    node: NodeId,
    value: u16,
}

const EMPTY: Slot = Slot { node: NodeId::BROADCAST, value: 0 };

/// A map from nodes to 16-bit numbers. Memory grows with the nodes stored; a lookup takes a few instructions.
///
/// An open-addressing hash table with a fixed hash function and linear probing, at most half full. No result
/// depends on the order of its slots: [`NodeMap::nodes`] sorts the nodes.
#[derive(Clone, Debug, Default)]
pub struct NodeMap {
    /// Its length is zero or a power of two.
    slots: Vec<Slot>,
    length: usize,
}

impl NodeMap {
    /// Number of nodes stored.
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if no node is stored.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// First slot to probe for `node`: the upper bits of a product (Knuth, TAOCP 3, §6.4).
    #[inline(always)]
    fn hash(node: NodeId) -> usize {
        (u32::from(node.0).wrapping_mul(0x9e37_79b1) >> 16) as usize
    }

    /// The slot of `node`, or the empty slot where it belongs. The table must not be empty.
    #[inline(always)]
    fn find(&self, node: NodeId) -> usize {
        let mut at = Self::hash(node) & (self.slots.len() - 1);
        while self.slots[at].node != node && !self.slots[at].node.is_broadcast() {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }

    /// The number stored for `node`.
    #[inline]
    pub fn get(&self, node: NodeId) -> Option<u16> {
        // Without slots the mask is all ones, so every lookup fails.
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = Self::hash(node);
        loop {
            let slot = self.slots.get(at & mask)?;
            if slot.node.is_broadcast() {
                return None;
            }
            if slot.node == node {
                return Some(slot.value);
            }
            at += 1;
        }
    }

    /// Stores a number for `node` and returns the previous one. The broadcast address cannot be stored.
    #[inline]
    pub fn insert(&mut self, node: NodeId, value: u16) -> Option<u16> {
        debug_assert!(!node.is_broadcast());
        if node.is_broadcast() {
            return None;
        }
        if 2 * self.length >= self.slots.len() {
            self.grow();
        }
        let at = self.find(node);
        let old = std::mem::replace(&mut self.slots[at], Slot { node, value });
        if old.node == node {
            return Some(old.value);
        }
        self.length += 1;
        None
    }

    /// Removes `node` and returns its number.
    pub fn remove(&mut self, node: NodeId) -> Option<u16> {
        let value = self.get(node)?;
        let mask = self.slots.len() - 1;
        let mut hole = self.find(node);
        // Deletion by backward shift: an entry moves into the hole unless its first probe slot lies after the
        // hole.
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let slot = self.slots[at];
            if slot.node.is_broadcast() {
                break;
            }
            let home = Self::hash(slot.node) & (self.slots.len() - 1);
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.slots[hole] = slot;
                hole = at;
            }
        }
        self.slots[hole] = EMPTY;
        self.length -= 1;
        Some(value)
    }

    /// The stored nodes, in ascending order.
    pub fn nodes(&self) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> =
            self.slots.iter().map(|slot| slot.node).filter(|node| !node.is_broadcast()).collect();
        nodes.sort_unstable();
        nodes
    }

    #[cold]
    fn grow(&mut self) {
        let larger = (2 * self.slots.len()).max(8);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; larger]);
        for slot in old.into_iter().filter(|slot| !slot.node.is_broadcast()) {
            let at = self.find(slot.node);
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests;
