//! Mahimahi's traces (`mm-link`): a line for each packet of 1500 bytes, with its time in milliseconds.

use super::FORMS;
use super::packet::{TracePacket, UDP_HEADERS};
use crate::text_file::ReadError;
use tworay_base::SimDuration;

/// Length of every packet: Mahimahi's `PACKET_SIZE`, that of a frame of Ethernet.
const PACKET_BYTES: u32 = 1500;

/// Parses the text of a trace called `file`.
pub(super) fn parse(file: &str, text: &str) -> Result<Vec<TracePacket>, ReadError> {
    let mut packets: Vec<TracePacket> = Vec::new();
    for (line, number) in text.lines().map(str::trim).zip(1u32..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let at = line.parse::<u32>().map(|ms| SimDuration::from_millis(ms.into())).map_err(|_| {
            let shown: String = line.chars().filter(|c| !c.is_control()).take(40).collect();
            ReadError::at(file, number, format!("\"{shown}\" is no time in milliseconds"), FORMS)
        })?;
        if packets.last().is_some_and(|last| at < last.at) {
            let problem = format!("{line} ms comes before the time above it");
            return Err(ReadError::at(file, number, problem, "times in Mahimahi's traces don't decrease"));
        }
        packets.push(TracePacket { at, ip_bytes: PACKET_BYTES, payload: PACKET_BYTES - UDP_HEADERS });
    }
    if packets.is_empty() {
        return Err(ReadError::whole(file, "it has no packet", FORMS));
    }
    Ok(packets)
}
