//! Reacts to broken routes with `--freeze`: closes windows, probes, and detects when a route is back.

use crate::engine::{Engine, untracked};
use crate::packet;
use tworay_base::{NodeId, Seq32};
use tworay_sim::{Carries, Entering, RouteBreak};

impl Engine {
    /// Freezes senders whose route is broken, and probes the routes of frozen senders.
    pub(crate) fn look_after_breaks(&mut self) {
        while let Some(broken) = self.live.pop_break() {
            if self.rules.freeze {
                self.freeze_senders(broken);
            }
        }
        if !self.rules.freeze {
            return;
        }
        let now = self.live.now();
        for (number, side) in self.freezer.frozen().collect::<Vec<_>>() {
            let (node, to) = self.way(number, side);
            // Only the routing table of the sender's own node is used, nothing else of the network.
            self.freezer.note_route((number, side), now, self.live.hops_to(node, to).is_some());
        }
        if self.freezer.next_due() <= now {
            self.probe();
        }
    }

    fn freeze_senders(&mut self, broken: RouteBreak) {
        for number in 0..self.connections.all.len() {
            let way = (broken.node, broken.dst);
            let Some(side) = (0..2).find(|&side| self.way(number, side) == way) else { continue };
            let connection = &mut self.connections.all[number];
            if !connection.waits(side) {
                continue;
            }
            let ends = [connection.ends[side], connection.ends[1 - side]];
            let now = self.live.now();
            if let (Some(ack), Some(&place)) =
                (self.freezer.freeze((number, side), now, ends), self.places.get(&broken.node))
            {
                connection.freezes += 1;
                self.not_taken += u64::from(self.stations[place].send(&ack).is_err());
            }
        }
    }

    fn probe(&mut self) {
        for ((number, side), bytes) in self.freezer.due(self.live.now()) {
            let (node, to) = self.way(number, side);
            // A routing protocol that is searching sends its buffered packets once it has a route. More
            // probes would only delay the data then.
            if self.live.keeps_for(node, to) {
                continue;
            }
            let Ok(view) = packet::view(&bytes) else { continue };
            let (flow, carries) = (self.connections.all[number].flow, Some(Carries::Data));
            let seq = view.tcp.map_or(Seq32(0), |t| t.seq);
            self.live.take_in(Entering { flow, carries, seq, ..untracked((node, to), &view, bytes) });
        }
    }

    /// Source and destination of one end of a connection.
    fn way(&self, number: usize, side: usize) -> (NodeId, NodeId) {
        let nodes = self.connections.all[number].nodes;
        (nodes[side], nodes[1 - side])
    }
}
