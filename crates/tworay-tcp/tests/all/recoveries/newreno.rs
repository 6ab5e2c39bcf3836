//! NewReno (RFC 6582): fast recovery through partial ACKs, until everything outstanding at its start is
//! acknowledged. Growth and timeouts are those of RFC 5681.

use super::table::Do::{Ack, Timeout};
use super::table::{Row, play, ten, timers};
use tworay_tcp::{Amount, NewRenoConfig, NewRenoEntry, NewRenoExit, NewRenoTimer, TcpConfig};

fn with(newreno: NewRenoConfig) -> TcpConfig {
    TcpConfig { newreno, ..ten() }
}

/// §3.2, steps 1 to 3. Segments 1 and 5 are lost: one recovery repairs both.
const TWO_LOSSES: [Row; 12] = [
    (Ack(0), &[], 10.0, 10.0),
    (Ack(0), &[], 10.0, 10.0),
    // Step 2: ssthresh = FlightSize/2, cwnd = ssthresh + 3, recover = 10.
    (Ack(0), &[1], 5.0, 5.0),
    (Ack(0), &[], 5.0, 5.0),
    (Ack(0), &[], 5.0, 5.0),
    (Ack(0), &[11], 5.0, 5.0),
    (Ack(0), &[12], 5.0, 5.0),
    (Ack(0), &[13], 5.0, 5.0),
    // Step 3, partial ACK: retransmit 5. Inflation 8 - 4 + 1 = 5: a window of 10 above segment 4.
    (Ack(4), &[5, 14], 5.0, 5.0),
    (Ack(4), &[15], 5.0, 5.0),
    // Step 3, full ACK: cwnd = min(ssthresh, FlightSize + 1), with 14 and 15 outstanding.
    (Ack(13), &[16], 3.0, 5.0),
    (Ack(14), &[17, 18], 4.0, 5.0),
];

#[test]
fn partial_and_full_acks_section_3_2() {
    play("newreno", &ten(), &TWO_LOSSES);
}

/// §3.2 step 3, the other exits: cwnd = ssthresh; and ns-2's, which leaves the window as it is.
#[test]
fn leaving_recovery() {
    for (exit, sent, cwnd) in [
        (NewRenoExit::Flight, &[16][..], 3.0),
        (NewRenoExit::Ssthresh, &[16, 17, 18], 5.0),
        (NewRenoExit::Keep, &[16, 17, 18], 5.0),
    ] {
        let mut table: Vec<Row> = TWO_LOSSES[..10].to_vec();
        table.push((Ack(13), sent, cwnd, 5.0));
        play("newreno", &with(NewRenoConfig { exit, ..NewRenoConfig::default() }), &table);
    }
}

/// §3.2 step 3: the impatient variant restarts the timer only on the first partial ACK, the slow-but-steady
/// one on each. Segments 1, 3 and 5 are lost.
#[test]
fn the_timer_of_the_two_variants() {
    let table: [Row; 6] = [
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[1], 5.0, 5.0),
        (Ack(2), &[3], 5.0, 5.0),
        (Ack(4), &[5], 5.0, 5.0),
        (Ack(10), &[11, 12], 2.0, 5.0),
    ];
    for (timer, restarted) in
        [(NewRenoTimer::Impatient, &[3, 4, 6][..]), (NewRenoTimer::SlowButSteady, &[3, 4, 5, 6])]
    {
        let config = with(NewRenoConfig { timer, ..NewRenoConfig::default() });
        assert_eq!(timers("newreno", &config, Amount::Endless, &table), restarted, "{timer:?}");
    }
}

/// ns-2's `partial_window_deflation_ 0`: a partial ACK removes all inflation.
#[test]
fn without_partial_deflation_the_window_falls_to_ssthresh() {
    let config = with(NewRenoConfig { partial_window_deflation: false, ..NewRenoConfig::default() });
    let mut table: Vec<Row> = TWO_LOSSES[..8].to_vec();
    table.push((Ack(4), &[5], 5.0, 5.0));
    table.push((Ack(4), &[], 5.0, 5.0));
    play("newreno", &config, &table);
}

/// §3.2 step 2 and §4: after a timeout, duplicates of data sent before it start no recovery; the ACK must
/// cover more than `recover`.
#[test]
fn the_careful_variant_ignores_duplicates_of_old_data() {
    let table: [Row; 6] = [
        (Timeout, &[1], 1.0, 5.0),
        (Ack(1), &[2, 3], 2.0, 5.0),
        (Ack(1), &[], 2.0, 5.0),
        (Ack(1), &[], 2.0, 5.0),
        (Ack(1), &[], 2.0, 5.0),
        (Ack(10), &[11, 12, 13], 3.0, 5.0),
    ];
    play("newreno", &ten(), &table);
}

/// The same with an ACK of exactly `recover`: only the less careful variant treats duplicates of it as a
/// loss.
#[test]
fn careful_and_less_careful_differ_at_the_edge() {
    for (entry, sent, cwnd, ssthresh) in
        [(NewRenoEntry::Careful, &[][..], 2.0, 5.0), (NewRenoEntry::LessCareful, &[11, 13, 14, 15], 2.0, 2.0)]
    {
        let table: [Row; 5] = [
            (Timeout, &[1], 1.0, 5.0),
            (Ack(10), &[11, 12], 2.0, 5.0),
            (Ack(10), &[], 2.0, 5.0),
            (Ack(10), &[], 2.0, 5.0),
            (Ack(10), sent, cwnd, ssthresh),
        ];
        play("newreno", &with(NewRenoConfig { entry, ..NewRenoConfig::default() }), &table);
    }
}

/// §3.2 step 4: a timeout ends recovery.
#[test]
fn a_timeout_ends_recovery() {
    let mut table: Vec<Row> = TWO_LOSSES[..9].to_vec();
    table.push((Timeout, &[5], 1.0, 5.0));
    // Slow start from here on; 14 is the highest sent, and duplicates below it start no recovery.
    table.push((Ack(5), &[6, 7], 2.0, 5.0));
    table.push((Ack(14), &[15, 16, 17], 3.0, 5.0));
    play("newreno", &ten(), &table);
}

/// RFC 3042, and RFC 5681 §3.2 step 2: the two segments do not count towards FlightSize.
#[test]
fn limited_transmit() {
    let config = TcpConfig { limited_transmit: true, ..ten() };
    let table: [Row; 3] =
        [(Ack(0), &[11], 10.0, 10.0), (Ack(0), &[12], 10.0, 10.0), (Ack(0), &[1], 5.0, 5.0)];
    play("newreno", &config, &table);
}
