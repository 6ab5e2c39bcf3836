//! Fading, shadowing, and errors above the MAC: they strike broadcasts, addresses and messages of routing as well.

use super::generate::{grounds, light, oracle, string};
use super::medium::Loss;
use super::pairs::{disturbances, places};
use super::rules::Case;
use super::world::{BitErrors, Scene, Traffic};
use proptest::prelude::*;

/// From a frame here and there to links that are gone for longer than the run.
fn losses_of_the_channel() -> impl Strategy<Value = BitErrors> {
    let keeps = || prop_oneof![Just(0u32), 1u32..10, 10u32..200, Just(1000u32)];
    prop_oneof![
        prop_oneof![0.05f64..0.6, Just(1.0)].prop_map(BitErrors::PerPacket),
        keeps().prop_map(BitErrors::Fading),
        (4u32..12, keeps()).prop_map(|(sigma, keeps)| BitErrors::Shadowing(sigma, keeps)),
    ]
}

/// `0 ── … ── n`, all within carrier sense range of each other by the mean power, one slow flow of datagrams.
#[test]
fn fading_and_errors_above_the_mac_are_channel() {
    let scenes = (grounds(), 1usize..=3, 120.0f64..180.0, 8u32..40, losses_of_the_channel()).prop_map(
        |(ground, hops, spacing, kbps, errors)| {
            let traffic = Traffic::Datagrams { kbps };
            let scene = ground.scene(string(hops, spacing)).with_flow(0, hops, traffic);
            Scene { errors, ..scene }.after_convergence()
        },
    );
    let name = "fading_and_errors_above_the_mac_are_channel";
    // A hop that is out of range by the mean power, and over which fading has let a request through.
    let beyond = |loss: &Loss, case: &Case| {
        loss.cause == "link-failure" && loss.next_hop.is_some() && case.scene.errors.fades()
    };
    // Fading has let HELLOs through over a hop beyond reach, and tables still lack the other path; it has destroyed nothing since.
    let favoured = |loss: &Loss, case: &Case| {
        loss.cause == "no-route" && case.scene.errors.fades() && case.has_no_noise(loss)
    };
    let allowed =
        |loss: &Loss, case: &Case| loss.cause == "channel" || beyond(loss, case) || favoured(loss, case);
    oracle(file!(), name, scenes, 2, allowed);
}

/// With any other disturbance, in any network, with any protocol. Only the invariant holds.
#[test]
fn fading_and_another_disturbance() {
    let scenes = (grounds(), places(), light(), losses_of_the_channel(), disturbances()).prop_map(
        |(ground, (positions, to), traffic, errors, other)| {
            let mut scene = ground.scene(positions).with_flow(0, to, traffic);
            scene.errors = errors;
            other.apply(&mut scene);
            scene.after_convergence()
        },
    );
    oracle(file!(), "fading_and_another_disturbance", scenes, 10, |_, _| true);
}
