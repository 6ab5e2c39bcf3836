//! Every built-in scenario, short, in both dialects: the ledger explains every loss.

use super::{load, run_once};

const BUILT_IN: [&str; 24] = [
    "string-3x2",
    "string-5",
    "grid-3x3",
    "cross",
    "mesh-3",
    "mesh-6",
    "strip-50-10",
    "square-50-10",
    "strip-50",
    "square-50",
    "route-break",
    "energy-field",
    "energy-field-lost-link",
    "channel-errors",
    "congestion",
    "interference",
    "link-failure",
    "link-failure-shorter",
    "signal-loss",
    "dumbbell-3",
    "dumbbell-decrease-3",
    "split-dumbbell-3",
    "freeze-probing-field",
    "freeze-probing-field-udp",
];

fn explained(protocol: Option<&str>) {
    let mut lost = 0;
    for name in BUILT_IN {
        for dialect in ["standard", "ns2"] {
            let protocol = protocol.map(|p| format!("routing.protocol={p}"));
            let dialect = format!("dialect={dialect}");
            // The last flows of these two start at 100 s.
            let late = name.starts_with("freeze-probing");
            let mut sets = vec![dialect.as_str(), if late { "duration=110s" } else { "duration=40s" }];
            sets.extend(protocol.as_deref().filter(|_| !name.contains("dumbbell")));
            let report = run_once(&load(name, &sets), 1);
            let ledger = &report.document.ledger;
            lost += ledger.values().map(|n| n.data + n.ack).sum::<u64>();
            let unknown = ledger["unknown"];
            assert_eq!((unknown.data, unknown.ack), (0, 0), "{name} {sets:?}");
        }
    }
    assert!(lost > 1000, "{lost} lost");
}

#[test]
fn every_loss_of_a_built_in_scenario_is_explained() {
    explained(None);
}

#[test]
fn with_dsr() {
    explained(Some("dsr"));
}

#[test]
fn with_olsr() {
    explained(Some("olsr"));
}
