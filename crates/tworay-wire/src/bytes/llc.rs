//! LLC and SNAP: the protocol inside a data frame (IEEE 802.2, RFC 1042).

use super::error::DecodeError;
use super::reader::Reader;

/// The protocol above LLC.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EtherType {
    /// IPv4.
    Ipv4,
    /// ARP.
    Arp,
    /// Anything else from a real station, such as IPv6.
    Other(u16),
}

impl EtherType {
    /// The EtherType number.
    pub const fn number(self) -> u16 {
        match self {
            EtherType::Ipv4 => 0x0800,
            EtherType::Arp => 0x0806,
            EtherType::Other(number) => number,
        }
    }
}

/// DSAP and SSAP 0xAA (SNAP), unnumbered information, organisation 0 (RFC 1042).
const SNAP: [u8; 6] = [0xaa, 0xaa, 0x03, 0, 0, 0];

/// Appends the eight bytes of LLC and SNAP.
pub fn encode_llc(ethertype: EtherType, out: &mut Vec<u8>) {
    out.extend_from_slice(&SNAP);
    out.extend_from_slice(&ethertype.number().to_be_bytes());
}

/// Reads LLC and SNAP; returns the bytes after them.
pub fn decode_llc(bytes: &[u8]) -> Result<(EtherType, &[u8]), DecodeError> {
    let mut r = Reader::new("the LLC/SNAP header", bytes);
    let snap = r.take(SNAP.len())?;
    if snap != SNAP {
        let found = snap.iter().fold(0, |n, b| n << 8 | u64::from(*b));
        let allowed = "only aa-aa-03-00-00-00 (SNAP, RFC 1042) is known";
        return Err(DecodeError::Value { what: "the LLC/SNAP header", found, allowed });
    }
    let ethertype = match r.u16()? {
        0x0800 => EtherType::Ipv4,
        0x0806 => EtherType::Arp,
        other => {
            let allowed = "0x800 (IPv4) and 0x806 (ARP) are known";
            return Err(DecodeError::Value { what: "the EtherType", found: other.into(), allowed });
        }
    };
    Ok((ethertype, r.rest()))
}
