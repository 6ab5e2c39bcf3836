//! Encodes and decodes AODV messages (RFC 3561 §5).

use super::address::ipv4_address;
use super::error::{DecodeError, EncodeError};
use super::reader::Reader;
use crate::aodv::{AodvMessage, Rerr, Rrep, Rreq};
use tworay_base::SimDuration;

const RREQ: u8 = 1;
const RREP: u8 = 2;
const RERR: u8 = 3;
const RREP_ACK: u8 = 4;

// Flags of the RREQ (J and R, for multicast, are never set), the RREP and the RERR, in the byte after the
// type.
const RREQ_GRATUITOUS: u8 = 0x20;
const RREQ_DESTINATION_ONLY: u8 = 0x10;
const RREQ_UNKNOWN_SEQ: u8 = 0x08;
const RREP_ACK_REQUIRED: u8 = 0x40;
const RERR_NO_DELETE: u8 = 0x80;

/// Appends a message. An RREP's lifetime is rounded down to whole milliseconds. An RERR with more than 255
/// destinations is refused.
pub fn encode_aodv(message: &AodvMessage, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let flag = |set: bool, bit: u8| if set { bit } else { 0 };
    match message {
        AodvMessage::Rreq(m) => {
            let flags = flag(m.gratuitous, RREQ_GRATUITOUS)
                | flag(m.destination_only, RREQ_DESTINATION_ONLY)
                | flag(m.unknown_seq, RREQ_UNKNOWN_SEQ);
            out.extend_from_slice(&[RREQ, flags, 0, m.hop_count]);
            out.extend_from_slice(&m.id.to_be_bytes());
            out.extend_from_slice(&ipv4_address(m.dst));
            out.extend_from_slice(&m.dst_seq.0.to_be_bytes());
            out.extend_from_slice(&ipv4_address(m.orig));
            out.extend_from_slice(&m.orig_seq.0.to_be_bytes());
        }
        AodvMessage::Rrep(m) => {
            let millis = m.lifetime.as_nanos() / 1_000_000;
            EncodeError::check("an RREP's lifetime in ms", millis, u32::MAX.into())?;
            out.extend_from_slice(&[RREP, flag(m.ack_required, RREP_ACK_REQUIRED), 0, m.hop_count]);
            out.extend_from_slice(&ipv4_address(m.dst));
            out.extend_from_slice(&m.dst_seq.0.to_be_bytes());
            out.extend_from_slice(&ipv4_address(m.orig));
            out.extend_from_slice(&(millis as u32).to_be_bytes());
        }
        AodvMessage::Rerr(m) => {
            let count = m.unreachable.len();
            EncodeError::check("the number of unreachable destinations", count as u64, u8::MAX.into())?;
            out.extend_from_slice(&[RERR, flag(m.no_delete, RERR_NO_DELETE), 0, count as u8]);
            for (node, seq) in &m.unreachable {
                out.extend_from_slice(&ipv4_address(*node));
                out.extend_from_slice(&seq.0.to_be_bytes());
            }
        }
        AodvMessage::RrepAck => out.extend_from_slice(&[RREP_ACK, 0]),
    }
    Ok(())
}

/// Reads a message. Extensions after it (§9) are checked for their length and skipped.
pub fn decode_aodv(bytes: &[u8]) -> Result<AodvMessage, DecodeError> {
    let mut r = Reader::new("the AODV message", bytes);
    let message = match r.u8()? {
        RREQ => AodvMessage::Rreq(rreq(&mut r)?),
        RREP => AodvMessage::Rrep(rrep(&mut r)?),
        RERR => AodvMessage::Rerr(rerr(&mut r)?),
        RREP_ACK => {
            r.u8()?;
            AodvMessage::RrepAck
        }
        other => {
            let allowed = "1 (RREQ) to 4 (RREP-ACK) are known";
            return Err(DecodeError::Value { what: "the AODV message type", found: other.into(), allowed });
        }
    };
    while !r.is_empty() {
        r.u8()?;
        let length = usize::from(r.u8()?);
        r.take(length)?;
    }
    Ok(message)
}

fn rreq(r: &mut Reader<'_>) -> Result<Rreq, DecodeError> {
    let flags = r.u8()?;
    r.u8()?;
    Ok(Rreq {
        gratuitous: flags & RREQ_GRATUITOUS != 0,
        destination_only: flags & RREQ_DESTINATION_ONLY != 0,
        unknown_seq: flags & RREQ_UNKNOWN_SEQ != 0,
        hop_count: r.u8()?,
        id: r.u32()?,
        dst: r.ipv4("the RREQ's destination")?,
        dst_seq: r.seq()?,
        orig: r.ipv4("the RREQ's originator")?,
        orig_seq: r.seq()?,
    })
}

fn rrep(r: &mut Reader<'_>) -> Result<Rrep, DecodeError> {
    let flags = r.u8()?;
    r.u8()?;
    Ok(Rrep {
        ack_required: flags & RREP_ACK_REQUIRED != 0,
        hop_count: r.u8()?,
        dst: r.ipv4("the RREP's destination")?,
        dst_seq: r.seq()?,
        orig: r.ipv4("the RREP's originator")?,
        lifetime: SimDuration::from_millis(r.u32()?.into()),
    })
}

fn rerr(r: &mut Reader<'_>) -> Result<Rerr, DecodeError> {
    let flags = r.u8()?;
    r.u8()?;
    let count = r.u8()?;
    if count == 0 {
        let allowed = "an RERR names at least one (RFC 3561 §5.3)";
        return Err(DecodeError::Value { what: "the RERR's destination count", found: 0, allowed });
    }
    let mut unreachable = Vec::with_capacity(count.into());
    for _ in 0..count {
        unreachable.push((r.ipv4("an unreachable destination")?, r.seq()?));
    }
    Ok(Rerr { no_delete: flags & RERR_NO_DELETE != 0, unreachable })
}
