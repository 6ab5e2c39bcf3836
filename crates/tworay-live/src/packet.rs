//! Parses packets from outside, without trusting them.

mod own;

pub(crate) use own::{ZeroWindow, time_exceeded, zero_window};

use etherparse::{
    Ethernet2HeaderSlice, IpNumber, Ipv4HeaderSlice, Ipv6HeaderSlice, TcpHeaderSlice, TcpOptionElement,
    UdpHeaderSlice,
};
use std::net::IpAddr;
use tworay_base::{NodeId, Seq32};
use tworay_wire::bytes::{node_of_ipv4, node_of_mac};

/// EtherType of batman-adv, and its packets that carry a frame to one node (Linux,
/// include/uapi/linux/batadv_packet.h).
const BATMAN: u16 = 0x4305;
const BATMAN_UNICAST: u8 = 0x40;
const BATMAN_UNICAST_4ADDR: u8 = 0x42;

/// Why a packet is not carried. The summary shows these names.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Refused {
    /// Not a valid IPv4 packet or Ethernet frame, or truncated.
    Malformed,
    /// On layer 3, a protocol other than IPv4.
    NotIpv4,
    /// The source address is not the station's.
    ForeignSource,
    /// The destination is not a station's address.
    NoStation,
    /// Broadcast or multicast on layer 3, which ad hoc routing does not carry.
    Multicast,
}

impl Refused {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Refused::Malformed => "malformed",
            Refused::NotIpv4 => "not-ipv4",
            Refused::ForeignSource => "foreign-source",
            Refused::NoStation => "no-station",
            Refused::Multicast => "multicast",
        }
    }
}

/// The fields of a TCP header that describe what a segment does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tcp {
    pub seq: Seq32,
    pub ack: Seq32,
    pub syn: bool,
    pub fin: bool,
    pub rst: bool,
    pub has_ack: bool,
    pub payload: u32,
    /// The timestamps option: value and echo.
    pub timestamps: Option<(u32, u32)>,
    /// The window as it stands in the header, and the scale that a SYN announces.
    pub window: u16,
    pub scale: Option<u8>,
    /// First number and number after the last of each selective acknowledgment.
    pub sacks: [Option<(Seq32, Seq32)>; 4],
}

impl Tcp {
    /// Sequence numbers that it occupies.
    pub fn length(&self) -> u32 {
        self.payload + u32::from(self.syn) + u32::from(self.fin)
    }
}

/// The parsed fields of an IP packet.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct View {
    pub src: IpAddr,
    pub dst: IpAddr,
    pub ttl: u8,
    pub protocol: u8,
    /// Port of TCP or UDP; 0 for other protocols, and for fragments after the first.
    pub src_port: u16,
    pub dst_port: u16,
    /// Length of the IP packet.
    pub bytes: u32,
    /// Bytes after the transport header.
    pub payload: u32,
    pub tcp: Option<Tcp>,
}

/// Parses an IP packet. Bytes after it (padding) are ignored.
pub(crate) fn view(bytes: &[u8]) -> Result<View, Refused> {
    match bytes.first().map(|b| b >> 4) {
        Some(4) => view_v4(bytes),
        Some(6) => view_v6(bytes),
        _ => Err(Refused::Malformed),
    }
}

fn view_v4(bytes: &[u8]) -> Result<View, Refused> {
    let ip = Ipv4HeaderSlice::from_slice(bytes).map_err(|_| Refused::Malformed)?;
    let total = usize::from(ip.total_len());
    let above = bytes.get(ip.slice().len()..total).ok_or(Refused::Malformed)?;
    let blank = View {
        src: ip.source_addr().into(),
        dst: ip.destination_addr().into(),
        ttl: ip.ttl(),
        protocol: ip.protocol().0,
        src_port: 0,
        dst_port: 0,
        bytes: total as u32,
        payload: above.len() as u32,
        tcp: None,
    };
    // Only the first fragment has the transport header, and it alone is not sufficient either.
    Ok(if ip.is_fragmenting_payload() { blank } else { transport(blank, ip.protocol(), above) })
}

fn view_v6(bytes: &[u8]) -> Result<View, Refused> {
    let ip = Ipv6HeaderSlice::from_slice(bytes).map_err(|_| Refused::Malformed)?;
    let total = 40 + usize::from(ip.payload_length());
    let above = bytes.get(40..total).ok_or(Refused::Malformed)?;
    let blank = View {
        src: ip.source_addr().into(),
        dst: ip.destination_addr().into(),
        ttl: ip.hop_limit(),
        protocol: ip.next_header().0,
        src_port: 0,
        dst_port: 0,
        bytes: total as u32,
        payload: above.len() as u32,
        tcp: None,
    };
    Ok(transport(blank, ip.next_header(), above))
}

