//! Notices of broken links, from the node that met the break to the sender: who receives them, what ELFN
//! does with them, and what happens to them where no sender waits for them.

use crate::common::{parse, run_once, string_with_outage};
use tworay_sim::scenario::Scenario;
use tworay_sim::{ColumnData, RunControl, RunOptions, RunReport, run};

/// When the node in the middle of the string fails, and when it works again.
const DOWN: f64 = 20.0;
const UP: f64 = 33.0;
/// ELFN's interval between probes.
const INTERVAL: f64 = 2.0;

/// The string that loses node `lost` for some time, run until `end`.
fn outage(routing: &str, tcp: &str, lost: u16, end: f64) -> Scenario {
    string_with_outage((routing, tcp), lost, (DOWN, UP), end)
}

const PROTOCOLS: [(&str, &str); 4] = [
    ("DSR", "routing = { protocol = \"dsr\" }"),
    ("DSR as in ns-2", "routing = { protocol = \"dsr\", dsr.dialect = \"ns2\" }"),
    ("AODV", "routing = { protocol = \"aodv\" }"),
    ("AODV as in ns-2", "routing = { protocol = \"aodv\", aodv.dialect = \"ns2\" }"),
];

fn with_series(scenario: &Scenario, seed: u64) -> RunReport {
    let options = RunOptions { seed, series: true, ..RunOptions::default() };
    run(scenario, &options, &RunControl::new()).unwrap_or_else(|e| panic!("seed {seed}: {e}"))
}

fn column(report: &RunReport, table: &str, name: &str) -> Vec<f64> {
    let tables = report.tables();
    let table = tables.iter().find(|t| t.name == table).expect("a table");
    match table.columns.iter().find(|c| c.name == name).map(|c| &c.data) {
        Some(ColumnData::F64(values)) => values.clone(),
        other => panic!("{name}: {other:?}"),
    }
}

/// Time, window and timeout at each change of the sender's state.
fn states(report: &RunReport) -> Vec<[f64; 3]> {
    let [t, cwnd, rto] = ["t_s", "cwnd_segments", "rto_s"].map(|name| column(report, "series", name));
    (0..t.len()).map(|i| [t[i], cwnd[i], rto[i]]).collect()
}

/// The break is reported by a route error, or detected by the sender's own node. The sender stops, probes
/// with the oldest segment every 2 s, and resumes with the window and the timeout that it had.
#[test]
fn a_broken_link_puts_elfn_on_stand_by_until_a_probe_is_answered() {
    for (protocol, routing) in PROTOCOLS {
        for lost in [1, 2, 3] {
            let context = format!("{protocol}, node {lost}");
            let report = with_series(&outage(routing, "reno+elfn", lost, 60.0), 1);
            let told = column(&report, "guesses", "t_s")[0];
            // Immediately, or with the first timeout if everything outstanding had already passed the
            // sender's own node.
            assert!((DOWN..DOWN + 1.1).contains(&told), "{context}: told at {told} s");
            let late = u64::from(told > DOWN + 0.5);
            // Nothing changes until an acknowledgment arrives, when the node is back and routing has found
            // a route.
            let states = states(&report);
            let before = states.iter().rfind(|s| s[0] <= told).expect("a state");
            let after = states.iter().find(|s| s[0] > told + 1e-6).expect("a state");
            let resumed = after[0];
            assert!((UP..UP + 14.0).contains(&resumed), "{context}: resumed at {resumed} s");
            assert!((before[1]..before[1] + 1.0).contains(&after[1]), "{context}: {before:?} {after:?}");
            assert!(after[2] <= before[2], "{context}: {before:?} {after:?}");
            // The same run, until that moment and until just before it.
            let [waiting, flow] = [resumed - 1e-6, resumed + 1e-6]
                .map(|end| run_once(&outage(routing, "reno+elfn", lost, end), 1).document.flows.remove(0));
            assert_eq!((flow.freezes, flow.timeouts, flow.fast_retransmits), (1, Some(late), 0), "{context}");
            assert!((flow.frozen_seconds - (resumed - told)).abs() < 1e-6, "{context}");
            let probes = ((resumed - told) / INTERVAL) as u64;
            assert_eq!(waiting.retransmitted_segments, probes + late, "{context}: {told} to {resumed} s");
            // The window is 2 segments. After a timeout Reno goes back to the oldest segment (RFC 5681
            // §3.1): if the answer covers only that one, the other is retransmitted with it. Without a
            // timeout nothing is.
            let with_the_answer = flow.retransmitted_segments - waiting.retransmitted_segments;
            assert!(with_the_answer <= late, "{context}: {with_the_answer} at {resumed} s");
            // Reno doubles its timer over the same break.
            let reno = run_once(&outage(routing, "reno", lost, UP + 0.1), 1).document.flows.remove(0);
            assert!(reno.timeouts >= Some(3) && reno.freezes == 0, "{context}");
        }
    }
}

/// The diagnosis has the guess with the true cause: the node was off, or out of reach.
#[test]
fn the_word_is_in_the_diagnosis() {
    for (protocol, routing) in PROTOCOLS {
        let report = run_once(&outage(routing, "reno+elfn", 2, UP + 0.1), 1);
        let truth = &report.document.diagnosis["link-failure"];
        assert_eq!(truth.values().sum::<u64>(), 1, "{protocol}");
        assert!(truth.keys().all(|c| ["node-down", "link-failure"].contains(&c.as_str())), "{truth:?}");
    }
}

/// Other variants get the same notice and behave as without it.
#[test]
fn who_does_not_know_notices_goes_on() {
    for (protocol, routing) in PROTOCOLS {
        for tcp in ["tahoe", "newreno", "sack", "vegas"] {
            let report = run_once(&outage(routing, tcp, 2, 60.0), 1);
            let flow = &report.document.flows[0];
            assert!(flow.timeouts >= Some(3) && flow.freezes == 0, "{protocol}, {tcp}");
        }
    }
}

