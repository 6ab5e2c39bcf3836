//! One disturbance at a time with OFDM radios, which send aggregates and drop packets by CoDel. One hop of 50 m and static
//! routes: the medium log shows an aggregate as one frame, not the fates of its subframes.

use super::generate::{Ground, oracle, string};
use super::world::{BitErrors, Radio, Scene, Traffic};
use proptest::option;
use proptest::prelude::*;

/// `0 ── 1`, 50 m apart; a flow of datagrams at a rate in kb/s, a queue of so many packets.
fn link(rates: std::ops::Range<u32>, queues: std::ops::Range<u32>) -> impl Strategy<Value = Scene> {
    let radio = prop_oneof![Just(Radio::G), any::<bool>().prop_map(|codel| Radio::N { codel })];
    (radio, 0usize..3, rates, queues, 1u64..1000).prop_map(|(radio, rts, kbps, queue, seed)| {
        let ground = Ground { protocol: 0, ns2: false, rts, arp: false, seed };
        let scene = ground.scene(string(1, 50.0)).with_flow(0, 1, Traffic::Datagrams { kbps });
        Scene { radio, queue, duration: 100, ..scene }
    })
}

/// Half of what the link carries, or less: without errors no queue gets longer than a few packets.
#[test]
fn bit_errors_of_ofdm_are_channel() {
    let scenes = (link(200..1_900, 20..60), 0.05f64..0.6)
        .prop_map(|(scene, rate)| Scene { errors: BitErrors::PerFrame(rate), ..scene });
    oracle(file!(), "bit_errors_of_ofdm_are_channel", scenes, 20, |loss, _| loss.cause == "channel");
}

/// Much more than the link carries: 512 bytes at 6.5 Mb/s take 0.63 ms, which is 6.5 Mb/s at most.
#[test]
fn an_overload_of_ofdm_is_congestion() {
    oracle(file!(), "an_overload_of_ofdm_is_congestion", link(7_500..12_000, 5..60), 500, |loss, _| {
        loss.cause == "congestion"
    });
}

/// The receiver walks out of range, and perhaps back.
#[test]
fn a_walk_with_ofdm_is_link_failure() {
    let scenes = (link(100..1_500, 20..60), 20u32..40, any::<bool>()).prop_map(|(scene, at, returns)| {
        let scene = scene.with_walk(1, at, (50.0, 3000.0), 1000.0);
        if returns { scene.with_walk(1, at + 32, (50.0, 0.0), 1000.0) } else { scene }
    });
    oracle(file!(), "a_walk_with_ofdm_is_link_failure", scenes, 50, |loss, _| loss.cause == "link-failure");
}

/// The receiver is switched off, and perhaps on again.
#[test]
fn a_dead_node_with_ofdm_is_node_down() {
    let scenes = (link(100..1_500, 20..60), 20u32..40, option::of(5u32..40))
        .prop_map(|(scene, at, lasts)| scene.with_outage(1, at, lasts));
    oracle(file!(), "a_dead_node_with_ofdm_is_node_down", scenes, 50, |loss, _| loss.cause == "node-down");
}
