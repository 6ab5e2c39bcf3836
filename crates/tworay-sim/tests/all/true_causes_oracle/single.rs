//! One disturbance at a time: every loss has its cause.

use super::generate::{bit_errors, grounds, light, oracle, ring, string};
use super::medium::Loss;
use super::rules::Case;
use super::world::{Scene, Traffic};
use proptest::option;
use proptest::prelude::*;

/// `0 ── … ── n`, all within carrier sense range of each other, one flow of datagrams that is far too slow to
/// fill anything.
#[test]
fn bit_errors_are_channel() {
    let scenes = (grounds(), 1usize..=3, 120.0f64..180.0, 8u32..40, bit_errors()).prop_map(
        |(ground, hops, spacing, kbps, errors)| {
            let traffic = Traffic::Datagrams { kbps };
            let scene = ground.scene(string(hops, spacing)).with_flow(0, hops, traffic);
            Scene { errors, ..scene }.after_convergence()
        },
    );
    oracle(file!(), "bit_errors_are_channel", scenes, 2, |loss, _| loss.cause == "channel");
}

/// A string with hidden terminals, and windows that cannot fill a queue. Nothing moves, and there are no bit
/// errors.
#[test]
fn collisions_are_contention() {
    let scenes = (grounds(), 3usize..=6, 2u32..8, any::<bool>()).prop_map(|(ground, hops, window, both)| {
        let traffic = Traffic::Transfer { window };
        let mut scene = ground.scene(string(hops, 200.0)).with_flow(0, hops, traffic);
        if both {
            scene = scene.with_flow(hops, 0, traffic);
        }
        Scene { arp: false, queue: 200, ..scene }.after_convergence()
    });
    oracle(file!(), "collisions_are_contention", scenes, 1, |loss, _| loss.cause == "contention");
}

/// `0 ── 1`: more datagrams than the link can carry.
#[test]
fn a_full_queue_is_congestion() {
    let scenes = (grounds(), 2u32..20, 2000u32..6000).prop_map(|(ground, queue, kbps)| {
        let scene = ground.scene(string(1, 150.0)).with_flow(0, 1, Traffic::Datagrams { kbps });
        Scene { queue, duration: 50, ..scene }.after_convergence()
    });
    oracle(file!(), "a_full_queue_is_congestion", scenes, 100, |loss, _| match loss.died {
        // A full routing buffer has two descriptions: too much load for it, or a route not found in time.
        "buffer" => ["congestion", "no-route"].contains(&loss.cause),
        _ => loss.cause == "congestion",
    });
}

/// A station of a string or a ring walks out of range, and perhaps back.
#[test]
fn a_walk_is_link_failure() {
    let scenes = (grounds(), places(), light(), 0usize..8, 30u32..80, any::<bool>()).prop_map(
        |(ground, (positions, to), traffic, who, at, returns)| {
            let node = who % positions.len();
            let home = positions[node];
            let away = (home.0, home.1 + 3000.0);
            let mut scene =
                ground.scene(positions).with_flow(0, to, traffic).with_walk(node, at, away, 200.0);
            if returns {
                scene = scene.with_walk(node, at + 60, home, 200.0);
            }
            scene.after_convergence()
        },
    );
    oracle(file!(), "a_walk_is_link_failure", scenes, 1, |loss, case| of_a_break(loss, case, "link-failure"));
}

/// The link that a flow uses is cut.
#[test]
fn a_cut_is_link_failure() {
    let scenes = (grounds(), places(), light(), 30u32..80, option::of(5u32..60)).prop_map(
        |(ground, (positions, to), traffic, at, lasts)| {
            ground.scene(positions).with_flow(0, to, traffic).with_cut(at, lasts).after_convergence()
        },
    );
    oracle(file!(), "a_cut_is_link_failure", scenes, 1, |loss, case| of_a_break(loss, case, "link-failure"));
}

