//! Prints the controllers' diagnoses as they occur.

use crate::catalog::{CONTROLLERS, Controller};
use crate::loading::{self, HEAD, MARK, Refusal};
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::thread;
use std::time::{Duration, Instant};

/// Length of `struct event` of bpf/event.h.
const LENGTH: usize = 112;
/// Events kept by a controller, `EVENTS` there.
const KEPT: u64 = 2048;
const AF_INET: u16 = 2;
/// Interval at which the logs are read.
const TURN: Duration = Duration::from_millis(50);
/// Readings after which an event that is still being written is given up.
const MOST_READINGS: u32 = 20;
/// `enum guess` of bpf/core/types.h.
const GUESSES: [Option<&str>; 5] =
    [None, Some("congestion"), Some("channel"), Some("link-failure"), Some("transient")];

/// Prints one document per diagnosis of one or all controllers, for a given time or until interrupted. Only
/// diagnoses made from now on are printed.
///
/// If more occur between two readings than a controller keeps, a document says how many are missing.
pub fn follow(lasting: Option<Duration>, only: Option<&Controller>) -> Result<(), Refusal> {
    loading::check()?;
    let wanted = CONTROLLERS.iter().filter(|c| only.is_none_or(|only| only.name == c.name));
    let mut logs = wanted.filter_map(Log::open).collect::<Result<Vec<_>, _>>()?;
    if logs.is_empty() {
        let name = only.map_or("welcome", |only| only.name);
        let what = only.map_or("no controller".into(), |only| only.kernel_name.to_owned());
        let none = if only.is_some() { "not " } else { "" };
        return Err(Refusal::Input(format!(
            "{what} is {none}loaded; `tworay kernel load {name}` loads {}",
            if only.is_some() { "it" } else { "one" }
        )));
    }
    eprintln!("following");
    let end = lasting.map(|time| Instant::now() + time);
    loop {
        // One more reading after the end, for what happened before it.
        let last = end.is_some_and(|end| Instant::now() >= end);
        for log in &mut logs {
            for document in log.read().map_err(unreadable)? {
                if print(&document).is_err() {
                    return Ok(());
                }
            }
        }
        if last {
            return Ok(());
        }
        thread::sleep(end.map_or(TURN, |end| TURN.min(end.saturating_duration_since(Instant::now()))));
    }
}

fn unreadable(error: libbpf_rs::Error) -> Refusal {
    Refusal::Run(format!("the kernel's events can't be read: {error}"))
}

/// The circular log of one controller, read from a place.
struct Log {
    name: &'static str,
    events: MapHandle,
    head: MapHandle,
    /// Number of events already read or passed over.
    read: u64,
    /// Times that the next event was found unfinished.
    waited: u32,
}

impl Log {
    /// The log of a loaded controller, from its end on.
    fn open(controller: &Controller) -> Option<Result<Self, Refusal>> {
        let events = loading::map(controller, MARK)?;
        let head = loading::map(controller, HEAD);
        let known = |form: (MapType, u32, u32)| form == (MapType::Array, LENGTH as u32, KEPT as u32);
        let Some(head) =
            head.filter(|_| known((events.map_type(), events.value_size(), events.max_entries())))
        else {
            let name = controller.kernel_name;
            return Some(Err(Refusal::Version(format!(
                "{name} was loaded by another version of tworay, so its events can't be read: `tworay kernel unload \
                 {name}`, then load it again"
            ))));
        };
        let mut log = Self { name: controller.kernel_name, events, head, read: 0, waited: 0 };
        Some(log.number().map_err(unreadable).map(|number| {
            log.read = number;
            log
        }))
    }

    /// Number of events so far.
    fn number(&self) -> libbpf_rs::Result<u64> {
        let value = self.head.lookup(&0u32.to_ne_bytes(), MapFlags::ANY)?.unwrap_or_default();
        Ok(value.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes)))
    }

    /// The documents of all events since the last reading.
    fn read(&mut self) -> libbpf_rs::Result<Vec<Value>> {
        let number = self.number()?;
        let mut found = Vec::new();
        let mut missing = number.saturating_sub(self.read).saturating_sub(KEPT);
        self.read += missing;
        while self.read < number {
            let slot = (self.read % KEPT) as u32;
            let bytes = self.events.lookup(&slot.to_ne_bytes(), MapFlags::ANY)?.unwrap_or_default();
            let written = bytes.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes));
            if written <= self.read && self.waited < MOST_READINGS {
                self.waited += 1;
                break;
            }
            self.waited = 0;
            self.read += 1;
            match parse(&bytes) {
                Some(document) if written == self.read => found.push(document),
                _ => missing += 1,
            }
        }
        if missing > 0 {
            found.insert(0, json!({"controller": self.name, "missing": missing}));
        }
        Ok(found)
    }
}

/// Prints a document; an error means that the output is closed.
fn print(document: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{document}").and_then(|()| out.flush())
}

/// Reads consecutive numbers in native byte order.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }
    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }
    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_ne_bytes)
    }
    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_ne_bytes)
    }
    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_ne_bytes)
    }
}

/// The document of one `struct event`.
fn parse(bytes: &[u8]) -> Option<Value> {
    let mut f = Fields(bytes.get(..LENGTH)?);
    let _number = f.u64()?;
    let time_ns = f.u64()?;
    let seq = f.u32()?;
    let before = (f.u32()?, f.u32()?);
    let after = (f.u32()?, f.u32()?);
    let (srtt, average, wait) = (f.u32()?, f.u32()?, f.u32()?);
    let (history, samples) = (f.u16()?, f.u16()?);
    let (family, local_port, remote_port) = (f.u16()?, f.u16()?, u16::from_be(f.u16()?));
    let (timeout, guess) = (f.u8()? != 0, usize::from(f.u8()?));
    let (local, remote) = (address(family, f.take()?), address(family, f.take()?));
    let name = f.take::<16>()?;
    let netns = f.u32()?;
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    Some(json!({
        "monotonic_ns": time_ns,
        "controller": String::from_utf8_lossy(name),
        "netns": netns,
        "from": local, "from_port": local_port, "to": remote, "to_port": remote_port,
        "seq": seq,
        "sign": if timeout { "timeout" } else { "dup-acks" },
        "guess": GUESSES.get(guess).copied().flatten(),
        "cwnd": {"before": before.0, "after": after.0},
        "ssthresh": {"before": before.1, "after": after.1},
        "srtt_us": srtt, "average_us": average, "wait_us": wait,
        // The newest sample is the last digit.
        "history": format!("{:0width$b}", history & 0x3ff, width = 10),
        "samples": samples,
    }))
}

fn address(family: u16, bytes: [u8; 16]) -> String {
    let ip = match (family, bytes) {
        (AF_INET, [a, b, c, d, ..]) => IpAddr::V4(Ipv4Addr::new(a, b, c, d)),
        _ => IpAddr::V6(Ipv6Addr::from(bytes)),
    };
    ip.to_canonical().to_string()
}
