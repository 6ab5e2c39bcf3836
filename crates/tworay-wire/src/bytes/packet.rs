//! A whole packet: IPv4 with its contents, or ARP.

use super::aodv::{decode_aodv, encode_aodv};
use super::arp::{decode_arp, encode_arp};
use super::dsr::{decode_dsr, encode_dsr};
use super::error::{DecodeError, EncodeError};
use super::ipv4::{IPV4_HEADER_BYTES, IpProtocol, Ipv4Header, decode_ipv4, ipv4_header};
use super::llc::EtherType;
use super::olsr::{decode_olsr, encode_olsr};
use super::real;
use super::tcp::{decode_tcp, encode_tcp};
use super::udp::{UdpHeader, decode_udp, encode_udp};
use super::{AODV_PORT, NO_NEXT_HEADER};
use crate::olsr::OLSR_PORT;
use crate::packet::{Body, Packet, UdpDatagram};
use tworay_base::{FlowId, NodeId};

/// Encoding of payload, which the simulation counts but does not store.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PayloadBytes {
    /// Written as zeros.
    Zeros,
    /// Omitted. Lengths and checksums are those of the packet with zeros.
    Counted,
}

/// Encoding of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// Encoding of payload.
    pub payload: PayloadBytes,
    /// Window scale shift announced by the TCP sender, 0 to 14.
    pub window_shift: u8,
}

/// The packet's EtherType.
pub fn ethertype(packet: &Packet) -> EtherType {
    match &packet.body {
        Body::Arp(_) => EtherType::Arp,
        Body::Frame(real) => real::ethertype(&real.bytes),
        _ => EtherType::Ipv4,
    }
}

/// Appends the packet; returns its length in bytes including all payload. The low 16 bits of its uid become
/// the identification. The length follows from the formats, not from [`Packet::ip_bytes`], because models
/// such as ns-2's count other sizes. On error `out` is unchanged.
pub fn encode_packet(packet: &Packet, encoding: Encoding, out: &mut Vec<u8>) -> Result<u32, EncodeError> {
    let start = out.len();
    let result = append(packet, encoding, out);
    if result.is_err() {
        out.truncate(start);
    }
    result
}

fn append(packet: &Packet, encoding: Encoding, out: &mut Vec<u8>) -> Result<u32, EncodeError> {
    let start = out.len();
    if let Body::Arp(arp) = &packet.body {
        encode_arp(arp, out);
        return Ok((out.len() - start) as u32);
    }
    if let Body::Datagram(real) | Body::Frame(real) = &packet.body {
        match &packet.body {
            Body::Frame(_) => real::encode_frame(&real.bytes, out)?,
            _ => real::encode_datagram(&real.bytes, packet.ttl, packet.dsr.as_deref(), out)?,
        }
        return Ok((out.len() - start) as u32);
    }
    out.extend_from_slice(&[0; IPV4_HEADER_BYTES]);
    let above = match &packet.body {
        Body::Tcp(_) => IpProtocol::Tcp.number(),
        Body::Udp(_) | Body::Aodv(_) | Body::Olsr(_) => IpProtocol::Udp.number(),
        Body::Dsr | Body::Arp(_) | Body::Datagram(_) | Body::Frame(_) => NO_NEXT_HEADER,
    };
    let mut protocol = IpProtocol::of(above);
    if let Some(dsr) = &packet.dsr {
        encode_dsr(dsr, above, out)?;
        protocol = IpProtocol::Dsr;
    }
    let ends = (packet.src, packet.dst);
    let payload = match &packet.body {
        Body::Tcp(segment) => {
            encode_tcp(segment, ends, encoding.window_shift, out)?;
            segment.payload
        }
        Body::Udp(d) => {
            let ports = UdpHeader { src_port: d.src_port, dst_port: d.dst_port };
            encode_udp(ports, ends, &[], d.payload, out)?;
            d.payload
        }
        Body::Aodv(message) => {
            in_udp(AODV_PORT, ends, out, |out| encode_aodv(message, out))?;
            0
        }
        Body::Olsr(message) => {
            in_udp(OLSR_PORT, ends, out, |out| encode_olsr(message, out))?;
            0
        }
        Body::Dsr | Body::Arp(_) | Body::Datagram(_) | Body::Frame(_) => 0,
    };
    let above_ip = (out.len() - start - IPV4_HEADER_BYTES) as u64 + u64::from(payload);
    let above_ip = u32::try_from(above_ip).unwrap_or(u32::MAX);
    let Packet { ttl, src, dst, .. } = *packet;
    let header = ipv4_header(&Ipv4Header { id: packet.uid as u16, ttl, protocol, src, dst }, above_ip)?;
    out[start..start + IPV4_HEADER_BYTES].copy_from_slice(&header);
    if encoding.payload == PayloadBytes::Zeros {
        out.resize(out.len() + payload as usize, 0);
    }
    Ok(above_ip + IPV4_HEADER_BYTES as u32)
}

/// A routing message in UDP; both ports are the protocol's.
fn in_udp(
    port: u16,
    ends: (NodeId, NodeId),
    out: &mut Vec<u8>,
    encode: impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    let mut message = Vec::new();
    encode(&mut message)?;
    encode_udp(UdpHeader { src_port: port, dst_port: port }, ends, &message, 0, out)
}

/// Reads a packet. Fields that are not transmitted get defaults: `uid` and `hops` 0, no flow, a UDP
/// datagram's `number` 0.
pub fn decode_packet(ethertype: EtherType, bytes: &[u8], window_shift: u8) -> Result<Packet, DecodeError> {
    let blank = |src, dst, ttl, ip_bytes, dsr, body| Packet {
        uid: 0,
        src,
        dst,
        ttl,
        hops: 0,
        ip_bytes,
        flow: FlowId::NONE,
        dsr,
        body,
    };
    if ethertype == EtherType::Arp {
        let arp = decode_arp(bytes)?;
        let to = if arp.request { NodeId::BROADCAST } else { arp.target };
        return Ok(blank(arp.sender, to, 1, 28, None, Body::Arp(arp)));
    }
    let (ip, mut rest) = decode_ipv4(bytes)?;
    let ip_bytes = (IPV4_HEADER_BYTES + rest.len()) as u32;
    let mut protocol = ip.protocol;
    let mut dsr = None;
    if protocol == IpProtocol::Dsr {
        let (header, next, behind) = decode_dsr(rest)?;
        dsr = Some(Box::new(header));
        protocol = IpProtocol::of(next);
        rest = behind;
    }
    let ends = (ip.src, ip.dst);
    let body = match protocol {
        IpProtocol::Tcp => Body::Tcp(decode_tcp(rest, ends, window_shift)?),
        IpProtocol::Udp => {
            let (ports, payload) = decode_udp(rest, ends)?;
            match ports.dst_port {
                AODV_PORT => Body::Aodv(Box::new(decode_aodv(payload)?)),
                OLSR_PORT => Body::Olsr(Box::new(decode_olsr(payload)?)),
                dst_port => {
                    let (src_port, payload) = (ports.src_port, payload.len() as u32);
                    Body::Udp(UdpDatagram { src_port, dst_port, payload, number: 0 })
                }
            }
        }
        IpProtocol::Other(NO_NEXT_HEADER) if dsr.is_some() => Body::Dsr,
        other => {
            let found = other.number().into();
            let allowed = "6 (TCP), 17 (UDP) and 48 (DSR, not within DSR) are known";
            return Err(DecodeError::Value { what: "the protocol above IPv4", found, allowed });
        }
    };
    Ok(blank(ip.src, ip.dst, ip.ttl, ip_bytes, dsr, body))
}
