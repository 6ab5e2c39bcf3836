//! Duplicate detection (IEEE 802.11-1999 §9.2.9).

use tworay_base::{NodeId, NodeMap};

/// The last sequence number received from each station.
#[derive(Clone, Debug, Default)]
pub struct DuplicateFilter {
    last: NodeMap,
    by_number_only: bool,
}

impl DuplicateFilter {
    /// An empty filter. `by_number_only` ignores the retry bit and never treats number 0 as a duplicate
    /// (ns-2).
    pub fn new(by_number_only: bool) -> Self {
        Self { last: NodeMap::default(), by_number_only }
    }

    /// True if this frame repeats the last one from `from`; stores its number.
    #[inline(always)]
    pub fn is_duplicate(&mut self, from: NodeId, number: u16, retry: bool) -> bool {
        let known = self.last.insert(from, number) == Some(number);
        known && if self.by_number_only { number != 0 } else { retry }
    }
}

#[cfg(test)]
mod tests;
