//! Frames of stations with EDCA as transmitted.

use super::number::FrameNumber;
use super::reorder::BlockAck;
use tworay_base::{NodeId, PacketId, SimDuration};
use tworay_radio::phy::{AccessCategory, Mode};

/// The type of a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AirKind {
    /// Request to send, 20 bytes.
    Rts,
    /// Clear to send, 14 bytes.
    Cts,
    /// Acknowledgment of a single frame, 14 bytes.
    Ack,
    /// Compressed BlockAck, 32 bytes.
    BlockAck(BlockAck),
    /// BlockAckReq, 24 bytes: the sender's window begins here.
    BlockAckReq(FrameNumber),
    /// One frame with a packet, unicast or broadcast.
    Data,
    /// An A-MPDU of two frames at least, answered by a BlockAck.
    Aggregate,
}

impl AirKind {
    /// True if it answers another frame.
    pub const fn is_answer(self) -> bool {
        matches!(self, Self::Cts | Self::Ack | Self::BlockAck(_))
    }

    /// True if it carries packets.
    pub const fn has_packets(self) -> bool {
        matches!(self, Self::Data | Self::Aggregate)
    }
}

/// One frame with a packet, alone or in an aggregate.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AirPacket {
    /// The packet; the sender keeps it until it is acknowledged.
    pub packet: PacketId,
    /// Its sequence number.
    pub number: FrameNumber,
    /// Bytes of the PSDU before it.
    pub from: u32,
    /// Bytes of the PSDU up to its end, delimiter included, padding not.
    pub to: u32,
    /// True if it was sent before.
    pub retry: bool,
}

/// A frame or aggregate (PPDU) on the air.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AirFrame {
    /// Its type.
    pub kind: AirKind,
    /// Transmitting station.
    pub from: NodeId,
    /// Addressed station or [`NodeId::BROADCAST`].
    pub to: NodeId,
    /// Duration field: how long the medium stays reserved after its end.
    pub duration: SimDuration,
    /// Format and rate of its body.
    pub mode: Mode,
    /// Bytes of the PSDU.
    pub bytes: u32,
    /// Time on the air.
    pub airtime: SimDuration,
    /// The category of its packets, or of those that it is about.
    pub category: AccessCategory,
    /// The agreement that its numbers belong to: how often the sender has begun one.
    pub agreement: u32,
    /// Beginning of the sender's window.
    pub start: FrameNumber,
    /// The packets, in order; at most 64.
    pub packets: Vec<AirPacket>,
}
