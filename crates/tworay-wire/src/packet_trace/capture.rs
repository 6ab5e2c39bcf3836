//! Reads captures: pcapng (draft-ietf-opsawg-pcapng) and pcap (draft-ietf-opsawg-pcap), of either byte order.
//! Only what a replay needs is looked at: time, length and source of each IP packet.

use super::packet::TracePacket;
use crate::text_file::ReadError;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use tworay_base::SimDuration;

/// Format of a capture.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Pcapng,
    /// With nanoseconds instead of microseconds, and with little-endian numbers.
    Pcap {
        nanos: bool,
        little: bool,
    },
}

impl Format {
    /// The format of a file that begins with these bytes, if it is a capture.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match *bytes.first_chunk::<4>()? {
            [0x0a, 0x0d, 0x0d, 0x0a] => Some(Self::Pcapng),
            [0xd4, 0xc3, 0xb2, 0xa1] => Some(Self::Pcap { nanos: false, little: true }),
            [0x4d, 0x3c, 0xb2, 0xa1] => Some(Self::Pcap { nanos: true, little: true }),
            [0xa1, 0xb2, 0xc3, 0xd4] => Some(Self::Pcap { nanos: false, little: false }),
            [0xa1, 0xb2, 0x3c, 0x4d] => Some(Self::Pcap { nanos: true, little: false }),
            _ => None,
        }
    }
}

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const IF_TSRESOL: u16 = 9;

/// An interface of a pcapng file.
#[derive(Copy, Clone, Debug)]
struct Interface {
    link: u16,
    /// Units of time in a second.
    units: u64,
}

/// Reads the IP packets of a capture called `file`; times are since its epoch.
pub(super) fn read(
    file: &str,
    bytes: &[u8],
    format: Format,
    source: Option<IpAddr>,
) -> Result<Vec<TracePacket>, ReadError> {
    let mut found = Found { source, packets: Vec::new(), others: 0, unknown: None };
    let whole = match format {
        Format::Pcapng => pcapng(bytes, &mut found),
        Format::Pcap { nanos, little } => pcap(bytes, nanos, little, &mut found),
    };
    if whole.is_none() {
        let after = format!("it breaks off after {} packets", found.packets.len() + found.others);
        return Err(ReadError::whole(file, after, "capture it again, or repair it with Wireshark's editcap"));
    }
    // Also where other packets are understood: a part of the traffic is not the traffic.
    if let Some(link) = found.unknown {
        let some = if found.packets.is_empty() && found.others == 0 { "its" } else { "some of its" };
        let problem = format!("{some} packets have link type {link}");
        let remedy = "give a capture of Ethernet, raw IP or Linux \"cooked\" packets alone";
        return Err(ReadError::whole(file, problem, remedy));
    }
    if found.packets.is_empty() {
        let (problem, remedy) = match (found.others, source) {
            (1.., Some(host)) => (
                format!("none of its {} IP packets is from {host}", found.others),
                "name another `source`, or none",
            ),
            _ => ("it has no IP packet".to_owned(), "give a capture with IP packets"),
        };
        return Err(ReadError::whole(file, problem, remedy));
    }
    Ok(found.packets)
}

/// The packets found so far.
struct Found {
    source: Option<IpAddr>,
    packets: Vec<TracePacket>,
    /// IP packets of other hosts.
    others: usize,
    /// A link type whose packets are not understood.
    unknown: Option<u16>,
}

impl Found {
    /// Adds a packet captured at `at`; whatever is not IP is left out.
    fn add(&mut self, link: u16, at: SimDuration, frame: &[u8]) {
        let Some(header) = link_header(link, frame) else {
            self.unknown = Some(link);
            return;
        };
        let Some((from, ip_bytes, payload)) = header.and_then(|length| ip(frame.get(length..)?)) else {
            return;
        };
        if self.source.is_some_and(|source| source != from) {
            self.others += 1;
        } else {
            self.packets.push(TracePacket { at, ip_bytes, payload });
        }
    }
}

/// Numbers of a capture, in its byte order.
#[derive(Copy, Clone)]
struct Numbers {
    little: bool,
}

impl Numbers {
    fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let two = *bytes.get(at..)?.first_chunk::<2>()?;
        Some(if self.little { u16::from_le_bytes(two) } else { u16::from_be_bytes(two) })
    }

    fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let four = *bytes.get(at..)?.first_chunk::<4>()?;
        Some(if self.little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) })
    }
}

