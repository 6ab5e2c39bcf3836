//! Animations for NetAnim: all elements and attributes are known to its reader, and the packets shown are
//! those delivered.

#![allow(clippy::unwrap_used)]

use crate::common::load;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tworay_sim::{RunControl, RunOptions, run};

/// Elements and attributes, in order, that NetAnim 3.110's `animxmlparser.cpp` reads and that are used
/// here. `nu` elements are distinguished by what they change.
const KNOWN: [(&str, &[&str]); 7] = [
    ("anim", &["ver", "filetype"]),
    ("node", &["id", "sysId", "locX", "locY"]),
    ("nu p", &["p", "t", "id", "x", "y"]),
    ("nu s", &["p", "t", "id", "w", "h"]),
    ("nu d", &["p", "t", "id", "descr"]),
    ("nu c", &["p", "t", "id", "r", "g", "b"]),
    ("wp", &["fId", "fbTx", "lbTx", "meta-info", "tId", "fbRx", "lbRx"]),
];

type Element = (String, Vec<(String, String)>);

/// Elements of a document that has one per line.
fn elements(text: &str) -> Vec<Element> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"));
    assert_eq!(text.lines().last(), Some("</anim>"));
    lines.filter(|line| !line.starts_with("</")).map(element).collect()
}

fn element(line: &str) -> Element {
    let inner = line.strip_prefix('<').unwrap().trim_end_matches("/>").trim_end_matches('>').trim_end();
    let (name, mut rest) = inner.split_once(' ').unwrap();
    let mut attributes = Vec::new();
    while let Some((key, after)) = rest.trim_start().split_once("=\"") {
        let (value, after) = after.split_once('"').unwrap();
        assert!(!value.contains(['<', '>']), "{line}");
        attributes.push((key.to_string(), value.to_string()));
        rest = after;
    }
    assert!(rest.trim().is_empty(), "{line}");
    let name = if name == "nu" { format!("nu {}", attributes[0].1) } else { name.to_string() };
    (name, attributes)
}

fn number(element: &Element, key: &str) -> f64 {
    element.1.iter().find(|(k, _)| k == key).unwrap().1.parse().unwrap()
}

fn animated(name: &str, scenario: &str, overrides: &[&str]) -> (tworay_sim::RunReport, String) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("animation-{name}.xml"));
    let options = RunOptions { animation: Some(path.clone()), ..RunOptions::default() };
    let report = run(&load(scenario, overrides), &options, &RunControl::new()).unwrap();
    (report, std::fs::read_to_string(path).unwrap())
}

#[test]
fn the_reader_knows_every_element_and_attribute() {
    let (_, text) = animated("known", "strip-50", &["duration=20s"]);
    let known = BTreeMap::from(KNOWN);
    let elements = elements(&text);
    let mut seen = BTreeSet::new();
    for (name, attributes) in &elements {
        let keys: Vec<&str> = attributes.iter().map(|(k, _)| k.as_str()).collect();
        assert_eq!(Some(&keys.as_slice()), known.get(name.as_str()), "{name}");
        seen.insert(name.as_str());
    }
    assert_eq!(seen.len(), KNOWN.len(), "all of them are there: {seen:?}");
}

/// A frame arrives after it was sent, once at each receiver; every acknowledged segment is shown.
#[test]
fn frames_fly_from_a_sender_to_their_receivers() {
    let (report, text) = animated("flight", "string-4", &["duration=10s"]);
    let mut met = BTreeSet::new();
    let mut at_sink = 0;
    for e in elements(&text).into_iter().filter(|e| e.0 == "wp") {
        let [from, to, fb_tx, lb_tx, fb_rx, lb_rx] =
            ["fId", "tId", "fbTx", "lbTx", "fbRx", "lbRx"].map(|key| number(&e, key));
        assert!(from != to && lb_tx > fb_tx);
        assert!((0.0..3e-6).contains(&(fb_rx - fb_tx)) && (0.0..3e-6).contains(&(lb_rx - lb_tx)), "{e:?}");
        assert!(met.insert((from as u16, to as u16, (fb_tx * 1e9) as u64)), "once: {e:?}");
        at_sink += u64::from(to == 4.0 && lb_tx - fb_tx > 0.005);
    }
    let acked = report.document.flows[0].acked_segments;
    assert!(acked > 50 && at_sink >= acked, "{at_sink} segments arrive, {acked} are acknowledged");
}

#[test]
fn animating_changes_nothing_and_needs_places() {
    let (mut with, text) = animated("same", "string-2", &["duration=5s"]);
    let (_, again) = animated("again", "string-2", &["duration=5s"]);
    assert!(text == again);
    let mut without = crate::common::run_once(&load("string-2", &["duration=5s"]), 1);
    with.document.cpu_seconds = 0.0;
    without.document.cpu_seconds = 0.0;
    assert_eq!(with.json(), without.json());
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("animation-none.xml");
    let options = RunOptions { animation: Some(path.clone()), ..RunOptions::default() };
    let refused = run(&load("dumbbell-4", &[]), &options, &RunControl::new());
    assert!(refused.is_err_and(|e| e.to_string().contains("wired-only")));
    assert!(!path.exists());
}
