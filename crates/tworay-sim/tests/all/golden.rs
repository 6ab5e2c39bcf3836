//! Determinism: short runs of everything that can be chosen, whose results are known digit by digit.
//!
//! `golden/runs.txt` has for each run of `golden/cases.rs` the number of events and digests of its flows,
//! ledger, MAC, routing and energy. `golden/schema.txt` lists the keys of documents and the columns of
//! tables; the digests cover those with a star. `golden/summaries.txt` has the main figures of the same runs,
//! and the test prints the lines that differ. This test runs the debug build; the Python tests compare the
//! release build with the same files.
//!
//! A change of results must be deliberate: explain under "Changed results" in the CHANGELOG why the new ones
//! are right, and raise `tworay_sim::RESULTS`. A new metric or column changes no result: raise
//! `tworay_sim::SCHEMA`. Then, and after adding a case, run with `TWORAY_BLESS=1` to rewrite the files. The
//! digests cover a new key from the next change of results on.

mod cases;
mod shape;
mod words;

use crate::common::{load, run_once};
use cases::{Case, RECOVERIES, cases};
use serde_json::Value;
use shape::{Part, Shape, covered, digests};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tworay_sim::{Document, RESULTS, SCHEMA, Table};

const DIGESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/runs.txt");
const SUMMARIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/summaries.txt");
const KEYS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/schema.txt");

fn document(source: &str, seed: u64, overrides: &[&str]) -> String {
    let mut report = run_once(&load(source, overrides), seed);
    report.document.cpu_seconds = 0.0;
    report.json()
}

/// A golden run that is done.
struct Done {
    title: String,
    events: u64,
    document: Value,
    tables: Vec<Table>,
    shape: Shape,
    summary: String,
}

fn run(case: &Case) -> Done {
    let report = run_once(&case.scenario(), case.seed);
    let document = serde_json::to_value(&report.document).expect("a document is JSON");
    let mut shape = Shape::default();
    shape.add(&report, &document);
    Done {
        title: case.title(),
        events: report.document.events,
        document,
        tables: report.tables(),
        shape,
        summary: summary(&case.title(), &report.document),
    }
}

/// Does all runs on two threads, in the order of the cases.
fn run_all(cases: &[Case]) -> Vec<Done> {
    let turns = |first: usize| cases.iter().skip(first).step_by(2).map(run).collect::<Vec<_>>();
    let (even, odd) = std::thread::scope(|scope| {
        let odd = scope.spawn(|| turns(1));
        (turns(0), odd.join())
    });
    let (mut even, mut odd) = (even.into_iter(), odd.expect("the runs end").into_iter());
    std::iter::from_fn(|| {
        std::mem::swap(&mut even, &mut odd);
        odd.next()
    })
    .collect()
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
            f.timeouts.unwrap_or(0),
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
    if !d.diagnosis.is_empty() {
        line(format_args!("guesses: {:?}", d.diagnosis));
    }
    if d.mac.sent.values().sum::<u64>() > 0 {
        let (c, g) = (&d.mac.collisions, &d.mac.drops);
        line(format_args!("frames sent: {:?}, refused by queues: {}", d.mac.sent, d.mac.queue_drops));
        line(format_args!(
            "collisions: RTS or CTS {}, data {}, ACK {}, broadcast {}; given up: {}, {}, {}",
            c.rts_cts, c.data, c.ack, d.mac.broadcast_collisions, g.rts_cts, g.data, g.ack
        ));
        let r = &d.routing;
        line(format_args!(
            "routing {}: {} packets, {} bytes, {} route changes, {} false link failures",
            r.protocol,
            r.control_packets.unwrap_or(0),
            r.control_bytes.unwrap_or(0),
            r.route_changes.unwrap_or(0),
            r.false_link_failures
        ));
    }
    if let Some(joules) = d.energy.joules_total {
        let computed = d.energy.joules_computation.unwrap_or(0.0);
        let dead = d.energy.dead_nodes.unwrap_or(0);
        line(format_args!("energy: {joules:.6} J, computing {computed:.6} J, dead nodes {dead}"));
    }
    text
}

/// The lines by which a text differs from the known one, with the run they belong to. A run begins with a
/// line without indentation.
fn differences(known: &str, now: &str) -> String {
    let mut text = String::new();
    let (known, now) = (by_run(known), by_run(now));
    for run in now.keys().chain(known.keys().filter(|run| !now.contains_key(*run))) {
        let empty = Vec::new();
        let (before, after) = (known.get(run).unwrap_or(&empty), now.get(run).unwrap_or(&empty));
        if before == after && known.contains_key(run) == now.contains_key(run) {
            continue;
        }
        writeln!(text, "{run}").expect("writing to a string");
        let lines = [('-', before, after), ('+', after, before)];
        for (sign, mine, others) in lines {
            for line in mine.iter().filter(|line| !others.contains(line)) {
                writeln!(text, "{sign}{line}").expect("writing to a string");
            }
        }
    }
    text
}

