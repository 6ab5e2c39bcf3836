//! The radiotap header, which precedes 802.11 frames in capture files (radiotap.org): reception data from the
//! radio.

use super::error::DecodeError;
use super::reader::Reader;
use tworay_base::BitRate;

// Bits of the "present" word, in the order of their fields.
const FLAGS: u32 = 1;
const RATE: u32 = 2;
const CHANNEL: u32 = 3;
const MCS: u32 = 19;
const AGGREGATE: u32 = 20;
const VHT: u32 = 21;
const MORE: u32 = 1 << 31;
/// Alignment and length of the fields that the low bits of "present" stand for, bytes. Fields are aligned from the header's
/// start.
const FIELDS: [(usize, usize); 22] = [
    (8, 8),
    (1, 1),
    (1, 1),
    (2, 4),
    (1, 2),
    (1, 1),
    (1, 1),
    (2, 2),
    (2, 2),
    (2, 2),
    (1, 1),
    (1, 1),
    (1, 1),
    (1, 1),
    (2, 2),
    (2, 2),
    (1, 1),
    (1, 1),
    (4, 8),
    (1, 3),
    (4, 8),
    (2, 12),
];
/// In the flags: the frame includes its FCS.
const HAS_FCS: u8 = 0x10;
/// In the channel's flags: the modulation, and the band.
const CHANNEL_CCK: u16 = 0x0020;
const CHANNEL_OFDM: u16 = 0x0040;
const CHANNEL_2GHZ: u16 = 0x0080;
const CHANNEL_5GHZ: u16 = 0x0100;
/// Frequencies below are those of the band at 2.4 GHz, MHz.
const BAND_5GHZ: u16 = 4_000;
/// Of the MCS field and the VHT field: which parts are known, and their flag of the short guard interval.
const MCS_KNOWN: u8 = 0x0f;
const VHT_KNOWN: u16 = 0x0044;
const SHORT_GUARD: u8 = 0x04;
/// In the flags of an A-MPDU: whether the frame is the last one is known, and it is.
const LAST_KNOWN: u16 = 0x0004;
const IS_LAST: u16 = 0x0008;

/// Format and rate of a frame's body.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// By direct sequence or CCK, at this rate if it is known: in steps of 500 kb/s, at most 127.5 Mb/s.
    Dsss(Option<BitRate>),
    /// By OFDM without HT, at this rate: in steps of 500 kb/s, at most 127.5 Mb/s.
    Ofdm(BitRate),
    /// By HT in mixed format: MCS index 0 to 31, which names the streams too.
    Ht {
        /// MCS index.
        mcs: u8,
        /// Width of the channel, MHz: 20 or 40.
        width: u8,
        /// True for symbols with the short guard interval.
        short_guard: bool,
    },
    /// By VHT to a single user.
    Vht {
        /// MCS of the streams, 0 to 9.
        mcs: u8,
        /// Spatial streams, 1 to 8.
        streams: u8,
        /// Width of the channel, MHz: 20, 40 or 80.
        width: u8,
        /// True for symbols with the short guard interval.
        short_guard: bool,
    },
}

/// Place of a frame in an A-MPDU.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct InAggregate {
    /// The same for all frames of the A-MPDU, and for no others nearby.
    pub reference: u32,
    /// True for its last frame.
    pub last: bool,
}

/// Report of the radio about a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Radiotap {
    /// Format and rate of the frame's body.
    pub sent: Sent,
    /// Carrier frequency in MHz; zero if unknown.
    pub megahertz: u16,
    /// True if the frame includes its frame check sequence.
    pub fcs: bool,
    /// The A-MPDU that it was a part of.
    pub aggregate: Option<InAggregate>,
}

impl Sent {
    fn half_megabits(self) -> Option<u8> {
        let rate = match self {
            Self::Dsss(rate) => rate.map_or(0, BitRate::as_bps),
            Self::Ofdm(rate) => rate.as_bps(),
            Self::Ht { .. } | Self::Vht { .. } => return None,
        };
        Some((rate / 500_000).min(u8::MAX.into()) as u8)
    }
}

