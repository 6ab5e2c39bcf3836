//! Determinism: ten runs whose documents are known to the byte.
//!
//! `golden/runs.txt` holds a digest (FNV-1a, 64 bit) of each run's `--json` document with
//! `cpu_seconds` set to zero. This test runs the debug build; the Python tests compare the release
//! build with the same file. A change of results is a decision: say why the new ones are right under
//! "Changed results" in the CHANGELOG, then run with `TWORAY_BLESS=1` to write the file anew.

mod common;
use common::{load, run_once};
use std::fmt::Write;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/runs.txt");

const RUNS: [(&str, u64, &[&str]); 10] = [
    ("string-1", 1, &["duration=20s", "routing.protocol=static"]),
    ("string-4", 3, &["duration=40s", "tcp.variant=tahoe"]),
    ("string-4", 3, &["duration=40s", "tcp.variant=reno"]),
    ("string-4", 3, &["duration=40s", "tcp.variant=newreno", "compat=ns2"]),
    ("string-7", 5, &["duration=40s", "tcp.variant=sack", "radio.reception=capture"]),
    ("string-4", 2, &["duration=40s", "mac.rts=none", "routing.protocol=static"]),
    ("grid-5x5", 1, &["duration=30s"]),
    ("cross", 4, &["duration=30s"]),
    ("strip-50", 1, &["duration=30s"]),
    ("square-50", 2, &["duration=30s", "tcp.variant=sack"]),
];

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn document(source: &str, seed: u64, overrides: &[&str]) -> String {
    let mut report = run_once(&load(source, overrides), seed);
    report.document.cpu_seconds = 0.0;
    report.json()
}

#[test]
fn ten_runs_give_the_bytes_they_always_gave() {
    let mut now = String::new();
    for (source, seed, overrides) in RUNS {
        let digest = fnv1a(&document(source, seed, overrides));
        writeln!(now, "{digest:016x} {source} {seed} {}", overrides.join(" ")).expect("writing to a string");
    }
    if std::env::var_os("TWORAY_BLESS").is_some() {
        std::fs::write(FILE, &now).expect("the golden file can be written");
    }
    let known = std::fs::read_to_string(FILE).expect("the golden file is there");
    assert_eq!(now, known, "results have changed: see the head of this file");
}

#[test]
fn the_same_run_twice_gives_the_same_bytes_and_another_seed_others() {
    let once = |seed| document("strip-50", seed, &["duration=20s"]);
    let first = once(11);
    assert_eq!(first, once(11));
    assert_ne!(first, once(12));
}

/// Runs don't share anything: four at once on other threads give what they give alone.
#[test]
fn threads_do_not_change_results() {
    let alone: Vec<String> = (1..=4).map(|s| document("grid-5x5", s, &["duration=10s"])).collect();
    let together: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> =
            (1..=4).map(|s| scope.spawn(move || document("grid-5x5", s, &["duration=10s"]))).collect();
        running.into_iter().map(|r| r.join().expect("the run ends")).collect()
    });
    assert_eq!(alone, together);
}

/// Common random numbers: changing flow 1's variant leaves the other nodes' draws alone, so the world
/// (here: where nodes walk) is the same.
#[test]
fn variants_meet_the_same_world() {
    let hops = |tcp: &str| {
        let scenario = load("strip-50", &["duration=50s", tcp]);
        let facts = tworay_sim::facts(&scenario, 5).expect("facts").0;
        (facts.mean_shortest_path_hops, facts.partitioned_fraction)
    };
    assert_eq!(hops("tcp.variant=tahoe"), hops("tcp.variant=sack"));
}
