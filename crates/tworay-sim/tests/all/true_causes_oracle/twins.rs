//! Twins: the same run without the disturbance. What it loses as well was not lost because of the disturbance.

use super::generate::{Ground, grounds, oracle, string};
use super::rules::Case;
use super::world::{BitErrors, Scene, Traffic};
use proptest::prelude::*;
use std::cell::RefCell;

/// The twins of the scenes of a test; the latest one is kept.
#[derive(Default)]
struct Twins(RefCell<Option<(String, Case)>>);

impl Twins {
    /// Reads the run of the same scene without bit errors. Both runs send the same datagrams.
    fn of<R>(&self, case: &Case, read: impl FnOnce(&Case) -> R) -> R {
        let scene = Scene { errors: BitErrors::None, ..case.scene.clone() };
        // Two scenes with the same text may differ in the seed.
        let text = format!("{} {}", scene.seed, scene.toml());
        let mut latest = self.0.borrow_mut();
        if latest.as_ref().is_none_or(|(of, _)| *of != text) {
            *latest = None;
        }
        let (_, twin) = latest.get_or_insert_with(|| (text, Case::run(&scene)));
        read(twin)
    }
}

/// OLSR starts, and bit errors strike its messages. A datagram that the twin loses for want of a route, too, was not lost
/// to them; one that the twin delivers was. Up to two hops no node relays TC messages, so that HELLOs are sent at the same
/// times in both runs, but for the MAC's backoff. The twin has a route from some moment between the last datagram that it loses and the next one.
#[test]
fn olsr_is_late_because_of_errors_only_if_it_would_not_be_late_without() {
    const BACKOFF: f64 = 0.1;
    let scenes = (grounds(), 1usize..=2, 120.0f64..240.0, 8u32..40, 0.02f64..0.4).prop_map(
        |(mut ground, hops, spacing, kbps, rate)| {
            ground.protocol = 10 + ground.protocol % 3;
            let scene = ground.scene(string(hops, spacing)).with_flow(0, hops, Traffic::Datagrams { kbps });
            let mut scene = Scene { errors: BitErrors::PerFrame(rate), arp: false, ..scene };
            scene.flows[0].start = 1;
            scene
        },
    );
    let twins = Twins::default();
    let name = "olsr_is_late_because_of_errors_only_if_it_would_not_be_late_without";
    oracle(file!(), name, scenes, 2, |loss, case| {
        let without = twins.of(case, |twin| twin.losses.iter().map(|l| l.at).fold(0.0, f64::max));
        let Traffic::Datagrams { kbps } = case.scene.flows[0].traffic else { return false };
        let with = without + 8.0 * 512.0 / (1000.0 * f64::from(kbps));
        match loss.cause {
            "channel" => loss.at > without - BACKOFF,
            "no-route" => loss.at < with + BACKOFF,
            _ => false,
        }
    });
}

/// More datagrams than a routing buffer holds until the first search has its answer, and bit errors. What the twin's buffer
/// cannot keep either is congestion, also if a request was lost that did not reach as far as the destination, and so is what the twin's queue
/// has no place for when its search ends: it takes 50, and the MAC one. What comes after the twin's answer is not. Relays delay
/// requests by random times.
#[test]
fn a_buffer_is_full_because_of_errors_only_if_it_would_not_be_full_without() {
    const JITTER: f64 = 0.15;
    const PLACES: u64 = 51;
    let scenes =
        (grounds(), 2usize..=4, 300u32..500, 0.02f64..0.2).prop_map(|(mut ground, hops, kbps, rate)| {
            // AODV as in RFC 3561, with growing rings, and DSR.
            ground.protocol = [1, 1, 5][ground.protocol % 3];
            ground.ns2 = false;
            let scene = ground.scene(string(hops, 180.0)).with_flow(0, hops, Traffic::Datagrams { kbps });
            Scene { errors: BitErrors::PerFrame(rate), arp: false, duration: 40, ..scene }
        });
    let twins = Twins::default();
    let name = "a_buffer_is_full_because_of_errors_only_if_it_would_not_be_full_without";
    oracle(file!(), name, scenes, 0, |loss, case| {
        // Later searches have other causes.
        let first = case.searches.first_sent(0).is_none_or(|sent| loss.at < sent);
        if loss.died != "buffer" || loss.node != 0 || !first {
            return true;
        }
        let answered = twins.of(case, |twin| twin.searches.first_sent(0)).expect("a route");
        let lost_too =
            twins.of(case, |twin| twin.losses.iter().any(|l| (l.uid, l.node) == (loss.uid, loss.node)));
        match loss.cause {
            "channel" => {
                let clear = loss.since < answered - JITTER && loss.at > answered + JITTER;
                loss.at > answered - JITTER && !(lost_too && clear)
            }
            "congestion" => {
                loss.at < answered + JITTER || loss.uid >= PLACES && loss.since < answered + JITTER
            }
            _ => false,
        }
    });
}

/// `0 ── 1`: at least twice as many datagrams as 2 Mb/s carry, and bit errors. What the twin's queue rejects as well is congestion, and so
/// are as many others as the twin rejects and this run doesn't. Without ARP: a packet that errors have kept waiting for an address is held
/// up before it meets the queue.
#[test]
fn an_overload_beside_bit_errors_is_congestion_as_far_as_it_would_be_without() {
    let scenes =
        (grounds(), 10u32..50, 4000u32..12_000, 0.05f64..0.5).prop_map(|(ground, queue, kbps, rate)| {
            let ground = Ground { protocol: 0, arp: false, ..ground };
            let scene = ground.scene(string(1, 150.0)).with_flow(0, 1, Traffic::Datagrams { kbps });
            Scene { queue, duration: 20, errors: BitErrors::PerFrame(rate), ..scene }
        });
    let twins = Twins::default();
    let name = "an_overload_beside_bit_errors_is_congestion_as_far_as_it_would_be_without";
    oracle(file!(), name, scenes, 100, |loss, case| {
        let (anyway, rejected) = twins.of(case, |twin| {
            let anyway = twin.losses.iter().any(|other| other.uid == loss.uid);
            (anyway, twin.losses.len() as f64)
        });
        let by_load = case.losses.iter().filter(|other| other.cause == "congestion").count() as f64;
        let as_many = by_load <= rejected + 3.0 * rejected.sqrt() + 3.0;
        match (loss.died, loss.cause) {
            ("ifq", "congestion") => as_many,
            ("ifq", "channel") => !anyway,
            (_, cause) => cause == "channel",
        }
    });
}
