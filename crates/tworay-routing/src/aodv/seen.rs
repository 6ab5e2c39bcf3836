//! Recently seen requests (the RREQ ID cache of RFC 3561 §6.5).

use std::collections::{BTreeSet, VecDeque};
use tworay_base::{NodeId, SimDuration, SimTime};

/// Requests by originator and id, each kept for the same time.
#[derive(Clone, Debug)]
pub(crate) struct SeenRequests {
    known: BTreeSet<(NodeId, u32)>,
    ages: VecDeque<(SimTime, NodeId, u32)>,
    keep: SimDuration,
}

impl SeenRequests {
    pub(crate) fn new(keep: SimDuration) -> Self {
        Self { known: BTreeSet::new(), ages: VecDeque::new(), keep }
    }

    /// Records the request; returns false if it was known.
    pub(crate) fn insert(&mut self, now: SimTime, orig: NodeId, id: u32) -> bool {
        while let Some(&(expire, o, i)) = self.ages.front()
            && expire <= now
        {
            self.known.remove(&(o, i));
            self.ages.pop_front();
        }
        let new = self.known.insert((orig, id));
        if new {
            self.ages.push_back((now + self.keep, orig, id));
        }
        new
    }
}
