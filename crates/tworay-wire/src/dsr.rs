//! The DSR options header (RFC 4728 §6), with node ids for IPv4 addresses.
//!
//! The header stands between the IPv4 header and the payload: a fixed part of 4 bytes, then options. Each
//! field here is one type of option; the order of the fields is their order in the packet. Flow state (RFC
//! 4728 §4) is not used.

use smallvec::SmallVec;
use tworay_base::NodeId;

/// Addresses of a route, in the order of travel.
pub type Addresses = SmallVec<[NodeId; 8]>;

/// The largest number of addresses in a source route: "Segments Left" has six bits.
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
    /// Bytes that a model counts in addition to this format: ns-2 adds a second IP header of 20 bytes to
    /// data.
    pub extra_bytes: u16,
}

/// Route request: source and target, and the path of the request so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteRequest {
    /// Identifies the request together with its initiator (the IP source).
    pub id: u16,
    /// The destination requested.
    pub target: NodeId,
    /// Nodes that forwarded it, first to last.
    pub addresses: Addresses,
}

/// Route reply: a route that starts at the IP destination (the initiator).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteReply {
    /// Nodes after the initiator; the last is the target. At least one.
    pub addresses: Addresses,
}

/// Route error of type NODE_UNREACHABLE (§6.4.1).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RouteError {
    /// Salvage count, 0 to 15, of the packet that could not be forwarded.
    pub salvage: u8,
    /// The node that detected the break.
    pub source: NodeId,
    /// The node to notify: the one whose source route the packet carried.
    pub destination: NodeId,
    /// The neighbour that `source` can no longer reach.
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
    /// The identification of the request.
    pub id: u16,
    /// The acknowledging node.
    pub source: NodeId,
    /// The requesting node.
    pub destination: NodeId,
}

/// The route of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRoute {
    /// Number of times that the packet was salvaged, 0 to 15. If it was, the first address is the node that
    /// last salvaged it.
    pub salvage: u8,
    /// Addresses still to visit before the destination, including the next hop; 0 to `addresses.len()`.
    pub segments_left: u8,
    /// Nodes between the source and the destination.
    pub addresses: Addresses,
}

impl SourceRoute {
    /// The next hop, given the packet's destination; `None` if `segments_left` exceeds the list.
    pub fn next_hop(&self, dst: NodeId) -> Option<NodeId> {
        let at = self.addresses.len().checked_sub(self.segments_left as usize)?;
        Some(self.addresses.get(at).copied().unwrap_or(dst))
    }

    /// The node that forwarded it to [`SourceRoute::next_hop`], given its source.
    pub fn previous_hop(&self, src: NodeId) -> Option<NodeId> {
        let at = self.addresses.len().checked_sub(self.segments_left as usize)?;
        Some(at.checked_sub(1).map_or(src, |i| self.addresses[i]))
    }

    /// The node that chose this route: the source, or the node that last salvaged the packet.
    pub fn author(&self, src: NodeId) -> NodeId {
        if self.salvage == 0 { src } else { self.addresses.first().copied().unwrap_or(src) }
    }

    /// Bytes of the option: 4 + 4 for each address.
    pub fn wire_bytes(&self) -> u32 {
        4 + 4 * self.addresses.len() as u32
    }
}

impl DsrHeader {
    /// A header with only a source route.
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

    /// Length of an IPv4 packet that carries only this header, bytes.
    pub fn ip_bytes(&self) -> u32 {
        20 + self.wire_bytes()
    }
}

#[cfg(test)]
mod tests;
