//! Finds and reads ns-2's traces.

use flate2::read::GzDecoder;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A point of a trace: time, and packet number modulo 90, as ns-2's scripts write them.
#[derive(Clone, Debug)]
pub struct Point {
    pub time: f64,
    pub number: u64,
    /// The line itself; ns-2's scripts sort by it.
    pub text: String,
}

impl Point {
    pub fn from_event(&(number, time): &(u64, f64)) -> Self {
        let number = number % 90;
        // `%g`: six significant digits; all times lie between 1 and 10 s.
        let digits = format!("{time:.5}");
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        Self { time, number, text: format!("{digits} {}", (100 + number) as f64 / 100.0) }
    }

    fn read(line: &str) -> Option<Self> {
        let (time, y) = line.split_once(' ')?;
        let (time, y): (f64, f64) = (time.parse().ok()?, y.parse().ok()?);
        Some(Self { time, number: ((y - 1.0) * 100.0).round() as u64, text: line.into() })
    }
}

/// The parts of a trace.
pub struct Trace {
    pub packets: Vec<Point>,
    pub drops: Vec<Point>,
    pub acks: Vec<Point>,
}

fn candidates(name: &str) -> Vec<PathBuf> {
    let debian = Path::new("/usr/share/doc/ns2/examples/tcl/test/test-output-tcpVariants");
    let mut places = vec![debian.join(format!("{name}.gz"))];
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = std::env::var_os("TWORAY_REFERENCE").map(PathBuf::from);
    for folder in folders.into_iter().chain([repository.join("../shared/reference")]) {
        places.push(folder.join("tcpvariants").join(name));
    }
    places
}

/// The trace of a test, if it is available on this machine.
pub fn find(name: &str) -> Option<Trace> {
    let bytes = candidates(name).iter().find_map(|p| {
        let bytes = std::fs::read(p).ok()?;
        if p.extension().is_none_or(|e| e != "gz") {
            return Some(bytes);
        }
        let mut text = Vec::new();
        GzDecoder::new(&bytes[..]).read_to_end(&mut text).ok()?;
        Some(text)
    })?;
    Some(read(&String::from_utf8_lossy(&bytes)))
}

/// Sections start with a quoted name. If two sections have the same name the first one counts; the second
/// one (of the other direction) is empty.
fn read(text: &str) -> Trace {
    let section = |name: &str| -> Vec<Point> {
        let heading = format!("\"{name}");
        text.lines().skip_while(|l| *l != heading).skip(1).map_while(Point::read).collect()
    };
    Trace { packets: section("packets"), drops: section("drops"), acks: section("acks") }
}

/// Asserts that both lists have the same numbers in the same order at the same times.
pub fn compare(test: &str, part: &str, ours: &[Point], theirs: &[Point], tolerance: f64) {
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        assert!(
            a.number == b.number && (a.time - b.time).abs() < tolerance,
            "{test}: {part} line {}: ours {}, ns-2 {}",
            i + 1,
            a.text,
            b.text
        );
    }
    assert_eq!(ours.len(), theirs.len(), "{test}: number of lines of {part}");
}