/// Appends the header.
pub fn encode(radiotap: &Radiotap, out: &mut Vec<u8>) {
    let Radiotap { sent, megahertz, fcs, aggregate } = *radiotap;
    let start = out.len();
    let bit = |field: u32, there: bool| u32::from(there) << field;
    let half_megabits = sent.half_megabits();
    let ht = matches!(sent, Sent::Ht { .. });
    let vht = matches!(sent, Sent::Vht { .. });
    let present = bit(FLAGS, true)
        | bit(RATE, half_megabits.is_some())
        | bit(CHANNEL, true)
        | bit(MCS, ht)
        | bit(AGGREGATE, aggregate.is_some())
        | bit(VHT, vht);
    // Its length is known at the end.
    out.extend_from_slice(&[0, 0, 0, 0]);
    out.extend_from_slice(&present.to_le_bytes());
    out.push(if fcs { HAS_FCS } else { 0 });
    out.extend(half_megabits);
    align(start, CHANNEL, out);
    out.extend_from_slice(&megahertz.to_le_bytes());
    out.extend_from_slice(&channel_flags(sent, megahertz).to_le_bytes());
    if let Sent::Ht { mcs, width, short_guard } = sent {
        let guard = if short_guard { SHORT_GUARD } else { 0 };
        out.extend_from_slice(&[MCS_KNOWN, u8::from(width > 20) | guard, mcs]);
    }
    if let Some(InAggregate { reference, last }) = aggregate {
        align(start, AGGREGATE, out);
        out.extend_from_slice(&reference.to_le_bytes());
        let flags = LAST_KNOWN | if last { IS_LAST } else { 0 };
        out.extend_from_slice(&flags.to_le_bytes());
        // The CRC of its delimiter, which is not reported, and a reserved byte.
        out.extend_from_slice(&[0, 0]);
    }
    if let Sent::Vht { mcs, streams, width, short_guard } = sent {
        align(start, VHT, out);
        out.extend_from_slice(&VHT_KNOWN.to_le_bytes());
        out.push(if short_guard { SHORT_GUARD } else { 0 });
        out.push(match width {
            ..=20 => 0,
            21..=40 => 1,
            41.. => 4,
        });
        // The first user's, and no others. Then coding, group and partial identifier.
        out.extend_from_slice(&[mcs << 4 | streams, 0, 0, 0, 0, 0, 0, 0]);
    }
    let length = (out.len() - start) as u16;
    out[start + 2..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// The 802.11b radio's channel is described as it always was: without its band.
fn channel_flags(sent: Sent, megahertz: u16) -> u16 {
    let band = if megahertz < BAND_5GHZ { CHANNEL_2GHZ } else { CHANNEL_5GHZ };
    if matches!(sent, Sent::Dsss(_)) { CHANNEL_CCK } else { CHANNEL_OFDM | band }
}

fn align(start: usize, field: u32, out: &mut Vec<u8>) {
    let length = (out.len() - start).next_multiple_of(FIELDS[field as usize].0);
    out.resize(start + length, 0);
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
    let (mut flags, mut half_megabits, mut channel) = (0, 0, [0; 4]);
    let (mut ht, mut vht, mut aggregate) = (None, None, None);
    for (field, (alignment, length)) in (0..).zip(FIELDS) {
        if present >> field & 1 == 0 {
            continue;
        }
        let at = header.len() - r.left();
        r.take(at.next_multiple_of(alignment) - at)?;
        let value = r.take(length)?;
        match field {
            FLAGS => flags = value[0],
            RATE => half_megabits = value[0],
            CHANNEL => channel.copy_from_slice(value),
            MCS => ht = Some(value),
            AGGREGATE => aggregate = Some(value),
            VHT => vht = Some(value),
            _ => {}
        }
    }
    let [low, high, flags_low, flags_high] = channel;
    let rate = (half_megabits > 0).then(|| BitRate::from_bps(u64::from(half_megabits) * 500_000));
    let ofdm = u16::from_le_bytes([flags_low, flags_high]) & CHANNEL_OFDM != 0;
    let sent = match (ht, vht, rate) {
        (Some(ht), ..) => Sent::Ht {
            mcs: ht[2],
            width: if ht[1] & 3 == 1 { 40 } else { 20 },
            short_guard: ht[1] & SHORT_GUARD != 0,
        },
        (None, Some(vht), _) => Sent::Vht {
            mcs: vht[4] >> 4,
            streams: vht[4] & 15,
            width: match vht[3] {
                0 => 20,
                1 => 40,
                _ => 80,
            },
            short_guard: vht[2] & SHORT_GUARD != 0,
        },
        (None, None, Some(rate)) if ofdm => Sent::Ofdm(rate),
        (None, None, rate) => Sent::Dsss(rate),
    };
    let aggregate = aggregate.map(|value| InAggregate {
        reference: u32::from_le_bytes([value[0], value[1], value[2], value[3]]),
        last: u16::from_le_bytes([value[4], value[5]]) & IS_LAST != 0,
    });
    let megahertz = u16::from_le_bytes([low, high]);
    Ok((Radiotap { sent, megahertz, fcs: flags & HAS_FCS != 0, aggregate }, frame))
}
