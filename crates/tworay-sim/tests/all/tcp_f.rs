//! TCP-F's two notifications in a network: the failure from a route error, and the re-establishment from the
//! search of the sender's own node.

use crate::common::string_with_outage;
use tworay_sim::{ColumnData, RunControl, RunOptions, RunReport, run};

/// When the node in the middle of the string fails, and when it works again.
const DOWN: f64 = 20.0;
const UP: f64 = 22.0;

/// The string that loses its middle for some time.
fn outage(routing: &str, tcp: &str) -> RunReport {
    let options = RunOptions { seed: 1, series: true, record: true, ..RunOptions::default() };
    let scenario = string_with_outage((routing, tcp), 2, (DOWN, UP), 60.0);
    run(&scenario, &options, &RunControl::new()).expect("a run")
}

fn column(report: &RunReport, table: &str, name: &str) -> ColumnData {
    let table = report.tables().into_iter().find(|t| t.name == table).expect("a table");
    table.columns.into_iter().find(|c| c.name == name).expect("a column").data
}

fn times(report: &RunReport, table: &str) -> Vec<f64> {
    let ColumnData::F64(times) = column(report, table, "t_s") else { panic!("{table} has times") };
    times
}

/// When routing at the sender's node found routes.
fn found(report: &RunReport) -> Vec<f64> {
    let (ColumnData::Word(words, event), ColumnData::I64(node)) =
        (column(report, "routing", "event"), column(report, "routing", "node"))
    else {
        panic!("the table of routing has words and numbers")
    };
    let is_found =
        |i: &usize| event[*i].is_some_and(|e| words[usize::from(e)] == "route-found") && node[*i] == 0;
    let at = times(report, "routing");
    (0..at.len()).filter(is_found).map(|i| at[i]).collect()
}

const PROTOCOLS: [(&str, &str); 4] = [
    ("DSR", "routing = { protocol = \"dsr\" }"),
    ("DSR as in ns-2", "routing = { protocol = \"dsr\", dsr.dialect = \"ns2\" }"),
    ("AODV", "routing = { protocol = \"aodv\" }"),
    ("AODV as in ns-2", "routing = { protocol = \"aodv\", aodv.dialect = \"ns2\" }"),
];

/// The node is away for 2 s, and searches are repeated for longer. So the sender snoozes once, at least until
/// the node is back, and far less than its route failure timer of 50 s. It sends one empty segment, which
/// starts the search.
#[test]
fn the_search_of_its_own_node_ends_the_snooze() {
    for (protocol, routing) in PROTOCOLS {
        let report = outage(routing, "reno+tcp-f(route_failure=50)");
        let flow = &report.document.flows[0];
        assert_eq!(flow.freezes, 1, "{protocol}");
        // A route error follows the failure within a second, or a second later after a first timeout.
        let longest = UP - DOWN + 14.0;
        assert!(
            (UP - DOWN - 1.1..longest).contains(&flow.frozen_seconds),
            "{protocol}: {}",
            flow.frozen_seconds
        );
        // It resumes at the very moment when a search succeeds, before any answer can arrive.
        let resumed = times(&report, "guesses")[0] + flow.frozen_seconds;
        let found = found(&report);
        assert!(
            found.iter().any(|at| (at - resumed).abs() < 1e-6),
            "{protocol}: {resumed} s, found at {found:?}"
        );
        let probes = flow.operations.as_ref().expect("TCP")["probe"];
        assert_eq!(probes, 1, "{protocol}");
        let truth = &report.document.diagnosis["link-failure"];
        assert!(truth.keys().all(|c| ["node-down", "link-failure"].contains(&c.as_str())), "{truth:?}");
    }
}

/// The timer ends the snooze while the node is still away.
#[test]
fn the_route_failure_timer_ends_the_snooze() {
    for (protocol, routing) in PROTOCOLS {
        let report = outage(routing, "reno+tcp-f(route_failure=0.5)");
        let flow = &report.document.flows[0];
        let each = flow.frozen_seconds / flow.freezes as f64;
        assert!(flow.freezes >= 1 && each <= 0.5 + 1e-9, "{protocol}: {} s each", each);
    }
}
