//! Warnings of a run: flows without a path, flows that received nothing.

use crate::common::{parse, run_once};
use tworay_sim::scenario::Scenario;
use tworay_sim::{RunControl, RunError, RunOptions, Warning, WarningKind, run};

fn world(topology: &str, more: &str) -> Scenario {
    parse(&format!("duration = \"20s\"\n{topology}\n[[flow]]\nfrom = 0\nto = 2\n{more}"))
}

fn warnings(scenario: &Scenario) -> Vec<Warning> {
    run_once(scenario, 1).document.warnings
}

const STRING: &str = "[topology]\nkind = \"string\"\nhops = 2\nspacing = \"200m\"";

#[test]
fn a_flow_that_delivers_gives_no_warning() {
    assert_eq!(warnings(&world(STRING, "")), []);
}

#[test]
fn a_flow_without_a_path_is_told_what_would_help() {
    let apart = "[topology]\nkind = \"explicit\"\npositions = [[0, 0], [200, 0], [600, 0]]";
    let found = warnings(&world(apart, ""));
    assert_eq!(found.len(), 1, "it has no path, so nothing more is said of what didn't arrive");
    assert_eq!((found[0].flow, found[0].kind), (0, WarningKind::NoPath));
    assert!(
        found[0].text.contains("nodes 1 and 2 are 400 m apart, but links reach 250 m"),
        "{}",
        found[0].text
    );
}

/// The relay is off, so nothing arrives although the positions would permit it.
#[test]
fn a_flow_that_gets_nothing_is_told_why() {
    let off =
        world(STRING, "[[event]]\nnode = 1\nat = \"0s\"\nwhat = \"down\"\n[routing]\nprotocol = \"static\"");
    let found = warnings(&off);
    assert_eq!((found.len(), found[0].kind), (1, WarningKind::NothingArrived));
    let text = &found[0].text;
    assert!(
        text.starts_with("flow 0 (0 to 2): nothing arrived, although every hop of a path was in range: "),
        "{text}"
    );
    assert!(text.ends_with("died of node-down; a node on the way is off or has no power"), "{text}");
}

#[test]
fn a_flow_of_the_last_moment_is_told_that_it_is_one() {
    let late =
        parse(&format!("duration = \"20s\"\n{STRING}\n[[flow]]\nfrom = 0\nto = 2\nstart = \"19.9999s\""));
    let found = warnings(&late);
    assert!(found.is_empty() || found[0].text.ends_with("give a longer duration"), "{found:?}");
}

/// Building a network of very many nodes can be cancelled as well as running it.
#[test]
fn a_run_can_be_stopped_before_it_begins() {
    let control = RunControl::new();
    control.cancel();
    let grid = world(
        "[topology]\nkind = \"grid\"\nrows = 100\ncolumns = 100\nspacing = \"200m\"",
        "[routing]\nprotocol = \"static\"",
    );
    let outcome = run(&grid, &RunOptions::default(), &control);
    assert_eq!(outcome.err(), Some(RunError::Cancelled));
}

/// Colliding broadcasts are counted: in a synchronised crowd all of them collide.
#[test]
fn collisions_of_broadcasts_are_counted() {
    let star = "[topology]\nkind = \"explicit\"\npositions = [[0, 0], [200, 0], [-200, 0]]";
    let in_step = "[station]\nclock_offset = \"0s\"\nprocessing_delay = \"0s\"\nbroadcast_jitter = \"0s\"\n[[flow]]\nfrom = 1\nto = 0\n[[flow]]\nfrom = 2\nto = 0";
    let text = format!("duration = \"5s\"\n{star}\n{in_step}");
    let document = run_once(&parse(&text), 1).document;
    assert!(document.mac.broadcast_collisions > 0);
    assert_eq!(document.mac.drops.data + document.mac.drops.rts_cts, 0, "they are never sent again");
}
