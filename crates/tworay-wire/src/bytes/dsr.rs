//! Encodes and decodes the DSR options header (RFC 4728 §6).

use super::address::ipv4_address;
use super::error::{DecodeError, EncodeError};
use super::reader::Reader;
use crate::dsr::{
    Ack, AckRequest, Addresses, DsrHeader, MAX_ADDRESSES, MAX_SALVAGE, RouteError, RouteReply, RouteRequest,
    SourceRoute,
};
use tworay_base::NodeId;

/// The fixed part: next header, flow state, payload length.
const FIXED: usize = 4;
const FLOW_STATE: u8 = 0x80;

// Option types (RFC 4728 §6.2 to §6.9).
const PAD_N: u8 = 0;
const REQUEST: u8 = 1;
const REPLY: u8 = 2;
const ERROR: u8 = 3;
const ACK: u8 = 32;
const SOURCE_ROUTE: u8 = 96;
const ACK_REQUEST: u8 = 160;
const PAD_1: u8 = 224;

const NODE_UNREACHABLE: u8 = 1;
/// A request option of at most 255 bytes has six bytes besides its addresses.
const MOST_REQUEST_ADDRESSES: usize = 62;

/// Appends the header; `next` is the protocol that follows (59: none). Options are padded to a multiple of
/// four. [`DsrHeader::extra_bytes`] are not written.
pub fn encode_dsr(header: &DsrHeader, next: u8, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let start = out.len();
    out.extend_from_slice(&[next, 0, 0, 0]);
    if let Some(r) = &header.request {
        room("addresses in a route request", r.addresses.len(), MOST_REQUEST_ADDRESSES)?;
        out.extend_from_slice(&[REQUEST, 6 + 4 * r.addresses.len() as u8]);
        out.extend_from_slice(&r.id.to_be_bytes());
        out.extend_from_slice(&ipv4_address(r.target));
        addresses(&r.addresses, out);
    }
    for r in &header.replies {
        room("addresses in a route reply", r.addresses.len(), MAX_ADDRESSES)?;
        out.extend_from_slice(&[REPLY, (1 + 4 * r.addresses.len()) as u8, 0]);
        addresses(&r.addresses, out);
    }
    for e in &header.errors {
        room("the salvage count of a route error", e.salvage.into(), MAX_SALVAGE.into())?;
        out.extend_from_slice(&[ERROR, 14, NODE_UNREACHABLE, e.salvage]);
        addresses(&[e.source, e.destination, e.unreachable], out);
    }
    if let Some(r) = &header.ack_request {
        out.extend_from_slice(&[ACK_REQUEST, 2]);
        out.extend_from_slice(&r.id.to_be_bytes());
    }
    for a in &header.acks {
        out.extend_from_slice(&[ACK, 10]);
        out.extend_from_slice(&a.id.to_be_bytes());
        addresses(&[a.source, a.destination], out);
    }
    if let Some(r) = &header.source_route {
        room("addresses in a source route", r.addresses.len(), MAX_ADDRESSES)?;
        room("the salvage count of a source route", r.salvage.into(), MAX_SALVAGE.into())?;
        room("the segments left of a source route", r.segments_left.into(), MAX_ADDRESSES)?;
        out.extend_from_slice(&[SOURCE_ROUTE, (2 + 4 * r.addresses.len()) as u8]);
        // F, L and four reserved bits, then salvage (4) and segments left (6).
        out.extend_from_slice(&(u16::from(r.salvage) << 6 | u16::from(r.segments_left)).to_be_bytes());
        addresses(&r.addresses, out);
    }
    match (4 - (out.len() - start) % 4) % 4 {
        0 => {}
        1 => out.push(PAD_1),
        n => {
            out.extend_from_slice(&[PAD_N, n as u8 - 2]);
            out.resize(out.len() + n - 2, 0);
        }
    }
    let length = out.len() - start - FIXED;
    room("the length of the DSR options", length, u16::MAX.into())?;
    out[start + 2..start + 4].copy_from_slice(&(length as u16).to_be_bytes());
    Ok(())
}

fn room(what: &'static str, value: usize, most: usize) -> Result<(), EncodeError> {
    EncodeError::check(what, value as u64, most as u64)
}

fn addresses(nodes: &[NodeId], out: &mut Vec<u8>) {
    nodes.iter().for_each(|n| out.extend_from_slice(&ipv4_address(*n)));
}

