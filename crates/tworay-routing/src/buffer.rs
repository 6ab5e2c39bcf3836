//! Buffer for packets without a route.

use std::collections::VecDeque;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};

#[derive(Copy, Clone, Debug)]
struct Waiting {
    id: PacketId,
    dst: NodeId,
    /// True if this node is the packet's source.
    own: bool,
    deadline: SimTime,
}

/// A drop-front buffer with a limit and a timeout, shared by all destinations.
#[derive(Clone, Debug)]
pub(crate) struct SendBuffer {
    queue: VecDeque<Waiting>,
    limit: usize,
    timeout: SimDuration,
}

impl SendBuffer {
    pub(crate) fn new(limit: usize, timeout: SimDuration) -> Self {
        Self { queue: VecDeque::new(), limit, timeout }
    }

    /// Appends a packet; returns the packet dropped from the front if the buffer was full.
    pub(crate) fn push(&mut self, now: SimTime, id: PacketId, dst: NodeId, own: bool) -> Option<PacketId> {
        let evicted = if self.queue.len() >= self.limit { self.queue.pop_front() } else { None };
        self.queue.push_back(Waiting { id, dst, own, deadline: now + self.timeout });
        evicted.map(|w| w.id)
    }

    /// The oldest packet for `dst`.
    pub(crate) fn pop(&mut self, dst: NodeId) -> Option<PacketId> {
        let at = self.queue.iter().position(|w| w.dst == dst)?;
        self.queue.remove(at).map(|w| w.id)
    }

    /// The oldest packet of another node for `dst`.
    pub(crate) fn pop_transit(&mut self, dst: NodeId) -> Option<PacketId> {
        let at = self.queue.iter().position(|w| w.dst == dst && !w.own)?;
        self.queue.remove(at).map(|w| w.id)
    }

    /// The oldest packet if it has timed out.
    pub(crate) fn pop_expired(&mut self, now: SimTime) -> Option<PacketId> {
        // Deadlines increase from front to back.
        if self.queue.front()?.deadline > now {
            return None;
        }
        self.queue.pop_front().map(|w| w.id)
    }

    pub(crate) fn contains(&self, dst: NodeId) -> bool {
        self.queue.iter().any(|w| w.dst == dst)
    }

    /// When the first packet times out.
    pub(crate) fn deadline(&self) -> SimTime {
        self.queue.front().map_or(SimTime::NEVER, |w| w.deadline)
    }

    /// The destinations of the packets, each once, in ascending order.
    pub(crate) fn destinations(&self) -> Vec<NodeId> {
        let mut all: Vec<NodeId> = self.queue.iter().map(|w| w.dst).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    pub(crate) fn ids(&self) -> Vec<PacketId> {
        self.queue.iter().map(|w| w.id).collect()
    }
}
