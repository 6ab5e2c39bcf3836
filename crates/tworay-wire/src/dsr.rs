//! The DSR options header (RFC 4728 §6), with node ids for IPv4 addresses.
//!
//! Between the IPv4 header and what a packet carries stand a fixed part of 4 bytes and options. Each
//! field here is one kind of option; the order of the fields is their order on the wire. Flow state
//! (RFC 4728 §4) isn't used.

use smallvec::SmallVec;
use tworay_base::NodeId;

/// Addresses of a route, in the order of travel.
pub type Addresses = SmallVec<[NodeId; 8]>;

/// The largest number of addresses in a source route: what six bits of "Segments Left" count.
pub const MAX_ADDRESSES: usize = 63;
/// The largest salvage count: four bits.
pub const MAX_SALVAGE: u8 = 15;
/// The fixed part of the header, bytes.
const FIXED: u32 = 4;

/// The DSR options header of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DsrHeader {
    /// Route request (§6.2), at most one.
    pub request: Option<RouteRequest>,
    /// Route replies (§6.3).
    pub replies: Vec<RouteReply>,
    /// Route errors (§6.4).
    pub errors: Vec<RouteError>,
    /// Acknowledgment request (§6.5) to the node that receives the frame.
    pub ack_request: Option<AckRequest>,
    /// Acknowledgments (§6.6).
    pub acks: Vec<Ack>,
    /// Source route (§6.7), at most one.
    pub source_route: Option<SourceRoute>,
    /// Bytes that a packet is counted longer than this format: ns-2 adds a second IP header of 20 to data.
    pub extra_bytes: u16,
}

/// Route request: who wants a route to whom, and which way the request has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteRequest {
    /// Identifies the request together with its initiator (the IP source).
    pub id: u16,
    /// Wanted destination.
    pub target: NodeId,
    /// Nodes that relayed it, first to last.
    pub addresses: Addresses,
}

/// Route reply: a route from the IP destination (the initiator) on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteReply {
    /// Nodes after the initiator; the last is the target. At least one.
    pub addresses: Addresses,
}

/// Route error of type NODE_UNREACHABLE (§6.4.1).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RouteError {
    /// Salvage count of the packet that met the break, 0 to 15.
    pub salvage: u8,
    /// The node that found the break.
    pub source: NodeId,
    /// Who must hear of it: the node whose source route the packet carried.
    pub destination: NodeId,
    /// The neighbour of `source` that is no longer reached.
    pub unreachable: NodeId,
}

/// Request for an acknowledgment by the next hop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AckRequest {
    /// Copied into the acknowledgment.
    pub id: u16,
}

/// A network-layer acknowledgment.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The request's identification.
    pub id: u16,
    /// Who acknowledges.
    pub source: NodeId,
    /// Who asked.
    pub destination: NodeId,
}

/// The route a packet takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRoute {
    /// How often the packet was given a new route on its way, 0 to 15. If it was, the first address is
    /// the node that did it last.
    pub salvage: u8,
    /// Addresses still to be visited before the destination, the next hop included; 0 to `addresses.len()`.
    pub segments_left: u8,
    /// Nodes between the source and the destination.
    pub addresses: Addresses,
}

impl SourceRoute {
    /// The node that the packet is on its way to, given its destination; `None` if `segments_left`
    /// exceeds the list.
    pub fn next_hop(&self, dst: NodeId) -> Option<NodeId> {
        let at = self.addresses.len().checked_sub(self.segments_left as usize)?;
        Some(self.addresses.get(at).copied().unwrap_or(dst))
    }

    /// The node that sent it on to [`SourceRoute::next_hop`], given its source.
    pub fn previous_hop(&self, src: NodeId) -> Option<NodeId> {
        let at = self.addresses.len().checked_sub(self.segments_left as usize)?;
        Some(at.checked_sub(1).map_or(src, |i| self.addresses[i]))
    }

    /// The node that chose this route: the source, or the one that salvaged the packet last.
    pub fn author(&self, src: NodeId) -> NodeId {
        if self.salvage == 0 { src } else { self.addresses.first().copied().unwrap_or(src) }
    }

    /// Bytes of the option: 4 + 4 for each address.
    pub fn wire_bytes(&self) -> u32 {
        4 + 4 * self.addresses.len() as u32
    }
}

impl DsrHeader {
    /// A header with nothing but a source route.
    pub fn routed(route: SourceRoute) -> Self {
        Self { source_route: Some(route), ..Self::default() }
    }

    /// Bytes that the header adds to the packet: the fixed part and the options, padded to a multiple of
    /// 4, and [`DsrHeader::extra_bytes`].
    pub fn wire_bytes(&self) -> u32 {
        let request = self.request.as_ref().map_or(0, |r| 8 + 4 * r.addresses.len() as u32);
        let replies: u32 = self.replies.iter().map(|r| 3 + 4 * r.addresses.len() as u32).sum();
        let errors = 16 * self.errors.len() as u32;
        let acks = 4 * u32::from(self.ack_request.is_some()) + 12 * self.acks.len() as u32;
        let route = self.source_route.as_ref().map_or(0, SourceRoute::wire_bytes);
        FIXED + (request + replies + errors + acks + route).next_multiple_of(4) + u32::from(self.extra_bytes)
    }

    /// Length of an IPv4 packet that carries nothing else, bytes.
    pub fn ip_bytes(&self) -> u32 {
        20 + self.wire_bytes()
    }
}

#[cfg(test)]
mod tests;