/// Reads a header; returns the options, the number of the next protocol, and its bytes. The two high bits of
/// an unknown option decide, where this implementation can follow them, whether it is skipped or the packet
/// refused (RFC 4728 §6.1).
pub fn decode_dsr(bytes: &[u8]) -> Result<(DsrHeader, u8, &[u8]), DecodeError> {
    let mut r = Reader::new("the DSR header", bytes);
    let next = r.u8()?;
    if r.u8()? & FLOW_STATE != 0 {
        let allowed = "flow state headers are not known";
        return Err(DecodeError::Value { what: "the DSR flow state bit", found: 1, allowed });
    }
    let length = usize::from(r.u16()?);
    let mut options = Reader::new("the DSR options", r.take(length)?);
    let mut header = DsrHeader::default();
    while !options.is_empty() {
        let kind = options.u8()?;
        if kind == PAD_1 {
            continue;
        }
        let length = usize::from(options.u8()?);
        option(&mut header, kind, options.take(length)?)?;
    }
    Ok((header, next, r.rest()))
}

fn option(header: &mut DsrHeader, kind: u8, data: &[u8]) -> Result<(), DecodeError> {
    let mut r = Reader::new("a DSR option", data);
    let wrong = |what, allowed| Err(DecodeError::Length { what, found: data.len(), allowed });
    match kind {
        REQUEST => {
            if data.len() % 4 != 2 || data.len() < 6 {
                return wrong("a DSR route request", "it has 6 and 4 for each address");
            }
            only_one("DSR route requests in one header", header.request.is_some())?;
            let (id, target) = (r.u16()?, r.ipv4("a route request's target")?);
            header.request = Some(RouteRequest { id, target, addresses: list(&mut r)? });
        }
        REPLY => {
            if data.len() % 4 != 1 || data.len() < 5 {
                return wrong("a DSR route reply", "it has 1 and 4 for each address, at least one");
            }
            r.u8()?;
            header.replies.push(RouteReply { addresses: list(&mut r)? });
        }
        ERROR => header.errors.extend(route_error(r)?),
        ACK_REQUEST => {
            if data.len() != 2 {
                return wrong("a DSR acknowledgment request", "it has 2");
            }
            only_one("DSR acknowledgment requests in one header", header.ack_request.is_some())?;
            header.ack_request = Some(AckRequest { id: r.u16()? });
        }
        ACK => {
            if data.len() != 10 {
                return wrong("a DSR acknowledgment", "it has 10");
            }
            let id = r.u16()?;
            let source = r.ipv4("who acknowledges")?;
            header.acks.push(Ack { id, source, destination: r.ipv4("who is acknowledged")? });
        }
        SOURCE_ROUTE => {
            if data.len() % 4 != 2 {
                return wrong("a DSR source route", "it has 2 and 4 for each address");
            }
            only_one("DSR source routes in one header", header.source_route.is_some())?;
            header.source_route = Some(source_route(r)?);
        }
        PAD_N => {}
        // 01 in the high bits: ignore the rest; 10: mark the option and continue; 11: drop the packet.
        other if other & 0xc0 == 0xc0 => {
            let allowed = "options of this kind have to be known or the packet dropped (RFC 4728 §6.1)";
            return Err(DecodeError::Value { what: "a DSR option's type", found: other.into(), allowed });
        }
        _ => {}
    }
    Ok(())
}

/// A route error; `None` for types other than NODE_UNREACHABLE, which are not used.
fn route_error(mut r: Reader<'_>) -> Result<Option<RouteError>, DecodeError> {
    let length = r.left();
    let kind = r.u8()?;
    let salvage = r.u8()? & MAX_SALVAGE;
    let source = r.ipv4("a route error's source")?;
    let destination = r.ipv4("a route error's destination")?;
    if kind != NODE_UNREACHABLE {
        return Ok(None);
    }
    if length != 14 {
        let allowed = "a NODE_UNREACHABLE error has 14";
        return Err(DecodeError::Length { what: "a DSR route error", found: length, allowed });
    }
    let unreachable = r.ipv4("an unreachable node")?;
    Ok(Some(RouteError { salvage, source, destination, unreachable }))
}

fn source_route(mut r: Reader<'_>) -> Result<SourceRoute, DecodeError> {
    let bits = r.u16()?;
    let segments_left = (bits & 0x3f) as u8;
    let addresses = list(&mut r)?;
    if usize::from(segments_left) > addresses.len() {
        let allowed = "it must not exceed the number of addresses";
        let what = "the segments left of a DSR source route";
        return Err(DecodeError::Value { what, found: segments_left.into(), allowed });
    }
    Ok(SourceRoute { salvage: (bits >> 6) as u8 & MAX_SALVAGE, segments_left, addresses })
}

fn list(r: &mut Reader<'_>) -> Result<Addresses, DecodeError> {
    let mut nodes = Addresses::new();
    while !r.is_empty() {
        nodes.push(r.ipv4("an address of a DSR route")?);
    }
    Ok(nodes)
}

fn only_one(what: &'static str, already: bool) -> Result<(), DecodeError> {
    if already {
        let allowed = "there may be one";
        return Err(DecodeError::Value { what, found: 2, allowed });
    }
    Ok(())
}
