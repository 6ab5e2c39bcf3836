//! A packet of a trace.

use tworay_base::SimDuration;

/// IPv4 and UDP headers, bytes.
pub const UDP_HEADERS: u32 = 28;

/// A packet of a trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TracePacket {
    /// Time since the first packet.
    pub at: SimDuration,
    /// Length of the IP packet, bytes.
    pub ip_bytes: u32,
    /// Bytes above TCP or UDP; 0 for a pure acknowledgment.
    pub payload: u32,
}
