//! The events of a simulation, and their packed form in the event queue.

use crate::engine::{Firing, Packed};
use tworay_base::{NodeId, PacketId};

/// An event.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// The queue entry of a timer is due.
    Timer(Firing),
    /// A transmission starts to arrive.
    Begin(u32),
    /// A transmission ends at its hearers.
    End(u32),
    /// A packet has passed the link layer upwards.
    Up { packet: PacketId, node: NodeId, from: NodeId },
    /// A packet has passed the link layer downwards.
    Down { packet: PacketId, node: NodeId, next_hop: NodeId },
    /// Routing's delay is over.
    Forward { packet: PacketId, node: NodeId, next_hop: NodeId },
    /// A packet of the node's own transport was processed.
    Launch { packet: PacketId, node: NodeId },
    /// An application acts.
    App { flow: u16, what: AppEvent },
    /// A wire has sent the last bit of a packet.
    WireFree(u16),
    /// A packet arrives at the far end of a wire.
    WireArrival { wire: u16, packet: PacketId },
    /// A node is switched off or on, or its losses change: index into the lists of the setup, one after the other.
    Switch(u16),
    /// A link is to be cut: index into the list of orders.
    Cut(u16),
    /// The link cut by an order works again.
    Mend(u16),
    /// The route of a flow is checked for a coming interruption.
    Foresee(u16),
    /// The warm-up is over.
    Warm,
}

impl Event {
    /// The packet that the event holds until it runs.
    pub fn packet(self) -> Option<PacketId> {
        match self {
            Event::Up { packet, .. }
            | Event::Down { packet, .. }
            | Event::Forward { packet, .. }
            | Event::Launch { packet, .. }
            | Event::WireArrival { packet, .. } => Some(packet),
            _ => None,
        }
    }
}

/// Actions of applications.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum AppEvent {
    Start,
    Stop,
    Tick,
    /// On/off sources: start a burst.
    On,
}

impl From<Firing> for Event {
    fn from(f: Firing) -> Self {
        Event::Timer(f)
    }
}

/// Bits of a packet's number in a packed event.
const PACKET_BITS: u32 = 28;

/// The lowest four bits are the kind. The bits above hold its fields: at most a packet in 28 bits and two
/// nodes in 16 bits each.
impl Packed for Event {
    #[inline(always)]
    fn pack(self) -> u64 {
        let hop = |kind: u64, packet: PacketId, a: NodeId, b: NodeId| {
            debug_assert!(packet.0 >> PACKET_BITS == 0, "no memory holds so many packets");
            kind | u64::from(packet.0) << 4 | u64::from(a.0) << 32 | u64::from(b.0) << 48
        };
        let number = |kind: u64, number: u64| kind | number << 4;
        match self {
            Event::Timer(firing) => number(0, firing.slot.into()),
            Event::Begin(tx) => number(1, tx.into()),
            Event::End(tx) => number(2, tx.into()),
            Event::Up { packet, node, from } => hop(3, packet, node, from),
            Event::Down { packet, node, next_hop } => hop(4, packet, node, next_hop),
            Event::Forward { packet, node, next_hop } => hop(5, packet, node, next_hop),
            Event::WireArrival { wire, packet } => hop(6, packet, NodeId(wire), NodeId(0)),
            Event::App { flow, what } => number(7, u64::from(flow) << 4 | what as u64),
            Event::WireFree(wire) => number(8, wire.into()),
            Event::Switch(i) => number(9, i.into()),
            Event::Warm => 10,
            Event::Launch { packet, node } => hop(11, packet, node, NodeId(0)),
            Event::Cut(i) => number(12, i.into()),
            Event::Mend(i) => number(13, i.into()),
            Event::Foresee(flow) => number(14, flow.into()),
        }
    }

    #[inline(always)]
    fn unpack(word: u64) -> Self {
        let packet = PacketId(word as u32 >> 4);
        let (node, other) = (NodeId((word >> 32) as u16), NodeId((word >> 48) as u16));
        let number = word >> 4;
        match word & 15 {
            0 => Event::Timer(Firing { slot: number as u32 }),
            1 => Event::Begin(number as u32),
            2 => Event::End(number as u32),
            3 => Event::Up { packet, node, from: other },
            4 => Event::Down { packet, node, next_hop: other },
            5 => Event::Forward { packet, node, next_hop: other },
            6 => Event::WireArrival { wire: node.0, packet },
            7 => {
                let what = match number & 15 {
                    0 => AppEvent::Start,
                    1 => AppEvent::Stop,
                    2 => AppEvent::Tick,
                    _ => AppEvent::On,
                };
                Event::App { flow: (number >> 4) as u16, what }
            }
            8 => Event::WireFree(number as u16),
            9 => Event::Switch(number as u16),
            10 => Event::Warm,
            11 => Event::Launch { packet, node },
            12 => Event::Cut(number as u16),
            13 => Event::Mend(number as u16),
            _ => Event::Foresee(number as u16),
        }
    }
}

#[cfg(test)]
mod tests;
