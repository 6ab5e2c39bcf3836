//! Packets held by routing, and the buffer for packets without a route.

use std::collections::VecDeque;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::dsr::DsrHeader;
use tworay_wire::{Body, Packet};

/// Data that routing needs of a packet of which it has only the handle.
#[derive(Clone, Debug)]
pub(super) struct Parcel {
    pub id: PacketId,
    /// Used as IP identification.
    pub uid: u64,
    pub src: NodeId,
    pub dst: NodeId,
    /// Contains more than DSR options.
    pub data: bool,
    pub header: DsrHeader,
}

impl Parcel {
    pub(super) fn of(id: PacketId, packet: &Packet) -> Self {
        Self {
            id,
            uid: packet.uid,
            src: packet.src,
            dst: packet.dst,
            data: !matches!(packet.body, Body::Dsr),
            header: packet.dsr.as_deref().cloned().unwrap_or_default(),
        }
    }
}

/// A drop-front buffer with a limit and a timeout, shared by all destinations.
#[derive(Clone, Debug)]
pub(super) struct SendBuffer {
    queue: VecDeque<(SimTime, Parcel)>,
    limit: usize,
    timeout: SimDuration,
}

impl SendBuffer {
    pub(super) fn new(limit: u32, timeout: SimDuration) -> Self {
        Self { queue: VecDeque::new(), limit: limit as usize, timeout }
    }

    /// Appends a packet; returns the packet dropped from the front if the buffer was full.
    pub(super) fn push(&mut self, now: SimTime, parcel: Parcel) -> Option<PacketId> {
        let evicted = if self.queue.len() >= self.limit { self.queue.pop_front() } else { None };
        self.queue.push_back((now + self.timeout, parcel));
        evicted.map(|(_, p)| p.id)
    }

    /// The oldest packet if it has timed out.
    pub(super) fn pop_expired(&mut self, now: SimTime) -> Option<PacketId> {
        // Deadlines increase from front to back.
        if self.queue.front()?.0 > now {
            return None;
        }
        self.queue.pop_front().map(|(_, p)| p.id)
    }

    /// The oldest packet for `dst`.
    pub(super) fn pop(&mut self, dst: NodeId) -> Option<Parcel> {
        let at = self.queue.iter().position(|(_, p)| p.dst == dst)?;
        self.queue.remove(at).map(|(_, p)| p)
    }

    pub(super) fn contains(&self, dst: NodeId) -> bool {
        self.queue.iter().any(|(_, p)| p.dst == dst)
    }

    /// The packet at an index, 0 for the oldest.
    pub(super) fn look(&self, at: usize) -> Option<&Parcel> {
        self.queue.get(at).map(|(_, p)| p)
    }

    pub(super) fn remove(&mut self, at: usize) -> Option<Parcel> {
        self.queue.remove(at).map(|(_, p)| p)
    }

    /// When the first packet times out.
    pub(super) fn deadline(&self) -> SimTime {
        self.queue.front().map_or(SimTime::NEVER, |(at, _)| *at)
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = PacketId> + '_ {
        self.queue.iter().map(|(_, p)| p.id)
    }
}
