//! The timer and the tasks it triggers.

use super::links::Change;
use super::{Olsr, Out, TcRedundancy};
use crate::{RoutingAction, RoutingNote};
use tworay_base::{NodeId, SimTime};

impl Olsr {
    /// Removes expired entries.
    pub(super) fn settle(&mut self, now: SimTime, out: Out) {
        let mut lost: Vec<NodeId> = Vec::new();
        let hold = self.config.neighbour_hold_time;
        let (change, links_end) = self.links.settle(now, hold, |neighbour| lost.push(neighbour));
        let (topology_changed, topology_end) = self.topology.settle(now);
        let (addresses_changed, associations_end) = self.associations.settle(now);
        self.next_end = links_end.min(topology_end).min(associations_end);
        self.stale_routes |= topology_changed || addresses_changed;
        for neighbour in lost {
            self.report_lost(neighbour, out);
        }
        self.apply_change(now, change);
    }

    /// Updates one link after an event.
    pub(super) fn settle_link(&mut self, now: SimTime, iface: NodeId, out: Out) {
        let hold = self.config.neighbour_hold_time;
        let Some(link) = self.links.get_mut(iface) else { return };
        let mut lost = false;
        let change = link.settle(now, hold, &mut |_| lost = true);
        if lost {
            self.report_lost(iface, out);
        }
        self.apply_change(now, change);
    }

    pub(super) fn report_lost(&mut self, neighbour: NodeId, out: Out) {
        self.counters.broken_links += 1;
        out.push(RoutingAction::Note(RoutingNote::LinkBroken { neighbour }));
    }

    /// Marks what must be recomputed after a change in the neighbourhood.
    pub(super) fn apply_change(&mut self, now: SimTime, change: Change) {
        self.stale_relays |= change.neighbourhood;
        // Selectors break ties between routes.
        self.stale_routes |= change.neighbourhood || change.selectors;
        let advertised = match self.config.tc_redundancy {
            TcRedundancy::Selectors | TcRedundancy::SelectorsAndRelays => change.selectors,
            TcRedundancy::Neighbours => change.neighbours,
        };
        if advertised {
            self.advance_tc(now);
        }
    }

    /// Records that an entry expires at `end`.
    pub(super) fn note_expiry(&mut self, end: SimTime) {
        self.next_end = self.next_end.min(end);
    }

    /// Runs at the end of every input: updates the routes of this node's own traffic and sets the timer.
    pub(super) fn finish(&mut self, now: SimTime, out: Out) {
        if self.has_own_traffic {
            self.calculate_routes(now, out);
        }
        self.arm(out);
    }

    pub(super) fn arm(&mut self, out: Out) {
        let next = self.next_hello.min(self.next_tc).min(self.outbox_due()).min(self.next_end);
        if next != self.armed {
            self.armed = next;
            out.push(RoutingAction::WakeAt(next));
        }
    }
}

#[cfg(test)]
mod tests;
