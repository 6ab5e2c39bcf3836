//! Flows, variants, movement: what a scenario must have.

use super::{edited, refusal};
use std::path::Path;
use tworay_scenario::{Scenario, Traffic};

#[test]
fn only_where_stations_bring_their_own_traffic_may_flows_be_missing() {
    let text = "duration = \"10s\"\n[topology]\nkind = \"string\"\nhops = 2\n";
    let read = |text: &str, traffic| Scenario::from_toml_for(text, "my.toml", Path::new(""), &[], traffic);
    assert!(read(text, Traffic::Flows).unwrap_err().to_string().contains("flow: there is no flow"));
    let quiet = read(text, Traffic::Stations).unwrap();
    assert_eq!((quiet.flows.len(), quiet.node_count()), (0, 3));
    // What is stored is read again.
    assert_eq!(read(&quiet.to_toml(), Traffic::Stations).unwrap().to_toml(), quiet.to_toml());
    // A wrong flow stays wrong.
    let wrong = format!("{text}[[flow]]\nfrom = 0\nto = 7\n");
    assert!(read(&wrong, Traffic::Stations).unwrap_err().to_string().contains("there is no node 7"));
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
Remove it, or choose app = "cbr" or "on-off" or "video"."#
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
fn sizes_that_are_no_table_name_the_kinds_and_their_keys() {
    let web = format!("{}app = \"web\"\nevery = \"1s\"\n", super::GOOD);
    assert_eq!(
        refusal(&web, &["flow.0.sizes=x"]),
        r#"--set: flow.0.sizes: found the text "x"
   | flow.0.sizes=x
   |              ^
Expected a table such as { kind = "fixed", size = ... }. Kinds: fixed, exponential, pareto, listed."#
    );
    // Of a kind that is named, its own keys.
    let named = refusal(&web, &["flow.0.sizes=pareto"]);
    assert!(named.contains(r#"such as { kind = "pareto", least = ..., most = ... }. Kinds:"#), "{named}");
    let keyless = refusal(&format!("{web}sizes = {{ size = \"2kB\" }}\n"), &[]);
    assert!(
        keyless.ends_with("Add `kind = ...` here. Allowed: fixed, exponential, pareto, listed."),
        "{keyless}"
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
