//! A program's writes as CSV: a line `time_s,bytes` for each, with its time in seconds.

use super::packet::{TracePacket, UDP_HEADERS};
use crate::text_file::ReadError;
use tworay_base::SimDuration;

/// Most bytes of a write.
const MOST: u32 = 1_000_000_000;
const FORM: &str = "write a time in seconds and a number of bytes, such as 0.25,1200";

/// True if the first line that is no comment has fields, which Mahimahi's traces don't have.
pub(super) fn fits(text: &str) -> bool {
    content(text).next().is_some_and(|(_, line)| line.contains(','))
}

/// Lines that are neither empty nor comments, with their numbers.
fn content(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1u32..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Parses the text of a file called `file`. The first line may name the columns.
pub(super) fn parse(file: &str, text: &str) -> Result<Vec<TracePacket>, ReadError> {
    let mut packets: Vec<TracePacket> = Vec::new();
    for (place, (number, line)) in content(text).enumerate() {
        let shown = |word: &str| -> String { word.chars().filter(|c| !c.is_control()).take(40).collect() };
        let refuse = |problem: String| Err(ReadError::at(file, number, problem, FORM));
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [time, bytes] = fields[..] else {
            return refuse(format!("\"{}\" isn't two fields", shown(line)));
        };
        if place == 0 && [time, bytes].iter().all(|name| name.contains(|c: char| c.is_alphabetic())) {
            continue;
        }
        let Ok(at) = format!("{time}s").parse::<SimDuration>() else {
            return refuse(format!("\"{}\" is no time in seconds", shown(time)));
        };
        if packets.last().is_some_and(|last| at < last.at) {
            let problem = format!("{} s comes before the time above it", shown(time));
            return Err(ReadError::at(file, number, problem, "sort the lines by time"));
        }
        let Some(payload) = bytes.parse::<u32>().ok().filter(|bytes| (1..=MOST).contains(bytes)) else {
            return refuse(format!("\"{}\" is no number of bytes from 1 to {MOST}", shown(bytes)));
        };
        packets.push(TracePacket { at, ip_bytes: payload + UDP_HEADERS, payload });
    }
    if packets.is_empty() {
        return Err(ReadError::whole(file, "it has no write", FORM));
    }
    Ok(packets)
}
