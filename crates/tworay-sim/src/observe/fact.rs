//! Facts: what happens in the network, as its observers are told.

use super::loss::attempts::Failure;
use super::loss::ledger::Carries;
use crate::network::hosts::gateway::Header;
use crate::network::medium::on_air::{Hearer, Medium};
use crate::network::packets::PacketSlab;
use std::collections::VecDeque;
use tworay_base::{BitRate, FlowId, NodeId, PacketId, Seq32, SimTime};
use tworay_mac::hcf::{AirFrame, Order};
use tworay_mac::{Frame, FrameKind, QueueEntry};
use tworay_radio::Verdict;
use tworay_routing::{DropReason, RoutingAction, RoutingCounters, RoutingNote};
use tworay_tcp::{Phase, Snapshot};
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

/// Why a packet dies, where the place alone tells.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Its node is switched off.
    NodeOff,
    /// Its node has no radio, and no wire to the next hop.
    NoRadio(NodeId),
    /// Random errors corrupted it above the MAC, on its way from this neighbour.
    Errors(NodeId),
    /// Its connection discards it.
    Discarded,
    /// The station stopped to wait for this packet of `from` at a time, because the attempts there took too long.
    Late { from: NodeId, packet: PacketId, since: SimTime },
    /// A wire between these nodes lost it.
    Wire((NodeId, NodeId), WireLoss),
}

/// Why a wire loses a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum WireLoss {
    /// Random errors, or a listed drop.
    Errors,
    /// A handoff.
    Outage,
    /// The queue rejects it.
    Refused,
}

/// Why a node does not send a packet on. What led to it is for observers to find out.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The interface queue is full.
    QueueFull(QueueEntry),
    /// Link-RED drops it.
    LinkRed(QueueEntry),
    /// CoDel drops it from the queue of its flow.
    CoDel(QueueEntry),
    /// Its lifetime in the MAC ended before this next hop acknowledged it.
    Expired(NodeId),
    /// A newer packet replaces it in the hold slot of ARP for this next hop.
    Replaced { next_hop: NodeId, newer: PacketId },
    /// The hop just reported has failed, and nothing above the link layer is notified.
    HopFailed,
    /// The router drops it.
    Dropped(DropReason, After),
}

impl Obstacle {
    /// The hop that the packet does not pass, if it has been given to one.
    pub fn next_hop(self) -> Option<NodeId> {
        match self {
            Obstacle::QueueFull(entry) | Obstacle::LinkRed(entry) | Obstacle::CoDel(entry) => {
                Some(entry.next_hop)
            }
            Obstacle::Expired(next_hop) | Obstacle::Replaced { next_hop, .. } => Some(next_hop),
            Obstacle::HopFailed | Obstacle::Dropped(..) => None,
        }
    }
}

/// Why a hop failed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum HopFailure {
    /// ARP's requests were not answered.
    NoAddress,
    /// The retry limit for this kind of frame is reached.
    Retries(FrameKind),
}

/// Why a MAC gives up a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum GaveUp {
    /// The retry limit for this kind of frame is reached.
    Retries(FrameKind),
    /// So many exchanges in a row were not answered that it takes the neighbour for gone; the last one was of this kind.
    Gone(FrameKind),
    /// Its lifetime is over.
    Lifetime,
}

/// State of the station that an attempt was for, when it is not answered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Awaited {
    pub up: bool,
    /// When it was last switched off, if ever.
    pub down_since: SimTime,
    /// In range by the mean power.
    pub in_range: bool,
}

impl Awaited {
    /// Why it was lost while an attempt lasted that began at this time, and since when; `None` if it is still there.
    pub fn lost_since(self, began: SimTime) -> Option<(Failure, SimTime)> {
        let down = Some(self.down_since).filter(|at| *at != SimTime::NEVER);
        if !self.up || down.is_some_and(|at| at >= began) {
            Some((Failure::NodeDown, down.unwrap_or(began)))
        } else {
            (!self.in_range).then_some((Failure::OutOfRange, began))
        }
    }
}

/// Event to which a router reacts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// A timer, or a packet of its own.
    Other,
    /// The hop to this neighbour failed: the latest break that was reported and is not over.
    Break(NodeId),
    /// A packet from this neighbour; the link named by a DSR route error in it.
    Received(NodeId, Option<(NodeId, NodeId)>),
}

impl After {
    /// `packet` arrived from `from`.
    #[inline]
    pub fn received(packet: &Packet, from: NodeId) -> Self {
        let error = packet.dsr.as_ref().and_then(|header| header.errors.last());
        After::Received(from, error.map(|e| (e.source, e.unreachable)))
    }

