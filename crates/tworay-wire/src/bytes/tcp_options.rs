//! TCP's options: MSS (RFC 9293 §3.7.1), SACK-permitted and SACK (RFC 2018), window scale and
//! timestamps (RFC 7323), the probe options of TCP-Probing, and receivers' reports about the path.

use super::error::{DecodeError, EncodeError};
use super::reader::Reader;
use crate::tcp::{ProbeKind, ProbeOption, Report, SackBlock, SackBlocks, TcpOptions};

const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// Maximum length of all options, bytes.
const ROOM: u64 = 40;
/// Largest window scale shift (RFC 7323 §2.3).
const MOST_SHIFT: u8 = 14;

/// Appends the options in the order MSS, probe, report, SACK-permitted, timestamps, window scale, SACK.
/// No-operations before the last one pad to a multiple of four, so that each option alone is laid out as its
/// RFC recommends.
pub fn encode_tcp_options(options: &TcpOptions, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let padded = u64::from(options.wire_bytes());
    EncodeError::check("the length of the TCP options", padded, ROOM)?;
    EncodeError::check("the number of SACK blocks", options.sack.len() as u64, 4)?;
    let start = out.len();
    let mut last = start;
    let mut begin = |out: &Vec<u8>| last = out.len();
    if let Some(mss) = options.mss {
        begin(out);
        out.extend_from_slice(&[MSS, 4]);
        out.extend_from_slice(&mss.to_be_bytes());
    }
    if let Some(probe) = options.probe {
        begin(out);
        out.extend_from_slice(&[probe.kind.code(), ProbeOption::WIRE_BYTES as u8]);
        out.extend_from_slice(&probe.id.to_be_bytes());
    }
    if let Some(report) = options.report {
        begin(out);
        out.extend_from_slice(&[Report::CODE, Report::WIRE_BYTES as u8, report as u8]);
    }
    if options.sack_permitted {
        begin(out);
        out.extend_from_slice(&[SACK_PERMITTED, 2]);
    }
    if let Some((value, echo)) = options.timestamps {
        begin(out);
        out.extend_from_slice(&[TIMESTAMPS, 10]);
        out.extend_from_slice(&value.to_be_bytes());
        out.extend_from_slice(&echo.to_be_bytes());
    }
    if let Some(shift) = options.window_scale {
        begin(out);
        out.extend_from_slice(&[WINDOW_SCALE, 3, shift]);
    }
    if !options.sack.is_empty() {
        begin(out);
        out.extend_from_slice(&[SACK, 2 + 8 * options.sack.len() as u8]);
        for block in &options.sack {
            out.extend_from_slice(&block.left.0.to_be_bytes());
            out.extend_from_slice(&block.right.0.to_be_bytes());
        }
    }
    let padding = (4 - (out.len() - start) % 4) % 4;
    out.splice(last..last, std::iter::repeat_n(NO_OPERATION, padding));
    Ok(())
}

/// Reads options up to the end or an end-of-options mark. Unknown options are skipped (RFC 9293 §3.1); if an
/// option is repeated, the last one counts.
pub fn decode_tcp_options(bytes: &[u8]) -> Result<TcpOptions, DecodeError> {
    let mut options = TcpOptions::default();
    let mut r = Reader::new("a TCP option", bytes);
    while !r.is_empty() {
        let kind = r.u8()?;
        match kind {
            END => break,
            NO_OPERATION => continue,
            _ => {}
        }
        let length = usize::from(r.u8()?);
        let wrong = |what, allowed| Err(DecodeError::Length { what, found: length, allowed });
        if length < 2 {
            return wrong("the length of a TCP option", "kind and length alone are 2");
        }
        let mut body = Reader::new("a TCP option", r.take(length - 2)?);
        match (kind, length) {
            (MSS, 4) => options.mss = Some(body.u16()?),
            (MSS, _) => return wrong("the MSS option", "it has 4"),
            (SACK_PERMITTED, 2) => options.sack_permitted = true,
            (SACK_PERMITTED, _) => return wrong("the SACK-permitted option", "it has 2"),
            (WINDOW_SCALE, 3) => {
                // Larger shifts are treated as 14 (RFC 7323 §2.3).
                options.window_scale = Some(body.u8()?.min(MOST_SHIFT));
            }
            (WINDOW_SCALE, _) => return wrong("the window scale option", "it has 3"),
            (TIMESTAMPS, 10) => options.timestamps = Some((body.u32()?, body.u32()?)),
            (TIMESTAMPS, _) => return wrong("the timestamps option", "it has 10"),
            (SACK, 10 | 18 | 26 | 34) => options.sack = blocks(body)?,
            (SACK, _) => return wrong("the SACK option", "it has 10, 18, 26 or 34"),
            // This code is unassigned, too: an unknown number is no report.
            (Report::CODE, 3) => options.report = Report::ALL.get(usize::from(body.u8()?)).copied(),
            _ => match ProbeKind::ALL.into_iter().find(|probe| probe.code() == kind) {
                // These codes are unassigned: an option of another length is not a probe.
                Some(kind) if length == ProbeOption::WIRE_BYTES as usize => {
                    options.probe = Some(ProbeOption { kind, id: body.u16()? });
                }
                _ => {}
            },
        }
    }
    Ok(options)
}

fn blocks(mut body: Reader<'_>) -> Result<SackBlocks, DecodeError> {
    let mut blocks = SackBlocks::new();
    while !body.is_empty() {
        blocks.push(SackBlock { left: body.seq()?, right: body.seq()? });
    }
    Ok(blocks)
}
