use super::*;
use tworay_base::{NodeId, Purpose};
use tworay_radio::phy::{Airtime, DurationRules, Phy, Standard};

use AccessCategory::{Background, BestEffort, Video, Voice};

fn micros(t: u64) -> SimTime {
    SimTime::from_nanos(t * 1_000)
}

/// 802.11n at 5 GHz: slot 9, SIFS 16, AIFS 43 µs of best effort, 79 of background, 34 of video and voice.
fn edca(seed: u64) -> Edca {
    let phy = Phy::of(Standard::N);
    let timing = PhyTiming::new(&phy, &Airtime::new(&phy, DurationRules::Standard));
    Edca::new(&timing, RngStream::new(seed, NodeId(1), Purpose::Test))
}

#[test]
fn on_an_idle_medium_a_frame_goes_after_aifs_of_the_last_busy_time() {
    let mut e = edca(1);
    e.on_busy(micros(0), micros(100));
    e.request(micros(110), BestEffort);
    assert_eq!(e.deadline(), micros(143));
    assert_eq!(e.on_deadline(micros(142)), None);
    assert_eq!(e.on_deadline(micros(143)), Some(Access { winner: BestEffort, collided: [false; 4] }));
    assert_eq!(e.deadline(), SimTime::NEVER);
    let mut late = edca(1);
    late.on_busy(micros(0), micros(100));
    late.request(micros(500), BestEffort);
    assert_eq!(late.deadline(), micros(500), "idle for longer than AIFS");
}

/// A frame that finds a busy medium draws 0 to 15 slots of 9 µs after AIFS.
#[test]
fn a_busy_medium_means_a_backoff_of_whole_slots_within_the_window() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..400 {
        let mut e = edca(seed);
        e.on_busy(micros(0), micros(100));
        e.request(micros(50), BestEffort);
        let wait = e.deadline().since(micros(100)).as_nanos() / 1_000;
        assert!(wait >= 43 && (wait - 43).is_multiple_of(9), "{wait}");
        seen.insert((wait - 43) / 9);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), (0..=15).collect::<Vec<_>>());
}

/// The slots that passed before the medium turned busy are not waited for again.
#[test]
fn a_backoff_stops_while_the_medium_is_busy_and_goes_on() {
    for seed in 0..50 {
        let mut e = edca(seed);
        e.on_busy(micros(0), micros(100));
        e.request(micros(50), BestEffort);
        let slots = e.deadline().since(micros(143)).as_nanos() / 9_000;
        // Busy again after 3 slots and a half.
        let again = 143 + 31;
        if micros(again) >= e.deadline() {
            continue;
        }
        e.on_busy(micros(again), micros(1_000));
        assert_eq!(e.deadline(), micros(1_000 + 43 + 9 * (slots - 3)));
    }
}

/// Voice waits 34 µs and background 79: after a busy time, voice with its window of 3 goes first in most cases,
/// background never before it unless voice draws more than 5 slots, which it can't.
#[test]
fn higher_categories_go_first() {
    for seed in 0..100 {
        let mut e = edca(seed);
        e.on_busy(micros(0), micros(100));
        e.request(micros(10), Background);
        e.request(micros(10), Voice);
        let at = e.deadline();
        assert_eq!(e.on_deadline(at).map(|access| access.winner), Some(Voice));
        assert!(at <= micros(100 + 34 + 3 * 9));
    }
}

/// Video and voice have the same AIFS: where both draw the same number, voice wins and video doubles its window
/// from 7 to 15.
#[test]
fn an_internal_collision_is_a_collision_of_the_lower_category() {
    let mut collisions = 0;
    for seed in 0..200 {
        let mut e = edca(seed);
        e.on_busy(micros(0), micros(100));
        e.request(micros(10), Video);
        e.request(micros(10), Voice);
        let at = e.deadline();
        let access = e.on_deadline(at).expect("a backoff has ended");
        if access.collided[Video as usize] {
            collisions += 1;
            e.failed(at, Video, false);
            assert_eq!((access.winner, e.window(Video), e.window(Voice)), (Voice, 15, 3));
            assert!(e.deadline() >= at + SimDuration::from_micros(34), "a new backoff after AIFS");
        } else {
            assert_eq!(e.window(Video), 7);
        }
    }
    // Equal draws of 0..=7 and 0..=3: one in 8, 25 of 200. Three deviations of 4.7.
    assert!((11..=39).contains(&collisions), "{collisions}");
}

