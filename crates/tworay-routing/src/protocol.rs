//! The interface of a routing protocol.

use crate::{RoutingAction, RoutingCounters};
use tworay_base::{NodeId, PacketId, SimTime};
use tworay_wire::Packet;

/// Where a protocol pushes its actions.
pub(crate) type Out<'a> = &'a mut Vec<RoutingAction>;

/// A routing protocol in one node. It gets the time, an input and a list for its actions.
///
/// Defaults are those of a protocol without timer, buffer and overhearing, whose tables are its state.
#[allow(unused_variables)]
pub trait RoutingProtocol {
    /// The node starts.
    fn start(&mut self, now: SimTime, out: Out) {}

    /// A packet of this node's transport.
    fn on_send(&mut self, now: SimTime, id: PacketId, packet: &Packet, out: Out);

    /// A packet from the MAC, sent by neighbour `from` to this node or as broadcast.
    fn on_receive(&mut self, now: SimTime, id: PacketId, packet: &Packet, from: NodeId, out: Out);

    /// The MAC gave up the packet to `next_hop`; routing owns it again.
    fn on_link_failure(&mut self, now: SimTime, id: PacketId, packet: &Packet, next_hop: NodeId, out: Out);

    /// The packet was removed from the interface queue after [`RoutingAction::PurgeQueue`]; routing owns it
    /// again. A protocol that purges no queue is never called.
    fn on_queue_purged(&mut self, now: SimTime, id: PacketId, packet: &Packet, next_hop: NodeId, out: Out) {
        self.on_link_failure(now, id, packet, next_hop, out);
    }

    /// A frame from `neighbour` was received, so the neighbour is alive.
    #[inline]
    fn on_heard(&mut self, now: SimTime, neighbour: NodeId) {}

    /// The time set by the last [`RoutingAction::WakeAt`] has come.
    fn on_timer(&mut self, now: SimTime, out: Out) {}

    /// A packet overheard on its way from `from` to `to` (only if [`Self::wants_tap`]). The simulation keeps
    /// the packet.
    fn on_tap(&mut self, now: SimTime, packet: &Packet, from: NodeId, to: NodeId, out: Out) {}

    /// True if the protocol needs to overhear packets for other nodes.
    #[inline]
    fn wants_tap(&self) -> bool {
        false
    }

    /// True if this node chooses the whole route of its packets, so that
    /// [`RoutingNote::RouteChanged`](crate::RoutingNote::RouteChanged) gives its exact length.
    #[inline]
    fn routes_at_source(&self) -> bool {
        false
    }

    /// True if the routes are part of the configuration, which a node keeps when it is switched off.
    fn is_configured(&self) -> bool {
        false
    }

    /// Hops of the longest path that a search for a route can find.
    fn search_reach(&self) -> u16 {
        u16::MAX
    }

    /// When the next message that tells others of this node's neighbours beyond them is due; never if there are none.
    fn tables_due(&self) -> SimTime {
        SimTime::NEVER
    }

    /// Hops to `dst` on the route in use, if there is one.
    fn hop_count(&self, dst: NodeId) -> Option<u8>;

    /// The next hop to `dst` on the route in use, if there is one and packets don't carry it.
    fn next_hop(&self, _dst: NodeId) -> Option<NodeId> {
        None
    }

    /// The packets held here, without a route or not yet confirmed by a next hop.
    fn buffered(&self) -> Vec<PacketId> {
        Vec::new()
    }

    /// Counters so far.
    fn counters(&self) -> &RoutingCounters;
}
