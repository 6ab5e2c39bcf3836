//! Shadowing and fading end to end: their effect on goodput, the causes in the ledger, and the settings
//! that enable them.

use crate::common::{load, run_once};

#[test]
fn fading_costs_goodput_and_the_channel_is_blamed() {
    let goodput = |sets: &[&str]| {
        let mut all =
            vec!["routing.protocol=static", "duration=60s", "topology.spacing=150m", "tcp.window=20"];
        all.extend(sets);
        let report = run_once(&load("string-1", &all), 1);
        let lost: u64 = report.document.ledger.values().map(|n| n.data + n.ack).sum();
        let channel = report.document.ledger["channel"];
        (report.document.flows[0].goodput_bps, lost, channel.data + channel.ack)
    };
    let (clear, lost, _) = goodput(&[]);
    assert_eq!(lost, 0);
    let (line_of_sight, ..) = goodput(&["radio.fading.k=6"]);
    let (rayleigh, ..) = goodput(&["radio.fading.k=0"]);
    // Datagrams in one direction meet no other frames: only the channel can lose them.
    let one_way = [
        "radio.fading.k=0",
        "flow.0.app=cbr",
        "flow.0.interval=100ms",
        "mac.arp=false",
        "topology.spacing=240m",
    ];
    let (_, lost, channel) = goodput(&one_way);
    assert!(line_of_sight < clear, "{line_of_sight} of {clear}");
    assert!(rayleigh < 0.9 * line_of_sight, "{rayleigh} of {line_of_sight}");
    assert!(lost > 0 && channel as f64 >= 0.9 * lost as f64, "{channel} of {lost}");
    let (shadowed, ..) = goodput(&["radio.shadowing.sigma=8dB"]);
    assert!(shadowed < 0.9 * clear, "{shadowed} of {clear}");
}

#[test]
fn a_faded_run_repeats_to_the_byte_and_differs_by_seed() {
    let world = load("string-3", &["duration=20s", "radio.fading.k=3", "radio.shadowing.sigma=4dB"]);
    let ledger = |seed| {
        let document = run_once(&world, seed).document;
        (document.events, document.flows)
    };
    assert_eq!(ledger(1), ledger(1));
    assert_ne!(ledger(1), ledger(2));
}

#[test]
fn the_complete_text_reads_back() {
    let world = load("string-3", &["radio.fading.k=3", "radio.shadowing.coherence=1s"]);
    let text = world.to_toml();
    assert!(text.contains("[radio.fading]") && text.contains("[radio.shadowing]"), "{text}");
    assert_eq!(crate::common::parse(&text), world);
    assert!(!load("string-3", &[]).to_toml().contains("fading"));
}
