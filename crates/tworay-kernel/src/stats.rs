//! Measures the cost of TCP in this kernel: time by controller and kind of event, callbacks, energy.

use crate::catalog::CONTROLLERS;
use crate::loading::{self, Refusal};
use libbpf_rs::{Link, MapCore, MapFlags, Object, ObjectBuilder};
use serde_json::{Value, json};
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, io, thread};

/// The compiled measuring programs.
pub const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cost.bpf.o"));
/// `enum kind` of bpf/cost.bpf.c, by the names of the simulator's operations.
const KINDS: [&str; 6] =
    ["ack_slow_start", "ack_congestion_avoidance", "dup_ack", "recovery_ack", "fast_retransmit", "timeout"];

/// When the measurement ends.
#[derive(Copy, Clone, Debug)]
pub enum Until {
    /// After a duration.
    Passed(Duration),
    /// When standard input ends.
    Told,
}

/// The calls to measure.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// ACKs and timeouts as a whole, of connections with this port; 0: all connections.
    Whole(u32),
    /// The callbacks of our controllers. Counting them takes time itself, so it is not combined with the
    /// other.
    Callbacks,
}

/// Measures until the given end, and returns the document.
pub fn measure(what: What, until: Until) -> Result<Value, Refusal> {
    loading::check()?;
    let began = Instant::now();
    let energy = rapl();
    let mut document = match what {
        What::Whole(port) => {
            let (object, links) = attach(port)?;
            wait(until);
            // Detach first, so that nothing is counted while the results are read.
            drop(links);
            json!({"costs": costs(&object)?})
        }
        What::Callbacks => {
            let counting = count_runs()?;
            let before = callbacks();
            wait(until);
            let after = callbacks();
            drop(counting);
            json!({"callbacks": ran(&before, &after)})
        }
    };
    document["seconds"] = json!(began.elapsed().as_secs_f64());
    document["joules"] = json!(energy.zip(rapl()).map(|(then, now)| used(&then, &now)));
    Ok(document)
}

/// Reports that everything is attached, then waits.
fn wait(until: Until) {
    eprintln!("measuring");
    match until {
        Until::Passed(time) => thread::sleep(time),
        Until::Told => {
            let mut rest = Vec::new();
            // Any end of the input ends the measurement.
            io::stdin().read_to_end(&mut rest).ok();
        }
    }
}

fn attach(port: u32) -> Result<(Object, Vec<Link>), Refusal> {
    if OBJECT.is_empty() {
        return Err(Refusal::Run(loading::NOT_BUILT.into()));
    }
    let failed = |e: libbpf_rs::Error| Refusal::Run(format!("the kernel lets nothing trace its TCP: {e}"));
    let mut builder = ObjectBuilder::default();
    let object = builder.open_memory(OBJECT).and_then(|open| open.load()).map_err(failed)?;
    if let Some(map) = object.maps().find(|m| m.name() == "tworay_port") {
        map.update(&0u32.to_ne_bytes(), &port.to_ne_bytes(), MapFlags::ANY).map_err(failed)?;
    }
    let links = object.progs_mut().map(|p| p.attach()).collect::<Result<_, _>>().map_err(failed)?;
    Ok((object, links))
}

/// Mean and deviation by controller, SACK and kind.
fn costs(object: &Object) -> Result<Vec<Value>, Refusal> {
    let failed = |e: libbpf_rs::Error| Refusal::Run(format!("the measured costs can't be read: {e}"));
    let Some(map) = object.maps().find(|m| m.name() == "tworay_costs") else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for key in map.keys() {
        let Some(value) = map.lookup(&key, MapFlags::ANY).map_err(failed)? else { continue };
        found.extend(cost(&key, &value));
    }
    found.sort_by_key(|one| (one["controller"].to_string(), one["sack"] == true, one["kind"].to_string()));
    Ok(found)
}

