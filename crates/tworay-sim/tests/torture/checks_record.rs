//! Invariants of every record of a run: segments, frames, queues.

use crate::checks::{Fault, column, ensure};
use crate::guarded::Run;
use crate::plan::Plan;
use std::collections::BTreeMap;
use tworay_sim::Table;
use tworay_sim::scenario::EventKind;

pub fn check(plan: &Plan, run: &Run, tables: &[Table]) -> Result<(), Fault> {
    segments(run, tables)?;
    bytes_in_order(plan, run, tables)?;
    frames(run, tables)?;
    queues(run, tables)
}

/// Each segment is sent once, and then arrives, is lost, or is on its way; never two of these.
fn segments(run: &Run, tables: &[Table]) -> Result<(), Fault> {
    let of = |name: &str| column(tables, "segments", name);
    let (uid, sent, arrived, lost, hops) = (of("uid"), of("t_s"), of("arrived_s"), of("lost_s"), of("hops"));
    let mut seen = std::collections::BTreeSet::new();
    let mut gone = 0;
    for i in 0..uid.len() {
        let text = || format!("segment {} of {} s", uid[i], sent[i]);
        ensure("segment twice", seen.insert(uid[i] as u64), text)?;
        ensure("arrived and lost", arrived[i].is_nan() || lost[i].is_nan(), text)?;
        ensure(
            "arrived before it was sent",
            [arrived[i], lost[i]].iter().all(|at| at.is_nan() || *at >= sent[i]),
            text,
        )?;
        ensure("arrived without a hop", arrived[i].is_nan() || hops[i] >= 1.0, text)?;
        gone += u64::from(!lost[i].is_nan());
    }
    let records = run.report.losses().len() as u64;
    ensure("record and ledger differ", gone == records, || {
        format!("{gone} lost in the record, {records} in the ledger")
    })
}

/// A finished transfer delivered what was written, and no byte that did not arrive: the union of the ranges of sequence
/// numbers that arrived holds at least as many.
fn bytes_in_order(plan: &Plan, run: &Run, tables: &[Table]) -> Result<(), Fault> {
    let document = &run.report.document;
    let of = |name: &str| column(tables, "segments", name);
    let (flow, from, seq, bytes, arrived) = (of("flow"), of("from"), of("seq"), of("bytes"), of("arrived_s"));
    let written = plan.tables("flow").map(|flow| {
        let bytes = flow.get("bytes").and_then(toml::Value::as_str)?;
        let stops = flow.contains_key("stop");
        bytes.strip_suffix('B').filter(|_| !stops)?.parse::<f64>().ok()
    });
    for (report, written) in document.flows.iter().zip(written) {
        let Some(seconds) = report.completion_seconds else { continue };
        if report.tcp.is_none() || run.scenario.settings.warmup.as_nanos() > 0 {
            continue;
        }
        let delivered = report.goodput_bps * seconds / 8.0;
        let differ = written.is_some_and(|written| (delivered - written).abs() > 0.5);
        ensure("not what was written", !differ, || {
            format!("flow {}: {delivered} B delivered, {written:?} B written", report.id)
        })?;
        let mine = |i: &usize| flow[*i] as u16 == report.id && from[*i] as u16 == report.from;
        let came = (0..flow.len()).filter(mine).filter(|&i| bytes[i] > 0.0 && !arrived[i].is_nan());
        // Relative to the initial number, so that numbers that wrap round stay in order.
        let first = |i: usize| u64::from((seq[i] as u32).wrapping_sub(run.scenario.settings.tcp.iss));
        let mut ranges: Vec<(u64, u64)> = came.map(|i| (first(i), first(i) + bytes[i] as u64)).collect();
        ranges.sort_unstable();
        let (mut end, mut union) = (0, 0);
        for (first, last) in ranges {
            union += last.saturating_sub(first.max(end));
            end = end.max(last);
        }
        ensure("bytes from nowhere", delivered <= union as f64 + 0.5, || {
            format!("flow {}: {delivered} B delivered, {union} B arrived", report.id)
        })?;
    }
    Ok(())
}

/// A station sends one frame at a time, and none while it is switched off.
fn frames(run: &Run, tables: &[Table]) -> Result<(), Fault> {
    let of = |name: &str| column(tables, "frames", name);
    let (at, airtime, from) = (of("t_s"), of("airtime_s"), of("from"));
    let mut busy: BTreeMap<u32, f64> = BTreeMap::new();
    for i in 0..at.len() {
        let until = busy.entry(from[i] as u32).or_insert(0.0);
        ensure("two frames at a time", at[i] >= *until - 1e-9, || {
            format!("node {} at {} s, busy until {until} s", from[i], at[i])
        })?;
        *until = at[i] + airtime[i];
    }
    let switches = |kind: EventKind, node: f64| {
        let events = run.scenario.settings.events.iter();
        events
            .filter(move |e| e.what == kind && e.node.map(f64::from) == Some(node))
            .map(|e| e.at.as_secs_f64())
    };
    for i in 0..at.len() {
        let down = switches(EventKind::Down, from[i]).filter(|t| *t < at[i]).fold(f64::NAN, f64::max);
        let up = switches(EventKind::Up, from[i]).filter(|t| *t <= at[i]).fold(f64::NAN, f64::max);
        ensure("a frame of a node that is off", down.is_nan() || up >= down, || {
            format!("node {} at {} s, off since {down} s", from[i], at[i])
        })?;
    }
    let died = column(tables, "energy", "died_s");
    for i in 0..at.len() {
        let dead = died.get(from[i] as usize).is_some_and(|died| at[i] > *died);
        ensure("a frame of a dead node", !dead, || format!("node {} at {} s", from[i], at[i]))?;
    }
    Ok(())
}

/// An interface queue holds no more than its limit.
fn queues(run: &Run, tables: &[Table]) -> Result<(), Fault> {
    let limit = f64::from(run.scenario.settings.mac.queue_limit);
    let packets = column(tables, "queues", "packets");
    let longest = packets.iter().copied().fold(0.0, f64::max);
    ensure("queue above its limit", longest <= limit, || format!("{longest} packets of {limit}"))?;
    Ok(())
}
