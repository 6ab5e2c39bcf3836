//! The internet checksum and the frame check sequence of IEEE 802.

use super::address::ipv4_address;
use flate2::Crc;
use tworay_base::NodeId;

/// A running one's-complement sum (RFC 1071).
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Sum(u64);

impl Sum {
    /// The pseudo-header of UDP and TCP (RFC 768, RFC 9293 §3.1): `length` counts header and payload.
    pub fn pseudo_header(src: NodeId, dst: NodeId, protocol: u8, length: u32) -> Self {
        let mut sum = Self::default();
        sum.add(&ipv4_address(src));
        sum.add(&ipv4_address(dst));
        sum.0 += u64::from(protocol) + u64::from(length >> 16) + u64::from(length & 0xffff);
        sum
    }

    /// Adds bytes that begin at an even offset. Zeros change nothing.
    pub fn add(&mut self, bytes: &[u8]) {
        let mut pairs = bytes.chunks_exact(2);
        for pair in &mut pairs {
            self.0 += u64::from(u16::from_be_bytes([pair[0], pair[1]]));
        }
        if let [last] = pairs.remainder() {
            self.0 += u64::from(u16::from_be_bytes([*last, 0]));
        }
    }

    /// The final checksum.
    pub fn finish(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xffff {
            sum = (sum >> 16) + (sum & 0xffff);
        }
        !(sum as u16)
    }
}

/// The internet checksum of `bytes` (RFC 1071): zero if they include their own correct checksum.
pub fn internet_checksum(bytes: &[u8]) -> u16 {
    let mut sum = Sum::default();
    sum.add(bytes);
    sum.finish()
}

/// The frame check sequence of a frame (IEEE 802.11-1999 §7.1.3.6): CRC-32, sent low byte first.
pub fn frame_check(frame: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(frame);
    crc.sum()
}
