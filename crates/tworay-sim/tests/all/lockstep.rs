//! Flows that start at the same moment deliver over every routing protocol and with every seed, because
//! stations have different clocks and processing times, and broadcasts are jittered. (Without this, the
//! first ARP requests and route requests of all stations collide, and so do their repetitions at equal
//! intervals, forever.)

use crate::common::run_once;
use std::fmt::Write;
use std::path::Path;
use tworay_sim::Document;
use tworay_sim::scenario::Scenario;

const PROTOCOLS: [&str; 4] = ["static", "aodv", "dsr", "olsr"];

/// Nodes at these grid positions (neighbours are 200 m apart), and flows (from, to, start) of `app`.
fn scenario(places: &[(i32, i32)], flows: &[(u32, u32, &str)], app: &str, sets: &[&str]) -> Scenario {
    let positions: Vec<String> = places.iter().map(|(x, y)| format!("[{}, {}]", 200 * x, 200 * y)).collect();
    let mut text = format!(
        "duration = \"60s\"\n[topology]\nkind = \"explicit\"\npositions = [{}]\n",
        positions.join(", ")
    );
    for (from, to, start) in flows {
        writeln!(text, "[[flow]]\nfrom = {from}\nto = {to}\nstart = \"{start}\"\n{app}")
            .expect("writing to a string");
    }
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    Scenario::from_toml(&text, "lockstep.toml", Path::new(""), &sets).expect("a good scenario")
}

fn document(scenario: &Scenario, seed: u64) -> Document {
    run_once(scenario, seed).document
}

const STAR: [(i32, i32); 5] = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)];
const CROSS: [(i32, i32); 9] = [(-2, 0), (-1, 0), (0, 0), (1, 0), (2, 0), (0, -2), (0, -1), (0, 1), (0, 2)];
const STRING: [(i32, i32); 3] = [(0, 0), (1, 0), (2, 0)];

fn every_transfer_completes(places: &[(i32, i32)], flows: &[(u32, u32, &str)]) {
    for protocol in PROTOCOLS {
        let set = format!("routing.protocol={protocol}");
        let scenario = scenario(places, flows, "bytes = \"20kB\"", &[&set]);
        for seed in 1..=4 {
            for flow in document(&scenario, seed).flows {
                assert!(
                    flow.completion_seconds.is_some(),
                    "{protocol}, seed {seed}: {} to {} is not done after 60 s",
                    flow.from,
                    flow.to
                );
            }
        }
    }
}

#[test]
fn four_flows_into_the_centre_of_a_star_complete() {
    every_transfer_completes(&STAR, &[(1, 0, "0s"), (2, 0, "0s"), (3, 0, "0s"), (4, 0, "0s")]);
}

#[test]
fn flows_both_ways_through_a_cross_complete() {
    every_transfer_completes(&CROSS, &[(0, 4, "0s"), (5, 8, "0s"), (4, 0, "0s"), (8, 5, "0s")]);
}

/// The two ends are hidden from each other, so they collide at the middle node even if they do not start in
/// the same nanosecond.
#[test]
fn two_hidden_ends_complete_also_if_they_start_a_microsecond_apart() {
    every_transfer_completes(&STRING, &[(0, 2, "0s"), (2, 0, "0s")]);
    every_transfer_completes(&STRING, &[(0, 2, "0s"), (2, 0, "1us")]);
}

/// Sources with equal intervals transmit simultaneously for the whole run. 60 s at 10 datagrams/s are 600
/// each.
#[test]
fn periodic_sources_in_step_deliver() {
    let flows = [(1, 0, "0s"), (2, 0, "0s"), (3, 0, "0s"), (4, 0, "0s")];
    let app = "app = \"cbr\"\ninterval = \"100ms\"\nsize = \"512B\"";
    for protocol in ["static", "aodv"] {
        let set = format!("routing.protocol={protocol}");
        for flow in document(&scenario(&STAR, &flows, app, &[&set]), 1).flows {
            assert!(flow.acked_segments >= 590, "{protocol}: {} datagrams", flow.acked_segments);
        }
    }
}

/// Why the settings exist: without them nothing arrives, however long the run. (With ns-2's rule for
/// overlapping signals. With cumulative interference, bit errors leave a frame a small chance, and one
/// success is enough.)
#[test]
fn stations_in_step_collide_for_ever() {
    let flows = [(1, 0, "0s"), (2, 0, "0s"), (3, 0, "0s"), (4, 0, "0s")];
    let off = [
        "station.clock_offset=0s",
        "station.processing_delay=0s",
        "station.broadcast_jitter=0s",
        "radio.reception=capture",
    ];
    let document = document(&scenario(&STAR, &flows, "", &off), 1);
    assert!(document.flows.iter().all(|flow| flow.goodput_bps == 0.0));
}

/// A flow's figures count from its node's clock: an empty network answers the SYN within some milliseconds,
/// which do not include the clock's offset.
#[test]
fn a_late_clock_delays_nothing_but_the_start() {
    let scenario = |sets: &[&str]| scenario(&STRING, &[(0, 1, "5s")], "", sets);
    let sets = ["routing.protocol=static", "station.broadcast_jitter=0s", "station.clock_offset=1s"];
    let handshake = |seed| {
        let document = document(&scenario(&sets), seed);
        document.flows[0].handshake_seconds.expect("connected")
    };
    assert!((1..=5).all(|seed| handshake(seed) < 0.01));
}
