//! Read-only view of the network for the judge: which nodes are up, in range, and queueing packets.

use super::nodes::Nodes;
use super::packets::PacketSlab;
use super::radio::Radio;
use super::wires::Wires;
use crate::provenance::Setback;
use std::collections::VecDeque;
use tworay_base::{LossCause, NodeId, PacketId, SimTime};

/// The network as the judge sees it at one moment. The radio side is borrowed mutably only because tracks
/// cache their latest position.
pub(super) struct Scene<'a> {
    pub now: SimTime,
    pub packets: &'a PacketSlab,
    pub nodes: &'a Nodes,
    pub wires: &'a Wires,
    pub radio: Option<&'a mut Radio>,
}

impl Scene<'_> {
    /// Whether two nodes can decode each other's frames now.
    pub fn in_range(&mut self, a: NodeId, b: NodeId) -> bool {
        self.radio.as_mut().is_some_and(|radio| radio.in_range(self.now, a, b))
    }

    /// Whether the next hop is physically out of reach, and why.
    pub fn out_of_reach(&mut self, node: NodeId, next_hop: NodeId) -> Option<LossCause> {
        if next_hop.is_broadcast() || self.wires.between(node, next_hop).is_some() {
            None
        } else if !self.nodes[next_hop].up {
            Some(LossCause::NodeDown)
        } else {
            (!self.in_range(node, next_hop)).then_some(LossCause::LinkFailure)
        }
    }

    /// What held up the packets of a full queue, if at least half of them and of the dying packet were held
    /// up: then they arrived together for this reason.
    pub fn burst(&self, dies: PacketId, others: &[PacketId]) -> Option<Setback> {
        let own = self.packets.independent_setback(dies);
        let of_flows = others.iter().filter(|id| self.packets.is_tracked(**id));
        let (mut all, mut held_up, mut first) = (1, usize::from(own.is_some()), own);
        for other in of_flows {
            all += 1;
            if let Some(root) = self.packets.independent_setback(*other) {
                held_up += 1;
                // The dying packet itself was not held up before; it stops now.
                first = first.or(Some(Setback { at: self.now, ..root }));
            }
        }
        first.filter(|_| 2 * held_up >= all)
    }

    /// Why there is no path between two nodes; `None` if there is one.
    pub fn no_path(&mut self, from: NodeId, to: NodeId) -> Option<LossCause> {
        if self.path(from, to, false).is_some() {
            None
        } else if self.nodes.any_failed && self.path(from, to, true).is_some() {
            Some(LossCause::NodeDown)
        } else {
            Some(LossCause::LinkFailure)
        }
    }

    /// Hop count of the shortest path that geometry permits; `all` includes nodes that are switched off.
    pub fn path(&mut self, from: NodeId, to: NodeId, all: bool) -> Option<u16> {
        let ends_up = self.nodes[from].up && !to.is_broadcast() && self.nodes[to].up;
        if to.is_broadcast() || !(all || ends_up) {
            return None;
        }
        let mut hops: Vec<Option<u16>> = vec![None; self.nodes.len()];
        hops[from.index()] = Some(0);
        let mut open = VecDeque::from([from]);
        let mut near = Vec::new();
        while let Some(a) = open.pop_front() {
            if a == to {
                return hops[a.index()];
            }
            let next = hops[a.index()].map(|h| h + 1);
            near.clear();
            self.wires.from(a, &mut near);
            if let Some(radio) = &mut self.radio {
                radio.neighbours(self.now, a, &mut near);
            }
            for &b in &near {
                if hops[b.index()].is_none() && (all || self.nodes[b].up) {
                    hops[b.index()] = next;
                    open.push_back(b);
                }
            }
        }
        None
    }
}
