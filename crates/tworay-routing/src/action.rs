//! What a router wants done.

use crate::Malformed;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::Packet;
use tworay_wire::dsr::DsrHeader;

/// An order of a router to the node it sits in, to be carried out in the sequence given.
#[derive(Clone, Debug, PartialEq)]
pub enum RoutingAction {
    /// Send an existing packet to a neighbour after `delay`. The node counts a hop and takes one off
    /// the hop limit when a packet of another node is forwarded for the first time here; a packet
    /// that comes back after a link failure and is forwarded again isn't charged twice.
    Forward {
        /// The packet, this node's own or one in transit.
        packet: PacketId,
        /// The neighbour, or [`NodeId::BROADCAST`].
        next_hop: NodeId,
        /// Wait before it enters the interface queue.
        delay: SimDuration,
    },
    /// Send a new control packet after `delay`; its `uid` is 0 and is filled in by the node.
    Originate {
        /// The message, addressed and sized.
        packet: Box<Packet>,
        /// The neighbour, or [`NodeId::BROADCAST`].
        next_hop: NodeId,
        /// Wait before it enters the interface queue (jitter of broadcasts).
        delay: SimDuration,
    },
    /// Give the packet this DSR header in place of the one it has, and count its length anew. The packet
    /// stays routing's; the order that follows sends it.
    SetHeader {
        /// The packet.
        packet: PacketId,
        /// Its new header.
        header: Option<Box<DsrHeader>>,
    },
    /// Send a copy of the packet to a neighbour; the packet itself stays routing's and is told by
    /// [`Router::buffered`](crate::Router::buffered) until it is answered.
    SendCopy {
        /// The packet, which isn't in the interface queue or the MAC.
        packet: PacketId,
        /// The neighbour.
        next_hop: NodeId,
    },
    /// Hand the packet to this node's transport.
    Deliver {
        /// The packet.
        packet: PacketId,
    },
    /// A control packet has been read, or the next hop has confirmed a copy of this packet; free it.
    Consume {
        /// The packet.
        packet: PacketId,
    },
    /// Throw the packet away.
    Drop {
        /// The packet.
        packet: PacketId,
        /// Where in routing it happened. Why is not for routing to say: the simulation knows what kept the
        /// packet from going on.
        reason: DropReason,
    },
    /// Take every packet that waits for this neighbour out of the interface queue and hand each back
    /// through [`Router::on_queue_purged`](crate::Router::on_queue_purged).
    PurgeQueue {
        /// The neighbour that is no longer reached.
        next_hop: NodeId,
    },
    /// Call [`Router::on_timer`](crate::Router::on_timer) at this time. There is one timer: a new
    /// order replaces the earlier one and [`SimTime::NEVER`] disarms it.
    WakeAt(SimTime),
    /// Something that metrics, traces or the transport may want to know.
    Note(RoutingNote),
}

/// Where in routing a packet died (ns-2's trace vocabulary).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum DropReason {
    /// No route to the destination.
    NoRoute,
    /// The hop limit would reach zero.
    Ttl,
    /// Waited too long in the send buffer.
    Timeout,
    /// A packet came back to its own source.
    Loop,
    /// The MAC gave up on it, or it waited in the queue behind one it gave up on.
    MacCallback,
    /// The send buffer was full; the oldest packet goes.
    BufferFull,
    /// A control packet with impossible contents.
    Malformed,
    /// Given a new route too often on its way.
    Salvaged,
}

impl DropReason {
    /// How many reasons there are.
    pub const COUNT: usize = 8;
    /// Every reason, in the order of the counters.
    pub const ALL: [DropReason; Self::COUNT] = [
        DropReason::NoRoute,
        DropReason::Ttl,
        DropReason::Timeout,
        DropReason::Loop,
        DropReason::MacCallback,
        DropReason::BufferFull,
        DropReason::Malformed,
        DropReason::Salvaged,
    ];

    /// The three or four letters of ns-2's traces.
    pub const fn name(self) -> &'static str {
        match self {
            DropReason::NoRoute => "NRTE",
            DropReason::Ttl => "TTL",
            DropReason::Timeout => "TOUT",
            DropReason::Loop => "LOOP",
            DropReason::MacCallback => "CBK",
            DropReason::BufferFull => "IFQ",
            DropReason::Malformed => "BAD",
            DropReason::Salvaged => "SAL",
        }
    }
}

/// An event worth knowing outside routing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RoutingNote {
    /// A route this node asked for has come up.
    RouteFound {
        /// Destination.
        dst: NodeId,
        /// Hops to it.
        hops: u8,
        /// Time since the discovery began.
        discovery_time: SimDuration,
    },
    /// A known destination is now reached over another neighbour or another number of hops.
    RouteChanged {
        /// Destination.
        dst: NodeId,
        /// Hops to it.
        hops: u8,
    },
    /// A route in use is gone (broken link, route error or expiry).
    RouteLost {
        /// Destination.
        dst: NodeId,
    },
    /// A link to a neighbour is held to be broken.
    LinkBroken {
        /// The neighbour.
        neighbour: NodeId,
    },
    /// News for the transport of this node: a link is broken on the route that its packets to `dst` took
    /// (told by a route error, or found at this node itself). A route that merely expired is no such news.
    RouteError {
        /// The node before the break; with AODV, whose errors name no link, the neighbour that told of it.
        broken_from: NodeId,
        /// The node behind it, where it is known.
        broken_to: Option<NodeId>,
        /// The destination whose route led over that link.
        dst: NodeId,
    },
    /// A discovery has ended without an answer.
    DiscoveryFailed {
        /// Destination.
        dst: NodeId,
    },
    /// A repair from the middle of a path has begun.
    LocalRepair {
        /// Destination.
        dst: NodeId,
    },
    /// A control packet with impossible contents came in.
    Malformed {
        /// From whom.
        from: NodeId,
        /// What is wrong with it.
        what: Malformed,
    },
}
