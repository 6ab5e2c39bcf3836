//! Reno (RFC 5681): Tahoe with fast recovery, which ends on the first ACK of new data.

use super::table::Do::{Ack, Timeout};
use super::table::{Row, config, play, ten};
use tworay_tcp::{Halving, HalvingPrecision, InitialWindow, RenoForm, TcpConfig};

/// §3.1: one segment per ACK below ssthresh, 1/cwnd above.
#[test]
fn growth_section_3_1() {
    let config = TcpConfig { initial_ssthresh: Some(4.0), ..config() };
    let table: [Row; 6] = [
        (Ack(1), &[3, 4], 3.0, 4.0),
        (Ack(2), &[5, 6], 4.0, 4.0),
        (Ack(3), &[7], 4.25, 4.0),
        (Ack(4), &[8], 4.4853, 4.0),
        (Ack(5), &[9], 4.7083, 4.0),
        (Ack(8), &[10, 11, 12], 4.9206, 4.0),
    ];
    play("reno", &config, &table);
}

/// §3.2, steps 1 to 6. Segments 1 and 5 are lost.
#[test]
fn fast_recovery_section_3_2() {
    let table: [Row; 14] = [
        // Step 1 without limited transmit: nothing.
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[], 10.0, 10.0),
        // Steps 2 and 3: ssthresh = FlightSize/2; retransmit the loss; the window is 5 plus 3.
        (Ack(0), &[1], 5.0, 5.0),
        // Steps 4 and 5: one more per duplicate; from segment 11 on the window exceeds what is outstanding.
        (Ack(0), &[], 5.0, 5.0),
        (Ack(0), &[], 5.0, 5.0),
        (Ack(0), &[11], 5.0, 5.0),
        (Ack(0), &[12], 5.0, 5.0),
        (Ack(0), &[13], 5.0, 5.0),
        // Step 6: deflation on the first new ACK, which does not grow the window.
        (Ack(4), &[], 5.0, 5.0),
        // The second loss of the window needs three more duplicates and halves again (nine are
        // outstanding).
        (Ack(4), &[], 5.0, 5.0),
        (Ack(4), &[], 5.0, 5.0),
        (Ack(4), &[5], 4.5, 4.5),
        (Ack(13), &[14, 15, 16, 17], 4.5, 4.5),
        (Ack(14), &[18], 4.7222, 4.5),
    ];
    play("reno", &ten(), &table);
}

/// ns-2's `bugFix_`: no second fast retransmit for data outstanding at the first; the timer repairs it. Set for
/// all senders of a scenario, or for a variant whatever the scenario says.
#[test]
fn the_bugfix_form_leaves_the_second_loss_to_the_timer() {
    let table: [Row; 8] = [
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[1], 5.0, 5.0),
        (Ack(4), &[], 5.0, 5.0),
        (Ack(4), &[], 5.0, 5.0),
        (Ack(4), &[], 5.0, 5.0),
        (Ack(4), &[], 5.0, 5.0),
        (Timeout, &[5], 1.0, 3.0),
    ];
    play("reno", &TcpConfig { reno: RenoForm::Bugfix, ..ten() }, &table);
    play("reno(second=wait)", &ten(), &table);
}

