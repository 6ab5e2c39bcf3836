//! Guesses of senders, against the true cause at that time and in the end.

use super::{load, run_once};
use tworay_sim::{ColumnData, RunReport};

/// Every guess: time, the cause at that time, the cause by outcome.
fn guesses(report: &RunReport) -> Vec<(f64, String, String)> {
    let tables = report.tables();
    let table = tables.iter().find(|t| t.name == "guesses").expect("guesses");
    let column = |name: &str| &table.columns.iter().find(|c| c.name == name).expect("a column").data;
    let (ColumnData::F64(at), ColumnData::Str(then), ColumnData::Str(in_the_end)) =
        (column("t_s"), column("cause"), column("cause_by_outcome"))
    else {
        panic!("times and causes")
    };
    (0..at.len()).map(|i| (at[i], then[i].clone(), in_the_end[i].clone())).collect()
}

/// `signal-loss`: the relay is out of range from 27.5 to 32.5 s, and again 30 s and 60 s later. A timer that expires while the signal is gone is a guess about this break, whether or not routing
/// delivers the segment when the signal is back.
#[test]
fn a_guess_during_an_outage() {
    let (mut held, mut during) = (0, 0);
    for seed in 1..=4 {
        let report = run_once(&load("signal-loss", &["tcp.variant=welcome"]), seed);
        let total = |d: &std::collections::BTreeMap<String, std::collections::BTreeMap<String, u64>>| {
            d.values().flat_map(|row| row.values()).sum::<u64>()
        };
        let document = &report.document;
        assert_eq!(total(&document.diagnosis), total(&document.diagnosis_by_outcome));
        for (at, then, in_the_end) in guesses(&report) {
            // What was lost in the end had been lost or was held up then.
            assert!(in_the_end == "none" || then != "none", "{at} s: {then}, {in_the_end}");
            // Half a second after the break everything in flight has met it.
            if [0.0, 30.0, 60.0].iter().any(|later| (28.0..32.5).contains(&(at - later))) {
                assert_eq!(then, "link-failure", "{at} s");
            }
            held += u32::from(then == "link-failure" && in_the_end == "none");
            during += u32::from(then == "link-failure");
        }
    }
    assert!(during > 50 && held > 20, "{held} of {during}");
}
