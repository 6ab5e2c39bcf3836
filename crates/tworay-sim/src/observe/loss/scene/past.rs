//! The reach of hops some time ago.

use super::{Scene, looks, was_up};
use tworay_base::{LossCause, NodeId, SimDuration, SimTime};

impl Scene<'_> {
    /// Why the next hop was out of reach at some time within `before` of now, if it was.
    pub fn was_out_of_reach(
        &mut self,
        node: NodeId,
        next_hop: NodeId,
        before: SimDuration,
    ) -> Option<LossCause> {
        if next_hop.is_broadcast() || self.wires.between(node, next_hop).is_some() {
            return None;
        }
        let from = self.now.earlier_by(before);
        if self.nodes[next_hop].up_since > from {
            return Some(LossCause::NodeDown);
        }
        let now = self.now;
        let radio = self.radio.as_mut()?;
        let mended = radio.mended_since(from, node, next_hop);
        let mut times = looks(radio.changes(), (from, now));
        let apart = mended || times.any(|at| !radio.reaches(at, node, next_hop));
        // Positions are those of the past; the tracks must return to the present.
        radio.reaches(now, node, next_hop);
        apart.then_some(LossCause::LinkFailure)
    }

    /// True if the next hop was within reach by the mean power at some time between two.
    pub fn was_in_range(&mut self, node: NodeId, next_hop: NodeId, (from, to): (SimTime, SimTime)) -> bool {
        let now = self.now;
        let Some(radio) = self.radio.as_mut() else { return false };
        let mut times = looks(radio.changes(), (from, to));
        let near =
            radio.was_cut_since(from, node, next_hop) || times.any(|at| radio.in_range(at, node, next_hop));
        // The tracks must return to the present.
        radio.in_range(now, node, next_hop);
        near
    }

    /// Why the next hop was out of reach at a time, if it was.
    pub fn was_out_of_reach_at(&mut self, node: NodeId, next_hop: NodeId, at: SimTime) -> Option<LossCause> {
        if !was_up(&self.nodes[next_hop], at) {
            return Some(LossCause::NodeDown);
        }
        let now = self.now;
        let radio = self.radio.as_mut()?;
        let apart = radio.mended_since(at, node, next_hop) || !radio.reaches(at, node, next_hop);
        // The tracks must return to the present.
        radio.reaches(now, node, next_hop);
        apart.then_some(LossCause::LinkFailure)
    }
}
