//! Packets that a search releases at once, of which load alone would have lost some.
//!
//! Packets wait in the routing buffer until the search for their route has ended. Then all of them go on together, and the interface
//! queue takes as many as it has places for. A search that a lost message has made late would have ended earlier without that loss, and would
//! have released the packets that had come by then. Those for which buffer and queue have no place would have been lost, too: to
//! load. The lost message is the cause of the others.

use super::records::Search;
use tworay_base::SimTime;
use tworay_routing::dsr::MaintenanceOrder;
use tworay_routing::{Protocol, RoutingConfig};

/// Most packets of a search whose times are kept. Those that come later come after any answer.
const MOST: usize = 1000;

/// Order and number of the packets that routing releases after a search for their route.
#[derive(Copy, Clone, Debug)]
pub(super) struct Release {
    /// Packets in its buffer, which drops the oldest one when it is full.
    holds: usize,
    newest_first: bool,
}

impl Release {
    /// `None`: no packet waits for a search, or they go on one by one.
    pub fn of(config: &RoutingConfig) -> Option<Self> {
        let (spacing, holds, newest_first) = if config.protocol == Protocol::Aodv {
            (config.aodv.release_spacing, config.aodv.buffer_packets, false)
        } else if config.protocol == Protocol::Dsr {
            let newest_first = config.dsr.maintenance_order == MaintenanceOrder::Lifo;
            (config.dsr.release_spacing, config.dsr.send_buffer_packets, newest_first)
        } else {
            return None;
        };
        spacing.is_zero().then_some(Self { holds: holds as usize, newest_first })
    }

    /// True if the packet that came after `earlier` others is lost when a search ends for which `all` have waited, because the buffer
    /// has dropped it or the queue has only so many places.
    fn drops(self, earlier: usize, all: usize, places: usize) -> bool {
        let oldest = all.saturating_sub(self.holds);
        let first = if self.newest_first { oldest.max(all.saturating_sub(places)) } else { oldest };
        !(first..first + places).contains(&earlier)
    }
}

impl Search {
    /// True if a packet that waits since a time is lost when its search ends at another time, before a queue with so many places.
    pub fn loses(&self, release: Release, since: SimTime, end: SimTime, places: u32) -> bool {
        let before = |at: SimTime| self.waits.partition_point(|wait| *wait < at);
        let all = self.waits.partition_point(|wait| *wait <= end);
        since <= end && release.drops(before(since), all, places as usize)
    }

    /// True if all packets that have waited for it find places, in the buffer and in a queue with so many.
    pub fn finds_places(&self, release: Release, places: u32) -> bool {
        self.waits.len() <= release.holds.min(places as usize)
    }

    /// A packet waits for this search from now on.
    pub fn note_wait(&mut self, now: SimTime) {
        if std::mem::take(&mut self.over) {
            self.waits.clear();
        }
        if self.waits.len() < MOST {
            self.waits.push(now);
        }
    }
}

#[cfg(test)]
mod tests;
