//! State shared by every part of a network: agenda, packets, books and observers.

use super::agenda::Agenda;
use super::is_message;
use super::judge::Judge;
use super::packets::{PacketSlab, UNTRACKED};
use crate::ledger::{Death, Ledger};
use crate::observe::{Fact, Observers, View};
use crate::provenance::Setback;
use tworay_base::{Died, LossCause, NodeId, PacketId, SimTime};
use tworay_wire::Body;

/// The books: what happened to every segment, and what held it up.
pub(crate) struct Books {
    /// Every segment sent, and its outcome.
    pub ledger: Ledger,
    /// Determines root causes of losses.
    pub judge: Judge,
}

/// State shared by every part of a network.
pub(crate) struct Common {
    pub now: SimTime,
    pub agenda: Agenda,
    pub packets: PacketSlab,
    pub books: Books,
    pub observers: Observers,
    last_control_uid: u64,
}

impl Common {
    pub fn new(agenda: Agenda, ledger: Ledger, nodes: usize, series: bool) -> Self {
        Self {
            now: SimTime::ZERO,
            agenda,
            packets: PacketSlab::default(),
            books: Books { ledger, judge: Judge::new(nodes) },
            observers: Observers::new(series),
            last_control_uid: UNTRACKED,
        }
    }

    /// Passes a fact to the observers.
    #[inline(always)]
    pub fn observe(&mut self, fact: Fact<'_>) {
        self.observers.observe(fact, View { now: self.now, packets: &self.packets });
    }

    /// Whether there are observers on request.
    #[inline(always)]
    pub fn watched(&self) -> bool {
        self.observers.watched()
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
            self.books.ledger.copied(copy.uid);
        }
        self.packets.insert(copy)
    }

    /// A copy of a packet dies at `node`. The root is `of`, unless an earlier setback held it up.
    #[inline(never)]
    pub fn kill(&mut self, packet: PacketId, node: NodeId, died: Died, of: Setback) {
        let p = self.packets.get(packet);
        let (uid, hops, flow, from) = (p.uid, p.hops, p.flow, p.src);
        if uid >= UNTRACKED && is_message(p) {
            self.books.judge.note_message_lost(self.now, &of, p);
        }
        if uid < UNTRACKED {
            let root = match self.packets.setback(packet) {
                Some(held) if held.cause.is_some() => held,
                // A packet that waited for a search has the outcome that the caller found.
                _ => of,
            };
            let cause = root.cause.unwrap_or(LossCause::Unknown);
            if root.is_physical() {
                self.books.judge.note_struck(self.now, (flow, from), root);
            }
            let booked = self.books.ledger.records().len();
            self.books.ledger.died(uid, Death { root, cause, died, node, from, hops }, self.now);
            if self.watched() {
                self.show_loss(packet, booked);
            }
        }
        self.packets.discard(packet);
    }

    /// A packet is at a node that is switched off.
    pub fn kill_at_dead_node(&mut self, packet: PacketId, node: NodeId) {
        self.kill(packet, node, Died::NodeDown, Setback::new(self.now, node, LossCause::NodeDown));
    }

    /// A copy of a packet is no longer needed.
    pub fn release(&mut self, packet: PacketId) {
        let p = self.packets.get(packet);
        let uid = p.uid;
        if uid < UNTRACKED {
            let booked = self.books.ledger.records().len();
            self.books.ledger.handed_on(uid, self.now);
            if self.watched() {
                self.show_loss(packet, booked);
            }
        } else if let Body::Arp(arp) = p.body
            && arp.request
        {
            self.books.judge.note_asked(arp.sender, arp.target, self.now);
        }
        self.packets.discard(packet);
    }

    /// A copy of `packet` is gone. If it was the last one, shows the ledger's new entry to the observers on request.
    #[cold]
    fn show_loss(&mut self, packet: PacketId, booked_before: usize) {
        if let Some(loss) = self.books.ledger.records().get(booked_before) {
            let view = View { now: self.now, packets: &self.packets };
            self.observers.lost(self.packets.get(packet), loss, view);
        }
    }

    /// Something prevents a packet from going on; only the first such setback counts.
    pub fn set_back(&mut self, packet: PacketId, by: Setback) {
        let uid = self.packets.get(packet).uid;
        if uid < UNTRACKED {
            let whole = self.books.ledger.copies(uid) == 1;
            self.packets.set_back(packet, by, whole);
        }
    }

    /// A packet that waited for a route discovery goes on; `late` is what delayed the search, if anything did.
    pub fn end_search(&mut self, packet: PacketId, late: Option<Setback>) {
        if let Some(search) = self.packets.end_search(packet, late) {
            self.note_hold(packet, late.unwrap_or(search));
        }
    }

    /// A packet becomes another's copy at the next hop.
    #[inline]
    pub fn hand_on(&mut self, packet: PacketId, copy: PacketId) {
        if self.packets.is_held_up(packet) {
            self.hand_on_held(packet, copy);
        }
    }

    /// As [`Common::hand_on`], for a packet that something has held up.
    #[cold]
    #[inline(never)]
    fn hand_on_held(&mut self, packet: PacketId, copy: PacketId) {
        if let Some(hold) = self.packets.hand_on(packet, copy) {
            self.note_hold(packet, hold);
        }
    }

    /// A segment that a setback held up has gone on.
    #[cold]
    fn note_hold(&mut self, packet: PacketId, by: Setback) {
        self.books.ledger.held_up(self.packets.get(packet).uid, by, self.now);
    }

    /// The run ends: notes what still holds up segments.
    pub fn close_holds(&mut self) {
        for (id, packet) in self.packets.iter() {
            if let Some(hold) = self.packets.hold(id) {
                self.books.ledger.held_up(packet.uid, hold, self.now);
            }
        }
    }
}
