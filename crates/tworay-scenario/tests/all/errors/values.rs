//! Values without a unit, out of range, or of the wrong type.

use super::{GOOD, edited, refusal};

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

/// Where links are measured, the places of nodes say nothing of the length of a hop.
#[test]
fn measured_links_have_no_longest_hop() {
    let links = "radio.link=[{ from = 0, to = 1, level = \"-60dBm\" }]";
    let sets = ["radio.propagation=measured", links, "routing.protocol=static", "routing.longest_hop=150m"];
    assert_eq!(
        refusal(GOOD, &sets),
        r#"--set: routing.longest_hop: links are measured, so that the places of nodes say nothing of them
   | routing.longest_hop=150m
   |                     ^^^^
Leave out weak links by their level: radio.rx_threshold."#
    );
}