fn by_run(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut runs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut run = "";
    for line in text.lines() {
        if line.starts_with(' ') {
            runs.entry(run).or_default().push(line);
        } else {
            run = line;
            runs.entry(run).or_default();
        }
    }
    runs
}

/// A golden file: its number in the first line, and the lines after it.
fn read(path: &str, word: &str) -> (u32, String) {
    let text = std::fs::read_to_string(path).expect("the golden file is there");
    let (first, rest) = text.split_once('\n').expect("a number stands first");
    let number = first.strip_prefix(word).and_then(|n| n.trim().parse().ok());
    (number.unwrap_or_else(|| panic!("{path} begins with `{word} N`")), rest.to_owned())
}

/// The golden files of today: the digests, the summaries and the schema, each without its number.
struct Files {
    digests: String,
    summaries: String,
    keys: String,
}

fn files(done: &[Done], covered: &BTreeSet<String>) -> Files {
    let mut shape = Shape::default();
    done.iter().for_each(|run| shape.join(run.shape.clone()));
    let (mut lines, mut summaries) = (String::new(), String::new());
    for run in done {
        let parts = digests(&run.document, &run.tables, covered).map(|digest| format!("{digest:016x}"));
        writeln!(lines, "{} {} {}", run.events, parts.join(" "), run.title).expect("writing to a string");
        summaries += &run.summary;
    }
    Files { digests: lines, summaries, keys: shape.lines(covered) }
}

/// Which lines of digests are of the same run and differ, with the parts that do.
fn moved(known: &str, now: &str) -> Vec<String> {
    let columns = || std::iter::once("events").chain(Part::ALL.map(Part::name));
    let by_title = |text: &str| -> BTreeMap<String, Vec<String>> {
        let words = |line: &str| line.splitn(7, ' ').map(str::to_owned).collect::<Vec<_>>();
        text.lines().map(words).filter_map(|mut w| Some((w.pop()?, w))).collect()
    };
    let known = by_title(known);
    let parts = |(title, now): (String, Vec<String>)| {
        let differ = columns().zip(known.get(&title)?.iter().zip(&now)).filter(|(_, (a, b))| a != b);
        let differ: Vec<&str> = differ.map(|(name, _)| name).collect();
        (!differ.is_empty()).then(|| format!("{title}: {}", differ.join(", ")))
    };
    by_title(now).into_iter().filter_map(parts).collect()
}

/// Keys without stars: what a reader of documents and tables sees.
fn bare(lines: &str) -> BTreeSet<&str> {
    lines.lines().map(|line| line.trim_start_matches(['*', ' '])).collect()
}

/// Keys with their types that only one of two lists has. A value that was null in all known runs may get a
/// type: no key was added.
fn other_keys(known: &str, now: &str) -> Vec<String> {
    let (known, now) = (bare(known), bare(now));
    let key = |line: &str| line.rsplit_once(' ').map_or(String::new(), |(key, _)| key.to_owned());
    let keys: BTreeSet<String> = now.iter().map(|line| key(line)).collect();
    let got_a_type =
        |line: &str| keys.contains(&key(line)) && known.contains(&*format!("{} null", key(line)));
    let other = known.symmetric_difference(&now).filter(|line| !got_a_type(line));
    other.map(|line| (*line).to_owned()).collect()
}

#[test]
fn a_value_that_was_always_null_may_get_a_type() {
    let count = |known: &str, now: &str| other_keys(known, now).len();
    assert_eq!(count("* a null\n  b number\n", "* a number\n  b number\n"), 0);
    assert_eq!(count("  a null\n", ""), 1, "removed");
    assert_eq!(count("  a number\n", "  a text\n"), 2);
    assert_eq!(count("  a number\n", "  a number\n  c null\n"), 1, "added");
}

/// Several losses in one window tell all recoveries apart, in both dialects. (In ns-2's dialect `relay.toml`
/// does not: its losses are repaired by timeouts alone.)
#[test]
fn golden_runs_tell_recoveries_apart() {
    let (_, digests) = read(DIGESTS, "results");
    for dialect in ["", " dialect=ns2"] {
        let results: BTreeSet<Option<&str>> = RECOVERIES
            .iter()
            .map(|variant| {
                let title = format!("burst.toml 1 tcp.variant={variant}{dialect}");
                let line = digests.lines().find(|line| line.ends_with(&format!(" {title}")));
                // The number of events.
                line.unwrap_or_else(|| panic!("no run {title}")).split(' ').next()
            })
            .collect();
        assert_eq!(results.len(), RECOVERIES.len(), "{dialect}: {results:?}");
    }
}

