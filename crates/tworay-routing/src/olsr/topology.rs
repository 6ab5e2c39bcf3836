//! The topology set, learned from TC messages (RFC 3626 §4.4, §9.5).

use std::collections::BTreeMap;
use tworay_base::{NodeId, SimDuration, SimTime};

/// True if `a` is newer than `b`, with wrap-around (RFC 3626 §19).
pub(crate) fn newer(a: u16, b: u16) -> bool {
    a != b && a.wrapping_sub(b) < 1 << 15
}

/// The information from one node.
#[derive(Clone, Debug)]
struct Advertisement {
    ansn: u16,
    /// When the last of it expires.
    until: SimTime,
    /// Its advertised neighbours, each with its expiry.
    reaches: Vec<(NodeId, SimTime)>,
}

/// The topology set, by originating node (T_last_addr).
#[derive(Clone, Debug, Default)]
pub(crate) struct Topology {
    known: BTreeMap<NodeId, Advertisement>,
}

impl Topology {
    /// Processes a TC message. Returns whether a link was added or removed.
    pub(crate) fn learn(
        &mut self,
        now: SimTime,
        last: NodeId,
        ansn: u16,
        advertised: impl Iterator<Item = NodeId>,
        hold: SimDuration,
    ) -> bool {
        let until = now + hold;
        let known =
            self.known.entry(last).or_insert_with(|| Advertisement { ansn, until, reaches: Vec::new() });
        if newer(known.ansn, ansn) {
            return false;
        }
        known.until = known.until.max(until);
        // A newer number removes everything that the message does not repeat.
        let sweep = newer(ansn, known.ansn);
        known.ansn = ansn;
        let old = known.reaches.len();
        let mut again = 0;
        let before = if sweep { std::mem::take(&mut known.reaches) } else { Vec::new() };
        for node in advertised {
            if let Some(entry) = known.reaches.iter_mut().find(|(n, _)| *n == node) {
                entry.1 = until;
            } else {
                again += usize::from(before.iter().any(|(n, _)| *n == node));
                known.reaches.push((node, until));
            }
        }
        if sweep { again != old || known.reaches.len() != old } else { known.reaches.len() != old }
    }

    /// Removes expired links. Returns whether one was removed, and when the next expires.
    pub(crate) fn settle(&mut self, now: SimTime) -> (bool, SimTime) {
        let mut gone = false;
        let mut next = SimTime::NEVER;
        self.known.retain(|_, known| {
            let before = known.reaches.len();
            known.reaches.retain(|(_, until)| *until > now);
            gone |= known.reaches.len() != before;
            next = known.reaches.iter().map(|(_, until)| *until).fold(next, SimTime::min);
            if known.until > now {
                next = next.min(known.until);
            }
            known.until > now || !known.reaches.is_empty()
        });
        (gone, next)
    }

    /// The nodes that `last` advertises.
    pub(crate) fn reached_from(&self, last: NodeId) -> &[(NodeId, SimTime)] {
        self.known.get(&last).map_or(&[], |t| &t.reaches)
    }
}

#[cfg(test)]
mod tests;