fn cost(key: &[u8], value: &[u8]) -> Option<Value> {
    let (name, rest) = key.split_first_chunk::<16>()?;
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    let number = |bytes: &[u8]| Some(u32::from_ne_bytes(bytes.try_into().ok()?));
    let (kind, sack) = (number(rest.get(..4)?)?, number(rest.get(4..8)?)?);
    let wide = |i: usize| Some(u64::from_ne_bytes(value.get(8 * i..8 * i + 8)?.try_into().ok()?));
    let (count, total, squares) = (wide(0)?, wide(1)? as f64, wide(2)? as f64 * 256.0);
    let mean = total / count as f64;
    let variance = (squares / count as f64 - mean * mean).max(0.0);
    Some(json!({
        "controller": String::from_utf8_lossy(name),
        "sack": sack != 0,
        "kind": KINDS.get(kind as usize)?,
        "count": count,
        "mean_ns": mean,
        "std_ns": variance.sqrt(),
    }))
}

/// Lets the kernel count program runs until the descriptor is closed, which also happens if this process is
/// killed.
#[allow(unsafe_code)]
fn count_runs() -> Result<OwnedFd, Refusal> {
    // SAFETY: a plain system call; libbpf-rs has none for it.
    let fd = unsafe { libbpf_sys::bpf_enable_stats(libbpf_sys::BPF_STATS_RUN_TIME) };
    if fd < 0 {
        let error = io::Error::from_raw_os_error(-fd);
        return Err(Refusal::Run(format!("the kernel doesn't count the runs of programs: {error}")));
    }
    // SAFETY: the call has just opened it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Controller, callback, number of runs, and their total time.
type Runs = (&'static str, String, u64, u64);

fn callbacks() -> Vec<Runs> {
    let of = |c: &'static crate::catalog::Controller| {
        let programs = loading::current(c).into_iter();
        programs.map(move |p| (c.kernel_name, loading::callback(c, &p), p.run_cnt, p.run_time_ns))
    };
    CONTROLLERS.iter().flat_map(of).collect()
}

fn ran(before: &[Runs], after: &[Runs]) -> Vec<Value> {
    let earlier =
        |one: &Runs| before.iter().find(|b| (b.0, &b.1) == (one.0, &one.1)).map_or((0, 0), |b| (b.2, b.3));
    let difference = |one: &Runs| {
        let (count, time) = earlier(one);
        let (count, time) = (one.2.saturating_sub(count), one.3.saturating_sub(time));
        (count > 0).then(|| {
            let mean = time as f64 / count as f64;
            json!({"controller": one.0, "callback": one.1, "count": count, "mean_ns": mean})
        })
    };
    after.iter().filter_map(difference).collect()
}

/// Energy counters of the processor packages in microjoules, and the values at which they wrap around.
fn rapl() -> Option<Vec<(u64, u64)>> {
    let zones = fs::read_dir("/sys/class/powercap").ok()?;
    let read = |file: &Path| fs::read_to_string(file).ok()?.trim().parse().ok();
    let mut found: Vec<_> = zones
        .filter_map(|zone| {
            let zone = zone.ok()?.path();
            let name = zone.file_name()?.to_str()?.to_owned();
            // intel-rapl:0 is a package, intel-rapl:0:0 a part of it.
            let package = name.starts_with("intel-rapl:") && name.matches(':').count() == 1;
            let counter = || Some((read(&zone.join("energy_uj"))?, read(&zone.join("max_energy_range_uj"))?));
            package.then(counter)?.map(|counter| (name, counter))
        })
        .collect();
    found.sort();
    (!found.is_empty()).then(|| found.into_iter().map(|(_, counter)| counter).collect())
}

fn used(then: &[(u64, u64)], now: &[(u64, u64)]) -> f64 {
    let of = |((then, range), (now, _)): (&(u64, u64), &(u64, u64))| {
        if now >= then { now - then } else { now + range - then }
    };
    then.iter().zip(now).map(of).sum::<u64>() as f64 * 1e-6
}
