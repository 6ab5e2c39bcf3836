//! Names of nodes: what they stand for, and what is refused.

use super::refusal;
use std::path::Path;
use tworay_scenario::Scenario;

const NAMED: &str = "\
duration = \"100s\"
[names]
roof = 0
alice = 4
[topology]
kind = \"string\"
hops = 4
[[flow]]
from = \"roof\"
to = \"alice\"
";

fn read(text: &str, sets: &[&str]) -> Scenario {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    Scenario::from_toml(text, "my.toml", Path::new(""), &sets).unwrap_or_else(|error| panic!("{error}"))
}

fn edited(old: &str, new: &str) -> String {
    assert!(NAMED.contains(old), "nothing to replace: {old}");
    NAMED.replacen(old, new, 1)
}

#[test]
fn a_name_stands_for_a_number_wherever_a_node_is_meant() {
    let world = read(NAMED, &[]);
    assert_eq!((world.flows[0].from.0, world.flows[0].to.0), (0, 4));
    assert_eq!(
        world.settings.node_names().into_iter().collect::<Vec<_>>(),
        [(0, "roof".into()), (4, "alice".into())]
    );
    let plain = read(&edited("from = \"roof\"", "from = 0"), &["flow.0.to=4"]);
    assert_eq!(plain.flows, world.flows);
    let swapped = read(NAMED, &["flow.0.to=roof", "flow.0.from=alice"]);
    assert_eq!((swapped.flows[0].from.0, swapped.flows[0].to.0), (4, 0));
    let more = "\
        [[event]]\nwhat = \"down\"\nnode = \"alice\"\nat = \"5s\"\n\
        [[wire]]\nfrom = \"alice\"\nto = \"roof\"\nrate = \"1Mbps\"\n\
        [mobility]\nkind = \"waypoints\"\nlegs = [{ node = \"roof\", at = \"1s\", to = [1.0, 2.0], speed = \"1m/s\" }]\n\
        [energy]\nmodel = \"states\"\nbatteries = [{ node = \"alice\", battery = \"5J\" }]\n";
    let world = read(&format!("{NAMED}{more}"), &[]);
    assert_eq!(world.settings.events[0].node, Some(4));
    assert_eq!((world.settings.wires[0].from, world.settings.wires[0].to), (4, 0));
    assert_eq!(world.settings.energy.batteries[0].node, 4);
    assert!(format!("{:?}", world.settings.mobility).contains("node: 0"));
}

#[test]
fn a_named_scenario_is_written_and_read_back() {
    let world = read(NAMED, &[]);
    let text = world.to_toml();
    assert!(text.contains("\n[names]\nalice = 4\nroof = 0\n"), "{text}");
    assert_eq!(read(&text, &[]), world);
    assert!(
        !read(
            &edited("[names]\nroof = 0\nalice = 4\n", "").replace("\"roof\"", "0").replace("\"alice\"", "4"),
            &[]
        )
        .to_toml()
        .contains("[names]")
    );
}

#[test]
fn names_can_be_set() {
    let world = read(NAMED, &["names.shed=3", "flow.0.to=shed"]);
    assert_eq!(world.flows[0].to.0, 3);
}

#[test]
fn a_name_that_is_not_there() {
    assert_eq!(
        refusal(NAMED, &["flow.0.to=rof"]),
        "--set: flow.0.to: no node has the name \"rof\"\n   | flow.0.to=rof\n   |           ^^^\nDid you mean \"roof\"? Names here: alice, roof."
    );
    assert_eq!(
        refusal(&edited("\"alice\"", "\"bob\""), &[]),
        r#"my.toml:10:6: flow.0.to: no node has the name "bob"
  10 | to = "bob"
     |      ^^^^^
Names here: alice, roof."#
    );
    assert_eq!(
        refusal(&edited("[names]\nroof = 0\nalice = 4\n", ""), &[]),
        r#"my.toml:6:8: flow.0.from: no node has the name "roof"
  6 | from = "roof"
    |        ^^^^^^
Give a node's number, or name nodes: a table [names] with roof = and the number."#
    );
    assert_eq!(
        refusal(&edited("\"alice\"", "\"4\""), &[]),
        r#"my.toml:10:6: flow.0.to: no node has the name "4"
  10 | to = "4"
     |      ^^^
Write a number without quotes: 4."#
    );
}

#[test]
fn a_name_or_a_node_twice() {
    assert_eq!(
        refusal(&edited("alice = 4", "roof = 4"), &[]),
        r#"my.toml:4:1: the key "roof" occurs twice
  4 | roof = 4
    | ^^^^
Keep one of the two: the other is at line 3."#
    );
    assert_eq!(
        refusal(&edited("alice = 4", "alice = 4\nattic = 0"), &[]),
        r#"my.toml:5:1: names.attic: node 0 is "roof" already
  5 | attic = 0
    | ^^^^^
A node has one name: keep one of the two."#
    );
    // What is given on the command line is shown there, although the file names the other one later.
    assert_eq!(
        refusal(NAMED, &["names.roof=4"]),
        r#"--set: names.roof: node 4 is "alice" already
   | names.roof=4
   |            ^
A node has one name: keep one of the two."#
    );
    assert_eq!(
        refusal(&edited("alice = 4", "alice = 4\nROOF = 1"), &[]),
        r#"my.toml:5:1: names.ROOF: differs from "roof" only in upper and lower case
  5 | ROOF = 1
    | ^^^^
Hosts' names don't tell them apart: choose another name for one of the two."#
    );
}

#[test]
fn a_name_that_is_none_or_names_no_node() {
    assert_eq!(
        refusal(&edited("alice = 4", "alice = 4\n7 = 3"), &[]),
        r#"my.toml:5:1: names.7: a name that begins like a number
  5 | 7 = 3
    | ^
Begin with a letter, such as "n7"."#
    );
    assert_eq!(
        refusal(&edited("alice = 4", "alice = 4\n\"my roof\" = 3"), &[]),
        r#"my.toml:5:1: names.my roof: not a name of a node
  5 | "my roof" = 3
    | ^^^^^^^^^
Give 1 to 63 letters, digits, "-" and "_", the first a letter: it is also the name of a host."#
    );
    assert_eq!(
        refusal(&edited("alice = 4", "alice = 5"), &[]),
        r#"my.toml:4:9: names.alice: there is no node 5
  4 | alice = 5
    |         ^
This scenario has 5 nodes, numbered 0 to 4."#
    );
    assert_eq!(
        refusal(&edited("alice = 4", "alice = \"4\""), &[]),
        r#"my.toml:4:9: names.alice: found the text "4"
  4 | alice = "4"
    |         ^^^
Expected a whole number from 0 to 65535."#
    );
}