/// The break affects datagrams, and a transfer elsewhere is unrelated: the notice is counted as stray and
/// does not stop the transfer. The same with a transfer in the other direction.
#[test]
fn word_for_another_flow_is_ignored_and_counted() {
    for (protocol, routing) in PROTOCOLS {
        let [beside, back] = [(5, 6), (4, 0)].map(|(from, to)| {
            let report = run_once(
                &parse(&format!(
                    r#"
                    duration = "60s"
                    radio = {{ propagation = "range", range = "250m" }}
                    tcp = {{ variant = "reno+elfn", window = 2 }}
                    {routing}
                    [topology]
                    kind = "explicit"
                    positions = [[0, 0], [200, 0], [400, 0], [600, 0], [800, 0], [0, 900], [200, 900]]
                    [[flow]]
                    from = 0
                    to = 4
                    app = "cbr"
                    interval = "100ms"
                    [[flow]]
                    from = {from}
                    to = {to}
                    [[event]]
                    node = 3
                    at = "20s"
                    what = "down"
                    "#
                )),
                1,
            );
            let transfer = &report.document.flows[1];
            (
                transfer.freezes,
                transfer.ignored.as_ref().expect("TCP")["stray-notice"],
                report.document.routing.stray_notices.unwrap(),
            )
        });
        assert_eq!((beside.0, beside.1), (0, 0), "{protocol}");
        assert!(beside.2 >= 1, "{protocol}: {beside:?}");
        // The transfer from 4 met the same break, and is unaffected by node 0's notice.
        assert!(back.0 >= 1, "{protocol}");
        assert!(back.2 >= 1, "{protocol}: {back:?}");
    }
}

/// A string of 4 hops over DSR. If node 2 fails, a neighbour sends a notice to the sender or the receiver, which it still
/// reaches; with a window of 1 no other frame collides with it. If nodes 1 and 3 fail, node 2 gives up what it holds and notifies the ends in vain: no way
/// back is left. Over AODV route errors name no source.
#[test]
fn notices_are_counted_where_they_are_sent_and_where_they_arrive() {
    let notices = |protocol: &str, (window, end): (u32, f64), lost: &[u16]| {
        let events: String = lost
            .iter()
            .map(|node| format!("[[event]]\nnode = {node}\nat = \"20s\"\nwhat = \"down\"\n"))
            .collect();
        let text = format!(
            r#"
            duration = "{end}s"
            radio = {{ propagation = "range", range = "250m" }}
            topology = {{ kind = "string", hops = 4 }}
            tcp = {{ variant = "reno+elfn", window = {window} }}
            routing.protocol = "{protocol}"
            [[flow]]
            from = 0
            to = 4
            {events}"#
        );
        let routing = run_once(&parse(&text), 1).document.routing;
        (routing.notices_sent, routing.notices_arrived)
    };
    let (sent, arrived) = notices("dsr", (1, 25.0), &[2]);
    assert!(sent >= Some(1) && arrived == sent, "{sent:?} {arrived:?}");
    // A larger window has breaks by contention before.
    let [before, after] = [DOWN + 0.001, 25.0].map(|end| notices("dsr", (8, end), &[1, 3]));
    assert!(after.0 > before.0 && after.1 == before.1, "{before:?} {after:?}");
    assert_eq!(notices("aodv", (1, 25.0), &[2]), (None, None));
}

/// Whole numbers of a table; missing ones are -1.
fn integers(report: &RunReport, table: &str, name: &str) -> Vec<i64> {
    let tables = report.tables();
    let table = tables.iter().find(|t| t.name == table).expect("a table");
    match table.columns.iter().find(|c| c.name == name).map(|c| &c.data) {
        Some(ColumnData::I64(values)) => values.clone(),
        Some(ColumnData::MaybeI64(values)) => values.iter().map(|v| v.unwrap_or(-1)).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

/// A string of 4 hops with a window of 8 segments, over AODV; node 2 fails. Node 1 gives up the first segment
/// that it cannot pass on, drops it, and sends the route error. The notice names that segment, and so does
/// the guess, although older ones may be outstanding: those that node 2 and the nodes behind it held.
#[test]
fn the_guess_is_about_the_segment_that_met_the_break() {
    let text = r#"
        duration = "22s"
        topology = { kind = "string", hops = 4 }
        radio = { propagation = "range", range = "250m", reception = "capture" }
        routing = { protocol = "aodv" }
        tcp = { variant = "reno+elfn", window = 8, rto.min = "1s" }
        [[flow]]
        from = 0
        to = 4
        [[event]]
        node = 2
        at = "20s"
        what = "down"
    "#;
    let mut compared = 0;
    for seed in 1..=10 {
        let report = with_series(&parse(text), seed);
        let guessed = column(&report, "guesses", "t_s").into_iter().zip(integers(&report, "guesses", "seq"));
        let Some((told, seq)) = guessed.into_iter().find(|g| g.0 >= DOWN) else { continue };
        let struck = column(&report, "ledger", "since_s");
        let [seqs, nodes, hops] =
            ["seq", "root_node", "next_hop"].map(|name| integers(&report, "ledger", name));
        let met = (0..seqs.len())
            .filter(|&i| (DOWN..told).contains(&struck[i]) && (nodes[i], hops[i]) == (1, 2))
            .min_by(|&a, &b| struck[a].total_cmp(&struck[b]));
        let Some(met) = met else { continue };
        assert_eq!(seq, seqs[met], "seed {seed}: told at {told} s");
        compared += 1;
    }
    assert!(compared >= 5, "{compared} of 10 runs had the break and the notice");
}
