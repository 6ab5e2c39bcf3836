//! Facts: what happens in the network, as its observers are told.

use super::wire_trace::WireEvent;
use crate::ledger::Carries;
use crate::medium::{Hearer, Medium};
use crate::network::packets::PacketSlab;
use tworay_base::{NodeId, PacketId, SimTime};
use tworay_mac::Frame;
use tworay_radio::Verdict;
use tworay_routing::{RoutingCounters, RoutingNote};

/// Something that happened. Facts hold handles and references, no copies; packets are looked up in the [`View`].
#[derive(Copy, Clone)]
pub(crate) enum Fact<'a> {
    /// A transport sends a packet that the ledger tracks; `again`: payload that was sent before.
    Sent { packet: PacketId, carries: Option<Carries>, again: bool },
    /// The first copy of a tracked packet has reached its destination.
    Arrived { uid: u64, hops: u8 },
    /// A route error reached a node that sends no TCP data to that destination.
    StrayNotice,
    /// A packet leaves routing at `node` for a neighbour.
    Routed { node: NodeId, packet: PacketId, next_hop: NodeId },
    /// Routing at `node` reported something.
    Noted { node: NodeId, note: RoutingNote },
    /// The number of packets in a node's interface queue is now `packets`.
    Queued { node: NodeId, packets: usize },
    /// An interface queue or a wire rejected a packet.
    Refused,
    /// A newer packet replaced one in ARP's hold slot.
    HoldReplaced,
    /// A MAC gave up a packet; `rts`: an RTS was not answered.
    GaveUp { packet: PacketId, rts: bool },
    /// MAC or ARP returned a packet; `in_reach`: the neighbour is up and in range.
    LinkFailed { in_reach: bool },
    /// A router stopped because its node was switched off; its counters.
    RouterStopped { counters: &'a RoutingCounters },
    /// A frame transmission starts; `held` is the packet that the sender's MAC is working on.
    Transmitted { tx: u32, frame: &'a Frame, held: Option<PacketId>, medium: &'a Medium },
    /// A frame ended at one of its hearers; `up`: that node is switched on.
    Ended { tx: u32, frame: &'a Frame, hearer: Hearer, verdict: Verdict, up: bool, medium: &'a Medium },
    /// A frame was lost to overlap at a station it was addressed to.
    Collided { tx: u32, frame: &'a Frame, node: NodeId, medium: &'a Medium },
    /// Random errors corrupted a frame at a station it was addressed to.
    Corrupted { frame: &'a Frame },
    /// The station that a frame was addressed to did not answer it.
    NotAnswered { tx: u32, node: NodeId, medium: &'a Medium },
    /// A transmission has ended at all hearers.
    Passed { tx: u32 },
    /// A packet was passed to a wire, sent, received or lost there.
    Wired { wire: u16, ends: (NodeId, NodeId), event: WireEvent, packet: PacketId },
}

/// The network as observers see it.
#[derive(Copy, Clone)]
pub(crate) struct View<'a> {
    /// The time of the fact.
    pub now: SimTime,
    /// All live packets.
    pub packets: &'a PacketSlab,
}
