//! Node ids as addresses.

use super::error::DecodeError;
use std::net::Ipv4Addr;
use tworay_base::NodeId;

/// The node's IPv4 address: 10.0.x.y, or 255.255.255.255 for broadcast.
#[inline]
pub const fn ipv4_address(node: NodeId) -> [u8; 4] {
    let [x, y] = node.0.to_be_bytes();
    if node.0 == NodeId::BROADCAST.0 { [255; 4] } else { [10, 0, x, y] }
}

/// The node's hardware address: 02:00:00:00:xx:yy (locally administered), or all ones for broadcast.
#[inline]
pub const fn mac_address(node: NodeId) -> [u8; 6] {
    let [x, y] = node.0.to_be_bytes();
    if node.0 == NodeId::BROADCAST.0 { [255; 6] } else { [2, 0, 0, 0, x, y] }
}

/// The node with an IPv4 address; `what` names the field in the error. 10.0.255.255 is broadcast too.
pub fn node_of_ipv4(what: &'static str, address: [u8; 4]) -> Result<NodeId, DecodeError> {
    match address {
        [255, 255, 255, 255] => Ok(NodeId::BROADCAST),
        [10, 0, x, y] => Ok(NodeId(u16::from_be_bytes([x, y]))),
        _ => Err(DecodeError::Foreign { what, found: Ipv4Addr::from(address).to_string() }),
    }
}

/// The node with a hardware address; `what` names the field in the error.
pub fn node_of_mac(what: &'static str, address: [u8; 6]) -> Result<NodeId, DecodeError> {
    match address {
        [255, 255, 255, 255, 255, 255] => Ok(NodeId::BROADCAST),
        [2, 0, 0, 0, x, y] if [x, y] != [255, 255] => Ok(NodeId(u16::from_be_bytes([x, y]))),
        [a, b, c, d, e, f] => {
            let found = format!("{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}");
            Err(DecodeError::Foreign { what, found })
        }
    }
}
