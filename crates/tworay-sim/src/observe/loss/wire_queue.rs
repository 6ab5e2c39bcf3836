//! The queue of a wire: would the same load fill it if nothing had held up packets before?
//!
//! A wire loses no time, and all of its packets take their turn. So its queue overflows because of load, or because packets come
//! together that were held up before. As with the queue of a relay ([`Service`]), an imagined queue is not offered the packets that
//! a break or a late search has held up, and of those that a noisy hop has held up as many as the wire had time for beside the others,
//! and no more at once than such a hop holds up together. Noise that only slows down what arrives fills no queue.
//!
//! [`Service`]: super::service::Service

use super::root_cause::RootCause;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mac::hcf::WINDOW;

/// Packets that come at once from a hop at most: as many as one BlockAck acknowledges.
const MOST: f64 = WINDOW as f64;

/// The queue of a wire, from the first packet on that was held up before.
#[derive(Clone, Debug, Default)]
pub(crate) struct WireQueue {
    /// Packets in it or on the wire, and those of them that the imagined queue lacks.
    length: u32,
    late: u32,
    /// Packets that the wire could have sent beyond those of the imagined queue.
    spare: f64,
    /// True once a packet has been late.
    followed: bool,
    idle_since: SimTime,
    /// The latest packet that was held up: its source, and what held it up.
    released: Option<(NodeId, RootCause)>,
}

impl WireQueue {
    /// A packet is offered to a wire with `length` packets, which takes `airtime` for it.
    #[inline]
    pub fn offered(&mut self, now: SimTime, length: usize, airtime: impl FnOnce() -> SimDuration) {
        let length = length as u32;
        if length == 0 && self.followed {
            self.spare += now.since(self.idle_since).as_secs_f64() / airtime().as_secs_f64();
        }
        (self.length, self.late) = (length + 1, self.late.min(length));
    }

    /// The packet just offered to a wire with `length` packets was held up by `root`, on its way from `src`; `together`: by noise, among
    /// so many packets.
    pub fn offered_late(&mut self, (src, root): (NodeId, RootCause), length: usize, together: Option<u32>) {
        if !self.followed {
            (self.followed, self.length) = (true, length as u32 + 1);
            // What waits now is what the wire has had no time for so far.
            self.spare = f64::from(together.unwrap_or_default()) - length as f64;
        }
        if let Some(together) = together {
            self.spare = self.spare.min(MOST);
            if self.spare < 1.0 || self.late >= together {
                return;
            }
            self.spare -= 1.0;
        }
        self.late += 1;
        self.released = Some((src, root));
    }

    /// The packet just offered was rejected. The imagined queue has a place for it instead of one that it lacks.
    pub fn refused(&mut self) {
        self.length = self.length.saturating_sub(1);
        self.late = self.late.saturating_sub(1);
    }

    /// The wire has sent a packet, and `length` are left.
    #[inline]
    pub fn sent(&mut self, now: SimTime, length: usize) {
        let length = length as u32;
        if self.late > length {
            self.spare += 1.0;
            self.late = length;
        }
        self.length = length;
        if length == 0 {
            self.idle_since = now;
        }
    }

    /// If only packets that were held up could fill half of the queue, in which `packets` have gathered: the latest one.
    pub fn filled_by_burst(&self, packets: u32) -> Option<(NodeId, RootCause)> {
        let others = self.length.saturating_sub(self.late);
        self.released.filter(|_| self.late > 0 && 2 * others < packets)
    }
}

#[cfg(test)]
mod tests;
