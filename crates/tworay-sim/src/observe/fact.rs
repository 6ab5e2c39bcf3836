//! Facts: what happens in the network, as its observers are told.

use super::loss::ledger::Carries;
use super::loss::root_cause::RootCause;
use crate::network::medium::on_air::{Hearer, Medium};
use crate::network::packets::PacketSlab;
use tworay_base::{Died, FlowId, NodeId, PacketId, Seq32, SimTime};
use tworay_mac::Frame;
use tworay_radio::Verdict;
use tworay_routing::{RoutingCounters, RoutingNote};
use tworay_wire::Packet;

/// Events of a packet on a wire, with ns-2's trace letters in parentheses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WireEvent {
    /// It was passed to the wire (+).
    Enqueue,
    /// Its transmission started (-).
    Send,
    /// It arrived at the far end (r).
    Receive,
    /// It was lost here (d).
    Drop,
}

/// Something that happened. Facts hold handles and references, no copies of packets or frames;
/// packets are looked up in the [`View`].
#[derive(Copy, Clone)]
pub(crate) enum Fact<'a> {
    /// A flow is added that starts now.
    FlowAdded { from: NodeId, to: NodeId },
    /// The payload of a flow turns out to go to `to`.
    FlowTurned { flow: FlowId, to: NodeId },
    /// The warm-up is over.
    Warm,
    /// A transport gives a packet to the network; it has the next number.
    Taken { flow: FlowId, carries: Carries, seq: Seq32 },
    /// A packet is made; another one may have had its handle before.
    Made { packet: PacketId },
    /// The packet is complete; `again`: payload that was sent before.
    Sent { packet: PacketId, again: bool },
    /// A tracked packet has another copy.
    Copied { uid: u64 },
    /// A copy of a packet is no longer needed: the next hop has its own, or it was a broadcast and is sent.
    HandedOn { packet: PacketId },
    /// A copy of a packet dies at `node`; `root`: what kept it from going on.
    Died { packet: PacketId, node: NodeId, died: Died, root: RootCause },
    /// A segment that something held up goes on, or is still held up at the end of the run.
    HeldUp { uid: u64, by: RootCause },
    /// A copy of a tracked packet has reached its destination `node` and is consumed.
    Delivered { packet: &'a Packet, node: NodeId },
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
    /// MAC or ARP returned a packet because of `root`; `in_reach`: the neighbour is up and in range.
    LinkFailed { packet: PacketId, root: RootCause, in_reach: bool },
    /// Routing considers a link broken, because of `root`.
    LinkGivenUp { root: RootCause },
    /// ARP at `node` starts to resolve the address of `target` for a packet.
    ArpStarted { node: NodeId, target: NodeId, packet: PacketId },
    /// A packet that waited for an address goes on; `root`: what delayed it, load apart.
    WaitedForAddress { packet: PacketId, root: RootCause },
    /// An ARP request of `node` reached its target.
    ArpHeard { node: NodeId, target: NodeId },
    /// A router forwards a packet.
    Forwarded { node: NodeId, packet: PacketId },
    /// A node is switched off and loses its state.
    SwitchedOff { node: NodeId },
    /// A router stopped because its node was switched off; its counters.
    RouterStopped { counters: &'a RoutingCounters },
    /// A frame transmission starts; `held` is the packet that the sender's MAC is working on.
    Transmitted { tx: u32, frame: &'a Frame, held: Option<PacketId>, medium: &'a Medium },
    /// A frame ended at one of its hearers; `up`: that node is switched on.
    Ended { tx: u32, frame: &'a Frame, hearer: Hearer, verdict: Verdict, up: bool, medium: &'a Medium },
    /// A frame was lost to overlap at a station it was addressed to.
    Collided { tx: u32, frame: &'a Frame, node: NodeId, medium: &'a Medium },
    /// Random errors corrupted a frame at a station it was addressed to.
    Corrupted { frame: &'a Frame, node: NodeId },
    /// A station misses a broadcast because of its own transmission.
    Unheard { frame: &'a Frame, node: NodeId },
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
