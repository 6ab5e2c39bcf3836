//! State shared by every part of a network: agenda, packets and observers.

use super::agenda::Agenda;
use super::packets::{PacketSlab, UNTRACKED};
use crate::observe::loss::ledger::Carries;
use crate::observe::loss::root_cause::RootCause;
use crate::observe::{Fact, Observers, View};
use tworay_base::{Died, FlowId, LossCause, NodeId, PacketId, Seq32, SimTime};
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

    /// A copy of a packet dies at `node`. The root is `of`, unless an earlier root cause held it up.
    #[inline(never)]
    pub fn kill(&mut self, packet: PacketId, node: NodeId, died: Died, of: RootCause) {
        let root = match self.observers.held_ups.root_of(packet) {
            Some(held) if held.cause.is_some() => held,
            // A packet that waited for a search has the outcome that the caller found.
            _ => of,
        };
        self.observe(Fact::Died { packet, node, died, root });
        self.packets.discard(packet);
    }

    /// A packet is at a node that is switched off.
    pub fn kill_at_dead_node(&mut self, packet: PacketId, node: NodeId) {
        self.kill(packet, node, Died::NodeDown, RootCause::new(self.now, node, LossCause::NodeDown));
    }

    /// A copy of a packet is no longer needed.
    pub fn release(&mut self, packet: PacketId) {
        self.observe(Fact::HandedOn { packet });
        self.packets.discard(packet);
    }

    /// Something prevents a packet from going on; only the first such root cause counts.
    pub fn hold_up(&mut self, packet: PacketId, by: RootCause) {
        let uid = self.packets.get(packet).uid;
        if uid < UNTRACKED {
            let whole = self.observers.ledger.copies(uid) == 1;
            self.observers.held_ups.hold_up(packet, by, whole);
        }
    }

    /// A packet that waited for a route discovery goes on; `late` is what delayed the search, if anything did.
    pub fn end_search(&mut self, packet: PacketId, late: Option<RootCause>) {
        if let Some(search) = self.observers.held_ups.end_search(packet, late) {
            self.note_hold(packet, late.unwrap_or(search));
        }
    }

    /// A packet becomes another's copy at the next hop.
    #[inline]
    pub fn hand_on(&mut self, packet: PacketId, copy: PacketId) {
        if self.observers.held_ups.is_held_up(packet) {
            self.hand_on_held(packet, copy);
        }
    }

    /// As [`Common::hand_on`], for a packet that something has held up.
    #[cold]
    #[inline(never)]
    fn hand_on_held(&mut self, packet: PacketId, copy: PacketId) {
        if let Some(hold) = self.observers.held_ups.hand_on(packet, copy) {
            self.note_hold(packet, hold);
        }
    }

    /// A segment that a root cause held up has gone on.
    #[cold]
    fn note_hold(&mut self, packet: PacketId, by: RootCause) {
        let uid = self.packets.get(packet).uid;
        self.observe(Fact::HeldUp { uid, by });
    }

    /// The run ends: notes what still holds up segments.
    pub fn close_holds(&mut self) {
        let view = View { now: self.now, packets: &self.packets };
        for (id, packet) in self.packets.iter() {
            if let Some(by) = self.observers.held_ups.hold(id) {
                self.observers.observe(Fact::HeldUp { uid: packet.uid, by }, view);
            }
        }
    }
}
