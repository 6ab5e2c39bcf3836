//! The complete message for each kind of user error, word by word.

use std::path::Path;
use tworay_sim::scenario::Scenario;

/// A valid scenario, into which the tests insert errors.
const GOOD: &str = "\
duration = \"100s\"
[topology]
kind = \"string\"
hops = 4
[[flow]]
from = 0
to = 4
";

/// The message for `GOOD` with `old` replaced by `new`.
fn edited(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "nothing to replace: {old}");
    refusal(&GOOD.replacen(old, new, 1), &[])
}

/// The message for `text`, read as `my.toml`, with `--set` options on top.
fn refusal(text: &str, sets: &[&str]) -> String {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    match Scenario::from_toml(text, "my.toml", Path::new(""), &sets) {
        Ok(_) => panic!("this was accepted:\n{text}\n{sets:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_example_itself_is_right() {
    assert!(Scenario::from_toml(GOOD, "my.toml", Path::new(""), &[]).is_ok());
}

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
fn units_are_required_and_must_fit() {
    assert_eq!(
        edited("\"100s\"", "100"),
        r#"my.toml:1:12: duration: found the number 100
  1 | duration = 100
    |            ^^^
Expected a time with its unit, such as "900s", "20ms" or "10us"."#
    );
    assert_eq!(
        edited("\"100s\"", "\"100\""),
        r#"my.toml:1:12: duration: "100": the unit is missing (one of ns, us, µs, ms, s, min, h)
  1 | duration = "100"
    |            ^^^^^
Write it like "900s", "20ms" or "10us"."#
    );
    assert_eq!(
        edited("\"100s\"", "\"100m\""),
        r#"my.toml:1:12: duration: "100m": "m" is not a unit of a time (one of ns, us, µs, ms, s, min, h)
  1 | duration = "100m"
    |            ^^^^^^
Write it like "900s", "20ms" or "10us"."#
    );
    assert_eq!(
        edited("hops = 4", "hops = 4\nspacing = \"200\""),
        r#"my.toml:5:11: topology.spacing: "200": the unit is missing (one of m, km)
  5 | spacing = "200"
    |           ^^^^^
Write it like "250m" or "1.5km"."#
    );
    assert_eq!(
        edited("hops = 4", "hops = 4\nspacing = 200"),
        r#"my.toml:5:11: topology.spacing: found the number 200
  5 | spacing = 200
    |           ^^^
Expected "250m" or "1.5km"."#
    );
    assert_eq!(
        edited("[topology]", "[mac]\ndata_rate = \"54Mbps\"\n[topology]"),
        r#"my.toml:3:13: mac.data_rate: 802.11 DSSS radios do not support 54Mbps
  3 | data_rate = "54Mbps"
    |             ^^^^^^^^
Its rates are 1Mbps, 2Mbps, 5.5Mbps, 11Mbps."#
    );
    assert_eq!(
        edited(
            "[topology]",
            "[mac]\nack_rate = \"11Mbps\"\n[radio]\nreception = \"sinr\"\n[radio.sinr]\nthresholds = [{ rate = \"2Mbps\", sinr = \"7dB\" }]\n[topology]",
        ),
        r#"my.toml:3:12: mac.ack_rate: radio.sinr.thresholds has no entry for 11Mbps
  3 | ack_rate = "11Mbps"
    |            ^^^^^^^^
Add { rate = "11Mbps", sinr = "...dB" } there, or choose from 2Mbps."#
    );
    assert_eq!(
        edited("[topology]", "[mac]\ndata_rate = \"2MB\"\n[topology]"),
        r#"my.toml:3:13: mac.data_rate: "2MB": "MB" is not a unit of a rate (one of bps, kbps, Mbps, Gbps, bit/s, kbit/s, Mbit/s, Gbit/s)
  3 | data_rate = "2MB"
    |             ^^^^^
Write it like "2Mbps" or "200kbps"."#
    );
}

#[test]
fn negative_and_absurd_values_are_refused() {
    assert_eq!(
        edited("\"100s\"", "\"-5s\""),
        r#"my.toml:1:12: duration: "-5s": a time must not be negative
  1 | duration = "-5s"
    |            ^^^^^
Write it like "900s", "20ms" or "10us"."#
    );
    assert_eq!(
        edited("\"100s\"", "\"0s\""),
        r#"my.toml:1:12: duration: the run has no length
  1 | duration = "0s"
    |            ^^^^
Give a time such as "300s"."#
    );
    assert_eq!(
        edited("\"100s\"", "\"1000h\""),
        r#"my.toml:1:12: duration: 3600000s is longer than 30 days
  1 | duration = "1000h"
    |            ^^^^^^^
Give at most "2592000s"."#
    );
    assert_eq!(
        edited("\"100s\"", "\"100s\"\nwarmup = \"100s\""),
        r#"my.toml:2:10: warmup: the warm-up of 100s leaves nothing of the run (100s)
  2 | warmup = "100s"
    |          ^^^^^^
Give less than the duration."#
    );
    assert_eq!(
        edited("hops = 4", "hops = 70000"),
        "my.toml:4:8: topology.hops: this makes 70001 nodes\n  4 | hops = 70000\n    |        ^^^^^\nChoose values that make 2 to 65535 nodes."
    );
    assert_eq!(
        edited("to = 4", "to = -1"),
        "my.toml:7:6: flow.0.to: found the number -1\n  7 | to = -1\n    |      ^^\nExpected a whole number from 0 to 4294967295."
    );
    assert_eq!(
        edited("[topology]", "[mac]\nqueue_limit = 0\n[topology]"),
        "my.toml:3:15: mac.queue_limit: 0 packets\n  3 | queue_limit = 0\n    |               ^\nUse 2 to 100000 (usual: 50)."
    );
    assert_eq!(
        edited("[topology]", "[tcp]\nmss = \"0B\"\n[topology]"),
        r#"my.toml:3:7: tcp.mss: 0B can't be carried
  3 | mss = "0B"
    |       ^^^^
Choose 1B to 65495B, such as 1460B."#
    );
    assert_eq!(
        edited("[topology]", "[tcp]\nmss = \"9001B\"\n[topology]"),
        r#"my.toml:3:7: tcp.mss: 9001B is more than any frame carries
  3 | mss = "9001B"
    |       ^^^^^^^
Give "1B" to "9000B", such as "1460B"."#
    );
    assert_eq!(
        edited("[topology]", "[tcp.rto]\nmin = \"0s\"\n[topology]"),
        r#"my.toml:3:7: tcp.rto.min: the timer could expire at once
  3 | min = "0s"
    |       ^^^^
Choose 200ms or more."#
    );
    assert_eq!(
        edited("[topology]", "[routing.aodv]\nttl_start = 300\n[topology]"),
        "my.toml:3:13: routing.aodv.ttl_start: found the number 300\n  3 | ttl_start = 300\n    |             ^^^\nExpected a whole number from 0 to 255."
    );
    assert_eq!(
        edited(
            "[topology]\nkind = \"string\"\nhops = 4",
            "[topology]\nkind = \"uniform\"\nnodes = 5\nwidth = \"1km\"\nheight = \"1km\"\n[mobility]\nkind = \"random-waypoint\"\nmin_speed = \"1m/s\"\nmax_speed = \"1000000m/s\""
        ),
        r#"my.toml:10:13: mobility.max_speed: 1000000m/s is out of range
  10 | max_speed = "1000000m/s"
     |             ^^^^^^^^^^^^
Give at most 10000m/s."#
    );
}

#[test]
fn values_of_the_wrong_type_say_what_is_expected() {
    assert_eq!(
        edited("hops = 4", "hops = \"4\""),
        r#"my.toml:4:8: topology.hops: found the text "4"
  4 | hops = "4"
    |        ^^^
Expected a whole number from 0 to 4294967295."#
    );
    assert_eq!(
        edited("[topology]", "[tcp]\nwindow = \"many\"\n[topology]"),
        r#"my.toml:3:10: tcp.window: found the text "many"
  3 | window = "many"
    |          ^^^^^^
Advertised window: a number of segments, or a size such as "64KiB". It also limits what this end sends."#
    );
    assert_eq!(
        edited("[topology]", "[mac]\narp = \"yes\"\n[topology]"),
        r#"my.toml:3:7: mac.arp: found the text "yes"
  3 | arp = "yes"
    |       ^^^^^
Expected true or false."#
    );
    assert_eq!(
        edited("[topology]", "mac = 1\n[topology]"),
        "my.toml:2:7: mac: found the number 1\n  2 | mac = 1\n    |       ^\nExpected a table of keys and values."
    );
    assert_eq!(
        edited("duration", "name = 7\nduration"),
        "my.toml:1:8: name: found the number 7\n  1 | name = 7\n    |        ^\nExpected a text in quotes."
    );
}

#[test]
fn flows_must_make_sense() {
    assert_eq!(
        edited("to = 4", "to = 5"),
        "my.toml:7:6: flow.0.to: there is no node 5\n  7 | to = 5\n    |      ^\nThis scenario has 5 nodes, numbered 0 to 4."
    );
    assert_eq!(
        edited("to = 4", "to = 0"),
        "my.toml:7:6: flow.0.to: the flow goes from node 0 to itself\n  7 | to = 0\n    |      ^\nName two different nodes."
    );
    assert_eq!(
        edited("to = 4", ""),
        r#"my.toml:5:1: flow.0: the key "to" is missing
  5 | [[flow]]
    | ^^^^^^^^
Add `to = ...` here."#
    );
    assert_eq!(
        edited("to = 4", "to = 4\ntcp = \"newrno\""),
        r#"my.toml:8:7: flow.0.tcp: "newrno": there is no variant newrno
  8 | tcp = "newrno"
    |       ^^^^^^^^
Did you mean newreno?"#
    );
    assert_eq!(
        edited("to = 4", "to = 4\nstart = \"200s\""),
        r#"my.toml:8:9: flow.0.start: the flow starts at 200s, but the run ends at 100s
  8 | start = "200s"
    |         ^^^^^^
Start it earlier, or give a longer duration."#
    );
    assert_eq!(
        edited("to = 4", "to = 4\nstart = \"5s\"\nstop = \"4s\""),
        r#"my.toml:9:8: flow.0.stop: the flow stops at 4s, but starts at 5s
  9 | stop = "4s"
    |        ^^^^
Stop it later, or leave the key out."#
    );
    assert_eq!(
        edited("to = 4", "to = 4\nrate = \"1Mbps\""),
        r#"my.toml:8:8: flow.0.rate: this key does not apply to app = "ftp"
  8 | rate = "1Mbps"
    |        ^^^^^^^
Remove it, or choose app = "cbr" or "on-off"."#
    );
    assert_eq!(
        edited("to = 4", "to = 4\napp = \"cbr\""),
        r#"my.toml:8:7: flow.0.app: neither rate nor interval is given
  8 | app = "cbr"
    |       ^^^^^
Add rate = "200kbps" or interval = "250ms"."#
    );
    assert_eq!(
        edited("to = 4", "to = 4\napp = \"cbr\"\nrate = \"1Mbps\"\nsize = \"9001B\""),
        r#"my.toml:10:8: flow.0.size: a payload of 9001B is out of range
  10 | size = "9001B"
     |        ^^^^^^^
Give "1B" to "9000B"."#
    );
    assert_eq!(
        edited("to = 4", "to = 4\napp = \"on-off\"\nrate = \"1Mbps\"\non = \"1s\""),
        r#"my.toml:8:7: flow.0.app: app = "on-off" needs the key "off"
  8 | app = "on-off"
    |       ^^^^^^^^
Add off = "1s", for example."#
    );
    assert_eq!(
        edited("to = 4", "to = 4\nbytes = \"0B\""),
        r#"my.toml:8:9: flow.0.bytes: the transfer has no bytes
  8 | bytes = "0B"
    |         ^^^^
Give at least "1B", or leave it out for an endless one."#
    );
    assert_eq!(
        edited("[[flow]]\nfrom = 0\nto = 4\n", ""),
        r#"my.toml:1:1: flow: there is no flow
  1 | duration = "100s"
    | ^
Add a flow: [[flow]] with from = 0, to = 1 and app = "ftp"."#
    );
}

#[test]
fn two_flows_never_share_a_port() {
    assert_eq!(
        edited("to = 4", "to = 4\nport = 80\n[[flow]]\nfrom = 1\nto = 4\nport = 80"),
        "my.toml:12:8: flow.1.port: port 80 of node 4 is taken by flow.0\n  12 | port = 80\n     |        ^^\nTwo flows can't share a port of a node: choose another, or leave it out for a free one."
    );
    assert_eq!(
        edited("to = 4", "to = 4\nport = 60000"),
        "my.toml:8:8: flow.0.port: port 60000 is out of range\n  8 | port = 60000\n    |        ^^^^^\nGive 1 to 49151 (senders have those above), or leave it out for a free one."
    );
}

#[test]
fn unknown_variants_name_the_nearest_one() {
    assert_eq!(
        edited("[topology]", "[tcp]\nvariant = \"renoo\"\n[topology]"),
        r#"my.toml:3:11: tcp.variant: "renoo": there is no variant renoo
  3 | variant = "renoo"
    |           ^^^^^^^
Did you mean reno?"#
    );
}

#[test]
fn a_scenario_needs_nodes_a_duration_and_a_flow() {
    assert_eq!(
        refusal("", &[]),
        r#"my.toml:1:1: the key "duration" is missing
  1 |
    | ^
Add `duration = ...` here."#
    );
    assert_eq!(
        refusal("duration = \"10s\"\n[[flow]]\nfrom = 0\nto = 1\n", &[]),
        r#"my.toml:1:1: topology: the positions of the nodes are missing
  1 | duration = "10s"
    | ^
Add [topology] with kind = "string", "grid", "cross", "uniform" or "explicit", or a movement file in [mobility]."#
    );
}

#[test]
fn movement_files_that_cannot_be_used_are_named() {
    assert_eq!(
        refusal(
            "duration = \"10s\"\n[mobility]\nkind = \"ns2-file\"\nfile = \"nowhere.gz\"\n[[flow]]\nfrom = 0\nto = 1\n",
            &[]
        ),
        r#"my.toml:4:8: mobility.file: nowhere.gz: it cannot be read: No such file or directory (os error 2)
  4 | file = "nowhere.gz"
    |        ^^^^^^^^^^^^
Check the path; it is relative to the scenario file."#
    );
    assert_eq!(
        edited("[topology]", "[mobility]\nkind = \"ns2-file\"\nfile = \"nowhere.gz\"\n[topology]"),
        "my.toml:5:2: topology: both this table and the movement file place the nodes\n  5 | [topology]\n    |  ^^^^^^^^\nRemove [topology], or choose another mobility.kind."
    );
}

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
Keys allowed here: name, summary, duration, warmup, dialect, topology, mobility, radio, energy, errors, station, mac, routing, tcp, wire, wire_kind, flow, event."#
    );
    assert_eq!(
        refusal(GOOD, &["tcp.variant=renoo"]),
        r#"--set: tcp.variant: "renoo": there is no variant renoo
   | tcp.variant=renoo
   |             ^^^^^
Did you mean reno?"#
    );
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

/// Serde reads a table with a `kind` through a copy without source positions; they must be recovered.
#[test]
fn the_wrong_item_of_a_list_is_shown() {
    let explicit = |positions: &str| {
        edited("kind = \"string\"\nhops = 4", &format!("kind = \"explicit\"\npositions = {positions}"))
    };
    assert_eq!(
        explicit("[[0, 0], [200, 0, 5]]"),
        r#"my.toml:4:22: topology.positions.1: found a list of 3
  4 | positions = [[0, 0], [200, 0, 5]]
    |                      ^^^^^^^^^^^
Expected a list of 2. One `[x, y]` in metres per node."#
    );
    // The list of positions also has three items; its inner lists are meant.
    assert!(explicit("[[0, 0], [1, 1], [2, 2, 2]]").starts_with("my.toml:4:30: topology.positions.2: "));
    assert!(explicit("[[0, 0], [1]]").contains("topology.positions.1: found a list of 1\n"));
    assert_eq!(
        explicit("[[\"0m\", \"0m\"], [0, 0]]"),
        r#"my.toml:4:15: topology.positions.0.0: found the text "0m"
  4 | positions = [["0m", "0m"], [0, 0]]
    |               ^^^^
Expected a number."#
    );
}

#[test]
fn huge_numbers_are_shown_short() {
    assert_eq!(
        refusal(GOOD, &["radio.range=1e300m"]),
        "--set: radio.range: 1e300 is out of range
   | radio.range=1e300m
   |             ^^^^^^
Give a value above 0 and at most 10000000."
    );
}
