use super::*;

/// The number of rows of a table.
fn rows(report: &RunReport, name: &str) -> usize {
    let table = report.tables().into_iter().find(|table| table.name == name).expect("a table of every run");
    match &table.columns[0].data {
        crate::ColumnData::F64(values) => values.len(),
        other => panic!("times, not {other:?}"),
    }
}

fn report(series: bool, losses: bool) -> RunReport {
    let sets = ["duration=60s".to_string(), "tcp.variant=welcome".to_string()];
    let scenario = Scenario::load("string-4", &sets).expect("built in");
    let options = RunOptions { series, losses, ..RunOptions::default() };
    run(&scenario, &options, &RunControl::new()).expect("a run")
}

/// A run of which only totals matter keeps no row about a single segment: a day takes no more memory than an hour. It
/// counts the same.
#[test]
fn without_rows_a_run_keeps_none_and_counts_the_same() {
    let (whole, totals) = (report(false, true), report(false, false));
    let sent_again = whole.document.flows[0].retransmitted_segments;
    assert!(
        sent_again > 0 && !whole.document.diagnosis.is_empty(),
        "the sender must lose segments and guess why"
    );
    assert_eq!(rows(&whole, "retransmissions") as u64, sent_again);
    assert!(rows(&whole, "guesses") > 0);
    for table in ["ledger", "guesses", "retransmissions"] {
        assert_eq!(rows(&totals, table), 0, "{table}");
    }
    assert_eq!(totals.document.flows, whole.document.flows);
    assert_eq!(totals.document.ledger, whole.document.ledger);
    // Time series without rows of losses still come with the retransmissions.
    assert_eq!(rows(&report(true, false), "retransmissions") as u64, sent_again);
}
