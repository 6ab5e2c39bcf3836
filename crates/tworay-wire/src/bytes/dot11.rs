//! IEEE 802.11 frames of an ad hoc network: those of 1999 (§7.2), and of stations with QoS (802.11-2016 §9.3.1 and §9.3.2).

use super::address::mac_address;
use super::checksum::frame_check;
use super::error::DecodeError;
use super::reader::Reader;
use tworay_base::{NodeId, SimDuration};

/// Bytes of the frame check sequence.
pub const FCS_BYTES: usize = 4;

/// The network's identifier (BSSID): "radio" after a byte whose two low bits mean locally administered and
/// individual.
const BSSID: [u8; 6] = [0x02, b'r', b'a', b'd', b'i', b'o'];

// The first byte of frame control: subtype, type, protocol version 0.
const RTS: u8 = 0xb4;
const CTS: u8 = 0xc4;
const ACK: u8 = 0xd4;
const DATA: u8 = 0x08;
const QOS_DATA: u8 = 0x88;
const BLOCK_ACK_REQ: u8 = 0x84;
const BLOCK_ACK: u8 = 0x94;
// The second byte.
const RETRY: u8 = 0x08;
/// Flags that are not supported: To DS, From DS, more fragments, WEP, order. Power management and "more data"
/// do not change how a frame is read.
const UNKNOWN_FLAGS: u8 = 0xc7;
/// Of BlockAck and BlockAckReq: the bitmap has 64 bits. The category of traffic stands in the four highest bits (§9.3.1.8, 9).
const COMPRESSED: u16 = 0x0004;
const CATEGORY_AT: u32 = 12;
/// The largest duration in microseconds (§7.1.3.2).
const MOST_DURATION: u64 = 32_767;

/// A frame's header.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Dot11 {
    /// Request to send.
    Rts {
        /// Time for which the medium stays reserved after the frame.
        duration: SimDuration,
        /// Receiver.
        receiver: NodeId,
        /// Transmitter.
        transmitter: NodeId,
    },
    /// Clear to send.
    Cts {
        /// Time for which the medium stays reserved after the frame.
        duration: SimDuration,
        /// Receiver.
        receiver: NodeId,
    },
    /// Acknowledgment.
    Ack {
        /// Time for which the medium stays reserved after the frame.
        duration: SimDuration,
        /// Receiver.
        receiver: NodeId,
    },
    /// Data between stations of an ad hoc network.
    Data {
        /// Time for which the medium stays reserved after the frame.
        duration: SimDuration,
        /// Receiver, or [`NodeId::BROADCAST`].
        receiver: NodeId,
        /// Transmitter.
        transmitter: NodeId,
        /// Sequence number, 0..4096.
        number: u16,
        /// True if this is a retry.
        retry: bool,
        /// User priority 0 to 7 of a station with QoS.
        priority: Option<u8>,
    },
    /// Request for a BlockAck, compressed.
    BlockAckReq {
        /// Time for which the medium stays reserved after the frame.
        duration: SimDuration,
        /// Receiver.
        receiver: NodeId,
        /// Transmitter.
        transmitter: NodeId,
        /// User priority of the frames, 0 to 7.
        priority: u8,
        /// First sequence number, 0..4096.
        start: u16,
    },
    /// BlockAck, compressed.
    BlockAck {
        /// Time for which the medium stays reserved after the frame.
        duration: SimDuration,
        /// Receiver.
        receiver: NodeId,
        /// Transmitter.
        transmitter: NodeId,
        /// User priority of the frames, 0 to 7.
        priority: u8,
        /// First sequence number, 0..4096.
        start: u16,
        /// Bit i: the frame with number `start` + i was received.
        bitmap: u64,
    },
}

/// Appends the header. The duration is rounded up to whole microseconds (§7.2.1.1) and limited to 32767.
pub fn encode_dot11(frame: &Dot11, out: &mut Vec<u8>) {
    let mut begin = |kind: u8, flags: u8, duration: SimDuration, receiver: NodeId| {
        let micros = duration.as_nanos().div_ceil(1000).min(MOST_DURATION) as u16;
        out.extend_from_slice(&[kind, flags]);
        out.extend_from_slice(&micros.to_le_bytes());
        out.extend_from_slice(&mac_address(receiver));
    };
    match *frame {
        Dot11::Rts { duration, receiver, transmitter } => {
            begin(RTS, 0, duration, receiver);
            out.extend_from_slice(&mac_address(transmitter));
        }
        Dot11::Cts { duration, receiver } => begin(CTS, 0, duration, receiver),
        Dot11::Ack { duration, receiver } => begin(ACK, 0, duration, receiver),
        Dot11::Data { duration, receiver, transmitter, number, retry, priority } => {
            let kind = if priority.is_some() { QOS_DATA } else { DATA };
            begin(kind, if retry { RETRY } else { 0 }, duration, receiver);
            out.extend_from_slice(&mac_address(transmitter));
            out.extend_from_slice(&BSSID);
            // Fragment number 0 in the low four bits.
            out.extend_from_slice(&(number << 4).to_le_bytes());
            // QoS control: normal acknowledgment, which in an A-MPDU asks for a BlockAck (§9.2.4.5.4).
            out.extend(priority.into_iter().flat_map(|priority| u16::from(priority).to_le_bytes()));
        }
        Dot11::BlockAckReq { duration, receiver, transmitter, priority, start } => {
            begin(BLOCK_ACK_REQ, 0, duration, receiver);
            out.extend_from_slice(&mac_address(transmitter));
            out.extend_from_slice(&(COMPRESSED | u16::from(priority) << CATEGORY_AT).to_le_bytes());
            out.extend_from_slice(&(start << 4).to_le_bytes());
        }
        Dot11::BlockAck { duration, receiver, transmitter, priority, start, bitmap } => {
            begin(BLOCK_ACK, 0, duration, receiver);
            out.extend_from_slice(&mac_address(transmitter));
            out.extend_from_slice(&(COMPRESSED | u16::from(priority) << CATEGORY_AT).to_le_bytes());
            out.extend_from_slice(&(start << 4).to_le_bytes());
            out.extend_from_slice(&bitmap.to_le_bytes());
        }
    }
}

