//! Every variant that differentiates losses records its guesses: the diagnosis has one for each reaction.

use crate::common::{load, run_once};

/// A string with losses of all kinds: contention, which ns-2's rule for overlapping signals makes frequent,
/// false breaks, and bit errors.
fn diagnosis(tcp: &str) -> (u64, u64, Vec<String>) {
    let tcp = format!("tcp.variant={tcp}");
    let world = ["duration=60s", "errors.pkt_err.bernoulli.rate=0.005", "radio.reception=capture"];
    let sets = [&world[..], &[tcp.as_str()]].concat();
    let report = run_once(&load("string-5", &sets), 5);
    let table = &report.document.diagnosis;
    let guesses = table.values().flat_map(|row| row.values()).sum();
    let flow = &report.document.flows[0];
    (guesses, flow.fast_retransmits + flow.timeouts.expect("counted"), table.keys().cloned().collect())
}

#[test]
fn reactions_and_guesses() {
    // Variant, its guesses, and whether every fast retransmit and every timeout has one.
    let table: [(&str, &[&str], bool); 16] = [
        ("newreno-ff", &["congestion", "channel"], true),
        ("fixed-rto", &["congestion", "link-failure"], false),
        ("welcome", &["congestion", "channel", "link-failure"], false),
        ("probing", &["congestion", "transient"], false),
        ("elfn", &["link-failure"], false),
        // These guess only on fast retransmits.
        ("veno", &["congestion", "channel"], false),
        ("cerl", &["congestion", "channel"], false),
        ("cdg", &["congestion", "channel"], false),
        ("spike", &["congestion", "channel"], false),
        ("zigzag", &["congestion", "channel"], false),
        ("biaz", &["congestion", "channel"], false),
        ("zbs", &["congestion", "channel"], false),
        ("adtcp", &["congestion", "channel", "link-failure"], true),
        ("tcp-door", &["congestion", "link-failure"], true),
        ("atcp", &["channel", "link-failure"], false),
        ("tcp-f", &["link-failure"], false),
    ];
    for (tcp, words, each) in table {
        let (guesses, reactions, said) = diagnosis(tcp);
        assert!(guesses >= 5, "{tcp}: {guesses} guesses");
        assert!(said.iter().all(|w| words.contains(&w.as_str())), "{tcp}: {said:?}");
        assert!(!each || guesses == reactions, "{tcp}: {guesses} guesses, {reactions} reactions");
    }
    // Variants without loss differentiation record no guesses.
    for tcp in ["tahoe", "reno", "newreno", "sack", "vegas", "westwood", "freeze-probing", "cubic"] {
        assert_eq!(diagnosis(tcp).0, 0, "{tcp}");
    }
}