/// Reads the blocks; `None` if the last one is cut off.
fn pcapng(bytes: &[u8], found: &mut Found) -> Option<()> {
    let mut rest = bytes;
    let mut read = Numbers { little: true };
    let mut interfaces: Vec<Interface> = Vec::new();
    while !rest.is_empty() {
        let mut kind = read.u32(rest, 0)?;
        if rest.starts_with(&SECTION_HEADER.to_be_bytes()) {
            read = Numbers { little: rest.get(8) == Some(&0x4d) };
            kind = SECTION_HEADER;
            interfaces.clear();
        }
        let length = read.u32(rest, 4)? as usize;
        if length < 12 || !length.is_multiple_of(4) {
            return None;
        }
        let body = rest.get(8..length - 4)?;
        rest = rest.get(length..)?;
        match kind {
            INTERFACE_DESCRIPTION => {
                interfaces.push(Interface { link: read.u16(body, 0)?, units: units(read, body.get(8..)?) });
            }
            ENHANCED_PACKET => {
                let on = interfaces.get(read.u32(body, 0)? as usize)?;
                let ticks = u64::from(read.u32(body, 4)?) << 32 | u64::from(read.u32(body, 8)?);
                let frame = body.get(20..20 + read.u32(body, 12)? as usize)?;
                found.add(on.link, duration(ticks, on.units), frame);
            }
            // Blocks of other kinds have no packet with a time.
            _ => {}
        }
    }
    Some(())
}

/// The resolution of an interface's times, from its options: microseconds if none says otherwise.
fn units(read: Numbers, mut options: &[u8]) -> u64 {
    while let (Some(code), Some(length)) = (read.u16(options, 0), read.u16(options, 2)) {
        let length = usize::from(length);
        if code == IF_TSRESOL && length == 1 {
            let Some(&resolution) = options.get(4) else { break };
            let power = u32::from(resolution & 0x7f);
            let base: u64 = if resolution & 0x80 == 0 { 10 } else { 2 };
            return base.checked_pow(power).unwrap_or(u64::MAX);
        }
        let Some(next) = options.get(4 + length.next_multiple_of(4)..) else { break };
        options = next;
    }
    1_000_000
}

fn duration(ticks: u64, units: u64) -> SimDuration {
    let nanos = u128::from(ticks) * 1_000_000_000 / u128::from(units.max(1));
    SimDuration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX / 4).min(u64::MAX / 4))
}

/// Reads the packets; `None` if the last one is cut off.
fn pcap(bytes: &[u8], nanos: bool, little: bool, found: &mut Found) -> Option<()> {
    let read = Numbers { little };
    // The upper half of the field has the length of the frame check sequence.
    let link = read.u32(bytes, 20)? as u16;
    let mut rest = bytes.get(24..)?;
    while !rest.is_empty() {
        let (seconds, part) = (u64::from(read.u32(rest, 0)?), u64::from(read.u32(rest, 4)?));
        let length = read.u32(rest, 8)? as usize;
        let frame = rest.get(16..16 + length)?;
        rest = rest.get(16 + length..)?;
        let part = if nanos { part } else { part * 1000 };
        found.add(link, SimDuration::from_nanos(seconds * 1_000_000_000 + part), frame);
    }
    Some(())
}

/// Length of the header before the IP packet of a frame: `None` if the link type is not understood,
/// `Some(None)` if the frame has no IP packet.
fn link_header(link: u16, frame: &[u8]) -> Option<Option<usize>> {
    let big = Numbers { little: false };
    let is_ip = |kind: u16| matches!(kind, 0x0800 | 0x86dd);
    let after = |at: usize, header: usize| big.u16(frame, at).filter(|&kind| is_ip(kind)).map(|_| header);
    match link {
        // Ethernet, with one VLAN tag or none.
        1 if big.u16(frame, 12) == Some(0x8100) => Some(after(16, 18)),
        1 => Some(after(12, 14)),
        // Raw IP: LINKTYPE_RAW, _IPV4, _IPV6, and what some systems write for them.
        12 | 14 | 101 | 228 | 229 => Some(Some(0)),
        // Linux "cooked" captures, SLL and SLL2.
        113 => Some(after(14, 16)),
        276 => Some(after(0, 20)),
        // BSD loopback: the address family in the writer's byte order.
        0 | 108 => Some(Some(4)),
        _ => None,
    }
}

/// Source, length and transport payload of an IP packet.
fn ip(packet: &[u8]) -> Option<(IpAddr, u32, u32)> {
    let big = Numbers { little: false };
    let (from, total, header, protocol) = match packet.first()? >> 4 {
        4 => {
            let from: IpAddr = Ipv4Addr::from(*packet.get(12..)?.first_chunk::<4>()?).into();
            let header = usize::from(packet[0] & 15) * 4;
            (from, u32::from(big.u16(packet, 2)?), header, *packet.get(9)?)
        }
        6 => {
            let from: IpAddr = Ipv6Addr::from(*packet.get(8..)?.first_chunk::<16>()?).into();
            (from, 40 + u32::from(big.u16(packet, 4)?), 40, *packet.get(6)?)
        }
        _ => return None,
    };
    let transport = match protocol {
        6 => packet.get(header + 12).map_or(20, |offset| usize::from(offset >> 4) * 4),
        17 => 8,
        _ => 0,
    };
    Some((from, total, total.saturating_sub((header + transport) as u32)))
}
