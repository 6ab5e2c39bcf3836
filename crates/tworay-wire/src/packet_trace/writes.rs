//! A program's writes as CSV: a line `time_s,bytes` for each, with its time in seconds, or in units that the first line
//! names.

use super::packet::{TracePacket, UDP_HEADERS};
use crate::text_file::ReadError;
use std::str::FromStr;
use tworay_base::{Bytes, SimDuration};

/// Most bytes of a write.
const MOST: u64 = 1_000_000_000;
/// What a first line that names columns may be.
const HEADER: &str = "name the columns with their units, such as time_s,bytes or time_ms,kB";
/// Names of a column of times without a unit.
const TIMES: [&str; 4] = ["time", "t", "timestamp", "at"];
/// Names of a column of sizes without a unit.
const SIZES: [&str; 7] = ["size", "length", "len", "payload", "write", "writes", "written"];
/// Units of times as columns name them, and as quantities have them.
const UNITS_OF_TIME: [(&str, &str); 16] = [
    ("s", "s"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("ms", "ms"),
    ("msec", "ms"),
    ("millisecond", "ms"),
    ("milliseconds", "ms"),
    ("us", "us"),
    ("µs", "us"),
    ("usec", "us"),
    ("microseconds", "us"),
    ("ns", "ns"),
    ("nanoseconds", "ns"),
    ("min", "min"),
];
/// Units of sizes. `kb` and `mb` are left out: they may be bits.
const UNITS_OF_SIZE: [(&str, &str); 11] = [
    ("B", "B"),
    ("byte", "B"),
    ("bytes", "B"),
    ("Bytes", "B"),
    ("octets", "B"),
    ("kB", "kB"),
    ("KB", "kB"),
    ("kilobytes", "kB"),
    ("MB", "MB"),
    ("KiB", "KiB"),
    ("MiB", "MiB"),
];

/// Units of the two columns.
#[derive(Copy, Clone, Debug)]
struct Columns {
    time: &'static str,
    size: &'static str,
}

impl Columns {
    /// Those of a file that doesn't name them.
    const USUAL: Self = Self { time: "s", size: "B" };

    /// The units that the first line names; the error is the problem with it.
    fn named(time: &str, size: &str) -> Result<Self, String> {
        let of_time = unit(time, &TIMES, &UNITS_OF_TIME, Self::USUAL.time);
        let of_size = unit(size, &SIZES, &UNITS_OF_SIZE, Self::USUAL.size);
        Ok(Self {
            time: of_time.ok_or_else(|| format!("\"{}\" names no unit of time", shown(time)))?,
            size: of_size.ok_or_else(|| format!("\"{}\" names no unit of bytes", shown(size)))?,
        })
    }

    /// What a line has, for messages.
    fn form(self) -> String {
        match (self.time, self.size) {
            ("s", "B") => "write a time in seconds and a number of bytes, such as 0.25,1200".to_owned(),
            (time, size) => format!("write a time in {time} and a number of {size}, as the first line says"),
        }
    }
}

/// The unit of a column: that which its name ends with (`time_ms`, `size (kB)`), or the usual one.
fn unit(
    column: &str,
    names: &[&str],
    units: &[(&str, &'static str)],
    usual: &'static str,
) -> Option<&'static str> {
    let words: Vec<&str> =
        column.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let found = |word: &str| units.iter().find(|(name, _)| *name == word).map(|(_, unit)| *unit);
    let last = words.last()?;
    found(last)
        .or_else(|| words.iter().all(|word| names.contains(&word.to_lowercase().as_str())).then_some(usual))
}

/// The quantity of a number with the unit of its column.
fn with_unit<Q: FromStr>(number: &str, unit: &str) -> Option<Q> {
    // A letter and the unit would be another unit: 5m and s.
    let bare = number.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    bare.then(|| format!("{number}{unit}").parse().ok()).flatten()
}

/// The beginning of a field, for messages.
fn shown(word: &str) -> String {
    word.chars().filter(|c| !c.is_control()).take(40).collect()
}

/// True if the first line that is no comment has fields, which Mahimahi's traces don't have.
pub(super) fn fits(text: &str) -> bool {
    content(text).next().is_some_and(|(_, line)| line.contains(','))
}

/// Lines that are neither empty nor comments, with their numbers.
fn content(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1u32..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Parses the text of a file called `file`. The first line may name the columns, with their units.
pub(super) fn parse(file: &str, text: &str) -> Result<Vec<TracePacket>, ReadError> {
    let mut packets: Vec<TracePacket> = Vec::new();
    let mut columns = Columns::USUAL;
    for (place, (number, line)) in content(text).enumerate() {
        let refuse = |problem: String| Err(ReadError::at(file, number, problem, columns.form()));
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [time, bytes] = fields[..] else {
            return refuse(format!("\"{}\" isn't two fields", shown(line)));
        };
        if place == 0 && [time, bytes].iter().all(|name| name.contains(|c: char| c.is_alphabetic())) {
            columns = Columns::named(time, bytes)
                .map_err(|problem| ReadError::at(file, number, problem, HEADER))?;
            continue;
        }
        let Some(at) = with_unit::<SimDuration>(time, columns.time) else {
            let unit = if columns.time == "s" { "seconds" } else { columns.time };
            return refuse(format!("\"{}\" is no time in {unit}", shown(time)));
        };
        if packets.last().is_some_and(|last| at < last.at) {
            let problem = format!("{} {} comes before the time above it", shown(time), columns.time);
            return Err(ReadError::at(file, number, problem, "sort the lines by time"));
        }
        let size = with_unit::<Bytes>(bytes, columns.size);
        let Some(payload) = size.filter(|size| (1..=MOST).contains(&size.0)) else {
            let problem = match columns.size {
                "B" => format!("\"{}\" is no number of bytes from 1 to {MOST}", shown(bytes)),
                unit => format!("\"{}\" {unit} are no number of bytes from 1 to {MOST}", shown(bytes)),
            };
            return refuse(problem);
        };
        let payload = payload.0 as u32;
        packets.push(TracePacket { at, ip_bytes: payload + UDP_HEADERS, payload });
    }
    if packets.is_empty() {
        return Err(ReadError::whole(file, "it has no write", columns.form()));
    }
    Ok(packets)
}
