//! MAC frames as transmitted.

use tworay_base::{NodeId, PacketId, SimDuration};

/// The type of a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Request to send, 20 bytes.
    Rts,
    /// Clear to send, 14 bytes.
    Cts,
    /// Acknowledgment, 14 bytes.
    Ack,
    /// Data with a network packet, unicast or broadcast.
    Data,
}

/// A frame on the air. The sender keeps ownership of a data frame's packet until it is acknowledged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its type.
    pub kind: FrameKind,
    /// Transmitting station (CTS and ACK don't carry it on the air; the simulation keeps it for traces).
    pub from: NodeId,
    /// Addressed station or [`NodeId::BROADCAST`].
    pub to: NodeId,
    /// Duration field: how long the medium stays reserved after this frame's end.
    pub duration: SimDuration,
    /// Sequence number, 0..4096 (data only).
    pub number: u16,
    /// True if this is a retry.
    pub retry: bool,
    /// True if it was (or should have been) preceded by RTS/CTS (data only).
    pub protected: bool,
    /// The network packet inside (data only).
    pub packet: Option<PacketId>,
    /// Bytes of the whole frame from MAC header to FCS, without the PLCP.
    pub bytes: u32,
    /// Time on the air, preamble included.
    pub airtime: SimDuration,
}
