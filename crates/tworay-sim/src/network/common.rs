//! State shared by every part of a network: agenda, packets and observers.

use super::agenda::Agenda;
use super::packets::{PacketSlab, UNTRACKED};
use crate::observe::loss::ledger::Carries;
use crate::observe::{Fact, Observers, View, Why};
use tworay_base::{FlowId, NodeId, PacketId, Seq32, SimTime};
use tworay_wire::Packet;

/// State shared by every part of a network.
pub(crate) struct Common {
    pub now: SimTime,
    pub agenda: Agenda,
    pub packets: PacketSlab,
    pub observers: Observers,
    /// Number of the next packet that the ledger tracks.
    next_uid: u64,
    last_control_uid: u64,
}

impl Common {
    pub fn new(agenda: Agenda, observers: Observers) -> Self {
        Self {
            now: SimTime::ZERO,
            agenda,
            packets: PacketSlab::default(),
            observers,
            next_uid: 0,
            last_control_uid: UNTRACKED,
        }
    }

    /// Passes a fact to the observers.
    #[inline(always)]
    pub fn observe(&mut self, fact: Fact<'_>) {
        self.observers.observe(fact, View { now: self.now, packets: &self.packets });
    }

    /// True if there are observers on request.
    #[inline(always)]
    pub fn watched(&self) -> bool {
        self.observers.watched()
    }

    /// As [`Self::observe`], for facts that only observers on request read: without any, the fact is not even put
    /// together.
    #[inline(always)]
    pub fn watch<'a>(&mut self, fact: impl FnOnce() -> Fact<'a>) {
        if self.watched() {
            self.show(fact());
        }
    }

    #[cold]
    #[inline(never)]
    fn show(&mut self, fact: Fact<'_>) {
        self.observers.observe(fact, View { now: self.now, packets: &self.packets });
    }

    /// The uid of the next packet that the ledger tracks.
    pub fn next_uid(&self) -> u64 {
        self.next_uid
    }

    /// A transport gives a packet to the network; returns its uid.
    #[inline]
    pub fn take(&mut self, flow: FlowId, carries: Carries, seq: Seq32) -> u64 {
        self.observe(Fact::Taken { flow, carries, seq });
        self.next_uid += 1;
        self.next_uid - 1
    }

    /// A uid for a packet that the ledger does not track.
    pub fn control_uid(&mut self) -> u64 {
        self.last_control_uid += 1;
        self.last_control_uid
    }

    /// Creates another copy of a packet in its current state.
    pub fn copy(&mut self, packet: PacketId) -> PacketId {
        let copy = self.packets.get(packet).clone();
        if copy.uid < UNTRACKED {
            self.observe(Fact::Copied { uid: copy.uid });
        }
        self.insert(copy)
    }

    /// Stores a packet that was just made.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        let packet = self.packets.insert(packet);
        self.observe(Fact::Made { packet });
        packet
    }

    /// A copy of a packet dies at `node`.
    #[inline(never)]
    pub fn kill(&mut self, packet: PacketId, node: NodeId, why: Why) {
        self.observe(Fact::Died { packet, node, why });
        self.packets.discard(packet);
    }

    /// A copy of a packet is no longer needed.
    pub fn release(&mut self, packet: PacketId) {
        self.observe(Fact::HandedOn { packet });
        self.packets.discard(packet);
    }
}
