//! ns-2's own validation suite `test-suite-tcpVariants.tcl`: the same packets in the same order, each
//! within 0.1 ms.
//!
//! `ns2_validation/summary.csv` holds the results of ns-2.35 for all 50 plain, limited-transmit and
//! partial-ACK tests (counts, drops, retransmissions with times, last ACK); it is always checked. ns-2's
//! packet traces are compared where they are available: from Debian's package `ns2-examples`, or under
//! `TWORAY_REFERENCE` (or `../shared/reference` beside the repository).

pub mod network;
pub mod traces;

use network::{Run, run};
use tworay_tcp::{PartialAck, SackConfig, TcpConfig};

const SUMMARY: &str = include_str!("ns2_validation/summary.csv");
const TOLERANCE: f64 = 1e-4;

/// The packets dropped by the error model, by test.
const DROPS: [(&str, &[u64]); 6] = [
    ("onedrop", &[14]),
    ("twodrops", &[14, 28]),
    ("threedrops", &[14, 26, 28]),
    ("fourdrops", &[14, 24, 26, 28]),
    ("multiple", &[11, 12, 13, 14, 16, 17, 18, 19]),
    ("multiple2", &[11, 12, 13, 14, 16]),
];

/// Runs a test such as `fourdrops_SA_reno` or `multiple_partial_ack_sack`.
fn replay(name: &str) -> Run {
    let (test, rest) = name.split_once('_').expect("test_variant");
    let (limited, variant) = match rest.strip_prefix("SA_") {
        Some(variant) => (true, variant),
        None => (false, rest),
    };
    let (partial_ack, variant) = match variant.strip_prefix("partial_ack_") {
        Some(variant) => (PartialAck::TwoSegments, variant),
        None => (PartialAck::Pipe, variant),
    };
    let drops = DROPS.iter().find(|(t, _)| *t == test).expect("a known test").1;
    let base = TcpConfig::ns2_validation();
    let sack = SackConfig { partial_ack, ..base.sack.clone() };
    let config = TcpConfig { limited_transmit: limited, sack, ..base };
    let run = run(variant, &config, drops);
    assert_eq!(run.overflows, 0, "{name}: no queue overflows in the suite");
    run
}

/// Parses `14@2.0692 28@2.28108` as pairs.
fn moments(text: &str) -> Vec<(u64, f64)> {
    text.split_whitespace()
        .map(|m| {
            let (seq, time) = m.split_once('@').expect("seq@time");
            (seq.parse().expect("a number"), time.parse().expect("a time"))
        })
        .collect()
}

fn same_moments(found: &[(u64, f64)], expected: &[(u64, f64)]) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(f, e)| f.0 == e.0 && (f.1 - e.1).abs() < TOLERANCE)
}

#[test]
fn all_50_tests_have_the_figures_of_ns2() {
    let mut checked = 0;
    for line in SUMMARY.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let name = columns[0];
        let number = |i: usize| -> u64 { columns[i].parse().expect("a number") };
        let run = replay(name);
        assert!(same_moments(&run.drops, &moments(columns[6])), "{name}: drops {:?}", run.drops);
        let retransmissions = run.retransmissions();
        assert!(
            same_moments(&retransmissions, &moments(columns[7])),
            "{name}: retransmissions {retransmissions:?}, ns-2 {}",
            columns[7]
        );
        assert_eq!(run.data.len() as u64, number(1), "{name}: data packets sent");
        assert_eq!(retransmissions.len() as u64, number(2), "{name}: retransmissions");
        let last = run.acks_at_sender.last().expect("acks");
        assert_eq!(last.0, number(4), "{name}: last ACK");
        let at: f64 = columns[5].parse().expect("a time");
        assert!((last.1 - at).abs() < TOLERANCE, "{name}: last ACK at {}, ns-2 {at}", last.1);
        checked += 1;
    }
    assert_eq!(checked, 50);
}

#[test]
fn every_packet_and_ack_of_ns2s_traces() {
    let mut checked = Vec::new();
    for line in SUMMARY.lines().skip(1) {
        let name = line.split(',').next().expect("a name");
        if let Some(trace) = traces::find(name) {
            let run = replay(name);
            traces::compare(name, "packets", &run.packet_lines(), &trace.packets, TOLERANCE);
            traces::compare(name, "drops", &run.drop_lines(), &trace.drops, TOLERANCE);
            traces::compare(name, "acks", &run.ack_lines(), &trace.acks, TOLERANCE);
            checked.push(name);
        }
    }
    match checked.len() {
        0 => println!("ns-2's traces are not here (Debian: ns2-examples): only the figures were checked"),
        n => println!("compared {n} of 50 traces packet by packet"),
    }
}
