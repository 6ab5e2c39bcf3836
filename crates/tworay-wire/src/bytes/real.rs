//! Packets of real stations as transmitted: with the current hop limit and the DSR header.

use super::IPV4_HEADER_BYTES;
use super::checksum::internet_checksum;
use super::dsr::encode_dsr;
use super::error::EncodeError;
use super::ipv4::IpProtocol;
use super::llc::EtherType;
use crate::dsr::DsrHeader;

/// Addresses and EtherType of an Ethernet frame, bytes.
const ETHERNET_BYTES: usize = 14;

/// The EtherType of an Ethernet frame.
pub(super) fn ethertype(frame: &[u8]) -> EtherType {
    match frame.get(12..ETHERNET_BYTES) {
        Some([0x08, 0x00]) => EtherType::Ipv4,
        Some([0x08, 0x06]) => EtherType::Arp,
        Some(&[high, low]) => EtherType::Other(u16::from_be_bytes([high, low])),
        _ => EtherType::Other(0),
    }
}

/// Appends the payload of an Ethernet frame.
pub(super) fn encode_frame(frame: &[u8], out: &mut Vec<u8>) -> Result<(), EncodeError> {
    out.extend_from_slice(frame.get(ETHERNET_BYTES..).unwrap_or_default());
    Ok(())
}

/// Appends an IPv4 packet with hop limit `ttl` and, if given, a DSR header after the IPv4 header.
pub(super) fn encode_datagram(
    bytes: &[u8],
    ttl: u8,
    dsr: Option<&DsrHeader>,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let start = out.len();
    let header = bytes.first().map_or(0, |b| usize::from(b & 15) * 4);
    if header < IPV4_HEADER_BYTES || header > bytes.len() {
        // Not an IPv4 packet: copied unchanged.
        out.extend_from_slice(bytes);
        return Ok(());
    }
    out.extend_from_slice(&bytes[..header]);
    if let Some(dsr) = dsr {
        encode_dsr(dsr, bytes[9], out)?;
        out[start + 9] = IpProtocol::Dsr.number();
    }
    out.extend_from_slice(&bytes[header..]);
    let total = (out.len() - start) as u64;
    EncodeError::check("the length of the IPv4 packet", total, u16::MAX.into())?;
    let header = &mut out[start..start + header];
    header[2..4].copy_from_slice(&(total as u16).to_be_bytes());
    header[8] = ttl;
    header[10..12].fill(0);
    let checksum = internet_checksum(header);
    header[10..12].copy_from_slice(&checksum.to_be_bytes());
    Ok(())
}
