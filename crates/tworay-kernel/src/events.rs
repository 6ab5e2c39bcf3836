//! Prints the controllers' diagnoses as they occur.

use crate::catalog::{CONTROLLERS, Controller};
use crate::loading::{self, Refusal};
use libbpf_rs::RingBufferBuilder;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::{Duration, Instant};

/// Length of `struct event` of bpf/event.h.
const LENGTH: usize = 104;
const AF_INET: u16 = 2;
/// How long to wait for the ring buffer before checking the time limit.
const TURN: Duration = Duration::from_millis(100);
/// `enum guess` of bpf/core/types.h.
const GUESSES: [Option<&str>; 5] =
    [None, Some("congestion"), Some("channel"), Some("link-failure"), Some("transient")];

/// Prints one document per diagnosis of one or all controllers, for a given time or until interrupted.
///
/// Each event is read only once: two simultaneous readers of a controller each get a part of the events.
pub fn follow(lasting: Option<Duration>, only: Option<&Controller>) -> Result<(), Refusal> {
    loading::check()?;
    let wanted = CONTROLLERS.iter().filter(|c| only.is_none_or(|only| only.name == c.name));
    let maps: Vec<_> = wanted.filter_map(|c| loading::map(c, loading::MARK)).collect();
    if maps.is_empty() {
        return Err(Refusal::Input("no controller is loaded; `tworay kernel load welcome` loads one".into()));
    }
    let failed = |e: libbpf_rs::Error| Refusal::Run(format!("the kernel's events can't be read: {e}"));
    let mut builder = RingBufferBuilder::new();
    for map in &maps {
        builder.add(map, print).map_err(failed)?;
    }
    let ring = builder.build().map_err(failed)?;
    let end = lasting.map(|time| Instant::now() + time);
    while end.is_none_or(|end| Instant::now() < end) {
        ring.poll(TURN).map_err(failed)?;
    }
    Ok(())
}

/// Prints an event; stops when the output is closed.
fn print(bytes: &[u8]) -> i32 {
    let Some(document) = parse(bytes) else { return 0 };
    let mut out = io::stdout().lock();
    match writeln!(out, "{document}").and_then(|()| out.flush()) {
        Ok(()) => 0,
        Err(_) => -1,
    }
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
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    Some(json!({
        "monotonic_ns": time_ns,
        "controller": String::from_utf8_lossy(name),
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
