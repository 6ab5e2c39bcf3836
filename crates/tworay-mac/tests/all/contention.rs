//! When a station gets access to the medium: drawing, freezing, resuming, doubling.

use crate::bench::{Bench, ME, OTHER, control, data, rts, slow_acks};
use tworay_mac::FrameKind::{Ack, Cts, Data, Rts};
use tworay_mac::{MacConfig, MacQuirks, RxError};

const STANDARD: MacQuirks = MacQuirks::STANDARD;

fn mac(seed: u64) -> Bench {
    Bench::new(&slow_acks(), STANDARD, seed)
}

/// Backoff slots of a packet that was offered while the medium was busy.
fn slots_left(b: &Bench, idle_in: u64) -> u64 {
    (b.access_in().expect("it contends") - idle_in - 50) / 20
}

/// A station with just over `least` backoff slots left, while the medium is busy for 100 µs.
fn contender(least: u64) -> (Bench, u64) {
    (0..)
        .map(|seed| {
            let mut b = mac(seed);
            b.busy(100).offer(1500);
            let slots = slots_left(&b, 100);
            (b, slots)
        })
        .find(|(_, slots)| *slots > least)
        .expect("some seed draws that many")
}

#[test]
fn access_to_an_idle_medium_is_immediate_after_difs() {
    for (idle_for, access) in [(0, 50), (20, 30), (50, 0), (10_000, 0)] {
        let mut b = mac(1);
        b.busy(100).wait(100 + idle_for);
        assert_eq!(b.offer(1500).access_in(), Some(access), "idle for {idle_for} µs");
    }
}

#[test]
fn a_medium_that_turns_busy_before_difs_is_over_calls_for_a_backoff() {
    let drawn = (0..100).map(|seed| {
        let mut b = mac(seed);
        b.busy(100).wait(110).offer(1500).wait(10).busy(300);
        slots_left(&b, 300)
    });
    let drawn: Vec<u64> = drawn.collect();
    assert!(drawn.iter().any(|&s| s > 20) && drawn.iter().any(|&s| s < 11), "{drawn:?}");
}

#[test]
fn a_packet_offered_in_eifs_waits_for_its_end_without_backoff() {
    let mut b = mac(1);
    b.busy(300).wait(300).error(RxError::Corrupt).wait(14);
    assert_eq!(b.offer(1500).access_in(), Some(350));
}

#[test]
fn whole_slots_are_used_up_and_the_rest_counts_on_after_difs() {
    // (µs after the backoff began to count, slots elapsed)
    for (at, used) in [(0, 0), (1, 0), (19, 0), (20, 1), (39, 1), (40, 2), (99, 4), (100, 5)] {
        let (mut b, slots) = contender(10);
        b.wait(100 + 50 + at).busy(300);
        assert_eq!(slots_left(&b, 300), slots - used, "busy {at} µs after counting began");
    }
    // No slot elapses within DIFS, and DIFS starts again.
    let (mut b, slots) = contender(10);
    b.wait(100 + 49).busy(300).wait(300 + 20).busy(10);
    assert_eq!(slots_left(&b, 10), slots);
}

#[test]
fn longer_and_overlapping_signals_extend_the_wait_once() {
    let (mut b, slots) = contender(10);
    b.wait(100 + 50 + 45).busy(300).wait(100).busy(50);
    assert_eq!(slots_left(&b, 200), slots - 2, "a signal within another changes nothing");
    b.busy(1000).wait(10).busy(2000);
    assert_eq!(slots_left(&b, 2000), slots - 2);
}

#[test]
fn the_nav_freezes_like_the_carrier() {
    let (mut b, slots) = contender(10);
    b.wait(100 + 50 + 25).receive(control(Cts, OTHER, 5000));
    assert_eq!(slots_left(&b, 5000), slots - 1);
    b.wait(100).receive(control(Ack, OTHER, 0));
    assert_eq!(slots_left(&b, 5000 - 404), slots - 1, "a shorter reservation doesn't end a longer one");
}

#[test]
fn a_backoff_that_ran_out_with_nothing_to_send_is_no_credit() {
    // The station is idle after a first packet; much later a packet arrives while the medium is busy.
    for quirks in [STANDARD, MacQuirks::NS2] {
        let drawn = (0..100).map(|seed| {
            let mut b = Bench::new(&slow_acks(), quirks, seed);
            b.offer(1500).until_sent(Rts);
            b.receive(control(Cts, ME, 0)).until_sent(Data);
            b.receive(control(Ack, ME, 0)).wait(100_000);
            b.busy(300).wait(100).offer(1500);
            slots_left(&b, 200)
        });
        let drawn: Vec<u64> = drawn.collect();
        assert!(drawn.iter().any(|&s| s > 20) && drawn.iter().any(|&s| s < 11), "{drawn:?}");
    }
}

#[test]
fn a_relay_draws_a_backoff_for_what_it_has_just_received() {
    // The packet is offered again at the very end of the DATA: the ACK goes first.
    let drawn = (0..100).map(|seed| {
        let mut b = mac(seed);
        b.receive(data(1, false, false)).offer(1500).wait(10);
        assert_eq!(b.sent(Ack).len(), 1);
        slots_left(&b, 304)
    });
    let drawn: Vec<u64> = drawn.collect();
    assert!(drawn.iter().any(|&s| s > 20) && drawn.iter().any(|&s| s < 11), "{drawn:?}");
}