    /// True if a hop failed.
    #[inline]
    pub fn is_break(self) -> bool {
        matches!(self, After::Break(_))
    }
}

/// Something that happened. Facts hold handles and references, no copies of packets or frames;
/// packets are looked up in the [`View`].
#[derive(Copy, Clone)]
pub(crate) enum Fact<'a> {
    /// A flow is added that starts now.
    FlowAdded { from: NodeId, to: NodeId },
    /// The payload of an added flow turns out to go the other way.
    FlowTurned { flow: FlowId },
    /// The warm-up is over.
    Warm,
    /// A transport gives a packet to the network; it has the next number.
    Taken { flow: FlowId, carries: Carries, seq: Seq32 },
    /// A packet is made; another one may have had its handle before.
    Made { packet: PacketId },
    /// The packet is complete.
    Sent { packet: PacketId },
    /// A sender takes a segment for lost, for a cause; segments with uids below `sent_before` have been sent.
    Guessed { flow: FlowId, seq: Seq32, sent_before: u64, guess: &'static str },
    /// The payload of packet `uid`, which `from` is about to send, was sent before; `phase`: that of the sender.
    Resent { flow: FlowId, from: NodeId, seq: Seq32, uid: u64, phase: Phase },
    /// A packet of a real station is complete.
    Entered { packet: PacketId, header: &'a Header },
    /// The state of a flow's sender after an event, with the payload acknowledged so far, bytes.
    Sender { flow: FlowId, state: &'a Snapshot, acked: u64 },
    /// A tracked packet has another copy.
    Copied { uid: u64 },
    /// A copy of a packet is no longer needed: the next hop has its own, or it was a broadcast and is sent.
    HandedOn { packet: PacketId },
    /// A packet becomes another's copy at the next hop, which a wire may have moved there itself.
    HopDone { packet: PacketId, copy: PacketId },
    /// A copy of a packet dies at `node`.
    Died { packet: PacketId, node: NodeId, why: Why },
    /// A copy of a packet dies at `node`, because it cannot go on.
    Stopped { packet: PacketId, node: NodeId, by: Obstacle },
    /// A copy of a tracked packet has reached its destination `node` and is consumed.
    Delivered { packet: &'a Packet, node: NodeId },
    /// A link of a node to a neighbour is cut until a time.
    LinkCut { node: NodeId, to: NodeId, until: SimTime },
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
    /// A packet is passed to a wire of this rate that has `length` packets, with the one being sent.
    WireOffered { wire: u16, packet: PacketId, length: usize, rate: BitRate },
    /// A wire has sent a packet, and `length` packets are left.
    WireSent { wire: u16, length: usize },
    /// A wire is about to lose a packet, because it has no place beside those that wait.
    WireFull { wire: u16, packet: PacketId, waiting: &'a VecDeque<PacketId> },
    /// A newer packet replaced one in ARP's hold slot.
    HoldReplaced,
    /// A packet is passed to the interface queue of `node`; `idle`: the MAC has nothing else to send.
    Offered { node: NodeId, packet: PacketId, idle: bool },
    /// The MAC of `node` is done with a packet, which was acknowledged or broadcast.
    Served { node: NodeId },
    /// The MAC of `node`, which paces, is done with a packet as in [`Fact::Served`], and `pauses` or not.
    Paces { node: NodeId, packet: PacketId, pauses: bool },
    /// Attempts to send this packet, with which the MAC of `node` is done, had failed before.
    ServedLate { node: NodeId, packet: PacketId },
    /// A packet is in order at its next hop `node`, which has a `copy` of it.
    InOrder { node: NodeId, copy: PacketId, from: NodeId, order: Order },
    /// The MAC of `node` gave up a packet for this neighbour.
    GaveUp { node: NodeId, packet: PacketId, to: NodeId, why: GaveUp },
    /// MAC or ARP of `node` returned a packet; `in_reach`: the neighbour is up and in range. Until [`Fact::BreakOver`],
    /// this is the latest break.
    LinkFailed { node: NodeId, packet: PacketId, next_hop: NodeId, in_reach: bool, why: HopFailure },
    /// Routing considers the link to a neighbour broken by itself. This is the latest break from now on.
    LinkGivenUp { node: NodeId, neighbour: NodeId, after: After },
    /// `packets` leave the queue of `node`, because its router gave up their next hop: the latest break from now on.
    Purging { node: NodeId, next_hop: NodeId, packets: usize, after: After },
    /// One of them returns to the router: the latest break from now on.
    Purged { node: NodeId, packet: PacketId },
    /// The consequences of the latest break are complete.
    BreakOver,
    /// The router of `node` keeps a packet that waits for a route, and does this because of it.
    Waits { node: NodeId, packet: PacketId, actions: &'a [RoutingAction] },
    /// The router of `node` sends a message of its own.
    Originated { node: NodeId, packet: &'a Packet },
    /// A router is about to send a packet to its next hop.
    GoesOn { packet: PacketId, after: After },
    /// A packet is back at the relay `node`, which it has passed before.
    Circles { node: NodeId, packet: PacketId },
    /// A route in use at `node` was lost.
    RouteLost { node: NodeId, dst: NodeId, after: After },
    /// ARP at `node` starts to resolve the address of `target` for a packet.
    ArpStarted { node: NodeId, target: NodeId, packet: PacketId },
    /// ARP at `node` knows the address of `target`, for which a packet has waited.
    AddressFound { node: NodeId, target: NodeId, packet: PacketId },
    /// An ARP request of `node` reached its target.
    ArpHeard { node: NodeId, target: NodeId },
    /// A router forwards a packet.
    Forwarded { node: NodeId, packet: PacketId },
    /// A node is switched off and loses its state.
    SwitchedOff { node: NodeId },
    /// A router stopped because its node was switched off; its counters.
    RouterStopped { counters: &'a RoutingCounters },
    /// A frame transmission starts; `held` is the packet that the sender's MAC is working on, `faded`: only fading keeps
    /// the frame from the station that it is addressed to.
    Transmitted { tx: u32, frame: &'a Frame, held: Option<PacketId>, faded: bool, medium: &'a Medium },
    /// The same frame with its packets and its mode, before that: of stations with aggregates and several rates.
    OnAir { tx: u32, frame: &'a AirFrame },
    /// Such a frame was decoded at a station it is for; fate of each of its packets, `None`: it arrived.
    Fates {
        tx: u32,
        frame: &'a AirFrame,
        node: NodeId,
        fates: &'a [Option<Failure>],
        interferer: Option<NodeId>,
    },
    /// All of such a frame is lost at the station that it is for.
    AirLost { frame: &'a AirFrame, node: NodeId, failure: Failure, interferer: Option<NodeId> },
    /// A station sends such a frame to a neighbour, which fails for this reason if it is not answered; `asks`: the station asks then which
    /// packets have arrived.
    AirAttempted { frame: &'a AirFrame, failure: Failure, asks: bool },
    /// A neighbour has answered such a frame.
    Answered { node: NodeId, by: NodeId },
    /// `to` has not acknowledged these packets, which the station of `node` has sent.
    Missed { node: NodeId, to: NodeId, packets: &'a [PacketId], awaited: Awaited },
    /// A MAC sends a frame to the next hop of its packet, which fails for this reason if it is not answered.
    Attempted { frame: &'a Frame, failure: Failure },
    /// This is the last attempt; `deaf`: its receiver, if that transmits.
    LastAttempt { tx: u32, frame: &'a Frame, deaf: Option<NodeId>, medium: &'a Medium },
    /// (ns-2) A receiver reserves itself for the DATA of a station.
    Reserved { station: NodeId, until: SimTime },
    /// Something spoils the attempt of a station with a frame of this kind, or the answer to it.
    Spoiled { station: NodeId, attempt: FrameKind, failure: Failure },
    /// A signal corrupts a frame at `node` on which the last attempt of a station depends; `itself`: it is no answer.
    SpoiledLast { tx: u32, node: NodeId, station: NodeId, itself: bool, medium: &'a Medium },
    /// The latest attempt of a station got no answer.
    Unanswered { station: NodeId, awaited: Awaited },
    /// A frame ended at one of its hearers; `up`: that node is switched on.
    Ended { tx: u32, frame: &'a Frame, hearer: Hearer, verdict: Verdict, up: bool, medium: &'a Medium },
    /// A frame was lost to overlap at a station it was addressed to.
    Collided { tx: u32, frame: &'a Frame, node: NodeId, medium: &'a Medium },
    /// Random errors corrupted a frame at a station it was addressed to.
    Corrupted { frame: &'a Frame, node: NodeId },
    /// A station misses a broadcast because of its own transmission, or of a stronger frame that it receives.
    Unheard { frame: &'a Frame, node: NodeId, interferer: Option<NodeId> },
    /// Only fading or shadowing keeps a broadcast from a station, which is in range by the mean power and switched on.
    Faded { frame: &'a Frame, node: NodeId },
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
