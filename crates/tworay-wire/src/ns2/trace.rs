//! ns-2's wireless traces in the old and the new format, as `trace-all` writes them.
//!
//! ```text
//! s 1.033571829 _0_ RTR  --- 0 tcp 40 [0 0 0 0] ------- [0:0 4:0 30 1] [0 0] 0 0
//! s -t 1.033571829 -Hs 0 -Hd 1 -Ni 0 -Nx 100.00 … -Nl RTR -Nw --- … -Is 0.0 -Id 4.0 -It tcp -Il 40 …
//! ```
//!
//! A file may mix both. Remarks of routing protocols and of the energy model, and movement lines, are
//! skipped; every other line must be a record.

mod line;
mod new;
mod old;
mod record;
mod summary;

pub use record::{TraceEnd, TraceEvent, TraceIp, TraceLayer, TraceMac, TraceRecord};
pub use summary::{TraceFate, TraceFlow, TracePacket, TraceSummary};

use crate::text_file::ReadError;
use line::Line;

/// The records of `text`, the content of a file called `file`.
pub fn records<'a>(
    file: &'a str,
    text: &'a str,
) -> impl Iterator<Item = Result<TraceRecord<'a>, ReadError>> + 'a {
    text.lines().zip(1u32..).filter_map(move |(raw, number)| {
        let line = Line { file, number, text: raw.trim() };
        read(&line).transpose()
    })
}

fn read<'a>(line: &Line<'a>) -> Result<Option<TraceRecord<'a>>, ReadError> {
    let mut words = line.text.split_ascii_whitespace();
    let Some(first) = words.next() else { return Ok(None) };
    let event = match first {
        "s" => TraceEvent::Send,
        "r" => TraceEvent::Receive,
        "f" => TraceEvent::Forward,
        "d" | "D" => TraceEvent::Drop,
        // DSR's remarks, movement, energy, remarks for nam, comments.
        _ if first.starts_with(['#', 'S', 'M', 'N', 'v', 'V', 'A']) => return Ok(None),
        "+" | "-" | "h" => {
            return Err(line.error(
                "this is a line of a wired trace",
                "give the trace of a wireless network, or remove the lines of its wired links",
            ));
        }
        _ => {
            return Err(line.error(
                "this is not a line of a wireless trace",
                "records begin with s, r, f, d or D; check that trace-all of ns-2 wrote the file",
            ));
        }
    };
    let new = words.next().is_some_and(|w| w.starts_with("-t"));
    let record = if new { new::read(line, event) } else { old::read(line, event) };
    record.map(Some)
}

#[cfg(test)]
mod tests;
