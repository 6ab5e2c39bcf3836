//! Keys and choices that do not exist, or no longer; TOML; `--set`.

use super::{GOOD, edited, refusal};

#[test]
fn unknown_keys_name_the_nearest_one() {
    assert_eq!(
        edited("duration", "duratoin"),
        r#"my.toml:1:1: unknown key "duratoin"
  1 | duratoin = "100s"
    | ^^^^^^^^
Did you mean "duration"?"#
    );
    assert_eq!(
        edited("hops = 4", "hop = 4"),
        r#"my.toml:4:1: unknown key "hop" in topology
  4 | hop = 4
    | ^^^
Did you mean "hops"?"#
    );
    assert_eq!(
        edited("[topology]", "[mac]\nrts_treshold = \"3000B\"\n[topology]"),
        r#"my.toml:3:1: unknown key "rts_treshold" in mac
  3 | rts_treshold = "3000B"
    | ^^^^^^^^^^^^
Did you mean "rts_threshold"?"#
    );
    assert_eq!(
        edited("[topology]", "[tcp]\nvarant = \"reno\"\n[topology]"),
        r#"my.toml:3:1: unknown key "varant" in tcp
  3 | varant = "reno"
    | ^^^^^^
Did you mean "variant"?"#
    );
    assert_eq!(
        edited("to = 4", "to = 4\napp = \"cbr\"\nrat = \"1Mbps\""),
        r#"my.toml:9:1: unknown key "rat" in flow.0
  9 | rat = "1Mbps"
    | ^^^
Did you mean "rate"?"#
    );
    assert_eq!(
        edited("[topology]", "[mobility]\nkind = \"static\"\nspeed = \"3m/s\"\n[topology]"),
        r#"my.toml:4:1: unknown key "speed" in mobility
  4 | speed = "3m/s"
    | ^^^^^
Remove it: no further keys are allowed here."#
    );
}

#[test]
fn values_that_are_a_choice_list_the_choices() {
    assert_eq!(
        edited("\"string\"", "\"stirng\""),
        r#"my.toml:3:8: topology.kind: unknown value "stirng"
  3 | kind = "stirng"
    |        ^^^^^^^^
Did you mean "string"? Allowed: recorded, string, grid, cross, uniform, explicit."#
    );
    assert_eq!(
        edited("[topology]", "[mac]\ndialect = \"ns3\"\n[topology]"),
        r#"my.toml:3:11: mac.dialect: unknown value "ns3"
  3 | dialect = "ns3"
    |           ^^^^^
Did you mean "ns2"? Allowed: standard, ns2."#
    );
    assert_eq!(
        edited("[topology]", "[routing]\nprotocol = \"aodvv\"\n[topology]"),
        r#"my.toml:3:12: routing.protocol: unknown value "aodvv"
  3 | protocol = "aodvv"
    |            ^^^^^^^
Did you mean "aodv"? Allowed: static, aodv, dsr, olsr."#
    );
    assert_eq!(
        edited("[topology]", "dialect = \"ns3\"\n[topology]"),
        r#"my.toml:2:11: dialect: unknown value "ns3"
  2 | dialect = "ns3"
    |           ^^^^^
Did you mean "ns2"? Allowed: standard, ns2."#
    );
    assert_eq!(
        edited("[topology]", "[radio]\npropagation = 3\n[topology]"),
        "my.toml:3:15: radio.propagation: found the number 3\n  3 | propagation = 3\n    |               ^\nExpected one of these names as a text in quotes: free-space, two-ray-ground, range, log-distance, measured."
    );
    assert_eq!(
        edited("kind = \"string\"\nhops = 4", ""),
        r#"my.toml:2:2: topology: the key "kind" is missing
  2 | [topology]
    |  ^^^^^^^^
Add `kind = ...` here. Allowed: recorded, string, grid, cross, uniform, explicit."#
    );
}

#[test]
fn old_spellings_are_refused_with_the_new_one_named() {
    assert_eq!(
        edited("[topology]", "compat = \"ns2\"\n[topology]"),
        r#"my.toml:2:1: unknown key "compat"
  2 | compat = "ns2"
    | ^^^^^^
It is called "dialect" now: write dialect = "standard" or "ns2"."#
    );
    assert_eq!(
        refusal(GOOD, &["routing.dsr.preset=ns2"]),
        r#"--set: unknown key "preset" in routing.dsr
   | routing.dsr.preset=ns2
   |             ^^^^^^
It is called "dialect" now; of its values, those of the RFC are "standard"."#
    );
    assert_eq!(
        edited("[[flow]]", "[[link]]\nfrom = 0\nto = 1\nrate = \"1Mbps\"\n[[flow]]"),
        r#"my.toml:5:3: unknown key "link"
  5 | [[link]]
    |   ^^^^
A wired connection is called "wire" now: write [[wire]], or wire.N with --set."#
    );
    assert_eq!(
        refusal(GOOD, &["link.0.rate=2Mbps"]),
        r#"--set: unknown key "link"
   | link.0.rate=2Mbps
   | ^^^^
A wired connection is called "wire" now: write [[wire]], or wire.N with --set."#
    );
    assert_eq!(
        refusal(GOOD, &["link_kind.sink.rate=2Mbps"]),
        r#"--set: unknown key "link_kind"
   | link_kind.sink.rate=2Mbps
   | ^^^^^^^^^
It is called "wire_kind" now."#
    );
    assert_eq!(
        refusal(GOOD, &["routing.aodv.dialect=rfc3561"]),
        r#"--set: routing.aodv.dialect: unknown value "rfc3561"
   | routing.aodv.dialect=rfc3561
   |                      ^^^^^^^
Did you mean "standard"? Allowed: standard, ns2, thesis-trace, thesis."#
    );
}

