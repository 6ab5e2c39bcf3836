//! Packets of real stations: bytes that the simulation carries unchanged.

use std::sync::Arc;

/// The bytes of a packet from outside the simulation; they are never changed. The [`Packet`](crate::Packet)
/// around it holds what the simulation needs: ends, hop limit, length.
#[derive(Clone, PartialEq, Eq)]
pub struct RealPacket {
    /// An IPv4 packet from its first byte, or an Ethernet frame without check sequence.
    pub bytes: Arc<[u8]>,
    /// True if it is a TCP acknowledgment without payload, for counters by type.
    pub pure_ack: bool,
}

impl std::fmt::Debug for RealPacket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RealPacket({} bytes)", self.bytes.len())
    }
}
