//! The packet slab: every live packet has a slot, and slots are reused.
//!
//! A frame on the air pins its packet: hearers can read it until the frame has passed, even if its sender
//! has released it meanwhile (a sender is done with a broadcast after its last bit).

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
            slot.dead = false;
            PacketId(i)
        } else {
            self.slots.push(PacketSlot { packet: Some(packet), pins: 0, dead: false });
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