#[test]
fn runs_give_what_they_always_gave() {
    let done = run_all(&cases());
    let (results, known_digests) = read(DIGESTS, "results");
    let (schema, known_keys) = read(KEYS, "schema");
    let mut shape = Shape::default();
    done.iter().for_each(|run| shape.join(run.shape.clone()));
    let blessing = std::env::var_os("TWORAY_BLESS").is_some();
    // A change of results is the time to cover new keys. Until then a new key must not change the digests.
    let cover = if blessing && results != RESULTS {
        shape.keys().filter(|key| Part::of(key).is_some()).map(str::to_owned).collect()
    } else {
        covered(&known_keys)
    };
    let now = files(&done, &cover);
    let other_keys = other_keys(&known_keys, &now.keys);
    assert!(
        other_keys.is_empty() || (blessing && schema != SCHEMA),
        "keys of documents or columns of tables have changed: raise tworay_sim::SCHEMA, then TWORAY_BLESS=1\n{}",
        other_keys.join("\n")
    );
    if blessing {
        let moved = moved(&known_digests, &now.digests);
        assert!(
            results != RESULTS || moved.is_empty(),
            "results have changed: raise tworay_sim::RESULTS first\n{}",
            moved.join("\n")
        );
        let write = |path, text: String| std::fs::write(path, text).expect("the golden file can be written");
        write(DIGESTS, format!("results {RESULTS}\n{}", now.digests));
        write(KEYS, format!("schema {SCHEMA}\n{}", now.keys));
        write(SUMMARIES, now.summaries);
        return;
    }
    let known = std::fs::read_to_string(SUMMARIES).expect("the golden file is there");
    let lines = differences(&known, &now.summaries);
    assert!(lines.is_empty(), "results have changed: see the head of this file\n{lines}");
    let moved = moved(&known_digests, &now.digests);
    assert!(moved.is_empty(), "results have changed, but none of the main figures:\n{}", moved.join("\n"));
    assert!(known_digests == now.digests, "cases were added, moved or removed: TWORAY_BLESS=1");
    assert_eq!((results, schema), (RESULTS, SCHEMA), "raised without need, or not blessed: TWORAY_BLESS=1");
}

#[test]
fn every_word_of_a_scenario_has_a_case() {
    let missing = words::without_a_case(&cases());
    assert!(
        missing.is_empty(),
        "no golden run has these; add cases to golden/cases.rs:\n{}",
        missing.join("\n")
    );
}

#[test]
fn differences_name_the_run_and_the_figure() {
    let (known, now) = ("run a\n  x 1\nrun b\n  x 1\n  y 2\n", "run a\n  x 1\nrun b\n  x 1\n  y 3\n");
    assert_eq!(differences(known, now), "run b\n-  y 2\n+  y 3\n");
    assert_eq!(differences(known, known), "");
    assert_eq!(differences("run a\n", "run a\nrun b\n  x 1\n"), "run b\n+  x 1\n");
}

#[test]
fn a_moved_digest_names_the_run_and_the_part() {
    let known = "9 1 2 3 4 5 string-1 1\n9 1 2 3 4 5 string-2 1 a=b\n";
    assert_eq!(
        moved(known, "9 1 2 3 4 5 string-1 1\n9 1 7 3 4 6 string-2 1 a=b\n"),
        ["string-2 1 a=b: ledger, energy"]
    );
    assert!(
        moved(known, "9 1 2 3 4 5 string-1 1\n0 0 0 0 0 0 string-3 1\n").is_empty(),
        "a new case moves nothing"
    );
}

/// A metric that is only shown must not look like a change of results, and a changed value must.
#[test]
fn an_added_key_changes_no_digest_and_a_changed_value_does() {
    let run = run(&Case { source: "string-2", seed: 1, overrides: "duration=5s".into() });
    let cover: BTreeSet<String> =
        run.shape.keys().filter(|key| Part::of(key).is_some()).map(str::to_owned).collect();
    let before = digests(&run.document, &run.tables, &cover);
    let mut more = run.document.clone();
    more["flows"][0]["a_new_ratio"] = 0.25.into();
    more["ledger"]["a-new-cause"] = serde_json::json!({ "data": 0, "ack": 0 });
    assert_eq!(digests(&more, &run.tables, &cover), before);
    more["flows"][0]["timeouts"] = 77.into();
    let changed = digests(&more, &run.tables, &cover);
    assert_ne!(changed[0], before[0], "flows");
    assert_eq!(changed[1..], before[1..]);
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
