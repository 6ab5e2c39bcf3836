//! A program's writes as CSV: a line `time_s,bytes` for each, with its time in seconds, or in units that the first line
//! names. Semicolons or tabs may stand for the commas.

use super::packet::{TracePacket, UDP_HEADERS};
use crate::text_file::ReadError;
use std::borrow::Cow;
use std::str::FromStr;
use tworay_base::{Bytes, SimDuration};

/// Most bytes of a write.
const MOST: u64 = 1_000_000_000;
/// Remedy for a first line that names columns.
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

/// Characters between the fields of a line. Semicolons and tabs come first: beside them a comma is a decimal mark.
const MARKS: [char; 3] = [';', '\t', ','];

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

    /// Remedy for a line, by the columns of the file.
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

/// True if a field that names a column has a word that some trace's columns have.
fn is_known(column: &str) -> bool {
    let units = UNITS_OF_TIME.iter().chain(&UNITS_OF_SIZE).map(|(name, _)| *name);
    let known: Vec<&str> = units.chain(TIMES).chain(SIZES).collect();
    let mut words = column.split(|c: char| !c.is_alphanumeric());
    words.any(|word| known.iter().any(|name| name.eq_ignore_ascii_case(word)))
}

/// A number as spreadsheets of some languages write it, with a decimal point: `0,5` between semicolons.
fn with_point(number: &str, mark: char) -> Cow<'_, str> {
    if mark == ',' || number.contains('.') { number.into() } else { number.replacen(',', ".", 1).into() }
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

/// The mark between the fields of this line; `None` if it has one field, as lines of Mahimahi's traces have.
fn mark_of(line: &str) -> Option<char> {
    MARKS.into_iter().find(|&mark| line.contains(mark))
}

/// True if a line begins with a number, or names columns of which at least one is known: a trace's first line.
pub(super) fn begins_trace(line: &str) -> bool {
    let mark = mark_of(line).unwrap_or(',');
    let fields: Vec<&str> = line.split(mark).map(str::trim).collect();
    let first = fields.first().copied().unwrap_or_default();
    let digits = first.trim_start_matches(['-', '+', '.']);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit()) && !first.contains(char::is_whitespace);
    let is_markup = first.starts_with(['{', '[', '<', '|']);
    is_number || (!is_markup && fields.len() == 2 && fields.into_iter().any(is_known))
}

/// True if the first line that is no comment has fields, which Mahimahi's traces don't have.
pub(super) fn fits(text: &str) -> bool {
    content(text).next().is_some_and(|(_, line)| mark_of(line).is_some())
}

/// Lines that are neither empty nor comments, with their numbers.
pub(super) fn content(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1u32..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Parses the text of a file called `file`. The first line may name the columns, with their units.
pub(super) fn parse(file: &str, text: &str) -> Result<Vec<TracePacket>, ReadError> {
    let mut packets: Vec<TracePacket> = Vec::new();
    let mut columns = Columns::USUAL;
    let mark = content(text).next().and_then(|(_, line)| mark_of(line)).unwrap_or(',');
    for (place, (number, line)) in content(text).enumerate() {
        let refuse = |problem: String| Err(ReadError::at(file, number, problem, columns.form()));
        let fields: Vec<&str> = line.split(mark).map(str::trim).collect();
        let [time, bytes] = fields[..] else {
            return refuse(format!("\"{}\" isn't two fields", shown(line)));
        };
        if place == 0 && [time, bytes].iter().all(|name| name.contains(|c: char| c.is_alphabetic())) {
            columns = Columns::named(time, bytes)
                .map_err(|problem| ReadError::at(file, number, problem, HEADER))?;
            continue;
        }
        let Some(at) = with_unit::<SimDuration>(&with_point(time, mark), columns.time) else {
            let unit = if columns.time == "s" { "seconds" } else { columns.time };
            return refuse(format!("\"{}\" is no time in {unit}", shown(time)));
        };
        if packets.last().is_some_and(|last| at < last.at) {
            let problem = format!("{} {} comes before the time above it", shown(time), columns.time);
            return Err(ReadError::at(file, number, problem, "sort the lines by time"));
        }
        // A number of bytes is whole: 1,200 would be 1.2 or 1200.
        let size = match columns.size {
            "B" => with_unit::<Bytes>(bytes, columns.size),
            unit => with_unit::<Bytes>(&with_point(bytes, mark), unit),
        };
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
