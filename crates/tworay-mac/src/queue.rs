//! The interface queue: drop-tail, routing packets first.

use std::collections::VecDeque;
use tworay_base::{NodeId, PacketId};

/// A packet waiting for the MAC.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct QueueEntry {
    /// The packet.
    pub packet: PacketId,
    /// Next hop, or broadcast.
    pub next_hop: NodeId,
    /// Length of the network packet, bytes.
    pub ip_bytes: u32,
    /// True if a routing protocol generated it; such packets go first.
    pub routing: bool,
}

/// Drop-tail queue of a fixed number of packets.
#[derive(Clone, Debug)]
pub struct InterfaceQueue {
    entries: VecDeque<QueueEntry>,
    /// Number of routing packets, which stand at the front in arrival order.
    routing: usize,
    limit: usize,
    one_short: bool,
}

impl InterfaceQueue {
    /// A queue for `limit` packets. `queue_one_short` is ns-2's quirk of that name: one place less for data,
    /// and the newest routing packet goes to the head.
    pub fn new(limit: u32, queue_one_short: bool) -> Self {
        Self {
            // Grows on demand: most nodes of a large network forward nothing.
            entries: VecDeque::new(),
            routing: 0,
            limit: limit as usize,
            one_short: queue_one_short,
        }
    }

    /// Appends a packet. Returns the packet dropped because the queue is full: this one, or the last in the
    /// queue if this one is a routing packet.
    #[inline(always)]
    pub fn push(&mut self, entry: QueueEntry) -> Option<QueueEntry> {
        if entry.routing {
            let at = if self.one_short { 0 } else { self.routing };
            self.entries.insert(at, entry);
            self.routing += 1;
            let over = if self.one_short {
                self.entries.len() >= self.limit
            } else {
                self.entries.len() > self.limit
            };
            if over { self.pop_back() } else { None }
        } else {
            let full = if self.one_short {
                self.entries.len() + 1 >= self.limit
            } else {
                self.entries.len() >= self.limit
            };
            if full {
                return Some(entry);
            }
            self.entries.push_back(entry);
            None
        }
    }

    fn pop_back(&mut self) -> Option<QueueEntry> {
        let out = self.entries.pop_back();
        if out.is_some_and(|e| e.routing) {
            self.routing -= 1;
        }
        out
    }

    /// Removes the next packet to send.
    pub fn pop(&mut self) -> Option<QueueEntry> {
        let out = self.entries.pop_front();
        if out.is_some_and(|e| e.routing) {
            self.routing -= 1;
        }
        out
    }

    /// Removes the first packet for `next_hop`.
    pub fn pop_to(&mut self, next_hop: NodeId) -> Option<QueueEntry> {
        let at = self.entries.iter().position(|e| e.next_hop == next_hop)?;
        let out = self.entries.remove(at);
        if out.is_some_and(|e| e.routing) {
            self.routing -= 1;
        }
        out
    }

    /// Removes all data packets for `next_hop` in order; routing packets stay.
    pub fn purge(&mut self, next_hop: NodeId, out: &mut Vec<QueueEntry>) {
        self.entries.retain(|e| {
            let gone = e.next_hop == next_hop && !e.routing;
            if gone {
                out.push(*e);
            }
            !gone
        });
    }

    /// Packets waiting.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The queued packets, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &QueueEntry> {
        self.entries.iter()
    }
}

#[cfg(test)]
mod tests;