#[test]
fn toml_itself_must_be_right() {
    assert_eq!(
        edited("[topology]", "[topology"),
        r#"my.toml:2:10: this is not valid TOML: unclosed table, expected `]`
  2 | [topology
    |          ^
TOML has one `key = value` a line; texts and values with a unit stand in quotes, as in `duration = "300s"`."#
    );
    assert_eq!(
        edited("hops = 4", "hops = 4\nhops = 5"),
        r#"my.toml:5:1: the key "hops" occurs twice
  5 | hops = 5
    | ^^^^
Keep one of the two: the other is at line 4."#
    );
    // The same key in another table is a different key; a table can also occur twice.
    assert_eq!(
        edited("[[flow]]", "[mac]\nhops = 4\n[topology]\n[[flow]]"),
        r#"my.toml:7:2: the table [topology] occurs twice
  7 | [topology]
    |  ^^^^^^^^
Keep one of the two: the other is at line 2."#
    );
    assert_eq!(
        edited("\"100s\"", "100s"),
        r#"my.toml:1:12: this is not valid TOML: string values must be quoted, expected literal string
  1 | duration = 100s
    |            ^^^^
TOML has one `key = value` a line; texts and values with a unit stand in quotes, as in `duration = "300s"`."#
    );
}

#[test]
fn set_options_are_shown_with_their_own_text() {
    assert_eq!(
        refusal(GOOD, &["mac.rts_treshold=3000B"]),
        r#"--set: unknown key "rts_treshold" in mac
   | mac.rts_treshold=3000B
   |     ^^^^^^^^^^^^
Did you mean "rts_threshold"?"#
    );
    assert_eq!(
        refusal(GOOD, &["mac.rts_threshold=3000"]),
        r#"--set: mac.rts_threshold: found the number 3000
   | mac.rts_threshold=3000
   |                   ^^^^
Expected a size with its unit, such as "1460B" or "1MB"."#
    );
    assert_eq!(
        refusal(GOOD, &["mac.queue_limit=1e3"]),
        r#"--set: mac.queue_limit: found the number 1000.0
   | mac.queue_limit=1e3
   |                 ^^^
Write 1000, without point and exponent. Expected a whole number from 0 to 4294967295."#
    );
    assert_eq!(
        refusal(GOOD, &["mac.rts_threshold"]),
        r#"--set: there is no "=" between key and value
   | mac.rts_threshold
   | ^^^^^^^^^^^^^^^^^
Write --set KEY=VALUE, for example --set mac.rts_threshold=3000B or --set flow.0.tcp=sack."#
    );
    assert_eq!(
        refusal(GOOD, &["=3"]),
        "--set: the key is empty\n   | =3\n   | ^\nWrite --set KEY=VALUE, for example --set mac.rts_threshold=3000B or --set flow.0.tcp=sack."
    );
    assert_eq!(
        refusal(GOOD, &["flow.3.to=1"]),
        r#"--set: there is no item "3" in this list
   | flow.3.to=1
   |      ^
It has 1, numbered from 0."#
    );
    assert_eq!(
        refusal(GOOD, &["flow.0.to=9"]),
        "--set: flow.0.to: there is no node 9\n   | flow.0.to=9\n   |           ^\nThis scenario has 5 nodes, numbered 0 to 4."
    );
    assert_eq!(
        refusal(GOOD, &["duration.x=1"]),
        r#"--set: duration: found a table
   | duration.x=1
   | ^^^^^^^^
Expected a time with its unit, such as "900s", "20ms" or "10us"."#
    );
    assert_eq!(
        refusal(GOOD, &["macc.x=1"]),
        r#"--set: unknown key "macc"
   | macc.x=1
   | ^^^^
Did you mean "mac"?"#
    );
    assert_eq!(
        refusal(GOOD, &["weather=fine"]),
        r#"--set: unknown key "weather"
   | weather=fine
   | ^^^^^^^
Keys allowed here: name, summary, duration, warmup, dialect, names, topology, mobility, radio, energy, errors, station, mac, routing, tcp, wire, wire_kind, flow, event."#
    );
    assert_eq!(
        refusal(GOOD, &["tcp.variant=renoo"]),
        r#"--set: tcp.variant: "renoo": there is no variant renoo
   | tcp.variant=renoo
   |             ^^^^^
Did you mean reno?"#
    );
}
