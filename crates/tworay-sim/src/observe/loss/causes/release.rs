//! Packets that a search releases at once, of which load alone would have lost some.
//!
//! Packets wait in the routing buffer until the search for their route has ended. Then all of them go on together, and the interface
//! queue takes as many as it has places for. A search that a lost message has made late would have ended earlier without that loss, and would
//! have released the packets that had come by then. Those for which buffer and queue have no place would have been lost, too: to
//! load. The lost message is the cause of the others.

use super::records::Search;
use tworay_base::SimTime;
use tworay_routing::Waiting;

/// Most packets of a search whose times are kept. Those that come later come after any answer.
const MOST: usize = 1000;

/// True if the packet that came after `earlier` others is lost when a search ends for which `all` have waited, because the buffer
/// has dropped it or the queue has only so many places.
fn drops(waiting: Waiting, earlier: usize, all: usize, places: usize) -> bool {
    let oldest = all.saturating_sub(waiting.holds);
    let first = if waiting.newest_first { oldest.max(all.saturating_sub(places)) } else { oldest };
    !(first..first + places).contains(&earlier)
}

impl Search {
    /// True if a packet that waits since a time is lost when its search ends at another time, before a queue with so many places.
    pub fn loses(&self, waiting: Waiting, since: SimTime, end: SimTime, places: u32) -> bool {
        let before = |at: SimTime| self.waits.partition_point(|wait| *wait < at);
        let all = self.waits.partition_point(|wait| *wait <= end);
        since <= end && drops(waiting, before(since), all, places as usize)
    }

    /// True if all packets that have waited for it find places, in the buffer and in a queue with so many.
    pub fn finds_places(&self, waiting: Waiting, places: u32) -> bool {
        self.waits.len() <= waiting.holds.min(places as usize)
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
