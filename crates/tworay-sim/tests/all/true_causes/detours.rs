//! Addresses that are needed only because errors have broken another way.

use super::{Loss, losses, parse, run_once};

/// The losses of a scenario, and of its twin without errors.
fn with_and_without_errors(scene: &str, seed: u64) -> [Vec<Loss>; 2] {
    let without: Vec<&str> = scene.lines().filter(|line| !line.contains("_err = ")).collect();
    [scene, &without.join("\n")].map(|text| losses(&run_once(&parse(text), seed)))
}

/// A grid of 3 x 4 nodes with OLSR, 260 kb/s from corner to corner, half of what the path carries. Its twin without errors loses nothing once
/// there is a route, so no loss is congestion, unless the flow's first packets meet while they ask for addresses. Breaks by errors lead the packets to nodes beside their path, to some of them again and
/// again, and to a next hop whose address the first detour already asked for in vain.
#[test]
fn a_detour_that_leads_to_the_same_next_hop_again_is_no_congestion() {
    let scene = include_str!("../../../../../docs/make/samples/how-it-is-checked/second-detour.toml");
    let mut replaced = 0;
    for seed in [2, 3] {
        let [lost, without] = with_and_without_errors(scene, seed);
        assert!(without.iter().all(|l| l.died == "no-route"), "{seed}: {without:?}");
        let found = without.iter().map(|l| l.at).fold(0.0, f64::max);
        let load: Vec<&Loss> =
            lost.iter().filter(|l| l.cause == "congestion" && l.at > found + 1.0).collect();
        assert!(load.is_empty(), "{seed}: {load:?}");
        replaced += lost.iter().filter(|l| l.died == "arp").count();
    }
    assert!(replaced > 50, "{replaced}");
}

/// 12 nodes at rest with DSR, whose caches know other routes. When errors have broken the one in use, the source takes another one at once, and
/// nothing that it sends from then on has waited for a search. The twin without errors needs no such address: at no node that
/// replaces packets before their next hop's address is known it loses any like that.
#[test]
fn a_route_from_a_cache_that_a_break_by_errors_makes_a_source_take_is_no_congestion() {
    let scene = include_str!("../../../../../docs/make/samples/how-it-is-checked/cached-detour.toml");
    let mut replaced = 0;
    for seed in 1..=6 {
        let [lost, without] = with_and_without_errors(scene, seed);
        let anyway = |node: i64| without.iter().any(|l| l.died == "arp" && l.node == node);
        let slots = lost.iter().filter(|l| l.died == "arp" && !anyway(l.node));
        let slots: Vec<&Loss> = slots.collect();
        let load = slots.iter().find(|l| l.cause == "congestion");
        assert_eq!(load, None, "{seed}");
        replaced += slots.len();
    }
    assert!(replaced > 20, "{replaced}");
}
