//! Captures: their content and completeness, and that Wireshark decodes the same.

#![allow(clippy::unwrap_used)]

mod aggregates;
mod reader;
mod tshark;
mod wireshark;

use crate::common::{load, parse};
use reader::{Record, read};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tworay_sim::scenario::Scenario;
use tworay_sim::{RunControl, RunOptions, RunReport, run};
use tworay_wire::bytes::Dot11;

/// Path of a test's capture.
fn place(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("capture-{name}.pcapng"))
}

/// Runs `scenario` with a capture.
fn captured(name: &str, scenario: &Scenario, seed: u64) -> (RunReport, PathBuf) {
    let path = place(name);
    let options = RunOptions { seed, pcap: Some(path.clone()), ..RunOptions::default() };
    let report = run(scenario, &options, &RunControl::new()).unwrap_or_else(|e| panic!("{name}: {e}"));
    (report, path)
}

/// The document without the values that differ between equal runs.
fn figures(mut report: RunReport) -> String {
    report.document.cpu_seconds = 0.0;
    report.json()
}

const MOVING: &[&str] = &["duration=20s"];

/// A frame of 1536 bytes at 2 Mb/s lasts 6336 µs.
const LONGEST_FRAME_NANOS: u64 = 6_336_000;
/// When the runs of [`answers_agree_with_the_comments`] end.
const END_NANOS: u64 = 20_000_000_000;

/// A moving network: AODV active, links breaking, frames colliding.
fn strip(overrides: &[&str]) -> Scenario {
    load("strip-50", &[MOVING, overrides].concat())
}

#[test]
fn equal_runs_give_equal_bytes() {
    let scenario = strip(&[]);
    let (first, a) = captured("equal-a", &scenario, 3);
    let (_, b) = captured("equal-b", &scenario, 3);
    let bytes = std::fs::read(a).unwrap();
    assert!(bytes.len() > 100_000);
    assert!(bytes == std::fs::read(b).unwrap());
    // Capturing does not change the run.
    assert_eq!(figures(first), figures(crate::common::run_once(&scenario, 3)));
}

/// Every frame that arrived was answered and no other, so the comments are right.
#[test]
fn answers_agree_with_the_comments() {
    for (name, scenario) in [
        ("answers-static", load("string-6", &["duration=20s", "routing.protocol=static"])),
        ("answers-aodv", strip(&[])),
    ] {
        let (_, path) = captured(name, &scenario, 1);
        let (mut rts, mut cts, mut data, mut ack, mut lost) = (0i32, 0i32, 0i32, 0i32, 0);
        let mut on_air = 0;
        for record in read(&path) {
            lost += i32::from(record.lost());
            match record.decode().frame {
                Some(Dot11::Rts { .. }) if !record.lost() => rts += 1,
                Some(Dot11::Cts { .. }) => cts += 1,
                Some(Dot11::Data { receiver, .. }) if !receiver.is_broadcast() && !record.lost() => {
                    data += 1;
                    on_air += i32::from(record.nanos + LONGEST_FRAME_NANOS > END_NANOS);
                }
                Some(Dot11::Ack { .. }) => ack += 1,
                _ => {}
            }
        }
        assert!(lost > 50 && cts > 500, "{name}: {lost} lost, {cts} CTSs");
        // One answer may be outstanding at the end; of data frames, which are long, one at each end of a
        // string.
        assert!((rts - cts).abs() <= 1, "{name}: {rts} RTSs arrived, {cts} CTSs followed");
        let unanswered = data - ack;
        assert!(
            (0..=on_air).contains(&unanswered),
            "{name}: {data} data frames arrived, {on_air} of them at the end; {ack} ACKs followed"
        );
    }
}

