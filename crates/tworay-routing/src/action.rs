//! Actions that a router requests from its node.

use crate::Malformed;
use strum::{EnumCount, IntoStaticStr, VariantArray};
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::Packet;
use tworay_wire::dsr::DsrHeader;

/// An action for the node to carry out. Actions are carried out in the order given.
#[derive(Clone, Debug, PartialEq)]
pub enum RoutingAction {
    /// Send an existing packet to a neighbour after `delay`. When a packet of another node is forwarded here
    /// for the first time, the node counts a hop and decrements the hop limit. A packet that is forwarded
    /// again after a link failure is not counted twice.
    Forward {
        /// The packet, generated here or in transit.
        packet: PacketId,
        /// The neighbour, or [`NodeId::BROADCAST`].
        next_hop: NodeId,
        /// Delay before it enters the interface queue.
        delay: SimDuration,
    },
    /// Send a new control packet after `delay`. Its `uid` is 0; the node fills it in.
    Originate {
        /// The message, addressed and sized.
        packet: Box<Packet>,
        /// The neighbour, or [`NodeId::BROADCAST`].
        next_hop: NodeId,
        /// Delay before it enters the interface queue (jitter of broadcasts).
        delay: SimDuration,
    },
    /// Replace the packet's DSR header and recompute its length. Routing keeps the packet; a later action
    /// sends it.
    SetHeader {
        /// The packet.
        packet: PacketId,
        /// Its new header.
        header: Option<Box<DsrHeader>>,
    },
    /// Send a copy of the packet to a neighbour. Routing keeps the packet and lists it in
    /// [`Router::buffered`](crate::Router::buffered) until it is confirmed or lost.
    SendCopy {
        /// The packet; it is neither in the interface queue nor in the MAC.
        packet: PacketId,
        /// The neighbour.
        next_hop: NodeId,
    },
    /// Pass the packet to this node's transport.
    Deliver {
        /// The packet.
        packet: PacketId,
    },
    /// Free the packet: a control packet has been processed, or the next hop has confirmed a copy.
    Consume {
        /// The packet.
        packet: PacketId,
    },
    /// Drop the packet.
    Drop {
        /// The packet.
        packet: PacketId,
        /// Where routing dropped it. The root cause is determined by the simulation, not by routing.
        reason: DropReason,
    },
    /// Remove every packet for this neighbour from the interface queue and return each through
    /// [`Router::on_queue_purged`](crate::Router::on_queue_purged).
    PurgeQueue {
        /// The neighbour that is no longer reachable.
        next_hop: NodeId,
    },
    /// Call [`Router::on_timer`](crate::Router::on_timer) at this time. There is one timer: a new action
    /// replaces the earlier one, and [`SimTime::NEVER`] stops the timer.
    WakeAt(SimTime),
    /// An event for metrics, traces or the transport.
    Note(RoutingNote),
}

/// Where routing dropped a packet (names as in ns-2's traces).
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, EnumCount, IntoStaticStr, VariantArray,
)]
#[repr(u8)]
pub enum DropReason {
    /// No route to the destination.
    #[strum(to_string = "NRTE")]
    NoRoute,
    /// The hop limit would reach zero.
    #[strum(to_string = "TTL")]
    Ttl,
    /// It was in the send buffer for too long.
    #[strum(to_string = "TOUT")]
    Timeout,
    /// It came back to its own source.
    #[strum(to_string = "LOOP")]
    Loop,
    /// The MAC gave it up, or it was queued behind a packet that the MAC gave up.
    #[strum(to_string = "CBK")]
    MacCallback,
    /// The send buffer was full and this was the oldest packet.
    #[strum(to_string = "IFQ")]
    BufferFull,
    /// A control packet with impossible contents.
    #[strum(to_string = "BAD")]
    Malformed,
    /// Salvaged as often as allowed.
    #[strum(to_string = "SAL")]
    Salvaged,
}

impl DropReason {
    /// Number of reasons.
    pub const COUNT: usize = <DropReason as EnumCount>::COUNT;
    /// Every reason, in the order of the counters.
    pub const ALL: &'static [DropReason] = DropReason::VARIANTS;

    /// The name in ns-2's traces, three or four letters.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// An event that is relevant outside routing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RoutingNote {
    /// A route discovery of this node has succeeded.
    RouteFound {
        /// Destination.
        dst: NodeId,
        /// Hops to it.
        hops: u8,
        /// Time since the discovery began.
        discovery_time: SimDuration,
    },
    /// The route to a known destination has a new next hop or a new number of hops.
    RouteChanged {
        /// Destination.
        dst: NodeId,
        /// Hops to it.
        hops: u8,
    },
    /// A route in use was lost (broken link, route error or expiry).
    RouteLost {
        /// Destination.
        dst: NodeId,
    },
    /// A link to a neighbour counts as broken.
    LinkBroken {
        /// The neighbour.
        neighbour: NodeId,
    },
    /// Notification for this node's transport: a link broke on the route of its packets to `dst`. A route
    /// error reported it, or this node detected it. Mere expiry of a route is not reported.
    RouteError {
        /// The node before the break. AODV's errors name no link, so with AODV it is the neighbour that sent
        /// the error.
        broken_from: NodeId,
        /// The node after the break, if known.
        broken_to: Option<NodeId>,
        /// The destination whose route used that link.
        dst: NodeId,
    },
    /// A route discovery has failed.
    DiscoveryFailed {
        /// Destination.
        dst: NodeId,
    },
    /// A local repair has begun.
    LocalRepair {
        /// Destination.
        dst: NodeId,
    },
    /// A control packet with impossible contents was received.
    Malformed {
        /// The neighbour that sent it.
        from: NodeId,
        /// The problem.
        what: Malformed,
    },
}