#[test]
fn a_backoff_follows_each_packet_and_serves_the_next() {
    let mut b = mac(3);
    b.offer(1500).until_sent(Rts);
    b.receive(control(Cts, ME, 0)).until_sent(Data);
    b.receive(control(Ack, ME, 0));
    let whole = b.offer(1500).access_in().expect("it contends");
    let mut b = mac(3);
    b.offer(1500).until_sent(Rts);
    b.receive(control(Cts, ME, 0)).until_sent(Data);
    b.receive(control(Ack, ME, 0)).wait(60);
    assert_eq!(b.offer(1500).access_in(), Some(whole - 60), "it has counted on meanwhile");
}

/// The largest backoff in slots over many runs, before the attempts 1, 2, … of a packet that is never
/// answered.
fn windows(config: &MacConfig, quirks: MacQuirks, attempts: usize) -> Vec<u64> {
    let mut widest = vec![0; attempts];
    for seed in 0..400 {
        let mut b = Bench::new(config, quirks, seed);
        b.busy(100).offer(1500);
        let mut idle_in = 100;
        for w in &mut widest {
            *w = (*w).max(slots_left(&b, idle_in));
            b.until_sent(Rts);
            idle_in = 0;
            b.wait(b.exchange_in().expect("it waits for an answer"));
            if b.access_in().is_none() {
                break;
            }
        }
    }
    widest
}

#[test]
fn the_window_doubles_with_each_failure_up_to_its_limit() {
    let config = MacConfig { cw_min: 3, cw_max: 15, ..slow_acks() };
    assert_eq!(windows(&config, STANDARD, 5), [3, 7, 15, 15, 15]);
    assert_eq!(windows(&config, MacQuirks::NS2, 5), [2, 6, 14, 14, 14], "ns-2: random mod CW");
}

#[test]
fn the_window_is_small_again_after_a_packet_was_given_up() {
    let config = MacConfig { cw_min: 3, short_retry_limit: 3, ..slow_acks() };
    let widest = (0..400).map(|seed| {
        let mut b = Bench::new(&config, STANDARD, seed);
        b.offer(1500);
        while b.gave_up() == 0 {
            b.wait(10);
        }
        b.busy(100).offer(1500);
        slots_left(&b, 100)
    });
    assert_eq!(widest.max(), Some(3));
}

#[test]
fn a_cts_leaves_the_window_but_resets_the_short_count() {
    // Five RTS failures, a CTS, a lost ACK: seven more RTS attempts are allowed, with a window of 1023.
    let mut b = Bench::new(&slow_acks(), STANDARD, 2);
    b.offer(1500);
    for _ in 0..6 {
        b.until_sent(Rts);
    }
    b.receive(control(Cts, ME, 0)).until_sent(Data);
    b.wait(10_000_000);
    assert_eq!((b.sent(Rts).len(), b.gave_up()), (6 + 7, 1));
    assert_eq!(b.mac.counters().give_ups_rts, 1);
}

#[test]
fn while_waiting_for_its_own_answer_a_station_ignores_an_rts_in_ns2() {
    let mut b = Bench::new(&MacConfig::ns2(), MacQuirks::NS2, 1);
    b.offer(1500).until_sent(Rts);
    b.hear(rts()).wait(100);
    assert_eq!((b.sent(Cts).len(), b.mac.counters().busy), (0, 1));
}

#[test]
fn unasked_answers_are_counted_and_change_nothing() {
    let mut b = mac(1);
    b.receive(control(Cts, ME, 500)).wait(50).receive(control(Ack, ME, 0)).wait(1000);
    assert_eq!((b.log.len(), b.mac.counters().unexpected), (0, 2));
}

#[test]
fn in_ns2_a_late_ack_goes_before_the_data_that_a_cts_allows() {
    let mut b = Bench::new(&MacConfig::ns2(), MacQuirks::NS2, 1);
    b.offer(1500).until_sent(Rts);
    b.wait(10).hear(data(1, false, false)).wait(300).hear(control(Cts, ME, 6952));
    let cts = b.micros();
    b.wait(5000);
    assert_eq!(b.sent(Ack)[0].0, cts + 10);
    assert_eq!(b.sent(Data)[0].0, cts + 10 + 304 + 10);
}

/// One packet whose first DATA goes unanswered and whose second is acknowledged.
fn send_at_the_second_attempt(b: &mut Bench) {
    b.offer(1500);
    for _ in 0..2 {
        b.until_sent(Rts);
        b.receive(control(Cts, ME, 0)).until_sent(Data);
    }
    b.receive(control(Ack, ME, 0));
}

#[test]
fn an_ack_makes_the_window_small_and_clears_the_long_count() {
    let config = MacConfig { cw_min: 3, long_retry_limit: 2, ..slow_acks() };
    for quirks in [STANDARD, MacQuirks::NS2] {
        let widest = (0..400).map(|seed| {
            let mut b = Bench::new(&config, quirks, seed);
            send_at_the_second_attempt(&mut b);
            let slots = slots_left(b.offer(1500), 0);
            // A single failure of the next packet does not reach the limit.
            b.until_sent(Rts);
            b.receive(control(Cts, ME, 0)).until_sent(Data);
            b.wait(b.exchange_in().expect("it waits for an ACK"));
            assert_eq!(b.gave_up(), 0);
            slots
        });
        assert_eq!(widest.max(), Some(if quirks == STANDARD { 3 } else { 2 }));
    }
}