/// Records are in order of time with the simulator's resolution, on their sender's interface.
#[test]
fn records_are_what_was_sent() {
    let (_, path) = captured("records", &strip(&[]), 2);
    let mut before = 0;
    for record in read(&path) {
        assert!(record.nanos >= before, "{} after {before}", record.nanos);
        before = record.nanos;
        let contents = record.decode();
        match contents.frame {
            Some(Dot11::Rts { transmitter, .. }) => {
                assert_eq!(record.frame_bytes(), 20);
                assert_eq!(record.interface, format!("node {transmitter}"));
            }
            Some(Dot11::Cts { .. } | Dot11::Ack { .. }) => {
                assert_eq!(record.frame_bytes(), 14);
            }
            Some(Dot11::Data { transmitter, .. }) => {
                // 24 bytes of header, 8 of LLC and SNAP, 4 of frame check sequence.
                let ip_bytes = contents.packet.map(|p| p.ip_bytes as usize);
                assert_eq!(Some(record.frame_bytes()), ip_bytes.map(|n| 36 + n));
                assert_eq!(record.interface, format!("node {transmitter}"));
            }
            Some(other) => panic!("{other:?} is no frame of 802.11b"),
            None => assert_eq!(record.interface, "lost"),
        }
    }
    assert!(before > 19_000_000_000, "the capture reaches to the end");
}

/// Causes and their counts on the interface of the ledger.
fn causes(records: &[Record]) -> BTreeMap<String, u64> {
    let mut causes = BTreeMap::new();
    for record in records.iter().filter(|r| r.interface == "lost") {
        let cause = record.comment.strip_prefix("lost: ").and_then(|c| c.split_once(" at node ")).unwrap().0;
        *causes.entry(cause.to_owned()).or_default() += 1;
    }
    causes
}

/// The interface `lost` equals the ledger, entry by entry.
#[test]
fn the_ledger_is_in_the_capture() {
    for (name, scenario) in [
        ("ledger-strip", strip(&["duration=60s"])),
        ("ledger-queue", load("string-3", &["duration=20s", "routing.protocol=static", "mac.queue_limit=4"])),
    ] {
        let (report, path) = captured(name, &scenario, 1);
        let ledger: BTreeMap<String, u64> = report
            .document
            .ledger
            .iter()
            .map(|(cause, count)| ((*cause).to_owned(), count.data + count.ack))
            .filter(|(_, count)| *count > 0)
            .collect();
        assert!(!ledger.is_empty(), "{name}: nothing was lost");
        assert_eq!(causes(&read(&path)), ledger, "{name}");
    }
}

/// Wires have their own interfaces.
#[test]
fn wires_are_captured() {
    let scenario = parse(WIRED);
    let (report, path) = captured("wires", &scenario, 1);
    let records = read(&path);
    let mut sent: BTreeMap<&str, u32> = BTreeMap::new();
    records.iter().for_each(|r| *sent.entry(&r.interface).or_default() += 1);
    assert!(sent["wire 0-1"] > 100 && sent["wire 2-1"] > 50, "{sent:?}");
    assert_eq!(sent["lost"], 1, "the one packet that the link drops");
    assert_eq!(report.document.ledger["channel"].data, 1);
    let shown =
        records.iter().all(|r| r.decode().packet.is_some_and(|p| p.ip_bytes as usize == r.original_bytes));
    assert!(shown);
}

const WIRED: &str = r#"
    duration = "10s"
    [tcp]
    variant = "sack"
    [[wire]]
    from = 0
    to = 1
    rate = "1Mbps"
    delay = "5ms"
    [[wire]]
    from = 1
    to = 2
    rate = "500kbps"
    delay = "20ms"
    drops = [30]
    [[flow]]
    from = 0
    to = 2
    app = "ftp"
    [routing]
    protocol = "static"
"#;

/// A path that cannot be written is reported before the simulation starts.
#[test]
fn unwritable_places() {
    let pcap = Some(place("missing").join("run.pcapng"));
    let error =
        run(&strip(&[]), &RunOptions { pcap, ..RunOptions::default() }, &RunControl::new()).unwrap_err();
    assert!(error.to_string().starts_with("can't write "), "{error}");
    assert!(error.to_string().contains("run.pcapng: No such file or directory"), "{error}");
}
