//! Effects of repeated expiries of a timer, whatever the recovery.

use super::table::Do::{Ack, Timeout};
use super::table::{Row, play, ten};
use crate::common::numbered::{ack, sender};
use tworay_base::{SimDuration, SimTime};
use tworay_tcp::{Amount, Arrival, RtoConfig, TcpAction, TcpConfig, TcpTimer};

/// RFC 5681 §3.1, equation 4: ssthresh = max(FlightSize/2, 2), set once per segment however often it times out; cwnd = 1, the loss
/// window.
#[test]
fn timeouts_halve_what_is_in_flight() {
    let table: [Row; 5] = [
        (Timeout, &[1], 1.0, 5.0),
        (Timeout, &[1], 1.0, 5.0),
        (Ack(1), &[2, 3], 2.0, 5.0),
        (Timeout, &[2], 1.0, 2.0),
        (Ack(10), &[11, 12], 2.0, 2.0),
    ];
    for variant in ["tahoe", "reno"] {
        play(variant, &ten(), &table);
    }
}

/// RFC 5681 §3.1: when a segment is sent again that was sent again before, ssthresh stays; after an ACK of new data, the next
/// timeout halves what is in flight, here two segments.
#[test]
fn only_timeouts_of_one_segment_in_a_row_keep_the_threshold() {
    let table: [Row; 5] = [
        (Timeout, &[1], 1.0, 5.0),
        (Timeout, &[1], 1.0, 5.0),
        (Ack(4), &[5, 6], 2.0, 5.0),
        (Timeout, &[5], 1.0, 2.0),
        (Timeout, &[5], 1.0, 2.0),
    ];
    for variant in ["tahoe", "reno", "newreno", "sack"] {
        play(variant, &ten(), &table);
    }
}

/// RFC 9293 §3.8.6.1: intervals between probes of a closed window increase exponentially, from an RTO of one second to 64 times
/// that, or to the longest timeout. A window that opens and closes begins anew.
#[test]
fn probes_of_a_closed_window_come_ever_more_slowly() {
    for (max, expected) in [(20, [1, 2, 4, 8, 16, 20, 20, 20]), (120, [1, 2, 4, 8, 16, 32, 64, 64])] {
        let (min, max_wait) = (SimDuration::from_secs(1), SimDuration::from_secs(max));
        let rto = RtoConfig { min, max: max_wait, ..ten().rto };
        let config = TcpConfig { rto, ..ten() };
        let mut end = sender("newreno", &config);
        let mut out = Vec::new();
        let mut now = SimTime::ZERO;
        end.open(now, &mut out);
        end.write(now, Amount::Endless, &mut out);
        for acknowledged in [10, 20] {
            now += SimDuration::from_millis(10);
            out.clear();
            let closed = tworay_wire::TcpSegment { window: 0, ..ack(acknowledged, &[], &config) };
            end.on_segment(now, &closed, Arrival::default(), &mut out);
            let mut waits = Vec::new();
            while waits.len() < expected.len() {
                let persists = |a: &TcpAction| match a {
                    TcpAction::Arm(TcpTimer::Persist, at) => Some(*at),
                    _ => None,
                };
                let due = out.iter().find_map(persists).expect("a persist timer");
                waits.push(due.since(now));
                now = due;
                out.clear();
                end.on_timer(now, TcpTimer::Persist, &mut out);
            }
            assert_eq!(waits, expected.map(SimDuration::from_secs), "at most {max} s, after {acknowledged}");
            now += SimDuration::from_millis(10);
            out.clear();
            let open = tworay_wire::TcpSegment { window: 10_000, ..ack(acknowledged, &[], &config) };
            end.on_segment(now, &open, Arrival::default(), &mut out);
        }
    }
}