/// A station of a string or a ring is switched off, and perhaps on again.
#[test]
fn a_dead_node_is_node_down() {
    let scenes = (grounds(), places(), light(), 0usize..8, 30u32..80, option::of(5u32..60)).prop_map(
        |(ground, (positions, to), traffic, who, at, lasts)| {
            let node = who % positions.len();
            let scene = ground.scene(positions).with_flow(0, to, traffic);
            scene.with_outage(node, at, lasts).after_convergence()
        },
    );
    oracle(file!(), "a_dead_node_is_node_down", scenes, 1, |loss, case| of_a_break(loss, case, "node-down"));
}

/// The path is longer than AODV's network diameter or DSR's longest route, or OLSR has not converged.
#[test]
fn the_search_limit_is_no_route() {
    let scenes = (grounds(), 1u32..=3, 3u32..=5, 8u32..40).prop_map(|(mut ground, reach, more, kbps)| {
        let hops = (reach + more) as usize;
        // Any protocol but static routes.
        ground.protocol = 1 + ground.protocol % 12;
        let mut scene = ground.scene(string(hops, 200.0)).with_flow(0, hops, Traffic::Datagrams { kbps });
        scene.flows[0].start = 2;
        let duration = if scene.routing() == "olsr" { 100 } else { 400 };
        Scene { reach: Some(reach), duration, ..scene }
    });
    oracle(file!(), "the_search_limit_is_no_route", scenes, 2, |loss, _| loss.cause == "no-route");
}

/// The same, and a station that walks away or is switched off, and perhaps comes back: no path that the search could have found
/// is broken, whether routing has noticed the break or not.
#[test]
fn a_break_behind_the_search_limit_is_no_route() {
    let scenes =
        (grounds(), 1u32..=3, 3u32..=5, 8u32..40, 0usize..9, 50u32..200, any::<bool>(), any::<bool>())
            .prop_map(|(mut ground, reach, more, kbps, who, at, walks, returns)| {
                let hops = (reach + more) as usize;
                // AODV and DSR in all dialects.
                ground.protocol = 1 + ground.protocol % 9;
                // The source itself stays.
                let node = 1 + who % hops;
                let scene = ground.scene(string(hops, 200.0)).with_flow(0, hops, Traffic::Datagrams { kbps });
                let (home, lasts) = (scene.positions[node], returns.then_some(60));
                let mut scene = Scene { reach: Some(reach), duration: 400, ..scene };
                scene.flows[0].start = 2;
                if !walks {
                    return scene.with_outage(node, at, lasts);
                }
                let scene = scene.with_walk(node, at, (home.0, 3000.0), 1000.0);
                if returns { scene.with_walk(node, at + 60, home, 1000.0) } else { scene }
            });
    let name = "a_break_behind_the_search_limit_is_no_route";
    oracle(file!(), name, scenes, 2, |loss, _| loss.cause == "no-route");
}

/// A string, or a ring with a way around; and the destination.
fn places() -> impl Strategy<Value = (Vec<(f64, f64)>, usize)> {
    prop_oneof![
        (1usize..=3).prop_map(|hops| (string(hops, 170.0), hops)),
        (6usize..=7).prop_map(|nodes| (ring(nodes), nodes / 2)),
    ]
}

/// A loss to a break. When everything is as it was before the break, but routing has not yet noticed, a later
/// packet finds no route although a path exists.
fn of_a_break(loss: &Loss, case: &Case, cause: &str) -> bool {
    let over = || case.geometry.steps(loss.since, loss.since).all(|step| case.geometry.undisturbed(step));
    // What is lost before anything broke is not lost to the break: two segments that follow each other replace each
    // other in a hold slot.
    let before = || case.geometry.steps(0.0, loss.at).all(|step| case.geometry.undisturbed(step));
    // The same once the break is over: a route found since may need another neighbour's address.
    // In ns-2's dialect the third packet ends the exchange, before an answer is possible.
    let resolves = || matches!(loss.died, "arp" | "arp-unanswered") && loss.cause == "congestion";
    // A relay that the break has left without traffic has forgotten its route; nothing struck it.
    let expired = || loss.cause == "no-route" && case.route_expired(loss);
    loss.cause == cause || (loss.cause == "no-route" || resolves()) && over() || before() || expired()
}
