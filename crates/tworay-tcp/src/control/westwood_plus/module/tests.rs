use super::*;
use crate::control::tests::view;
use tworay_base::{SimDuration, SimTime};

fn at(ms: u64, srtt_ms: u64, repairing: bool) -> SenderView {
    let now = SimTime::ZERO + SimDuration::from_millis(ms);
    let srtt = Some(SimDuration::from_millis(srtt_ms));
    SenderView { now, srtt, in_recovery: repairing, ..view(20.0, 64.0) }
}

#[test]
fn a_sample_is_what_came_in_more_than_a_round_trip() {
    let mut m = Module::default();
    assert_eq!(m.pipe(1000), 2.0, "before any estimate");
    m.on_ack(&at(0, 100, false), 1000);
    for ms in (10..=100).step_by(10) {
        m.on_ack(&at(ms, 100, false), 1000);
    }
    assert_eq!((m.bytes, m.second), (10_000, 0), "the first ACK doesn't count, 100 ms are not more than 100");
    m.on_ack(&at(110, 100, false), 1000);
    assert_eq!(
        (m.bytes, m.first, m.second),
        (1000, 90, 90),
        "10000 B / 110 ms, cut; this ACK is of the next"
    );
    assert_eq!(m.pipe(1000), 9.0);
}

#[test]
fn samples_take_50_ms_at_least() {
    let mut m = Module::default();
    m.on_ack(&at(0, 10, false), 1000);
    m.on_ack(&at(50, 10, false), 1000);
    assert_eq!(m.second, 0);
    m.on_ack(&at(51, 10, false), 1000);
    assert_eq!(m.second, 19);
}

#[test]
fn cut_numbers_never_reach_the_rate() {
    let mut m = Module::default();
    // 50 B/ms for 2 s, then 100.
    let slow = (0..100).map(|i| i * 20);
    for ms in slow.chain((0..5000).map(|i| 2000 + i * 10)) {
        m.on_ack(&at(ms, 100, false), 1000);
    }
    assert_eq!((m.first, m.second), (93, 86));
}

/// Bytes that count: duplicates a segment each, what they have counted not again, and that only while a
/// loss is repaired.
#[test]
fn duplicates_count_once() {
    let mut m = Module::default();
    m.on_ack(&at(0, 100, false), 1000);
    m.bytes = 0;
    for ms in 1..=3 {
        m.on_dup_ack(&at(ms, 100, true));
    }
    assert_eq!((m.bytes, m.ahead), (3000, 3000));
    m.on_ack(&at(4, 100, true), 1000);
    assert_eq!((m.bytes, m.ahead), (4000, 3000), "a single segment always counts");
    m.on_ack(&at(5, 100, true), 2000);
    assert_eq!((m.bytes, m.ahead), (5000, 1000), "both were counted: one for the ACK");
    m.on_ack(&at(6, 100, true), 3000);
    assert_eq!((m.bytes, m.ahead), (7000, 0));
    m.on_dup_ack(&at(7, 100, false));
    m.on_ack(&at(8, 100, false), 3000);
    assert_eq!((m.bytes, m.ahead), (11_000, 1000), "in the open all counts");
    m.on_ack(&SenderView { after_timeout: true, ..at(9, 100, false) }, 3000);
    assert_eq!((m.bytes, m.ahead), (13_000, 0), "after a timeout it doesn't");
}

#[test]
fn the_shortest_is_of_smoothed_times_when_new_data_was_acknowledged() {
    let mut m = Module::default();
    m.on_ack(&at(0, 120, false), 1000);
    m.on_dup_ack(&at(1, 80, true));
    assert_eq!(m.shortest, Some(120));
    m.on_ack(&at(2, 90, true), 1000);
    assert_eq!(m.shortest, Some(90));
}