/// "TCP Reno decreases its transmission rate by half each time there is a lost packet … After three trials of
/// recovery, TCP Reno has to wait to RTO expiration" (Seddik-Ghaleb et al. 2006 §III.3.b). Segments 1, 5 and 9 of a
/// window of 16 are lost; ns-2 halves the window, here from 16 to 8 and 4. Nothing is left in the network then that
/// could cause duplicate ACKs of the third loss.
#[test]
fn each_loss_of_a_window_halves_until_the_timer_must_repair() {
    let ns2 = TcpConfig {
        reno: RenoForm::Bugfix,
        halving: Halving::Window,
        halving_precision: HalvingPrecision::IntegerSsthresh,
        initial_window: InitialWindow::Segments(16),
        initial_ssthresh: Some(16.0),
        ..config()
    };
    // The 13 segments that arrive beside the losses; the window is 8 + 3 at the third, 8 + 9 at the ninth.
    let first = [
        (Ack(0), &[][..], 16.0, 16.0),
        (Ack(0), &[], 16.0, 16.0),
        (Ack(0), &[1], 8.0, 8.0),
        (Ack(0), &[], 8.0, 8.0),
        (Ack(0), &[], 8.0, 8.0),
        (Ack(0), &[], 8.0, 8.0),
        (Ack(0), &[], 8.0, 8.0),
        (Ack(0), &[], 8.0, 8.0),
        (Ack(0), &[17], 8.0, 8.0),
        (Ack(0), &[18], 8.0, 8.0),
        (Ack(0), &[19], 8.0, 8.0),
        (Ack(0), &[20], 8.0, 8.0),
        (Ack(0), &[21], 8.0, 8.0),
        // Segment 1 arrives, then 17 to 21.
        (Ack(4), &[], 8.0, 8.0),
        (Ack(4), &[], 8.0, 8.0),
        (Ack(4), &[], 8.0, 8.0),
    ];
    let halving: [Row; 6] = [
        (Ack(4), &[5], 4.0, 4.0),
        (Ack(4), &[], 4.0, 4.0),
        (Ack(4), &[], 4.0, 4.0),
        (Ack(8), &[], 4.0, 4.0),
        (Timeout, &[9], 1.0, 2.0),
        (Ack(21), &[22, 23], 2.0, 2.0),
    ];
    play("reno(second=halve)", &ns2, &[&first[..], &halving].concat());
    // ns-2's own default waits one loss earlier, with a larger window.
    let waiting: [Row; 2] = [(Ack(4), &[], 8.0, 8.0), (Timeout, &[5], 1.0, 4.0)];
    play("reno", &ns2, &[&first[..], &waiting].concat());
}

/// ns-2 halves its window at every timeout; RFC 5681 does so once per segment (`timers.rs`).
#[test]
fn timeouts_as_in_ns2() {
    let ns2 = TcpConfig { halving: Halving::Window, ..ten() };
    play("reno", &ns2, &[(Timeout, &[1], 1.0, 5.0), (Timeout, &[1], 1.0, 2.0)]);
}

/// ns-2 halves a window of one segment to a half, which permits no segment: with nothing outstanding, one
/// may be sent.
#[test]
fn less_than_a_segment_of_window_is_no_deadlock() {
    let config =
        TcpConfig { halving: Halving::Window, halving_precision: HalvingPrecision::IntegerSsthresh, ..ten() };
    let table: [Row; 6] = [
        (Timeout, &[1], 1.0, 5.0),
        (Ack(0), &[], 1.0, 5.0),
        (Ack(0), &[], 1.0, 5.0),
        (Ack(0), &[1, 2, 3], 0.5, 2.0),
        (Ack(10), &[11], 0.5, 2.0),
        (Ack(11), &[12], 1.5, 2.0),
    ];
    play("reno", &config, &table);
}

/// Lower bound of equation 4: three segments in flight give an ssthresh of two.
#[test]
fn a_small_window_is_halved_to_two() {
    let config = TcpConfig { initial_window: InitialWindow::Segments(3), ..ten() };
    let table: [Row; 4] = [
        (Ack(0), &[], 3.0, 10.0),
        (Ack(0), &[], 3.0, 10.0),
        // 2 plus 3: two new segments fit beside the three outstanding.
        (Ack(0), &[1, 4, 5], 2.0, 2.0),
        (Ack(3), &[], 2.0, 2.0),
    ];
    play("reno", &config, &table);
}

/// RFC 3042, and RFC 5681 §3.2 step 2: the two segments do not count towards FlightSize.
#[test]
fn limited_transmit() {
    let config = TcpConfig { limited_transmit: true, ..ten() };
    let table: [Row; 3] =
        [(Ack(0), &[11], 10.0, 10.0), (Ack(0), &[12], 10.0, 10.0), (Ack(0), &[1], 5.0, 5.0)];
    play("reno", &config, &table);
}
