//! The radiotap header, which precedes 802.11 frames in capture files (radiotap.org): reception data from the
//! radio.

use super::error::DecodeError;
use super::reader::Reader;
use tworay_base::BitRate;

/// Bytes of the header that [`encode`] writes.
pub const BYTES: usize = 14;

// Bits of the "present" word, in the order of their fields.
const TSFT: u32 = 1;
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const MORE: u32 = 1 << 31;
/// In the flags: the frame includes its FCS.
const HAS_FCS: u8 = 0x10;
/// In the channel's flags: direct sequence or CCK.
const CHANNEL_CCK: u16 = 0x0020;

/// Report of the radio about a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Radiotap {
    /// Rate of the frame's body; encoded in steps of 500 kb/s, at most 127.5 Mb/s.
    pub rate: Option<BitRate>,
    /// Carrier frequency in MHz; zero if unknown.
    pub megahertz: u16,
    /// True if the frame includes its frame check sequence.
    pub fcs: bool,
}

/// Appends the header.
pub fn encode(radiotap: &Radiotap, out: &mut Vec<u8>) {
    let half_megabits = radiotap.rate.map_or(0, |r| (r.as_bps() / 500_000).min(u8::MAX.into()) as u8);
    out.extend_from_slice(&[0, 0]);
    out.extend_from_slice(&(BYTES as u16).to_le_bytes());
    out.extend_from_slice(&(FLAGS | RATE | CHANNEL).to_le_bytes());
    out.extend_from_slice(&[if radiotap.fcs { HAS_FCS } else { 0 }, half_megabits]);
    out.extend_from_slice(&radiotap.megahertz.to_le_bytes());
    out.extend_from_slice(&CHANNEL_CCK.to_le_bytes());
}

/// Reads a header; returns it with the frame after it. Other fields are skipped.
pub fn decode(bytes: &[u8]) -> Result<(Radiotap, &[u8]), DecodeError> {
    let what = "the radiotap header";
    let mut r = Reader::new(what, bytes);
    let version = r.u8()?;
    if version != 0 {
        let allowed = "only 0 is known";
        return Err(DecodeError::Value { what: "the radiotap version", found: version.into(), allowed });
    }
    r.u8()?;
    let length = usize::from(r.u16_le()?);
    let Some((header, frame)) = bytes.split_at_checked(length) else {
        return Err(DecodeError::Truncated { what, need: length, have: bytes.len() });
    };
    let mut r = Reader::new(what, header);
    r.take(4)?;
    let present = r.u32_le()?;
    let mut more = present;
    while more & MORE != 0 {
        more = r.u32_le()?;
    }
    if present & TSFT != 0 {
        // Fields are aligned to their size, counted from the header's start.
        let at = header.len() - r.left();
        r.take(at.next_multiple_of(8) - at + 8)?;
    }
    let flags = if present & FLAGS != 0 { r.u8()? } else { 0 };
    let half_megabits = if present & RATE != 0 { r.u8()? } else { 0 };
    let mut megahertz = 0;
    if present & CHANNEL != 0 {
        let at = header.len() - r.left();
        r.take(at % 2)?;
        megahertz = r.u16_le()?;
        r.u16_le()?;
    }
    let rate = (half_megabits > 0).then(|| BitRate::from_bps(u64::from(half_megabits) * 500_000));
    Ok((Radiotap { rate, megahertz, fcs: flags & HAS_FCS != 0 }, frame))
}
