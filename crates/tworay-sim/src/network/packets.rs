//! The packet slab: every live packet has a slot, and slots are reused.
//!
//! A frame on the air pins its packet: hearers can read it until the frame has passed, even if its sender
//! has released it meanwhile (a sender is done with a broadcast after its last bit).

use crate::observe::loss::root_cause::{HeldUp, RootCause};
use tworay_base::PacketId;
use tworay_wire::{Body, Packet};

/// First uid of packets that the ledger does not track.
pub(crate) const UNTRACKED: u64 = 1 << 48;

/// True if a packet belongs to a route discovery or an address resolution.
pub(crate) fn is_message(packet: &Packet) -> bool {
    packet.is_routing() || matches!(packet.body, Body::Arp(_))
}

struct PacketSlot {
    packet: Option<Packet>,
    /// Current and earlier root causes of the packet.
    held_up: Option<Box<HeldUp>>,
    pins: u16,
    /// True if its owner has released it.
    dead: bool,
}

/// All live packets of a simulation.
#[derive(Default)]
pub struct PacketSlab {
    slots: Vec<PacketSlot>,
    free: Vec<u32>,
}

impl PacketSlab {
    /// Stores a packet.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        if let Some(i) = self.free.pop() {
            // Field by field: a slot made here first would be moved.
            let slot = &mut self.slots[i as usize];
            debug_assert!(slot.packet.is_none() && slot.pins == 0, "a free slot");
            slot.packet = Some(packet);
            slot.held_up = None;
            slot.dead = false;
            PacketId(i)
        } else {
            self.slots.push(PacketSlot { packet: Some(packet), held_up: None, pins: 0, dead: false });
            PacketId(self.slots.len() as u32 - 1)
        }
    }

    /// The packet behind a live or pinned handle.
    #[inline]
    pub fn get(&self, id: PacketId) -> &Packet {
        self.slots[id.index()].packet.as_ref().expect("packet handle is live")
    }

    /// The packet behind a live handle.
    #[inline]
    pub fn get_mut(&mut self, id: PacketId) -> &mut Packet {
        self.slots[id.index()].packet.as_mut().expect("packet handle is live")
    }

    /// True if the ledger tracks a live packet.
    #[inline]
    pub fn is_tracked(&self, id: PacketId) -> bool {
        self.get(id).uid < UNTRACKED
    }

    /// Root cause that currently prevents a live packet from going on, if any.
    pub fn root_of(&self, id: PacketId) -> Option<RootCause> {
        self.slots[id.index()].held_up.as_ref()?.here
    }

    /// The first root cause of a live packet, here or earlier on its path, that load did not cause.
    pub fn independent_root(&self, id: PacketId) -> Option<RootCause> {
        self.slots[id.index()].held_up.as_ref()?.independent()
    }

    /// Something prevents a live packet from going on. Only the first such root cause counts.
    /// `whole`: no other copy of the packet exists.
    pub fn hold_up(&mut self, id: PacketId, by: RootCause, whole: bool) {
        let held_up = self.slots[id.index()].held_up.get_or_insert_default();
        if held_up.here.is_none() {
            held_up.here = Some(by);
            held_up.whole = whole;
        }
    }

    /// Root cause that currently holds up the segment in a live packet, of which no other copy exists.
    pub fn hold(&self, id: PacketId) -> Option<RootCause> {
        let held_up = self.slots[id.index()].held_up.as_ref()?;
        held_up.here.filter(|_| held_up.whole)
    }

    /// Something that load did not cause delays a live packet, which goes on later.
    pub fn delay(&mut self, id: PacketId, by: RootCause) {
        self.slots[id.index()].held_up.get_or_insert_default().before.get_or_insert(by);
    }

    /// True if a live packet waits for a route discovery.
    #[inline]
    pub fn is_searching(&self, id: PacketId) -> bool {
        let held_up = self.slots[id.index()].held_up.as_ref();
        held_up.is_some_and(|held_up| held_up.here.is_some_and(|here| here.cause.is_none()))
    }

    /// A live packet goes on; if it only waited for a route discovery, that root cause is over. Returns it, if it
    /// held up the segment. The packet remembers what delayed the search, if that was not load.
    pub fn end_search(&mut self, id: PacketId, late: Option<RootCause>) -> Option<RootCause> {
        let held_up = self.slots[id.index()].held_up.as_mut()?;
        let whole = held_up.whole;
        let search = held_up.here.take_if(|s| s.cause.is_none())?;
        held_up.before = held_up.before.or(late.filter(RootCause::is_independent_of_load));
        whole.then_some(search)
    }

    /// The outcome of the search that a live packet waits for.
    pub fn settle_search(&mut self, id: PacketId, root: RootCause) {
        if let Some(held_up) = &mut self.slots[id.index()].held_up
            && held_up.here.is_some_and(|here| here.cause.is_none())
        {
            held_up.here = Some(root);
        }
    }

    /// True if anything holds up a live packet, or has done so.
    #[inline]
    pub fn is_held_up(&self, id: PacketId) -> bool {
        self.slots[id.index()].held_up.is_some()
    }

    /// A packet becomes another's copy at the next hop: it inherits the other's past root causes but no
    /// current one. Returns the current one of the original, if it held up the segment.
    #[inline]
    pub fn hand_on(&mut self, id: PacketId, copy: PacketId) -> Option<RootCause> {
        let held_up = self.slots[id.index()].held_up.as_deref_mut()?;
        let (next, hold) = (held_up.one_hop_on(), held_up.here.filter(|_| held_up.whole));
        held_up.whole = false;
        self.slots[copy.index()].held_up = next.map(Box::new);
        hold
    }

    /// Takes a packet from its owner; the handle becomes invalid, but stays readable while pinned.
    #[inline]
    pub fn remove(&mut self, id: PacketId) -> Packet {
        let slot = &mut self.slots[id.index()];
        let packet = if slot.pins > 0 { slot.packet.clone() } else { slot.packet.take() };
        self.discard(id);
        packet.expect("packet handle is live")
    }

    /// The owner releases a packet; the handle becomes invalid, but stays readable while pinned.
    #[inline]
    pub fn discard(&mut self, id: PacketId) {
        let slot = &mut self.slots[id.index()];
        debug_assert!(!slot.dead, "a packet is let go of once");
        if slot.pins > 0 {
            slot.dead = true;
        } else {
            slot.packet = None;
            self.free.push(id.0);
        }
    }

    /// Keeps a packet readable.
    #[inline]
    pub fn pin(&mut self, id: PacketId) {
        self.slots[id.index()].pins += 1;
    }

    /// Undoes a [`PacketSlab::pin`].
    #[inline]
    pub fn unpin(&mut self, id: PacketId) {
        let slot = &mut self.slots[id.index()];
        slot.pins -= 1;
        if slot.pins == 0 && slot.dead {
            slot.packet = None;
            self.free.push(id.0);
        }
    }

    /// Live packets with their handles.
    pub fn iter(&self) -> impl Iterator<Item = (PacketId, &Packet)> {
        let live = self.slots.iter().enumerate().filter(|(_, p)| !p.dead);
        live.filter_map(|(i, p)| Some((PacketId(i as u32), p.packet.as_ref()?)))
    }
}

#[cfg(test)]
mod tests;
