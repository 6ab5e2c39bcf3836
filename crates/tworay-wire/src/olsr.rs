//! OLSR packets and messages (RFC 3626 §3.3, §5.1, §6.1, §9.1, §12.1), with node ids for IPv4 addresses.

use tworay_base::{NodeId, SimDuration};

/// UDP port of OLSR (RFC 3626 §3.1).
pub const OLSR_PORT: u16 = 698;

/// Contents of one UDP datagram: one or more messages (RFC 3626 §3.3).
#[derive(Clone, Debug, PartialEq)]
pub struct OlsrPacket {
    /// Packet sequence number, incremented for each packet that an interface sends, so that its neighbours
    /// can detect losses.
    pub seq: u16,
    /// The messages, at least one.
    pub messages: Vec<OlsrMessage>,
}

/// A message with its origin and scope (RFC 3626 §3.3.2).
#[derive(Clone, Debug, PartialEq)]
pub struct OlsrMessage {
    /// Time for which after reception its information is valid.
    pub vtime: Vtime,
    /// Main address of the originating node; relays do not change it.
    pub originator: NodeId,
    /// Remaining hops.
    pub ttl: u8,
    /// Hops travelled.
    pub hop_count: u8,
    /// Message sequence number; together with the originator it identifies the message.
    pub seq: u16,
    /// Contents.
    pub body: OlsrBody,
}

/// The contents of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum OlsrBody {
    /// Links and neighbours (type 1), never relayed.
    Hello(OlsrHello),
    /// Topology control: the nodes that have chosen the originator as relay (type 2).
    Tc(OlsrTc),
    /// Multiple interface declaration (type 3): the originator's other addresses.
    Mid(Vec<NodeId>),
    /// Host and network association (type 4): networks reachable through the originator.
    Hna(Vec<HnaNetwork>),
    /// A type that this implementation does not know; relayed all the same (§3.4).
    Other {
        /// Message type, 0 or from 5.
        kind: u8,
        /// The bytes after the message header, a multiple of 4.
        bytes: Vec<u8>,
    },
}

/// A HELLO (RFC 3626 §6.1).
#[derive(Clone, Debug, PartialEq)]
pub struct OlsrHello {
    /// Time to the next HELLO on this interface.
    pub htime: Vtime,
    /// Willingness to forward traffic for others, 0 (never) to 7 (always).
    pub willingness: u8,
    /// Neighbours' interfaces, grouped by type of link.
    pub links: Vec<LinkGroup>,
}

/// Neighbours of one type in a HELLO.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkGroup {
    /// Type of link and of neighbour.
    pub code: LinkCode,
    /// Their interface addresses.
    pub neighbours: Vec<NodeId>,
}

/// Type of link (low two bits) and of neighbour (next two bits) in one byte (RFC 3626 §6.1.1).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LinkCode(pub u8);

/// State of a link (RFC 3626 §6.1.1).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum LinkType {
    /// No information about the link.
    Unspecified = 0,
    /// Received in one direction only.
    Asymmetric = 1,
    /// Works in both directions.
    Symmetric = 2,
    /// Lost.
    Lost = 3,
}

/// Type of a neighbour (RFC 3626 §6.1.1).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum NeighbourType {
    /// No symmetric link, or no longer one.
    Not = 0,
    /// At least one symmetric link.
    Symmetric = 1,
    /// Also chosen as multipoint relay.
    Mpr = 2,
}

impl LinkCode {
    /// The code of a link and a neighbour.
    pub const fn new(link: LinkType, neighbour: NeighbourType) -> Self {
        Self(link as u8 | (neighbour as u8) << 2)
    }

    /// Link and neighbour. `None` for meaningless bytes: above 15, neighbour type 3, or a symmetric link to a
    /// node that is not a neighbour.
    pub const fn parts(self) -> Option<(LinkType, NeighbourType)> {
        let link = match self.0 & 3 {
            0 => LinkType::Unspecified,
            1 => LinkType::Asymmetric,
            2 => LinkType::Symmetric,
            _ => LinkType::Lost,
        };
        let neighbour = match self.0 >> 2 {
            0 => NeighbourType::Not,
            1 => NeighbourType::Symmetric,
            2 => NeighbourType::Mpr,
            _ => return None,
        };
        match (link, neighbour) {
            (LinkType::Symmetric, NeighbourType::Not) => None,
            parts => Some(parts),
        }
    }
}

