//! Writes pcapng capture files (draft-ietf-opsawg-pcapng), the format of Wireshark.
//!
//! One section: interfaces first, then packets in the order in which they are added. Numbers are
//! little-endian and times are nanoseconds since the start of the simulation, so equal runs give equal bytes
//! on every machine.

use std::io::{self, Write};

/// Link layer of an interface's packets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// A radiotap header and an 802.11 frame.
    Radiotap,
    /// An IPv4 header.
    Ipv4,
}

impl LinkType {
    /// The LINKTYPE_ number.
    pub const fn number(self) -> u16 {
        match self {
            LinkType::Radiotap => 127,
            LinkType::Ipv4 => 228,
        }
    }
}

/// An interface of a capture.
#[derive(Copy, Clone, Debug)]
pub struct Interface<'a> {
    /// Its name.
    pub name: &'a str,
    /// Description for the reader.
    pub description: &'a str,
    /// Link layer of its packets.
    pub link: LinkType,
}

/// Direction of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Neither sent nor received.
    Unknown,
    /// Into the interface.
    Inbound,
    /// Out of the interface.
    Outbound,
}

/// A packet of a capture.
#[derive(Copy, Clone, Debug)]
pub struct Captured<'a> {
    /// Number of its interface, in the order in which they were added, from 0.
    pub interface: u32,
    /// Time in nanoseconds since the start of the simulation.
    pub nanos: u64,
    /// The bytes captured.
    pub bytes: &'a [u8],
    /// Length of the packet as sent, at least `bytes.len()`.
    pub original_bytes: u32,
    /// Direction.
    pub direction: Direction,
    /// A comment; empty for none.
    pub comment: &'a str,
}

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const NAME_RESOLUTION: u32 = 4;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;

// Options, numbered per type of block except for the first two.
const END_OF_OPTIONS: u16 = 0;
const COMMENT: u16 = 1;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_DESCRIPTION: u16 = 3;
const IF_TSRESOL: u16 = 9;
const EPB_FLAGS: u16 = 2;

// Records of name resolution.
const NRB_IPV4: u16 = 1;
const NRB_EUI48: u16 = 3;
const NRB_END: u16 = 0;
/// if_tsresol: units of 10⁻⁹ seconds.
const NANOSECONDS: u8 = 9;

/// Writes a capture to `W`, which should be buffered.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    out: W,
    block: Vec<u8>,
    interfaces: u32,
}

impl<W: Write> PcapngWriter<W> {
    /// Starts a capture made by `application`, with a comment about the whole.
    pub fn new(out: W, application: &str, comment: &str) -> io::Result<Self> {
        let mut writer = Self { out, block: Vec::new(), interfaces: 0 };
        writer.begin(SECTION_HEADER);
        writer.u32(BYTE_ORDER_MAGIC);
        // Version 1.0; the section's length is unknown.
        writer.block.extend_from_slice(&[1, 0, 0, 0]);
        writer.block.extend_from_slice(&[0xff; 8]);
        writer.text_option(COMMENT, comment);
        writer.text_option(SHB_USERAPPL, application);
        writer.option(END_OF_OPTIONS, &[]);
        writer.end()?;
        Ok(writer)
    }

    /// Adds an interface; returns its number.
    pub fn interface(&mut self, interface: &Interface<'_>) -> io::Result<u32> {
        self.begin(INTERFACE_DESCRIPTION);
        self.block.extend_from_slice(&interface.link.number().to_le_bytes());
        self.block.extend_from_slice(&[0; 2]);
        // No limit on the length of packets.
        self.u32(0);
        self.text_option(IF_NAME, interface.name);
        self.text_option(IF_DESCRIPTION, interface.description);
        self.option(IF_TSRESOL, &[NANOSECONDS]);
        self.option(END_OF_OPTIONS, &[]);
        self.end()?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Names hosts, by IPv4 and MAC address: Wireshark shows the names in place of the addresses.
    pub fn hosts<'a>(
        &mut self,
        hosts: impl IntoIterator<Item = ([u8; 4], [u8; 6], &'a str)>,
    ) -> io::Result<()> {
        self.begin(NAME_RESOLUTION);
        for (ip, mac, name) in hosts {
            self.option(NRB_IPV4, &[&ip[..], name.as_bytes(), &[0]].concat());
            self.option(NRB_EUI48, &[&mac[..], name.as_bytes(), &[0]].concat());
        }
        self.option(NRB_END, &[]);
        self.end()
    }

    /// Writes a packet.
    pub fn packet(&mut self, packet: &Captured<'_>) -> io::Result<()> {
        debug_assert!(
            packet.interface < self.interfaces && packet.original_bytes as usize >= packet.bytes.len()
        );
        self.begin(ENHANCED_PACKET);
        self.u32(packet.interface);
        self.u32((packet.nanos >> 32) as u32);
        self.u32(packet.nanos as u32);
        self.u32(packet.bytes.len() as u32);
        self.u32(packet.original_bytes);
        self.block.extend_from_slice(packet.bytes);
        self.pad();
        let direction: u32 = match packet.direction {
            Direction::Unknown => 0,
            Direction::Inbound => 1,
            Direction::Outbound => 2,
        };
        if direction != 0 {
            self.option(EPB_FLAGS, &direction.to_le_bytes());
        }
        self.text_option(COMMENT, packet.comment);
        if direction != 0 || !packet.comment.is_empty() {
            self.option(END_OF_OPTIONS, &[]);
        }
        self.end()
    }

    /// Passes what was written on to a reader that waits for it.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Flushes and returns the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn u32(&mut self, n: u32) {
        self.block.extend_from_slice(&n.to_le_bytes());
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.u32(kind);
        // Placeholder for the length, known at the end.
        self.u32(0);
    }

    fn end(&mut self) -> io::Result<()> {
        let length = self.block.len() as u32 + 4;
        self.block[4..8].copy_from_slice(&length.to_le_bytes());
        self.u32(length);
        self.out.write_all(&self.block)
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.block.extend_from_slice(&code.to_le_bytes());
        self.block.extend_from_slice(&(value.len() as u16).to_le_bytes());
        self.block.extend_from_slice(value);
        self.pad();
    }

    /// A text, cut off between characters if it is longer than an option can be.
    fn text_option(&mut self, code: u16, text: &str) {
        let most = text.len().min(usize::from(u16::MAX));
        let end = (0..=most).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        if end > 0 {
            self.option(code, &text.as_bytes()[..end]);
        }
    }
}

#[cfg(test)]
mod tests;
