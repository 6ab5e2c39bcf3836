//! AODV messages (RFC 3561 §5), with node ids for IPv4 addresses.

use tworay_base::{NodeId, Seq32, SimDuration};

/// An AODV message; one IPv4 + UDP packet carries one.
#[derive(Clone, Debug, PartialEq)]
pub enum AodvMessage {
    /// Route request (§5.1), broadcast.
    Rreq(Rreq),
    /// Route reply (§5.2), unicast. A HELLO is a route reply broadcast with hop limit 1 (§6.9).
    Rrep(Rrep),
    /// Route error (§5.3).
    Rerr(Rerr),
    /// Route reply acknowledgment (§5.4).
    RrepAck,
}

/// Route request.
#[derive(Clone, Debug, PartialEq)]
pub struct Rreq {
    /// G: a gratuitous reply is to be sent to the destination.
    pub gratuitous: bool,
    /// D: only the destination may answer.
    pub destination_only: bool,
    /// U: the destination's sequence number is unknown.
    pub unknown_seq: bool,
    /// Hops from the originator to the node handling the request.
    pub hop_count: u8,
    /// Identifies the request together with the originator.
    pub id: u32,
    /// The destination requested.
    pub dst: NodeId,
    /// Latest known sequence number of the destination.
    pub dst_seq: Seq32,
    /// The node that requests the route.
    pub orig: NodeId,
    /// The originator's own sequence number.
    pub orig_seq: Seq32,
}

/// Route reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Rrep {
    /// A: the receiver must acknowledge the reply.
    pub ack_required: bool,
    /// Hops from the destination to the node handling the reply.
    pub hop_count: u8,
    /// The destination the route leads to.
    pub dst: NodeId,
    /// Its sequence number.
    pub dst_seq: Seq32,
    /// The node that requested the route.
    pub orig: NodeId,
    /// Time for which receivers may consider the route valid.
    pub lifetime: SimDuration,
}

/// Route error.
#[derive(Clone, Debug, PartialEq)]
pub struct Rerr {
    /// N: a local repair is in progress, so receivers must not delete the route.
    pub no_delete: bool,
    /// Unreachable destinations with their last known sequence numbers.
    pub unreachable: Vec<(NodeId, Seq32)>,
}

impl AodvMessage {
    /// Length of the message, bytes.
    pub fn wire_bytes(&self) -> u32 {
        match self {
            AodvMessage::Rreq(_) => 24,
            AodvMessage::Rrep(_) => 20,
            AodvMessage::Rerr(e) => 4 + 8 * e.unreachable.len() as u32,
            AodvMessage::RrepAck => 2,
        }
    }

    /// Length of the IPv4 packet that carries it, bytes: 20 + 8 + message.
    pub fn ip_bytes(&self) -> u32 {
        28 + self.wire_bytes()
    }
}
