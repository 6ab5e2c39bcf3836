//! Messages already processed (RFC 3626 §3.4).

use std::collections::{BTreeMap, VecDeque};
use tworay_base::{NodeId, SimDuration, SimTime};

/// Maximum number of messages stored per originator; a correct node sends fewer in DUP_HOLD_TIME.
const MOST: usize = 128;

/// The duplicate set. A node has one interface, so a message in the set is neither processed nor relayed
/// again.
#[derive(Clone, Debug)]
pub(crate) struct Duplicates {
    hold: SimDuration,
    /// Sequence numbers with their expiry, oldest first.
    seen: BTreeMap<NodeId, VecDeque<(u16, SimTime)>>,
}

impl Duplicates {
    pub(crate) fn new(hold: SimDuration) -> Self {
        Self { hold, seen: BTreeMap::new() }
    }

    /// True if the message is new; stores it.
    pub(crate) fn first(&mut self, now: SimTime, originator: NodeId, seq: u16) -> bool {
        let list = self.seen.entry(originator).or_default();
        while list.front().is_some_and(|(_, until)| *until <= now) {
            list.pop_front();
        }
        if list.iter().any(|(s, _)| *s == seq) {
            return false;
        }
        if list.len() >= MOST {
            list.pop_front();
        }
        list.push_back((seq, now + self.hold));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: SimDuration = SimDuration::from_secs(1);

    #[test]
    fn a_message_is_new_once_in_its_hold_time() {
        let mut d = Duplicates::new(SECOND * 30);
        let at = |s| SimTime::ZERO + SECOND * s;
        assert!(d.first(at(0), NodeId(1), 7));
        assert!(!d.first(at(29), NodeId(1), 7), "not refreshed by a copy");
        assert!(d.first(at(29), NodeId(2), 7), "another originator");
        assert!(d.first(at(29), NodeId(1), 8), "another message");
        assert!(d.first(at(30), NodeId(1), 7));
    }

    #[test]
    fn a_flood_of_numbers_is_bounded() {
        let mut d = Duplicates::new(SECOND * 30);
        for seq in 0..=u16::MAX {
            assert!(d.first(SimTime::ZERO, NodeId(1), seq));
        }
        assert_eq!(d.seen[&NodeId(1)].len(), MOST);
    }
}
