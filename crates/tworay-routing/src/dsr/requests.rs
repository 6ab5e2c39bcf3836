//! The request table: requests received, and this node's discoveries (RFC 4728 §4.3).

use std::collections::VecDeque;
use tworay_base::{NodeId, SimTime};

/// Requests received, by initiator. When full, the initiator heard longest ago is removed.
#[derive(Clone, Debug)]
pub(super) struct SeenRequests {
    entries: VecDeque<(NodeId, VecDeque<u16>)>,
    initiators: usize,
    ids: usize,
}

impl SeenRequests {
    pub(super) fn new(initiators: u32, ids: u32) -> Self {
        Self { entries: VecDeque::new(), initiators: initiators as usize, ids: ids as usize }
    }

    /// Records the request; returns true if it was known.
    pub(super) fn note(&mut self, initiator: NodeId, id: u16) -> bool {
        let at = self.entries.iter().position(|(n, _)| *n == initiator);
        let mut entry = match at.and_then(|at| self.entries.remove(at)) {
            Some(entry) => entry,
            None => {
                if self.entries.len() >= self.initiators {
                    self.entries.pop_front();
                }
                (initiator, VecDeque::new())
            }
        };
        let known = entry.1.contains(&id);
        if !known {
            if entry.1.len() >= self.ids {
                entry.1.pop_front();
            }
            entry.1.push_back(id);
        }
        self.entries.push_back(entry);
        known
    }
}

/// The state of the discovery for a destination. It is kept until a reply arrives, so that requests for an
/// unreachable destination become less and less frequent.
#[derive(Copy, Clone, Debug)]
pub(super) struct Search {
    /// When the discovery began.
    pub began_at: SimTime,
    /// When the last request (of a pair, the first) was sent.
    pub last_at: SimTime,
    /// Unanswered requests that went beyond the neighbours (ns-2: pairs).
    pub tries: u8,
    /// The last request was for the neighbours only.
    pub nonpropagating: bool,
    /// End of the wait for a reply.
    pub until: SimTime,
}
