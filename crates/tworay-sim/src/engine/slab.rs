//! The packet slab: every live packet has a place, and places are used again.

use tworay_base::PacketId;
use tworay_wire::Packet;

/// All packets alive in a simulation.
#[derive(Default)]
pub struct PacketSlab {
    places: Vec<Option<Packet>>,
    free: Vec<u32>,
}

impl PacketSlab {
    /// Stores a packet.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        if let Some(i) = self.free.pop() {
            self.places[i as usize] = Some(packet);
            PacketId(i)
        } else {
            self.places.push(Some(packet));
            PacketId(self.places.len() as u32 - 1)
        }
    }

    /// The packet behind a live handle.
    #[inline]
    pub fn get(&self, id: PacketId) -> &Packet {
        self.places[id.index()].as_ref().expect("packet handle is live")
    }

    /// The packet behind a live handle.
    #[inline]
    pub fn get_mut(&mut self, id: PacketId) -> &mut Packet {
        self.places[id.index()].as_mut().expect("packet handle is live")
    }

    /// Takes a packet out; its handle is dead from now on.
    #[inline]
    pub fn remove(&mut self, id: PacketId) -> Packet {
        self.free.push(id.0);
        self.places[id.index()].take().expect("packet handle is live")
    }

    /// Live packets with their handles.
    pub fn iter(&self) -> impl Iterator<Item = (PacketId, &Packet)> {
        self.places.iter().enumerate().filter_map(|(i, p)| Some((PacketId(i as u32), p.as_ref()?)))
    }
}
