use crate::results::{ColumnData, Table};
use crate::{RunControl, RunOptions, RunReport, run};
use std::collections::BTreeMap;
use tworay_scenario::Scenario;

fn recorded(source: &str, overrides: &[&str], record: bool) -> RunReport {
    let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
    let scenario = Scenario::load(source, &overrides).expect("a scenario");
    let options = RunOptions { series: true, record, ..RunOptions::default() };
    run(&scenario, &options, &RunControl::new()).expect("a run")
}

struct Rows(Table);

impl Rows {
    fn of(report: &RunReport, name: &str) -> Self {
        Self(report.tables().into_iter().find(|t| t.name == name).expect("the table"))
    }
    fn column(&self, name: &str) -> &ColumnData {
        &self.0.columns.iter().find(|c| c.name == name).expect("the column").data
    }
    fn reals(&self, name: &str) -> &[f64] {
        let ColumnData::F64(values) = self.column(name) else { panic!("{name} is real") };
        values
    }
    fn ints(&self, name: &str) -> Vec<Option<i64>> {
        match self.column(name) {
            ColumnData::I64(values) => values.iter().copied().map(Some).collect(),
            ColumnData::MaybeI64(values) => values.clone(),
            _ => panic!("{name} is whole"),
        }
    }
    fn words(&self, name: &str) -> Vec<Option<&'static str>> {
        let ColumnData::Word(words, rows) = self.column(name) else { panic!("{name} is words") };
        rows.iter().map(|at| at.map(|at| words[usize::from(at)])).collect()
    }
}

/// Recording does not change a run: the document is identical except for the CPU time.
#[test]
fn recording_changes_nothing() {
    for (source, overrides) in [
        ("strip-50", &["duration=20s"][..]),
        ("string-4", &["duration=10s"]),
        ("dumbbell-4", &["duration=10s"]),
    ] {
        let (mut with, mut without) = (recorded(source, overrides, true), recorded(source, overrides, false));
        (with.document.cpu_seconds, without.document.cpu_seconds) = (0.0, 0.0);
        assert_eq!(with.json(), without.json(), "{source}");
        let plain = without.tables();
        let kept = with.tables().into_iter().filter(|t| plain.iter().any(|o| o.name == t.name));
        // Compared as text, in which NaN equals NaN.
        let same = format!("{:?}", kept.collect::<Vec<_>>()) == format!("{plain:?}");
        assert!(same, "{source}: tables differ");
    }
}

/// Every segment sent is recorded once, with the same outcome as in the ledger.
#[test]
fn segments_balance_with_the_books() {
    let report = recorded("strip-50", &["duration=40s"], true);
    let segments = Rows::of(&report, "segments");
    let (kind, bytes) = (segments.words("kind"), segments.ints("bytes"));
    let payload = (0..kind.len()).filter(|&i| kind[i] == Some("data") && bytes[i] > Some(0)).count() as u64;
    assert_eq!(payload, report.document.flows.iter().map(|f| f.sent_segments).sum::<u64>());
    let again = segments.ints("again").into_iter().flatten().sum::<i64>() as u64;
    assert_eq!(again, report.document.flows.iter().map(|f| f.retransmitted_segments).sum::<u64>());
    assert!(again > 0, "something was sent again");
    let mut lost: BTreeMap<&str, u64> = BTreeMap::new();
    for cause in segments.words("cause").into_iter().flatten() {
        *lost.entry(cause).or_default() += 1;
    }
    let booked = report.document.ledger.iter().filter(|(_, n)| n.data + n.ack > 0);
    assert_eq!(lost, booked.map(|(&cause, n)| (cause, n.data + n.ack)).collect());
    for ((sent, arrived), lost) in
        segments.reals("t_s").iter().zip(segments.reals("arrived_s")).zip(segments.reals("lost_s"))
    {
        assert!(arrived.is_nan() || (lost.is_nan() && arrived > sent));
    }
}

/// The record's frame counts equal those of the MACs; on a string without other traffic each frame goes one
/// hop.
#[test]
fn frames_are_those_of_the_macs() {
    let report = recorded("string-4", &["duration=10s"], true);
    let frames = Rows::of(&report, "frames");
    let mut sent: BTreeMap<&str, u64> = BTreeMap::new();
    let (kind, to) = (frames.words("kind"), frames.ints("to"));
    for (kind, to) in kind.iter().zip(&to) {
        let name = if to.is_none() { "broadcast" } else { kind.expect("a kind") };
        *sent.entry(name).or_default() += 1;
    }
    assert_eq!(
        sent,
        report.document.mac.sent.iter().map(|(k, n)| (*k, *n)).filter(|(_, n)| *n > 0).collect()
    );
    let (from, fate) = (frames.ints("from"), frames.words("fate"));
    let received = |i: &usize| fate[*i] == Some("received") && kind[*i] == Some("data");
    assert!((0..fate.len()).filter(received).count() > 100);
    for i in (0..fate.len()).filter(received) {
        assert_eq!(
            (from[i].unwrap() - to[i].unwrap()).abs(),
            1,
            "a station 250 m off is the farthest it reads"
        );
    }
    // The counters leave out frames whose preamble another signal had corrupted, because they do not count
    // them as collisions.
    let collided = fate.iter().filter(|f| **f == Some("collision")).count() as u64;
    let counted = report.document.mac.collisions;
    let tallied = counted.rts_cts + counted.data + counted.ack;
    assert!(tallied > 0 && collided >= tallied, "{collided} recorded, {tallied} counted");
}

/// The routes in use lead from node to node to the destination, and the last queue lengths match the
/// counts.
#[test]
fn routes_and_moves_are_complete() {
    let report = recorded("string-4", &["duration=10s"], true);
    let routes = Rows::of(&report, "routes");
    let mut next: BTreeMap<(i64, i64), Option<i64>> = BTreeMap::new();
    let nodes = routes.ints("node").into_iter().zip(routes.ints("dst")).zip(routes.ints("next_hop"));
    for ((node, dst), hop) in nodes {
        next.insert((node.unwrap(), dst.unwrap()), hop);
    }
    let (mut at, mut hops) = (0, 0);
    while at != 4 && hops < 10 {
        at = next[&(at, 4)].expect("a route is in use");
        hops += 1;
    }
    assert_eq!((at, hops), (4, 4));
    let moves = Rows::of(&report, "moves");
    assert_eq!(moves.ints("node"), (0..5).map(Some).collect::<Vec<_>>());
    assert!(Rows::of(&report, "queues").ints("packets").iter().all(|n| (Some(0)..=Some(50)).contains(n)));
    let ranges = Rows::of(&report, "ranges");
    assert!((ranges.reals("receive_m")[0] - 250.0).abs() < 1.0);
    assert!((ranges.reals("sense_m")[0] - 550.0).abs() < 1.0);
}
