//! Packets to bytes and back, in the formats that real stations use.
//!
//! Encoders append to the caller's `Vec<u8>`. They fail only if the format cannot represent a value
//! ([`EncodeError`]). Decoders are total: any bytes give a value or a named [`DecodeError`], never a panic,
//! and are never read out of bounds. Reserved bits are written as zero and ignored when read, as the RFCs
//! require.
//!
//! Node `n` has the IPv4 address 10.0.x.y and the hardware address 02:00:00:00:xx:yy, where x and y are the
//! high and low byte of `n`.

mod address;
mod aodv;
mod arp;
mod checksum;
mod dot11;
mod dsr;
mod error;
mod ipv4;
mod llc;
mod olsr;
mod packet;
pub mod radiotap;
mod reader;
mod real;
mod tcp;
mod tcp_options;
mod udp;

pub use address::{ipv4_address, mac_address, node_of_ipv4, node_of_mac};
pub use aodv::{decode_aodv, encode_aodv};
pub use arp::{decode_arp, encode_arp};
pub use checksum::{frame_check, internet_checksum};
pub use dot11::{Dot11, FCS_BYTES, append_fcs, decode_dot11, encode_dot11, without_fcs};
pub use dsr::{decode_dsr, encode_dsr};
pub use error::{DecodeError, EncodeError};
pub use ipv4::{IPV4_HEADER_BYTES, IpProtocol, Ipv4Header, decode_ipv4, ipv4_header};
pub use llc::{EtherType, decode_llc, encode_llc};
pub use olsr::{decode_olsr, encode_olsr};
pub use packet::{Encoding, PayloadBytes, decode_packet, encode_packet, ethertype};
pub use tcp::{decode_tcp, encode_tcp};
pub use tcp_options::{decode_tcp_options, encode_tcp_options};
pub use udp::{UDP_HEADER_BYTES, UdpHeader, decode_udp, encode_udp};

/// UDP port of AODV (RFC 3561 §8).
pub const AODV_PORT: u16 = 654;
/// Protocol number for "no next header" (RFC 4728 §6.1, RFC 8200 §4.7).
pub const NO_NEXT_HEADER: u8 = 59;

#[cfg(test)]
mod tests;
