//! The request table: requests heard, and searches of this node (RFC 4728 §4.3).

use std::collections::VecDeque;
use tworay_base::{NodeId, SimTime};

/// Requests heard before, by initiator; the initiator not heard for longest makes room.
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

    /// Notes the request; true if it was known.
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

/// What has been done so far to find a destination. It is kept until an answer comes, so that a
/// destination that can't be reached is asked for less and less often.
#[derive(Copy, Clone, Debug)]
pub(super) struct Search {
    /// When this node began to look for it.
    pub began_at: SimTime,
    /// When the last request (of a pair, the first) went out.
    pub last_at: SimTime,
    /// Requests that reached further than the neighbours (ns-2: pairs), without an answer.
    pub tries: u8,
    /// The last request went to the neighbours only.
    pub nonpropagating: bool,
    /// When the wait for an answer is over.
    pub until: SimTime,
}
