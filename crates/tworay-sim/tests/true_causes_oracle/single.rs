//! One disturbance at a time: every loss has its cause.

use crate::generate::{Ground, bit_errors, config, grounds, judge, light, ring, string};
use crate::medium::Loss;
use crate::world::{BitErrors, Flow, Traffic};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config())]

    /// `0 ── … ── n`, all within carrier sense range of each other, one flow of datagrams that is far too slow to
    /// fill anything. Bit errors are the only disturbance.
    #[test]
    fn bit_errors_are_channel(ground in grounds(), hops in 1usize..=3, spacing in 120.0f64..180.0, kbps in 8u32..40, errors in bit_errors()) {
        let mut scene = ground.scene(string(hops, spacing)).with_flow(0, hops, Traffic::Datagrams { kbps });
        scene.errors = errors;
        judge(&scene.after_convergence(), |loss| loss.cause == "channel")?;
    }

    /// A string with hidden terminals and small windows: nothing can fill a queue, nothing moves, no bit errors.
    #[test]
    fn collisions_are_contention(ground in grounds(), hops in 3usize..=6, window in 2u32..8, both in any::<bool>()) {
        let mut scene = ground.scene(string(hops, 200.0)).with_flow(0, hops, Traffic::Transfer { window });
        if both {
            scene = scene.with_flow(hops, 0, Traffic::Transfer { window });
        }
        scene.arp = false;
        scene.queue = 200;
        judge(&scene.after_convergence(), |loss| loss.cause == "contention")?;
    }

    /// `0 ── 1`: more datagrams than the link can carry, and nothing else.
    #[test]
    fn a_full_queue_is_congestion(ground in grounds(), queue in 2u32..20, kbps in 2000u32..6000) {
        let mut scene = ground.scene(string(1, 150.0)).with_flow(0, 1, Traffic::Datagrams { kbps });
        scene.queue = queue;
        scene.duration = 50;
        // A full routing buffer has two descriptions: too much load for it, or a route not found in time.
        let full = |loss: &Loss| match loss.died {
            "buffer" => ["congestion", "no-route"].contains(&loss.cause),
            _ => loss.cause == "congestion",
        };
        judge(&scene.after_convergence(), full)?;
    }

    /// A station of a string or a ring walks out of range, and perhaps back.
    #[test]
    fn a_walk_is_link_failure(ground in grounds(), circle in any::<bool>(), size in 2usize..=3, traffic in light(), who in 0usize..8, at in 30u32..80, returns in any::<bool>()) {
        let (positions, to) = place(circle, size);
        let node = who % positions.len();
        let home = positions[node];
        let mut scene = ground.scene(positions).with_flow(0, to, traffic).with_walk(node, at, (home.0, home.1 + 3000.0), 200.0);
        if returns {
            scene = scene.with_walk(node, at + 60, home, 200.0);
        }
        judge(&scene.after_convergence(), |loss| loss.cause == "link-failure")?;
    }

    /// The link that a flow uses is cut.
    #[test]
    fn a_cut_is_link_failure(ground in grounds(), circle in any::<bool>(), size in 1usize..=3, traffic in light(), at in 30u32..80, lasts in proptest::option::of(5u32..60)) {
        let (positions, to) = place(circle, size);
        let scene = ground.scene(positions).with_flow(0, to, traffic).with_cut(at, lasts);
        judge(&scene.after_convergence(), |loss| loss.cause == "link-failure")?;
    }

    /// A station of a string or a ring is switched off, and perhaps on again.
    #[test]
    fn a_dead_node_is_node_down(ground in grounds(), circle in any::<bool>(), size in 2usize..=3, traffic in light(), who in 0usize..8, at in 30u32..80, lasts in proptest::option::of(5u32..60)) {
        let (positions, to) = place(circle, size);
        let node = who % positions.len();
        let scene = ground.scene(positions).with_flow(0, to, traffic).with_outage(node, at, lasts);
        judge(&scene.after_convergence(), |loss| loss.cause == "node-down")?;
    }

    /// The path is longer than AODV's network diameter or DSR's longest route, or OLSR has not converged.
    #[test]
    fn the_search_limit_is_no_route(ground in grounds(), reach in 1u32..=3, more in 3u32..=5, kbps in 8u32..40) {
        let hops = (reach + more) as usize;
        let ground = Ground { protocol: 1 + ground.protocol % 12, ..ground };
        let mut scene = ground.scene(string(hops, 200.0)).with_flow(0, hops, Traffic::Datagrams { kbps });
        scene.reach = Some(reach);
        scene.errors = BitErrors::None;
        scene.flows.iter_mut().for_each(|f: &mut Flow| f.start = 2);
        if scene.routing() == "olsr" {
            scene.duration = 100;
        }
        judge(&scene, |loss| loss.cause == "no-route")?;
    }
}

/// A string of `size` hops, or a ring of `size + 4` stations; and the destination.
fn place(circle: bool, size: usize) -> (Vec<(f64, f64)>, usize) {
    if circle { (ring(size + 4), (size + 4) / 2) } else { (string(size, 170.0), size) }
}
