//! OLSR with the MAC's feedback: breaks before there was a route.

use super::{Loss, causes, losses, parse};
use std::collections::BTreeSet;
use tworay_sim::{RunControl, RunOptions, RunReport, run};

fn flow(from: u32, to: u32, more: &str) -> String {
    format!("[[flow]]\nfrom = {from}\nto = {to}\napp = \"cbr\"\n{more}\n")
}

fn string(hops: u32, more: &str, seed: u64) -> RunReport {
    let text = format!(
        "topology = {{ kind = \"string\", hops = {hops} }}\nmac.rts_threshold = \"0B\"\n\
         routing = {{ protocol = \"olsr\", olsr.link_layer_feedback = true }}\n{more}"
    );
    let options = RunOptions { seed, ..RunOptions::default() };
    run(&parse(&text), &options, &RunControl::new()).expect("a run")
}

/// `0 ── … ── 4`: until TC messages have come from node 3, node 0 knows no route to node 4, and without other flows it loses nothing after
/// that. Flows around nodes 1 to 3 cost them links earlier. Datagrams that are lost before node 0 can have a route were not lost to this;
/// later ones were. Two relays delay TC messages by up to 0.5 s each, in each run by another time, and a cause holds for a second.
#[test]
fn a_break_before_the_first_route_has_cost_none() {
    let slow = flow(0, 4, "interval = \"100ms\"\nsize = \"64B\"\nstart = \"0.5s\"");
    let busy = |from: u32, to: u32| flow(from, to, "rate = \"400kbps\"\nsize = \"1000B\"\nstart = \"2s\"");
    let (mut before, mut after) = (0, 0);
    for others in [busy(0, 2) + &busy(4, 2), busy(1, 3) + &busy(4, 2)] {
        for seed in 1..=6 {
            let of_slow = |others: &str| {
                let report = string(4, &format!("duration = \"20s\"\n{slow}{others}"), seed);
                losses(&report).into_iter().filter(|l| l.flow == 0).collect::<Vec<Loss>>()
            };
            let twin = of_slow("");
            let found = twin.iter().map(|l| l.at).fold(0.0, f64::max);
            assert_eq!(causes(&twin), BTreeSet::from(["no-route"]), "{seed}");
            for loss in of_slow(&others) {
                let early = loss.at <= found;
                if early || loss.at > found + 2.0 {
                    let cause = if early { "no-route" } else { "contention" };
                    assert_eq!(loss.cause, cause, "{seed}: {loss:?}, without the others until {found}");
                    *(if early { &mut before } else { &mut after }) += 1;
                }
            }
        }
    }
    assert!(before > 500 && after > 500, "{before} {after}");
}
