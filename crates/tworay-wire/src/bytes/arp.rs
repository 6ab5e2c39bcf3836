//! ARP for Ethernet addresses and IPv4 (RFC 826).

use super::address::{ipv4_address, mac_address};
use super::error::DecodeError;
use super::reader::Reader;
use crate::packet::ArpBody;

/// Hardware type Ethernet, protocol IPv4, lengths 6 and 4.
const ETHERNET_IPV4: [u8; 6] = [0, 1, 8, 0, 6, 4];
const REQUEST: u16 = 1;
const REPLY: u16 = 2;

/// Appends the 28 bytes of a request or reply. In a request, the target's hardware address is zero.
pub fn encode_arp(arp: &ArpBody, out: &mut Vec<u8>) {
    out.extend_from_slice(&ETHERNET_IPV4);
    out.extend_from_slice(&(if arp.request { REQUEST } else { REPLY }).to_be_bytes());
    out.extend_from_slice(&mac_address(arp.sender));
    out.extend_from_slice(&ipv4_address(arp.sender));
    out.extend_from_slice(&if arp.request { [0; 6] } else { mac_address(arp.target) });
    out.extend_from_slice(&ipv4_address(arp.target));
}

/// Reads a request or reply; padding after it is ignored.
pub fn decode_arp(bytes: &[u8]) -> Result<ArpBody, DecodeError> {
    let mut r = Reader::new("the ARP packet", bytes);
    let kinds = r.take(ETHERNET_IPV4.len())?;
    if kinds != ETHERNET_IPV4 {
        let found = kinds.iter().fold(0, |n, b| n << 8 | u64::from(*b));
        let allowed = "only 0x0001_0800_0604 (Ethernet and IPv4) is known";
        return Err(DecodeError::Value { what: "ARP's kinds of address", found, allowed });
    }
    let request = match r.u16()? {
        REQUEST => true,
        REPLY => false,
        other => {
            let allowed = "1 (request) and 2 (reply) are known";
            return Err(DecodeError::Value { what: "ARP's operation", found: other.into(), allowed });
        }
    };
    let hardware = r.mac("ARP's sender hardware address")?;
    let sender = r.ipv4("ARP's sender address")?;
    // A node id determines both addresses, so the two must match.
    if hardware != sender {
        let allowed = "it has to be the hardware address of the sender's IPv4 address";
        let what = "ARP's sender hardware address";
        return Err(DecodeError::Value { what, found: hardware.0.into(), allowed });
    }
    let wanted = r.take(6)?;
    let target = r.ipv4("ARP's target address")?;
    if !request && wanted != mac_address(target) {
        let found = wanted.iter().fold(0, |n, b| n << 8 | u64::from(*b));
        let allowed = "it has to be the hardware address of the target's IPv4 address";
        return Err(DecodeError::Value { what: "ARP's target hardware address", found, allowed });
    }
    Ok(ArpBody { request, sender, target })
}
