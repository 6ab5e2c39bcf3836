//! Packets of real stations: bytes that the simulation carries as they are.

use std::sync::Arc;

/// The bytes of a packet that comes from outside the simulation. What the simulation has to know of it (ends,
/// hop limit, length) stands in the [`Packet`](crate::Packet) around it; the bytes are never changed.
#[derive(Clone, PartialEq, Eq)]
pub struct RealPacket {
    /// An IPv4 packet from its first byte, or an Ethernet frame without check sequence.
    pub bytes: Arc<[u8]>,
    /// Whether it is a TCP acknowledgment without payload, for counts by kind.
    pub pure_ack: bool,
}

impl std::fmt::Debug for RealPacket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RealPacket({} bytes)", self.bytes.len())
    }
}
