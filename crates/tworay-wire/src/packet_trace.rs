//! Packet traces to replay: when a program sent how many bytes. Captures (pcapng, pcap), Mahimahi's traces, CSV.

mod capture;
mod mahimahi;
mod packet;
mod writes;

pub use packet::{TracePacket, UDP_HEADERS};

use crate::text_file::{ReadError, decode_text, decompressed, read_bytes};
use std::net::IpAddr;
use std::path::Path;
use tworay_base::SimDuration;

/// Forms of a trace, for messages.
const FORMS: &str =
    "a trace is a pcapng or pcap file, Mahimahi's (a time in whole ms a line), or CSV (time_s,bytes)";

/// Reads the packets of the trace at `path` in order of time: a capture (known by its first bytes), CSV (known by a
/// comma, semicolon or tab in its first line), otherwise Mahimahi's format; each plain or gzip. With `source` only
/// packets that this host sent; only captures name hosts.
///
/// # Errors
/// A file that can't be read or is neither, and a capture without such packets.
pub fn read(path: &Path, source: Option<IpAddr>) -> Result<Vec<TracePacket>, ReadError> {
    let name = path.display().to_string();
    let bytes = decompressed(&name, read_bytes(path)?)?;
    let mut packets = match capture::Format::of(&bytes) {
        Some(format) => capture::read(&name, &bytes, format, source)?,
        None if source.is_some() => {
            return Err(ReadError::whole(
                &name,
                "it is no capture, so its packets have no source",
                "leave `source` out, or name a pcapng or pcap file",
            ));
        }
        None => {
            let start: Vec<_> = bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            let text = decode_text(&name, bytes).map_err(|_| {
                let problem = format!("it is neither a capture nor text; it begins with {}", start.join(" "));
                ReadError::whole(&name, problem, FORMS)
            })?;
            if let Some((line, first)) =
                writes::content(&text).next().filter(|(_, l)| !writes::begins_trace(l))
            {
                let shown: String = first.chars().filter(|c| !c.is_control()).take(40).collect();
                let problem = format!("it is not a trace: it begins with \"{shown}\"");
                return Err(ReadError::at(&name, line, problem, FORMS));
            }
            if writes::fits(&text) { writes::parse(&name, &text)? } else { mahimahi::parse(&name, &text)? }
        }
    };
    // Captures of several interfaces are not quite in order. The sort is stable.
    packets.sort_by_key(|packet| packet.at);
    let first = packets.first().map_or(SimDuration::ZERO, |packet| packet.at);
    packets.iter_mut().for_each(|packet| packet.at = packet.at.saturating_sub(first));
    Ok(packets)
}

#[cfg(test)]
mod tests;
