//! UDP (RFC 768).

use super::checksum::Sum;
use super::error::{DecodeError, EncodeError};
use super::ipv4::IpProtocol;
use super::reader::Reader;
use tworay_base::NodeId;

/// Bytes of the header.
pub const UDP_HEADER_BYTES: usize = 8;

/// The ports of a datagram.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct UdpHeader {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
}

/// Appends header and `payload`. A further `zeros` bytes of payload count in the length and do not change the
/// checksum; the caller decides whether to write them.
pub fn encode_udp(
    header: UdpHeader,
    (src, dst): (NodeId, NodeId),
    payload: &[u8],
    zeros: u32,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let length = (UDP_HEADER_BYTES + payload.len()) as u64 + u64::from(zeros);
    EncodeError::check("the length of the UDP datagram", length, u16::MAX.into())?;
    let start = out.len();
    out.extend_from_slice(&header.src_port.to_be_bytes());
    out.extend_from_slice(&header.dst_port.to_be_bytes());
    out.extend_from_slice(&(length as u16).to_be_bytes());
    out.extend_from_slice(&[0, 0]);
    out.extend_from_slice(payload);
    let mut sum = Sum::pseudo_header(src, dst, IpProtocol::Udp.number(), length as u32);
    sum.add(&out[start..]);
    // Zero means "no checksum"; a sum of zero is sent as all ones.
    let checksum = match sum.finish() {
        0 => u16::MAX,
        sum => sum,
    };
    out[start + 6..start + 8].copy_from_slice(&checksum.to_be_bytes());
    Ok(())
}

/// Reads a datagram; returns its ports and its payload.
pub fn decode_udp(bytes: &[u8], (src, dst): (NodeId, NodeId)) -> Result<(UdpHeader, &[u8]), DecodeError> {
    let mut r = Reader::new("the UDP header", bytes);
    let header = UdpHeader { src_port: r.u16()?, dst_port: r.u16()? };
    let length = usize::from(r.u16()?);
    let found = r.u16()?;
    if length < UDP_HEADER_BYTES {
        let allowed = "a UDP datagram has at least 8";
        return Err(DecodeError::Length { what: "the UDP length", found: length, allowed });
    }
    let Some(datagram) = bytes.get(..length) else {
        return Err(DecodeError::Truncated { what: "the UDP datagram", need: length, have: bytes.len() });
    };
    if found != 0 {
        let mut sum = Sum::pseudo_header(src, dst, IpProtocol::Udp.number(), length as u32);
        sum.add(&datagram[..6]);
        sum.add(&datagram[UDP_HEADER_BYTES..]);
        let computed = match sum.finish() {
            0 => u16::MAX,
            sum => sum,
        };
        if computed != found {
            let (found, computed) = (found.into(), computed.into());
            return Err(DecodeError::Checksum { what: "UDP datagram", found, computed });
        }
    }
    Ok((header, &datagram[UDP_HEADER_BYTES..]))
}
