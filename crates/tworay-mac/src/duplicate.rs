//! Duplicate detection (IEEE 802.11-1999 §9.2.9).

use tworay_base::NodeId;

/// Remembers the last sequence number heard from each station.
#[derive(Clone, Debug, Default)]
pub struct DuplicateFilter {
    last: Vec<Option<u16>>,
    by_number_only: bool,
}

impl DuplicateFilter {
    /// A filter; `by_number_only` ignores the retry bit and never takes number 0 for a duplicate (ns-2).
    pub fn new(by_number_only: bool) -> Self {
        Self { last: Vec::new(), by_number_only }
    }

    /// Whether this frame repeats the last one from `from`; remembers it.
    pub fn is_duplicate(&mut self, from: NodeId, number: u16, retry: bool) -> bool {
        let i = from.index();
        if i >= self.last.len() {
            self.last.resize(i + 1, None);
        }
        let known = self.last[i] == Some(number);
        let duplicate = known && if self.by_number_only { number != 0 } else { retry };
        self.last[i] = Some(number);
        duplicate
    }
}

#[cfg(test)]
mod tests;
