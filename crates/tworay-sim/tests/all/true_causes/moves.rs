//! Events that move a node: what they break, and what they do not.

use super::{Loss, losses, parse, run_once};

/// Five nodes that a flow of 82 Mb/s overloads, whose links are 140, 240, 201 and 86 m long; the reach is 256 m, and all other pairs are at
/// least 286 m apart.
fn overloaded(event: &str) -> String {
    format!(
        "duration = \"22s\"\nradio.preset = \"ac80x2\"\nrouting.protocol = \"aodv\"\n\
         topology = {{ kind = \"explicit\", positions = [[193, 5], [272, 120], [274, 360], [474, 341], [558, 321]] }}\n\
         mac = {{ queue_limit = 9, rts_threshold = \"0B\" }}\nevent = [{{ node = 3, at = \"10s\", what = \"move\", {event} }}]\n\
         [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nrate = \"2855.764kbps\"\nsize = \"200B\"\nstart = \"0.6s\"\n\
         [[flow]]\nfrom = 1\nto = 4\napp = \"cbr\"\nrate = \"82021.988kbps\"\nsize = \"1000B\"\nstart = \"1.6s\"\n"
    )
}

fn of_links(text: &str, seed: u64) -> Vec<Loss> {
    let mut found = losses(&run_once(&parse(text), seed));
    found.retain(|loss| loss.cause == "link-failure");
    found
}

/// Node 3 steps one metre aside: no link is longer than the reach before or after.
#[test]
fn a_step_aside_breaks_nothing() {
    for seed in 1..=3 {
        assert_eq!(of_links(&overloaded("to = [475, 341]"), seed), [], "{seed}");
    }
}

/// Node 3 walks north at 20 m/s and leaves the reach of node 2 at y = 360 + (256² − 200²)^(1/2) = 520 m, 9 s later.
#[test]
fn a_walk_breaks_nothing_before_the_reach_ends() {
    let found = of_links(&overloaded("to = [474, 5000], speed = \"20m/s\""), 1);
    assert!(found.len() > 1000, "{}", found.len());
    let early: Vec<&Loss> = found.iter().filter(|loss| loss.at < 18.9).collect();
    assert!(early.is_empty(), "{early:?}");
}

/// A node goes from 50 to 180 m away, within reach: the link is slower, and has not failed.
#[test]
fn a_longer_hop_has_not_failed() {
    let text = "duration = \"20s\"\nradio.preset = \"g\"\nrouting.protocol = \"static\"\n\
                topology = { kind = \"string\", hops = 1, spacing = \"50m\" }\n\
                event = [{ node = 1, at = \"10s\", what = \"move\", to = [180, 0] }]\n\
                [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nrate = \"12Mbps\"\nsize = \"1000B\"\nstart = \"1s\"\n";
    let found = losses(&run_once(&parse(text), 1));
    assert!(found.len() > 100 && found.iter().all(|loss| loss.cause != "link-failure"), "{}", found.len());
}

/// ```text
/// 0 ── 1 ── 2      7 sends to 2 in three hops, over 4 and 1 or 8 and 5. Node 0 is away from 14.9 to
/// 3 ── 4 ── 5      30.6 s: a path over it has five hops.
/// 6 ── 7 ── 8
/// ```
/// OLSR takes shortest paths, and these stand all the time. Fading costs it messages, so that it has no route for a while, or another one.
#[test]
fn a_break_on_a_longer_path_takes_no_route_away() {
    let (mut routes, mut addresses) = (0, 0);
    for (seed, others) in [(2, false), (2, true), (5, true), (6, true), (8, true)] {
        let more = if others {
            "[[flow]]\nfrom = 4\nto = 3\napp = \"cbr\"\nstart = \"2.3s\"\nrate = \"584.985kbps\"\nsize = \"1400B\"\n\
             [[flow]]\nfrom = 1\nto = 0\napp = \"cbr\"\nstart = \"4.3s\"\nrate = \"851.892kbps\"\nsize = \"1400B\"\n\
             [[event]]\nnode = 8\nat = \"18s\"\nwhat = \"loss\"\nrate = 1.0\n\
             [[event]]\nnode = 8\nat = \"24.1s\"\nwhat = \"loss\"\nrate = 0.0\n"
        } else {
            ""
        };
        let text = format!(
            "duration = \"57s\"\ntopology = {{ kind = \"grid\", rows = 3, columns = 3, spacing = \"224m\" }}\n\
             radio = {{ preset = \"b-11\", fading = {{ k = 12.0, coherence = \"500ms\" }} }}\nrouting.protocol = \"olsr\"\n\
             [[flow]]\nfrom = 7\nto = 2\napp = \"cbr\"\nstart = \"2.3s\"\nrate = \"4835.450kbps\"\nsize = \"1400B\"\n{more}\
             [[event]]\nnode = 0\nat = \"14.9s\"\nwhat = \"move\"\nto = [-376, 338]\n\
             [[event]]\nnode = 0\nat = \"30.6s\"\nwhat = \"move\"\nto = [0, 0]\n"
        );
        let found = losses(&run_once(&parse(&text), seed));
        let of_flow = || found.iter().filter(|loss| loss.flow == 0);
        let of_ends = |died: &str| of_flow().filter(|loss| loss.died == died).count();
        routes += of_ends("no-route");
        addresses += of_ends("arp");
        // Node 0 is no neighbour of these: no frame for it has kept their MACs.
        let wrong = |loss: &&Loss| {
            let unsent = loss.died == "no-route" || loss.died.starts_with("arp");
            loss.cause == "link-failure" && unsent && [7, 8].contains(&loss.node)
        };
        assert_eq!(of_flow().find(wrong), None, "{seed}, {others}");
    }
    assert!(routes > 500 && addresses > 100, "{routes} {addresses}");
}
