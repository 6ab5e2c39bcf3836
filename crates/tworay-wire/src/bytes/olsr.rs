//! Encodes and decodes OLSR packets and messages (RFC 3626 §3.3, §6.1, §9.1, §5.1, §12.1).

use super::address::ipv4_address;
use super::error::{DecodeError, EncodeError};
use super::reader::Reader;
use crate::olsr::{
    HnaNetwork, LinkCode, LinkGroup, OlsrBody, OlsrHello, OlsrMessage, OlsrPacket, OlsrTc, Vtime,
};
use tworay_base::NodeId;

const HELLO: u8 = 1;
const TC: u8 = 2;
const MID: u8 = 3;
const HNA: u8 = 4;
/// Largest willingness, WILL_ALWAYS (RFC 3626 §18.8).
const WILL_ALWAYS: u8 = 7;

/// Appends a packet. Its length must fit into the 16-bit length field.
pub fn encode_olsr(packet: &OlsrPacket, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let length = packet.wire_bytes();
    EncodeError::check("the length of the OLSR packet", length.into(), u16::MAX.into())?;
    out.extend_from_slice(&(length as u16).to_be_bytes());
    out.extend_from_slice(&packet.seq.to_be_bytes());
    packet.messages.iter().for_each(|m| message(m, out));
    Ok(())
}

fn message(m: &OlsrMessage, out: &mut Vec<u8>) {
    out.extend_from_slice(&[m.body.kind(), m.vtime.0]);
    // No message is longer than its packet.
    out.extend_from_slice(&(m.wire_bytes() as u16).to_be_bytes());
    out.extend_from_slice(&ipv4_address(m.originator));
    out.extend_from_slice(&[m.ttl, m.hop_count]);
    out.extend_from_slice(&m.seq.to_be_bytes());
    match &m.body {
        OlsrBody::Hello(hello) => {
            out.extend_from_slice(&[0, 0, hello.htime.0, hello.willingness]);
            for group in &hello.links {
                out.extend_from_slice(&[group.code.0, 0]);
                out.extend_from_slice(&(4 + 4 * group.neighbours.len() as u16).to_be_bytes());
                addresses(&group.neighbours, out);
            }
        }
        OlsrBody::Tc(tc) => {
            out.extend_from_slice(&tc.ansn.to_be_bytes());
            out.extend_from_slice(&[0, 0]);
            addresses(&tc.advertised, out);
        }
        OlsrBody::Mid(list) => addresses(list, out),
        OlsrBody::Hna(networks) => {
            for n in networks {
                out.extend_from_slice(&n.network.to_be_bytes());
                out.extend_from_slice(&n.mask.to_be_bytes());
            }
        }
        OlsrBody::Other { bytes, .. } => out.extend_from_slice(bytes),
    }
}

fn addresses(nodes: &[NodeId], out: &mut Vec<u8>) {
    nodes.iter().for_each(|n| out.extend_from_slice(&ipv4_address(*n)));
}

/// Reads a packet; padding after it is ignored. One malformed message makes the packet invalid.
pub fn decode_olsr(bytes: &[u8]) -> Result<OlsrPacket, DecodeError> {
    let mut r = Reader::new("the OLSR packet", bytes);
    let length = usize::from(r.u16()?);
    let seq = r.u16()?;
    let Some(rest) = length.checked_sub(OlsrPacket::HEADER as usize) else {
        let allowed = "a packet has at least its header of 4";
        return Err(DecodeError::Length { what: "the OLSR packet length", found: length, allowed });
    };
    let mut r = Reader::new("the OLSR packet", r.take(rest)?);
    let mut messages = Vec::new();
    while !r.is_empty() {
        messages.push(read_message(&mut r)?);
    }
    if messages.is_empty() {
        let allowed = "a packet without a message is discarded (RFC 3626 §3.4)";
        return Err(DecodeError::Length { what: "the OLSR packet length", found: length, allowed });
    }
    Ok(OlsrPacket { seq, messages })
}

fn read_message(r: &mut Reader<'_>) -> Result<OlsrMessage, DecodeError> {
    let kind = r.u8()?;
    let vtime = Vtime(r.u8()?);
    let size = usize::from(r.u16()?);
    let originator = r.ipv4("an OLSR message's originator")?;
    let (ttl, hop_count) = (r.u8()?, r.u8()?);
    let seq = r.u16()?;
    let Some(rest) = size.checked_sub(OlsrMessage::HEADER as usize).filter(|n| n % 4 == 0) else {
        let allowed = "it is a multiple of 4, and 12 at least";
        return Err(DecodeError::Length { what: "an OLSR message's size", found: size, allowed });
    };
    let mut body = Reader::new("an OLSR message", r.take(rest)?);
    let body = match kind {
        HELLO => OlsrBody::Hello(hello(&mut body)?),
        TC => {
            let ansn = body.u16()?;
            body.u16()?;
            OlsrBody::Tc(OlsrTc { ansn, advertised: nodes(&mut body, "an advertised neighbour")? })
        }
        MID => OlsrBody::Mid(nodes(&mut body, "an interface of a MID message")?),
        HNA => {
            let mut networks = Vec::with_capacity(body.left() / 8);
            while !body.is_empty() {
                networks.push(HnaNetwork { network: body.u32()?, mask: body.u32()? });
            }
            OlsrBody::Hna(networks)
        }
        kind => OlsrBody::Other { kind, bytes: body.rest().to_vec() },
    };
    Ok(OlsrMessage { vtime, originator, ttl, hop_count, seq, body })
}

fn hello(r: &mut Reader<'_>) -> Result<OlsrHello, DecodeError> {
    r.u16()?;
    let htime = Vtime(r.u8()?);
    let willingness = r.u8()?;
    if willingness > WILL_ALWAYS {
        let (what, allowed) = ("the willingness of an OLSR HELLO", "0 to 7 are allowed");
        return Err(DecodeError::Value { what, found: willingness.into(), allowed });
    }
    let mut links = Vec::new();
    while !r.is_empty() {
        let code = LinkCode(r.u8()?);
        r.u8()?;
        let size = usize::from(r.u16()?);
        let Some(rest) = size.checked_sub(4).filter(|n| n % 4 == 0) else {
            let (what, allowed) =
                ("the link message size of a HELLO", "it is a multiple of 4, and 4 at least");
            return Err(DecodeError::Length { what, found: size, allowed });
        };
        let mut list = Reader::new("a HELLO's neighbours", r.take(rest)?);
        links.push(LinkGroup { code, neighbours: nodes(&mut list, "a HELLO's neighbour")? });
    }
    Ok(OlsrHello { htime, willingness, links })
}

fn nodes(r: &mut Reader<'_>, what: &'static str) -> Result<Vec<NodeId>, DecodeError> {
    let mut list = Vec::with_capacity(r.left() / 4);
    while !r.is_empty() {
        list.push(r.ipv4(what)?);
    }
    Ok(list)
}
