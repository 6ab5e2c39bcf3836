//! Wires, their kinds, and events.

use super::{edited, refusal};

#[test]
fn wires_and_events_are_checked() {
    assert_eq!(
        edited("[[flow]]", "[[wire]]\nfrom = 0\nto = 9\nrate = \"1Mbps\"\n[[flow]]"),
        "my.toml:7:6: wire.0.to: there is no node 9\n  7 | to = 9\n    |      ^\nThis scenario has 5 nodes, numbered 0 to 4."
    );
    assert_eq!(
        edited("[[flow]]", "[[wire]]\nfrom = 1\nto = 1\nrate = \"1Mbps\"\n[[flow]]"),
        "my.toml:7:6: wire.0.to: the wire joins node 1 to itself\n  7 | to = 1\n    |      ^\nName two different nodes."
    );
    assert_eq!(
        edited("[[flow]]", "[[wire]]\nfrom = 0\nto = 1\nrate = \"1Mbps\"\nqueue = 0\n[[flow]]"),
        "my.toml:9:9: wire.0.queue: a queue of 0 packets is out of range\n  9 | queue = 0\n    |         ^\nGive 1 to 1000000 packets, such as 50."
    );
    assert_eq!(
        edited("[[flow]]", "[[event]]\nnode = 2\nat = \"200s\"\nwhat = \"down\"\n[[flow]]"),
        r#"my.toml:7:6: event.0.at: 200s is after the run's end (100s)
  7 | at = "200s"
    |      ^^^^^^
Give an earlier time, or a longer duration."#
    );
    let event = |keys: &str| edited("[[flow]]", &format!("[[event]]\n{keys}\nat = \"20s\"\n[[flow]]"));
    for (keys, expected) in [
        (
            "flow = 0\nwhat = \"cut\"\nfor = \"0s\"",
            "event.0.for: must be longer than zero\nGive a time such as \"60s\".",
        ),
        (
            "flow = 7\nwhat = \"cut\"",
            "event.0.flow: there is no flow 7\nThis scenario has one flow, number 0.",
        ),
        (
            "node = 1\nflow = 0\nwhat = \"cut\"",
            "event.0.node: does not apply to a cut link\nRemove it, or name a flow: the link is one that this flow uses.",
        ),
        ("what = \"down\"", "event.0.what: no node is named\nAdd node = and its number."),
        (
            "node = 1\nwhat = \"down\"\nfor = \"60s\"",
            "event.0.for: does not apply to a node\nRemove it, or write what = \"cut\" to cut a link of a flow.",
        ),
    ] {
        let told = event(keys);
        let (problem, remedy) = expected.split_once('\n').unwrap();
        assert!(told.contains(problem) && told.ends_with(remedy), "{keys}: {told}");
    }
}

/// A valid wired scenario, with `keys` in its link and `more` appended.
fn wired(keys: &str, more: &str) -> String {
    format!(
        "duration = \"10s\"\n[[wire]]\nfrom = 0\nto = 1\nrate = \"1Mbps\"\n{keys}\n[[flow]]\nfrom = 0\nto = 1\n{more}"
    )
}

#[test]
fn links_say_what_is_wrong_with_red_errors_handoffs_and_kinds() {
    assert_eq!(
        refusal(&wired("red = { min_threshold = 20 }", ""), &[]),
        r#"my.toml:6:1: wire.0.red.max_threshold: 15 is not above min_threshold 20
  6 | red = { min_threshold = 20 }
    | ^^^
Three times min_threshold is usual."#
    );
    assert_eq!(
        refusal(&wired("errors = { bernoulli = { rate = 2 } }", ""), &[]),
        r#"my.toml:6:33: wire.0.errors.bernoulli.rate: 2 is out of range
  6 | errors = { bernoulli = { rate = 2 } }
    |                                 ^
Give a value from 0 to 1."#
    );
    assert_eq!(
        refusal(&wired("handoffs = { length = \"0.5s\", at = [\"1s\", \"11s\"] }", ""), &[]),
        r#"my.toml:6:43: wire.0.handoffs.at.1: 11s is after the run's end (10s)
  6 | handoffs = { length = "0.5s", at = ["1s", "11s"] }
    |                                           ^^^^^
Give an earlier time, or a longer duration."#
    );
    assert_eq!(
        refusal(&wired("kind = \"snik\"", "[wire_kind.sink]\nqueue = 9\n"), &[]),
        r#"my.toml:6:8: wire.0.kind: there is no [wire_kind.snik]
  6 | kind = "snik"
    |        ^^^^^^
Did you mean "sink"? Kinds here: sink."#
    );
    assert_eq!(
        refusal(&wired("kind = \"sink\"", "[wire_kind.sink]\nqueue = 0\n"), &[]),
        r#"my.toml:11:9: wire.0.queue: a queue of 0 packets is out of range
  11 | queue = 0
     |         ^
Give 1 to 1000000 packets, such as 50."#
    );
}

/// Keys of a kind that no wire has would do nothing.
#[test]
fn a_kind_without_a_wire_is_refused() {
    let sink = wired("kind = \"sink\"", "[wire_kind.sink]\nqueue = 9\n");
    assert_eq!(
        refusal(&sink, &["wire_kind.snik.errors.bernoulli.rate=0.1"]),
        r#"--set: wire_kind.snik: no wire is of this kind
   | wire_kind.snik.errors.bernoulli.rate=0.1
   |           ^^^^
Did you mean "sink"? Kinds here: sink."#
    );
    assert_eq!(
        refusal(&wired("", "[wire_kind.sink]\nqueue = 9\n"), &[]),
        r#"my.toml:10:12: wire_kind.sink: no wire is of this kind
  10 | [wire_kind.sink]
     |            ^^^^
Give a [[wire]] kind = "sink", or remove this."#
    );
    assert_eq!(
        refusal(super::GOOD, &["wire_kind.sink.queue=9"]),
        r#"--set: wire_kind.sink: no wire is of this kind
   | wire_kind.sink.queue=9
   |           ^^^^
Give a [[wire]] kind = "sink", or remove this."#
    );
    let number = refusal(&wired("kind = 7", "[wire_kind.sink]\nqueue = 9\n"), &[]);
    assert!(number.starts_with("my.toml:6:8: wire.0.kind: "), "{number}");
}
