//! Every built-in scenario, short, in every dialect that it has: the ledger explains every loss.

use super::{load, run_once};
use tworay_sim::scenario::builtin_list;

/// The built-in scenarios; of a family one of its smaller members.
fn built_in() -> Vec<String> {
    let small = [("string-N", "string-5"), ("HxN", "3x2"), ("RxC", "3x3"), ("50-N", "50-10"), ("-N", "-3")];
    let member =
        |name: String| small.iter().fold(name, |name, (letters, numbers)| name.replace(letters, numbers));
    builtin_list().into_iter().map(|builtin| member(builtin.name)).collect()
}

/// Runs all of them, with another routing protocol where one is given and the nodes have radios.
fn explained(protocol: Option<&str>) {
    let mut lost = 0;
    for name in built_in() {
        // ns-2 has no radio of 802.11n or ac.
        let ofdm = ["street-n", "mesh-ac-25", "hidden-n"].contains(&name.as_str());
        let wired = name.contains("dumbbell") || name.starts_with("bottleneck");
        for dialect in if ofdm { &["standard"][..] } else { &["standard", "ns2"] } {
            let protocol = protocol.filter(|_| !wired).map(|p| format!("routing.protocol={p}"));
            let dialect = format!("dialect={dialect}");
            // The last flows of these two start at 100 s.
            let late = name.starts_with("freeze-probing");
            let duration = match (late, ofdm) {
                (true, _) => "duration=110s",
                (_, true) => "duration=12s",
                _ => "duration=40s",
            };
            let mut sets = vec![dialect.as_str(), duration];
            sets.extend(protocol.as_deref());
            let report = run_once(&load(&name, &sets), 1);
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