/// A transport header that cannot be parsed is left to the receiving kernel: the packet is carried.
fn transport(blank: View, protocol: IpNumber, above: &[u8]) -> View {
    if protocol == IpNumber::TCP
        && let Ok(tcp) = TcpHeaderSlice::from_slice(above)
    {
        let payload = (above.len() - tcp.slice().len()) as u32;
        let (mut timestamps, mut scale, mut sacks) = (None, None, [None; 4]);
        for option in tcp.options_iterator().flatten() {
            match option {
                TcpOptionElement::Timestamp(value, echo) => timestamps = Some((value, echo)),
                TcpOptionElement::WindowScale(shift) => scale = Some(shift),
                TcpOptionElement::SelectiveAcknowledgement(first, others) => {
                    let blocks = [Some(first), others[0], others[1], others[2]];
                    sacks = blocks.map(|block| block.map(|(left, right)| (Seq32(left), Seq32(right))));
                }
                _ => {}
            }
        }
        let segment = Tcp {
            seq: Seq32(tcp.sequence_number()),
            ack: Seq32(tcp.acknowledgment_number()),
            syn: tcp.syn(),
            fin: tcp.fin(),
            rst: tcp.rst(),
            has_ack: tcp.ack(),
            payload,
            timestamps,
            window: tcp.window_size(),
            scale,
            sacks,
        };
        let (src_port, dst_port) = (tcp.source_port(), tcp.destination_port());
        return View { src_port, dst_port, payload, tcp: Some(segment), ..blank };
    }
    if protocol == IpNumber::UDP
        && let Ok(udp) = UdpHeaderSlice::from_slice(above)
    {
        let payload = (above.len() - udp.slice().len()) as u32;
        return View { src_port: udp.source_port(), dst_port: udp.destination_port(), payload, ..blank };
    }
    blank
}

/// The node to which a station's IPv4 packet is addressed.
pub(crate) fn destination(from: NodeId, view: &View) -> Result<NodeId, Refused> {
    let (IpAddr::V4(src), IpAddr::V4(dst)) = (view.src, view.dst) else { return Err(Refused::NotIpv4) };
    if node_of_ipv4("source", src.octets()) != Ok(from) {
        return Err(Refused::ForeignSource);
    }
    if dst.is_multicast() || dst.is_broadcast() {
        return Err(Refused::Multicast);
    }
    match node_of_ipv4("destination", dst.octets()) {
        Ok(NodeId::BROADCAST) => Err(Refused::Multicast),
        Ok(node) => Ok(node),
        Err(_) => Err(Refused::NoStation),
    }
}

/// The node of an IPv4 address; `None` for other addresses, which don't tell it.
pub(crate) fn node_of(address: IpAddr) -> Option<NodeId> {
    let IpAddr::V4(address) = address else { return None };
    node_of_ipv4("address", address.octets()).ok().filter(|&node| node != NodeId::BROADCAST)
}

/// Parses an Ethernet frame: the neighbour it is addressed to, and its content if that is IP, also within a
/// unicast packet of batman-adv.
pub(crate) fn frame(bytes: &[u8]) -> Result<(NodeId, Option<View>), Refused> {
    let ethernet = Ethernet2HeaderSlice::from_slice(bytes).map_err(|_| Refused::Malformed)?;
    let to = ethernet.destination();
    // The group bit: broadcasts and multicasts are sent once, unacknowledged, to all neighbours.
    let to = if to[0] & 1 == 1 {
        NodeId::BROADCAST
    } else {
        node_of_mac("destination", to).map_err(|_| Refused::NoStation)?
    };
    let inside = match ethernet.ether_type().0 {
        BATMAN => unwrapped(&bytes[14..]),
        kind => inside(kind, &bytes[14..]),
    };
    Ok((to, inside))
}

fn inside(kind: u16, content: &[u8]) -> Option<View> {
    matches!(kind, 0x0800 | 0x86dd).then(|| view(content).ok()).flatten()
}

/// The IP packet in the Ethernet frame that a unicast packet of batman-adv carries.
fn unwrapped(packet: &[u8]) -> Option<View> {
    let header = match *packet.first()? {
        BATMAN_UNICAST => 10,
        BATMAN_UNICAST_4ADDR => 18,
        _ => return None,
    };
    let ethernet = Ethernet2HeaderSlice::from_slice(packet.get(header..)?).ok()?;
    inside(ethernet.ether_type().0, &packet[header + 14..])
}

/// Sets the hop limit of an IPv4 packet and updates the header checksum.
pub(crate) fn set_ttl(bytes: &mut [u8], ttl: u8) {
    let header = bytes.first().map_or(0, |b| usize::from(b & 15) * 4);
    let Some(header) = bytes.get_mut(..header).filter(|h| h.len() >= 20) else { return };
    header[8] = ttl;
    header[10..12].fill(0);
    let sum = tworay_wire::bytes::internet_checksum(header);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
}

#[cfg(test)]
mod tests;
