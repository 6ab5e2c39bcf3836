//! Determinism: ten runs whose documents are known byte by byte.
//!
//! `golden/runs.txt` has a digest (FNV-1a, 64 bit) of each run's `--json` document with `cpu_seconds` set
//! to zero. This test runs the debug build; the Python tests compare the release build with the same file.
//! A change of results must be deliberate: explain under "Changed results" in the CHANGELOG why the new
//! ones are right, raise `tworay_sim::RESULTS`, then run with `TWORAY_BLESS=1` to rewrite the files. The first
//! line of `runs.txt` is the number that belongs to its digests.
//!
//! A digest only shows that something changed. `golden/summaries.txt` has the main figures of the same
//! runs, and this test prints the lines that differ.

mod common;
use common::{load, run_once};
use std::fmt::Write;
use tworay_sim::{Document, RESULTS, RunReport};

const DIGESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/runs.txt");
const SUMMARIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/summaries.txt");

const RUNS: [(&str, u64, &[&str]); 10] = [
    ("string-1", 1, &["duration=20s", "routing.protocol=static"]),
    ("string-4", 3, &["duration=40s", "tcp.variant=tahoe"]),
    ("string-4", 3, &["duration=40s", "tcp.variant=reno"]),
    ("string-4", 3, &["duration=40s", "tcp.variant=newreno", "dialect=ns2"]),
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

fn run(source: &str, seed: u64, overrides: &[&str]) -> RunReport {
    let mut report = run_once(&load(source, overrides), seed);
    report.document.cpu_seconds = 0.0;
    report
}

fn document(source: &str, seed: u64, overrides: &[&str]) -> String {
    run(source, seed, overrides).json()
}

/// The main figures of a run, one line per topic.
fn summary(title: &str, d: &Document) -> String {
    let mut text = format!("{title}\n  events {}\n", d.events);
    let mut line = |words: std::fmt::Arguments<'_>| writeln!(text, "  {words}").expect("writing to a string");
    for f in &d.flows {
        line(format_args!(
            "flow {} {}-{} {}: {:.1} bit/s, sent {}, again {}, acknowledged {}, timeouts {}, fast {}",
            f.id,
            f.from,
            f.to,
            f.tcp.as_deref().unwrap_or("udp"),
            f.goodput_bps,
            f.sent_segments,
            f.retransmitted_segments,
            f.acked_segments,
            f.timeouts,
            f.fast_retransmits,
        ));
        line(format_args!(
            "flow {} means: cwnd {:.3}, rtt {:.4} s, delay {:.4} s, hops {:.2}",
            f.id,
            f.mean_cwnd_segments.unwrap_or(0.0),
            f.mean_rtt_seconds.unwrap_or(0.0),
            f.mean_delay_seconds.unwrap_or(0.0),
            f.mean_hops.unwrap_or(0.0),
        ));
    }
    let lost = d.ledger.iter().filter(|(_, n)| n.data + n.ack > 0);
    let lost: Vec<String> = lost.map(|(cause, n)| format!("{cause} {}+{}", n.data, n.ack)).collect();
    line(format_args!("lost, data + ACK: {}", lost.join(", ")));
    line(format_args!("guesses: {:?}", d.diagnosis));
    let (c, g) = (&d.mac.collisions, &d.mac.drops);
    line(format_args!("frames sent: {:?}, refused by queues: {}", d.mac.sent, d.mac.queue_drops));
    line(format_args!(
        "collisions: RTS or CTS {}, data {}, ACK {}, broadcast {}; given up: {}, {}, {}",
        c.rts_cts, c.data, c.ack, d.mac.broadcast_collisions, g.rts_cts, g.data, g.ack
    ));
    let r = &d.routing;
    line(format_args!(
        "routing {}: {} packets, {} bytes, {} route changes, {} false link failures",
        r.protocol, r.control_packets, r.control_bytes, r.route_changes, r.false_link_failures
    ));
    text
}

/// The lines in which two texts differ, with the run they belong to.
fn differences(known: &str, now: &str) -> String {
    let mut text = String::new();
    let mut run = "";
    for (known, now) in known.lines().zip(now.lines()) {
        if !now.starts_with(' ') {
            run = now;
        }
        if known != now {
            write!(text, "{run}\n-{known}\n+{now}\n").expect("writing to a string");
        }
    }
    text
}

#[test]
fn ten_runs_give_the_bytes_they_always_gave() {
    let read = |path: &str| std::fs::read_to_string(path).expect("the golden file is there");
    let (mut digests, mut summaries) = (format!("results {RESULTS}\n"), String::new());
    for (source, seed, overrides) in RUNS {
        let report = run(source, seed, overrides);
        let title = format!("{source} {seed} {}", overrides.join(" "));
        writeln!(digests, "{:016x} {title}", fnv1a(&report.json())).expect("writing to a string");
        summaries += &summary(&title, &report.document);
    }
    if std::env::var_os("TWORAY_BLESS").is_some() {
        let before = read(DIGESTS);
        let (number, runs) = before.split_once('\n').expect("the number of the results stands first");
        let raised = number != format!("results {RESULTS}");
        assert!(raised || digests.ends_with(runs), "results have changed: raise tworay_sim::RESULTS first");
        std::fs::write(DIGESTS, &digests).expect("the golden file can be written");
        std::fs::write(SUMMARIES, &summaries).expect("the golden file can be written");
    }
    let known = read(SUMMARIES);
    let moved = differences(&known, &summaries);
    assert!(known == summaries, "results have changed: see the head of this file\n{moved}");
    assert_eq!(digests, read(DIGESTS), "results have changed, but none of the main figures");
}

#[test]
fn differences_name_the_run_and_the_figure() {
    let (known, now) = ("run a\n  x 1\nrun b\n  x 1\n  y 2\n", "run a\n  x 1\nrun b\n  x 1\n  y 3\n");
    assert_eq!(differences(known, now), "run b\n-  y 2\n+  y 3\n");
    assert_eq!(differences(known, known), "");
}

#[test]
fn the_same_run_twice_gives_the_same_bytes_and_another_seed_others() {
    let once = |seed| document("strip-50", seed, &["duration=20s"]);
    let first = once(11);
    assert_eq!(first, once(11));
    assert_ne!(first, once(12));
}

/// Runs share no state: four in parallel threads give the same results as one at a time.
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

/// Common random numbers: changing the variant of flow 1 changes no draw of other nodes, so the network
/// (here: the nodes' movement) stays the same.
#[test]
fn variants_meet_the_same_world() {
    let hops = |tcp: &str| {
        let scenario = load("strip-50", &["duration=50s", tcp]);
        let facts = tworay_sim::facts(&scenario, 5).expect("facts").0;
        (facts.mean_shortest_path_hops, facts.partitioned_fraction)
    };
    assert_eq!(hops("tcp.variant=tahoe"), hops("tcp.variant=sack"));
}
