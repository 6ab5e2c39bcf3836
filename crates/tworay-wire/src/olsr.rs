//! OLSR packets and messages (RFC 3626 §3.3, §5.1, §6.1, §9.1, §12.1), with node ids for IPv4 addresses.

use tworay_base::{NodeId, SimDuration};

/// UDP port of OLSR (RFC 3626 §3.1).
pub const OLSR_PORT: u16 = 698;

/// What one UDP datagram carries: one or more messages (RFC 3626 §3.3).
#[derive(Clone, Debug, PartialEq)]
pub struct OlsrPacket {
    /// Packet sequence number: one more with each packet that an interface sends, so that its neighbours
    /// can see losses.
    pub seq: u16,
    /// The messages, at least one.
    pub messages: Vec<OlsrMessage>,
}

/// A message: what it says, whose it is, how far it goes (RFC 3626 §3.3.2).
#[derive(Clone, Debug, PartialEq)]
pub struct OlsrMessage {
    /// For how long after reception its information holds.
    pub vtime: Vtime,
    /// Main address of the node that made it; relays don't change it.
    pub originator: NodeId,
    /// Hops it may still travel.
    pub ttl: u8,
    /// Hops it has travelled.
    pub hop_count: u8,
    /// Message sequence number: with the originator it names the message.
    pub seq: u16,
    /// What it says.
    pub body: OlsrBody,
}

/// What a message says.
#[derive(Clone, Debug, PartialEq)]
pub enum OlsrBody {
    /// Links and neighbours (type 1), never relayed.
    Hello(OlsrHello),
    /// Topology control: who has chosen the originator as relay (type 2).
    Tc(OlsrTc),
    /// Multiple interface declaration (type 3): the originator's other addresses.
    Mid(Vec<NodeId>),
    /// Host and network association (type 4): networks behind the originator.
    Hna(Vec<HnaNetwork>),
    /// A type this implementation doesn't know; relayed all the same (§3.4).
    Other {
        /// Message type, 0 or from 5.
        kind: u8,
        /// Its bytes behind the message header, a multiple of 4.
        bytes: Vec<u8>,
    },
}

/// A HELLO (RFC 3626 §6.1).
#[derive(Clone, Debug, PartialEq)]
pub struct OlsrHello {
    /// Time to the next HELLO on this interface.
    pub htime: Vtime,
    /// Willingness to carry traffic for others, 0 (never) to 7 (always).
    pub willingness: u8,
    /// Neighbours' interfaces, by kind of link.
    pub links: Vec<LinkGroup>,
}

/// Neighbours of one kind in a HELLO.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkGroup {
    /// Kind of link and of neighbour.
    pub code: LinkCode,
    /// Their interface addresses.
    pub neighbours: Vec<NodeId>,
}

/// Kind of link (low two bits) and of neighbour (next two) in one byte (RFC 3626 §6.1.1).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LinkCode(pub u8);

/// What is known of a link (RFC 3626 §6.1.1).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum LinkType {
    /// Nothing is said of the link.
    Unspecified = 0,
    /// Heard one way.
    Asymmetric = 1,
    /// Works both ways.
    Symmetric = 2,
    /// Lost.
    Lost = 3,
}

/// What a neighbour is (RFC 3626 §6.1.1).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum NeighbourType {
    /// No symmetric link, not or no longer.
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

    /// Link and neighbour, unless the byte is none of the combinations that mean something: above 15,
    /// neighbour type 3, or a symmetric link to what is no neighbour.
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
    /// Advertised neighbour sequence number: newer ones replace what older ones said.
    pub ansn: u16,
    /// Main addresses of the neighbours that the originator offers to reach.
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

/// A time as OLSR writes it: 1/16 s · (1 + a/16) · 2^b with a in the high and b in the low four bits
/// (RFC 3626 §3.3.2, §18.3). From 62.5 ms to 3968 s.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Vtime(pub u8);

/// C of RFC 3626 §18.2, 1/16 s, in nanoseconds.
const SCALE: u64 = 62_500_000;

impl Vtime {
    /// The shortest time that can be written and isn't shorter than `time`; the longest if none is.
    pub const fn covering(time: SimDuration) -> Self {
        let nanos = time.as_nanos();
        let mut byte = 0u16;
        // In order of the exponent, then of the mantissa.
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

    /// The time that is written.
    pub const fn time(self) -> SimDuration {
        SimDuration::from_nanos(self.nanos())
    }
}

impl OlsrPacket {
    /// Bytes of the packet header.
    pub const HEADER: u32 = 4;

    /// Bytes of the packet: header and messages.
    pub fn wire_bytes(&self) -> u32 {
        Self::HEADER + self.messages.iter().map(OlsrMessage::wire_bytes).sum::<u32>()
    }

    /// Length of the IPv4 packet that carries it: 20 + 8 + packet, bytes.
    pub fn ip_bytes(&self) -> u32 {
        28 + self.wire_bytes()
    }
}

impl OlsrMessage {
    /// Bytes of the message header.
    pub const HEADER: u32 = 12;

    /// Bytes of the message, its header included (the Message Size field).
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

    /// Bytes behind the message header.
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
