//! IEEE 802.11-1999 frames of an ad hoc network (§7.2).

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
// The second byte.
const RETRY: u8 = 0x08;
/// Flags that are not supported: To DS, From DS, more fragments, WEP, order. Power management and "more data"
/// do not change how a frame is read.
const UNKNOWN_FLAGS: u8 = 0xc7;
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
        Dot11::Data { duration, receiver, transmitter, number, retry } => {
            begin(DATA, if retry { RETRY } else { 0 }, duration, receiver);
            out.extend_from_slice(&mac_address(transmitter));
            out.extend_from_slice(&BSSID);
            // Fragment number 0 in the low four bits.
            out.extend_from_slice(&(number << 4).to_le_bytes());
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
        DATA => {
            let transmitter = r.mac("the transmitter of a frame")?;
            r.take(6)?;
            let sequence = r.u16_le()?;
            if sequence & 15 != 0 {
                let (what, allowed) = ("the 802.11 fragment number", "fragments are not reassembled");
                return Err(DecodeError::Value { what, found: u64::from(sequence & 15), allowed });
            }
            let retry = flags & RETRY != 0;
            Dot11::Data { duration, receiver, transmitter, number: sequence >> 4, retry }
        }
        other => {
            let allowed = "RTS (0xb4), CTS (0xc4), ACK (0xd4) and data (0x08) are known";
            return Err(DecodeError::Value {
                what: "the kind of an 802.11 frame",
                found: other.into(),
                allowed,
            });
        }
    };
    Ok((frame, r.rest()))
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
