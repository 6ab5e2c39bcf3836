//! The TCP header (RFC 9293 §3.1).

use super::checksum::Sum;
use super::error::{DecodeError, EncodeError};
use super::ipv4::IpProtocol;
use super::reader::Reader;
use super::tcp_options::{decode_tcp_options, encode_tcp_options};
use crate::tcp::{TcpFlags, TcpSegment};
use tworay_base::NodeId;

const HEADER_BYTES: usize = 20;

/// Appends the header with its options. Payload is zeros, which do not change the checksum; the caller
/// decides whether to write them. The window is shifted right by `shift` and limited to 65535; a SYN's window
/// is never shifted (RFC 7323 §2.2).
pub fn encode_tcp(
    segment: &TcpSegment,
    (src, dst): (NodeId, NodeId),
    shift: u8,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let start = out.len();
    let shift = if segment.flags.has(TcpFlags::SYN) { 0 } else { shift };
    let window = segment.window.checked_shr(shift.into()).unwrap_or(0);
    let offset = (HEADER_BYTES + segment.options.wire_bytes() as usize) / 4;
    out.extend_from_slice(&segment.src_port.to_be_bytes());
    out.extend_from_slice(&segment.dst_port.to_be_bytes());
    out.extend_from_slice(&segment.seq.0.to_be_bytes());
    out.extend_from_slice(&segment.ack.0.to_be_bytes());
    out.extend_from_slice(&[(offset as u8) << 4, segment.flags.0]);
    out.extend_from_slice(&u16::try_from(window).unwrap_or(u16::MAX).to_be_bytes());
    out.extend_from_slice(&[0; 4]);
    encode_tcp_options(&segment.options, out)?;
    debug_assert_eq!(out.len() - start, offset * 4);
    let length = (out.len() - start) as u64 + u64::from(segment.payload);
    EncodeError::check("the length of the TCP segment", length, u16::MAX.into())?;
    let mut sum = Sum::pseudo_header(src, dst, IpProtocol::Tcp.number(), length as u32);
    sum.add(&out[start..]);
    out[start + 16..start + 18].copy_from_slice(&sum.finish().to_be_bytes());
    Ok(())
}

/// Reads a segment. `shift` is the sender's window scale. Payload bytes are counted; they are the last
/// [`TcpSegment::payload`] bytes of `bytes`.
pub fn decode_tcp(bytes: &[u8], (src, dst): (NodeId, NodeId), shift: u8) -> Result<TcpSegment, DecodeError> {
    let mut r = Reader::new("the TCP header", bytes);
    let (src_port, dst_port) = (r.u16()?, r.u16()?);
    let (seq, ack) = (r.seq()?, r.seq()?);
    let header_bytes = usize::from(r.u8()? >> 4) * 4;
    let flags = TcpFlags(r.u8()?);
    let window = u32::from(r.u16()?);
    let found = r.u16()?;
    r.u16()?;
    if header_bytes < HEADER_BYTES {
        let allowed = "a TCP header has at least 20";
        return Err(DecodeError::Length { what: "the TCP data offset", found: header_bytes, allowed });
    }
    let options = r.take(header_bytes - HEADER_BYTES)?;
    let mut sum = Sum::pseudo_header(src, dst, IpProtocol::Tcp.number(), bytes.len() as u32);
    sum.add(&bytes[..16]);
    sum.add(&bytes[18..]);
    let computed = sum.finish();
    if computed != found {
        let (found, computed) = (found.into(), computed.into());
        return Err(DecodeError::Checksum { what: "TCP segment", found, computed });
    }
    let shift = if flags.has(TcpFlags::SYN) { 0 } else { shift.min(14) };
    Ok(TcpSegment {
        src_port,
        dst_port,
        seq,
        ack,
        flags,
        window: window << shift,
        payload: r.left() as u32,
        options: decode_tcp_options(options)?,
    })
}
