//! Where noise has destroyed something, and when: frames, packets above the MAC, and what wires carry.

use crate::observe::loss::root_cause::{Hop, ends};
use std::collections::BTreeMap;
use tworay_base::{NodeId, SimDuration, SimTime};

/// Noise within this time may be the reason for what is lost on a hop.
const LATELY: SimDuration = SimDuration::from_secs(10);

/// Time for which tables lack what a lost message would have told: OLSR's TC messages come every 5 s, and are believed for 15 s
/// (RFC 3626 §18).
const TABLES: SimDuration = SimDuration::from_secs(20);

/// The latest noise between any two nodes, with its direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Noises(BTreeMap<[NodeId; 2], (SimTime, Hop)>);

impl Noises {
    /// Noise has destroyed something on a hop. What a packet tells of it when it is lost may be older than what is known.
    pub fn note(&mut self, hop: Hop, at: SimTime) {
        let latest = self.0.entry(ends(hop.0, hop.1)).or_insert((at, hop));
        if latest.0 <= at {
            *latest = (at, hop);
        }
    }

    /// True if noise has destroyed something on a hop, in either direction, shortly before a time or later.
    pub fn has(&self, (a, b): Hop, at: SimTime) -> bool {
        self.0.get(&ends(a, b)).is_some_and(|(noise, _)| *noise + LATELY >= at)
    }

    /// True if noise has destroyed anything that tables may lack at a time.
    pub fn may_cost_routes(&self, at: SimTime) -> bool {
        self.0.values().any(|(noise, _)| *noise + TABLES >= at)
    }

    /// The hop between two of the nodes that are meant on which noise has last destroyed something, if that was shortly before a time or
    /// later.
    pub fn latest(&self, at: SimTime, meant: impl Fn(NodeId) -> bool) -> Option<Hop> {
        let lately = self
            .0
            .iter()
            .filter(|(of, (noise, _))| *noise + LATELY >= at && of.iter().all(|node| meant(*node)));
        lately.map(|(_, latest)| *latest).max_by_key(|(noise, _)| *noise).map(|(_, hop)| hop)
    }
}
