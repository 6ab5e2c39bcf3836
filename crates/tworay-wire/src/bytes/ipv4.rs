//! The IPv4 header (RFC 791).

use super::address::ipv4_address;
use super::checksum::internet_checksum;
use super::error::{DecodeError, EncodeError};
use super::reader::Reader;
use tworay_base::NodeId;

/// Bytes of a header without options.
pub const IPV4_HEADER_BYTES: usize = 20;

/// Content of an IPv4 packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum IpProtocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// DSR's header and what follows it (RFC 4728 §6).
    Dsr,
    /// Anything else.
    Other(u8),
}

impl IpProtocol {
    /// The protocol number.
    pub const fn number(self) -> u8 {
        match self {
            IpProtocol::Tcp => 6,
            IpProtocol::Udp => 17,
            IpProtocol::Dsr => 48,
            IpProtocol::Other(n) => n,
        }
    }

    /// The protocol with a number.
    pub const fn of(number: u8) -> Self {
        match number {
            6 => IpProtocol::Tcp,
            17 => IpProtocol::Udp,
            48 => IpProtocol::Dsr,
            n => IpProtocol::Other(n),
        }
    }
}

/// An IPv4 header without options, fragmentation or type of service.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ipv4Header {
    /// Identification.
    pub id: u16,
    /// Hop limit.
    pub ttl: u8,
    /// Next protocol.
    pub protocol: IpProtocol,
    /// Source.
    pub src: NodeId,
    /// Destination, or [`NodeId::BROADCAST`] for 255.255.255.255.
    pub dst: NodeId,
}

/// The header for `payload` bytes.
pub fn ipv4_header(header: &Ipv4Header, payload: u32) -> Result<[u8; IPV4_HEADER_BYTES], EncodeError> {
    let total = u64::from(payload) + IPV4_HEADER_BYTES as u64;
    EncodeError::check("the length of the IPv4 packet", total, u16::MAX.into())?;
    let mut bytes = [0; IPV4_HEADER_BYTES];
    bytes[0] = 0x45;
    bytes[2..4].copy_from_slice(&(total as u16).to_be_bytes());
    bytes[4..6].copy_from_slice(&header.id.to_be_bytes());
    bytes[8] = header.ttl;
    bytes[9] = header.protocol.number();
    bytes[12..16].copy_from_slice(&ipv4_address(header.src));
    bytes[16..20].copy_from_slice(&ipv4_address(header.dst));
    let checksum = internet_checksum(&bytes);
    bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
    Ok(bytes)
}

/// Reads a header; returns it with the packet's payload, without padding after the packet. Options are
/// skipped; fragments are refused.
pub fn decode_ipv4(bytes: &[u8]) -> Result<(Ipv4Header, &[u8]), DecodeError> {
    let mut r = Reader::new("the IPv4 header", bytes);
    let version_length = r.u8()?;
    if version_length >> 4 != 4 {
        let found = u64::from(version_length >> 4);
        return Err(DecodeError::Value { what: "the IP version", found, allowed: "only 4 is known" });
    }
    let header_bytes = usize::from(version_length & 15) * 4;
    if header_bytes < IPV4_HEADER_BYTES {
        let allowed = "an IPv4 header has at least 20";
        return Err(DecodeError::Length { what: "the IPv4 header length", found: header_bytes, allowed });
    }
    r.u8()?;
    let total = usize::from(r.u16()?);
    let id = r.u16()?;
    let fragment = r.u16()?;
    let ttl = r.u8()?;
    let protocol = IpProtocol::of(r.u8()?);
    let found = r.u16()?;
    let src = r.take(4)?;
    let dst = r.take(4)?;
    r.take(header_bytes - IPV4_HEADER_BYTES)?;
    let computed = internet_checksum(&bytes[..header_bytes]);
    if computed != 0 {
        // A correct header sums to zero including its checksum; the correct checksum follows from that.
        let computed = u32::from(right_checksum(&bytes[..header_bytes]));
        return Err(DecodeError::Checksum { what: "IPv4 header", found: found.into(), computed });
    }
    if total < header_bytes {
        let allowed = "the packet has at least its header";
        return Err(DecodeError::Length { what: "the IPv4 total length", found: total, allowed });
    }
    // Fragments have "more fragments" set or an offset.
    if fragment & 0x3fff != 0 {
        let allowed = "fragments are not reassembled";
        return Err(DecodeError::Value { what: "the IPv4 fragment field", found: fragment.into(), allowed });
    }
    let what = "the IPv4 packet";
    let Some(packet) = bytes.get(..total) else {
        return Err(DecodeError::Truncated { what, need: total, have: bytes.len() });
    };
    let src = Reader::new(what, src).ipv4("the IPv4 source")?;
    let dst = Reader::new(what, dst).ipv4("the IPv4 destination")?;
    Ok((Ipv4Header { id, ttl, protocol, src, dst }, &packet[header_bytes..]))
}

fn right_checksum(header: &[u8]) -> u16 {
    let mut copy = header.to_vec();
    copy[10..12].fill(0);
    internet_checksum(&copy)
}
