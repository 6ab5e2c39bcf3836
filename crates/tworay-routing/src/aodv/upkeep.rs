//! The timer and the tasks it triggers.

use super::errors::lose;
use super::{Aodv, Out, Upkeep};
use crate::DropReason;
use smallvec::SmallVec;
use tworay_base::{NodeId, SimTime};

impl Aodv {
    /// Handles expired waits for replies and expired buffered packets.
    pub(super) fn end_waits(&mut self, now: SimTime, out: Out) {
        while let Some(id) = self.buffer.pop_expired(now) {
            self.drop_packet(id, DropReason::Timeout, out);
        }
        let due: SmallVec<[NodeId; 8]> = self
            .searches
            .iter()
            .filter(|(_, s)| s.until > SimTime::ZERO && s.until <= now)
            .map(|(dst, _)| *dst)
            .collect();
        for dst in due {
            let wanted = self.buffer.contains(dst) || self.searches.get(&dst).is_some_and(|s| s.repair);
            if wanted {
                self.advance(now, dst, out);
            } else if self.config.requests == super::Requests::Rfc3561 {
                // No packet needs the route any more.
                self.searches.remove(&dst);
            } else if let Some(search) = self.searches.get_mut(&dst) {
                search.until = SimTime::ZERO;
            }
        }
    }

    /// ns-2: a repair that ends without a route leaves the route invalid.
    pub(super) fn end_repairs(&mut self, now: SimTime, out: Out) {
        let mut ended: SmallVec<[NodeId; 4]> = SmallVec::new();
        self.repair_ends.retain(|(at, dst)| {
            if *at <= now {
                ended.push(*dst);
            }
            *at > now
        });
        for dst in ended {
            let route = self.table.entry(now, dst);
            if route.state == super::table::State::Repair {
                let link = (self.node, Some(route.next_hop));
                lose(route, now, dst, link, out);
            }
        }
    }

    pub(super) fn next_deadline(&self) -> SimTime {
        let mut next =
            self.next_purge.min(self.next_hello).min(self.neighbours.deadline(self.allowed_silence()));
        for (at, _) in &self.repair_ends {
            next = next.min(*at);
        }
        if self.config.upkeep == Upkeep::Exact {
            next = next.min(self.buffer.deadline());
            for search in self.searches.values().filter(|s| s.until > SimTime::ZERO) {
                next = next.min(search.until);
            }
        }
        next
    }
}