/// Reads the header of a frame without FCS; returns the bytes after it (none for control frames).
pub fn decode_dot11(bytes: &[u8]) -> Result<(Dot11, &[u8]), DecodeError> {
    let mut r = Reader::new("the 802.11 header", bytes);
    let kind = r.u8()?;
    let flags = r.u8()?;
    if flags & UNKNOWN_FLAGS != 0 {
        let allowed = "only \"retry\" is known: no distribution system, no fragments, no encryption";
        return Err(DecodeError::Value { what: "the 802.11 flags", found: flags.into(), allowed });
    }
    let micros = r.u16_le()?;
    if u64::from(micros) > MOST_DURATION {
        let allowed = "0 to 32767 us are allowed";
        return Err(DecodeError::Value { what: "the 802.11 duration", found: micros.into(), allowed });
    }
    let duration = SimDuration::from_micros(micros.into());
    let receiver = r.mac("the receiver of a frame")?;
    let frame = match kind {
        RTS => Dot11::Rts { duration, receiver, transmitter: r.mac("the transmitter of a frame")? },
        CTS => Dot11::Cts { duration, receiver },
        ACK => Dot11::Ack { duration, receiver },
        DATA | QOS_DATA => {
            let transmitter = r.mac("the transmitter of a frame")?;
            r.take(6)?;
            let number = sequence(&mut r)?;
            let retry = flags & RETRY != 0;
            let priority = if kind == QOS_DATA { Some(r.u16_le()? as u8 & 7) } else { None };
            Dot11::Data { duration, receiver, transmitter, number, retry, priority }
        }
        BLOCK_ACK_REQ | BLOCK_ACK => {
            let transmitter = r.mac("the transmitter of a frame")?;
            let control = r.u16_le()?;
            if control & COMPRESSED == 0 {
                let (what, allowed) = ("the kind of a BlockAck", "only compressed ones are known");
                return Err(DecodeError::Value { what, found: control.into(), allowed });
            }
            let priority = (control >> CATEGORY_AT) as u8 & 7;
            let start = sequence(&mut r)?;
            if kind == BLOCK_ACK_REQ {
                Dot11::BlockAckReq { duration, receiver, transmitter, priority, start }
            } else {
                let [a, b, c, d, e, f, g, h] = r.array()?;
                let bitmap = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
                Dot11::BlockAck { duration, receiver, transmitter, priority, start, bitmap }
            }
        }
        other => {
            let allowed =
                "RTS (0xb4), CTS (0xc4), ACK (0xd4), BlockAck (0x84, 0x94) and data (0x08, 0x88) are known";
            return Err(DecodeError::Value {
                what: "the kind of an 802.11 frame",
                found: other.into(),
                allowed,
            });
        }
    };
    Ok((frame, r.rest()))
}

/// Reads a sequence number; below it stands the number of a fragment.
fn sequence(r: &mut Reader<'_>) -> Result<u16, DecodeError> {
    let sequence = r.u16_le()?;
    if sequence & 15 != 0 {
        let (what, allowed) = ("the 802.11 fragment number", "fragments are not reassembled");
        return Err(DecodeError::Value { what, found: u64::from(sequence & 15), allowed });
    }
    Ok(sequence >> 4)
}

/// Appends the frame check sequence of the frame that begins at `start`.
pub fn append_fcs(start: usize, out: &mut Vec<u8>) {
    let check = frame_check(&out[start..]);
    out.extend_from_slice(&check.to_le_bytes());
}

/// Checks the frame check sequence; returns the frame without it.
pub fn without_fcs(bytes: &[u8]) -> Result<&[u8], DecodeError> {
    let Some((frame, fcs)) = bytes.split_last_chunk::<FCS_BYTES>() else {
        return Err(DecodeError::Truncated { what: "the 802.11 frame", need: FCS_BYTES, have: bytes.len() });
    };
    let (found, computed) = (u32::from_le_bytes(*fcs), frame_check(frame));
    if found != computed {
        return Err(DecodeError::Checksum { what: "802.11 frame", found, computed });
    }
    Ok(frame)
}
