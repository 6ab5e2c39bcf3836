//! Builds packets that the network itself sends to a station.

use super::{View, set_ttl};
use etherparse::icmpv4::TimeExceededCode;
use etherparse::{Icmpv4Type, IpNumber, Ipv4HeaderSlice, PacketBuilder};
use std::net::{IpAddr, Ipv4Addr};
use tworay_base::Seq32;

/// The hop limit of the network's own packets; most hosts use the same.
const TTL: u8 = 64;
/// Maximum length of an ICMP error (RFC 1812 §4.3.2.3), bytes.
const LONGEST_ERROR: usize = 576;
/// Length of the IPv4 and ICMP headers of an error, bytes.
const ERROR_HEADERS: usize = 28;
/// ICMP messages about errors (RFC 1122 §3.2.2): unreachable, source quench, redirect, time exceeded,
/// parameter problem.
const ERRORS: [u8; 5] = [3, 4, 5, 11, 12];

/// Builds the answer of the node at `from` to a packet whose hop limit ran out there (RFC 792); `None` for
/// packets that must not be answered: errors, and all fragments but the first (RFC 1122 §3.2.2).
pub(crate) fn time_exceeded(from: Ipv4Addr, view: &View, packet: &[u8]) -> Option<Vec<u8>> {
    let (IpAddr::V4(src), Ok(header)) = (view.src, Ipv4HeaderSlice::from_slice(packet)) else { return None };
    let inside = packet.get(header.slice().len()..)?;
    let is_error =
        view.protocol == IpNumber::ICMP.0 && inside.first().is_none_or(|kind| ERRORS.contains(kind));
    if is_error || header.fragments_offset().value() > 0 {
        return None;
    }
    let mut quoted = packet.get(..packet.len().min(LONGEST_ERROR - ERROR_HEADERS))?.to_vec();
    // As it arrived.
    set_ttl(&mut quoted, 1);
    let kind = Icmpv4Type::TimeExceeded(TimeExceededCode::TtlExceededInTransit);
    let builder = PacketBuilder::ipv4(from.octets(), src.octets(), TTL).icmpv4(kind);
    let mut out = Vec::with_capacity(builder.size(quoted.len()));
    builder.write(&mut out, &quoted).ok()?;
    Some(out)
}

/// Fields of an acknowledgment sent by the network itself.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ZeroWindow {
    /// Addresses and ports from the peer to the station.
    pub src: Ipv4Addr,
    pub dst: Ipv4Addr,
    pub src_port: u16,
    pub dst_port: u16,
    pub seq: Seq32,
    pub ack: Seq32,
    pub timestamps: Option<(u32, u32)>,
}

/// Builds an acknowledgment that closes the window, as the peer would send it.
pub(crate) fn zero_window(a: &ZeroWindow) -> Vec<u8> {
    let mut builder = PacketBuilder::ipv4(a.src.octets(), a.dst.octets(), TTL)
        .tcp(a.src_port, a.dst_port, a.seq.0, 0)
        .ack(a.ack.0);
    if let Some((value, echo)) = a.timestamps {
        use etherparse::TcpOptionElement::{Noop, Timestamp};
        builder = match builder.options(&[Noop, Noop, Timestamp(value, echo)]) {
            Ok(with) => with,
            Err(_) => return Vec::new(),
        };
    }
    let mut out = Vec::with_capacity(builder.size(0));
    match builder.write(&mut out, &[]) {
        Ok(()) => out,
        Err(_) => Vec::new(),
    }
}