#[test]
fn windows_double_up_to_their_limit_and_shrink_at_success() {
    let mut e = edca(3);
    let mut windows = vec![e.window(BestEffort)];
    for _ in 0..8 {
        e.failed(micros(0), BestEffort, false);
        windows.push(e.window(BestEffort));
    }
    assert_eq!(windows, [15, 31, 63, 127, 255, 511, 1_023, 1_023, 1_023]);
    e.succeeded(micros(0), BestEffort);
    assert_eq!(e.window(BestEffort), 15);
    e.failed(micros(0), BestEffort, false);
    e.failed(micros(0), BestEffort, true);
    assert_eq!(e.window(BestEffort), 15, "a frame given up");
    e.failed(micros(0), Voice, false);
    e.failed(micros(0), Voice, false);
    assert_eq!(e.window(Voice), 7);
}

/// After a transmission the next frame waits for the backoff that follows it, but not longer.
#[test]
fn a_backoff_follows_every_transmission() {
    for seed in 0..50 {
        let mut e = edca(seed);
        e.request(micros(0), BestEffort);
        e.on_deadline(micros(43)).expect("access");
        e.on_busy(micros(43), micros(300));
        e.succeeded(micros(300), BestEffort);
        e.request(micros(300), BestEffort);
        let at = e.deadline();
        assert!(at >= micros(343) && at <= micros(343 + 15 * 9));
        let mut idle = edca(seed);
        idle.on_busy(micros(43), micros(300));
        idle.succeeded(micros(300), BestEffort);
        idle.request(micros(5_000), BestEffort);
        assert_eq!(idle.deadline(), micros(5_000), "the backoff is long over");
    }
}

/// EIFS less DIFS is SIFS and an ACK at 6 Mb/s: 16 + 44 µs later than after a good frame.
#[test]
fn a_bad_frame_delays_access_by_eifs_until_a_good_one_comes() {
    let mut e = edca(5);
    e.on_busy(micros(0), micros(100));
    e.on_bad_frame(micros(100));
    e.request(micros(100), BestEffort);
    assert_eq!(e.deadline(), micros(100 + 60 + 43));
    // A good frame from 110 to 150 ends this; the access became a backoff of 0 to 15 slots.
    e.on_busy(micros(110), micros(150));
    e.on_good_frame(micros(150));
    let wait = e.deadline().since(micros(150)).as_nanos() / 1_000;
    assert!(wait >= 43 && (wait - 43).is_multiple_of(9) && wait <= 43 + 135, "{wait}");
}

#[test]
fn a_category_that_withdraws_is_not_served() {
    let mut e = edca(6);
    e.request(micros(0), Voice);
    e.request(micros(0), BestEffort);
    e.withdraw(Voice);
    assert_eq!(e.deadline(), micros(43));
    assert_eq!(e.on_deadline(micros(43)).map(|access| access.winner), Some(BestEffort));
}

/// Busy until 200 µs as it seemed, in truth until 120 µs: AIFS counts from there. EIFS of a bad frame stays.
#[test]
fn a_busy_time_that_ends_early_brings_access_forward() {
    let mut e = edca(1);
    e.on_busy(micros(0), micros(200));
    e.on_idle_at(micros(110), micros(120));
    e.request(micros(130), BestEffort);
    assert_eq!(e.deadline(), micros(163));
    let mut bad = edca(1);
    bad.on_busy(micros(0), micros(100));
    bad.on_bad_frame(micros(100));
    bad.on_idle_at(micros(100), micros(100));
    bad.request(micros(100), BestEffort);
    // SIFS 16 and an ACK at 6 Mb/s of 44 µs before AIFS.
    assert_eq!(bad.deadline(), micros(100 + 60 + 43));
}

/// The DCF of 802.11a: DIFS of 34 µs in place of AIFS.
#[test]
fn without_qos_a_frame_goes_after_difs() {
    let phy = Phy::of(Standard::A);
    let timing = PhyTiming::new(&phy, &Airtime::new(&phy, DurationRules::Standard));
    let mut e = Edca::dcf(&timing, RngStream::new(1, NodeId(1), Purpose::Test));
    e.on_busy(micros(0), micros(100));
    e.request(micros(110), BestEffort);
    assert_eq!(e.deadline(), micros(134));
    e.reset(micros(120));
    assert_eq!(e.deadline(), SimTime::NEVER);
}