/// A TC message (RFC 3626 §9.1).
#[derive(Clone, Debug, PartialEq)]
pub struct OlsrTc {
    /// Advertised neighbour sequence number; a newer message replaces older ones.
    pub ansn: u16,
    /// Main addresses of the neighbours that the originator advertises.
    pub advertised: Vec<NodeId>,
}

/// A network in an HNA message (RFC 3626 §12.1).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HnaNetwork {
    /// IPv4 network address, host byte order.
    pub network: u32,
    /// IPv4 network mask, host byte order.
    pub mask: u32,
}

/// A time in OLSR's encoding: 1/16 s · (1 + a/16) · 2^b with a in the high and b in the low four bits (RFC
/// 3626 §3.3.2, §18.3). From 62.5 ms to 3968 s.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Vtime(pub u8);

/// C of RFC 3626 §18.2, 1/16 s, in nanoseconds.
const SCALE: u64 = 62_500_000;

impl Vtime {
    /// The shortest encodable time not shorter than `time`; the longest one if there is none.
    pub const fn covering(time: SimDuration) -> Self {
        let nanos = time.as_nanos();
        let mut byte = 0u16;
        // Ordered by exponent, then by mantissa.
        while byte < 256 {
            let v = Vtime(((byte & 15) << 4 | byte >> 4) as u8);
            if v.nanos() >= nanos {
                return v;
            }
            byte += 1;
        }
        Vtime(0xff)
    }

    const fn nanos(self) -> u64 {
        let (a, b) = ((self.0 >> 4) as u64, self.0 & 15);
        (SCALE / 16 * (16 + a)) << b
    }

    /// The encoded time.
    pub const fn time(self) -> SimDuration {
        SimDuration::from_nanos(self.nanos())
    }
}

impl OlsrPacket {
    /// Length of the packet header, bytes.
    pub const HEADER: u32 = 4;

    /// Length of the packet, bytes: header and messages.
    pub fn wire_bytes(&self) -> u32 {
        Self::HEADER + self.messages.iter().map(OlsrMessage::wire_bytes).sum::<u32>()
    }

    /// Length of the IPv4 packet that carries it, bytes: 20 + 8 + packet.
    pub fn ip_bytes(&self) -> u32 {
        28 + self.wire_bytes()
    }
}

impl OlsrMessage {
    /// Length of the message header, bytes.
    pub const HEADER: u32 = 12;

    /// Length of the message including its header, bytes (the Message Size field).
    pub fn wire_bytes(&self) -> u32 {
        Self::HEADER + self.body.wire_bytes()
    }
}

impl OlsrBody {
    /// The Message Type field (RFC 3626 §18.4).
    pub fn kind(&self) -> u8 {
        match self {
            OlsrBody::Hello(_) => 1,
            OlsrBody::Tc(_) => 2,
            OlsrBody::Mid(_) => 3,
            OlsrBody::Hna(_) => 4,
            OlsrBody::Other { kind, .. } => *kind,
        }
    }

    /// Length of the part after the message header, bytes.
    pub fn wire_bytes(&self) -> u32 {
        match self {
            OlsrBody::Hello(h) => 4 + h.links.iter().map(|g| 4 + 4 * g.neighbours.len() as u32).sum::<u32>(),
            OlsrBody::Tc(t) => 4 + 4 * t.advertised.len() as u32,
            OlsrBody::Mid(addresses) => 4 * addresses.len() as u32,
            OlsrBody::Hna(networks) => 8 * networks.len() as u32,
            OlsrBody::Other { bytes, .. } => bytes.len() as u32,
        }
    }
}

#[cfg(test)]
mod tests;
