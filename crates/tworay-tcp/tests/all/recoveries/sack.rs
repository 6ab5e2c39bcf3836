//! SACK (RFC 2018) with the recovery of RFC 6675: a scoreboard of lost data and an estimate (pipe) of data
//! in the network. Growth and timeouts are those of RFC 5681.

use super::table::Do::{Ack, Sack, Timeout};
use super::table::{Row, play, ten, timers};
use crate::common::numbered::MSS;
use tworay_tcp::{AfterRto, Amount, InitialWindow, SackConfig, SackForm, TcpConfig};

/// §5, steps 1 to 4 and A to C. Segments 1, 4 and 5 are lost.
#[test]
fn recovery_section_5() {
    let table: [Row; 9] = [
        (Sack(0, &[(2, 2)]), &[], 10.0, 10.0),
        (Sack(0, &[(2, 3)]), &[], 10.0, 10.0),
        // Step 4: ssthresh = cwnd = FlightSize/2. Ten outstanding, 3 SACKed, 1 lost and retransmitted: pipe
        // 7.
        (Sack(0, &[(6, 6), (2, 3)]), &[1], 5.0, 5.0),
        // 4 and 5 are not lost yet: only two segments are SACKed above them.
        (Sack(0, &[(6, 7), (2, 3)]), &[], 5.0, 5.0),
        // Now they are: pipe = 1, 9 and 10; NextSeg rule 1.
        (Sack(0, &[(6, 8), (2, 3)]), &[4, 5], 5.0, 5.0),
        // No lost hole remains: rule 2, new data.
        (Sack(0, &[(6, 9), (2, 3)]), &[11], 5.0, 5.0),
        (Sack(0, &[(6, 10), (2, 3)]), &[12], 5.0, 5.0),
        (Sack(3, &[(6, 10)]), &[13], 5.0, 5.0),
        // Step A: everything up to RecoveryPoint is acknowledged.
        (Ack(10), &[14, 15], 5.0, 5.0),
    ];
    play("sack", &ten(), &table);
}

/// §5 step 2: one duplicate ACK is enough if its SACKs make the oldest segment lost (IsLost: more bytes
/// than two segments, or three ranges, above it).
#[test]
fn the_scoreboard_can_show_a_loss_before_the_third_duplicate() {
    let table: [Row; 2] = [
        (Sack(0, &[(2, 4)]), &[1], 5.0, 5.0),
        // pipe = 1 and 6 to 10.
        (Sack(0, &[(2, 5)]), &[], 5.0, 5.0),
    ];
    play("sack", &ten(), &table);
    let runs: [Row; 1] = [(Sack(0, &[(2, 2), (4, 4), (6, 6)]), &[1], 5.0, 5.0)];
    play("sack", &ten(), &runs);
}

/// §2: an ACK is a duplicate only if it SACKs new data.
#[test]
fn a_repeated_sack_is_no_duplicate() {
    let same: Row = (Sack(0, &[(3, 4)]), &[], 10.0, 10.0);
    play("sack", &ten(), &[same.clone(), same.clone(), same.clone(), same]);
}

/// §4, NextSeg rule 4: when nothing else may be sent, the last outstanding segment is retransmitted once,
/// so that a lost tail is detected before the timer expires. There are only ten segments; 1, 9 and 10 are
/// lost.
#[test]
fn the_rescue_retransmission_section_4() {
    let table: [Row; 8] = [
        (Sack(0, &[(2, 2)]), &[], 10.0, 10.0),
        (Sack(0, &[(2, 3)]), &[], 10.0, 10.0),
        (Sack(0, &[(2, 4)]), &[1], 5.0, 5.0),
        (Sack(0, &[(2, 5)]), &[], 5.0, 5.0),
        (Sack(0, &[(2, 6)]), &[], 5.0, 5.0),
        // pipe = 1, 8, 9 and 10: room for one segment, but no hole and no new data to send.
        (Sack(0, &[(2, 7)]), &[10], 5.0, 5.0),
        // Once per recovery.
        (Sack(0, &[(2, 8)]), &[], 5.0, 5.0),
        // Its ACK reveals 9: above the cumulative ACK and below SACKed data (rule 3).
        (Sack(8, &[(10, 10)]), &[9], 5.0, 5.0),
    ];
    timers("sack", &ten(), Amount::Bytes(10 * u64::from(MSS)), &table);
}

/// §5.1: after a timeout the scoreboard is kept and SACKed data is not retransmitted; or it is cleared, as
/// in RFC 2018 §8.
#[test]
fn the_scoreboard_after_a_timeout_section_5_1() {
    let kept: [Row; 6] = [
        (Sack(0, &[(3, 4)]), &[], 10.0, 10.0),
        (Timeout, &[1], 1.0, 5.0),
        (Sack(1, &[(3, 4)]), &[2, 5], 2.0, 5.0),
        (Ack(4), &[6, 7], 3.0, 5.0),
        (Ack(5), &[8, 9], 4.0, 5.0),
        (Ack(10), &[11, 12, 13, 14, 15], 5.0, 5.0),
    ];
    play("sack", &ten(), &kept);
    let clear = SackConfig { after_rto: AfterRto::Clear, ..SackConfig::default() };
    let cleared: [Row; 3] =
        [(Sack(0, &[(3, 4)]), &[], 10.0, 10.0), (Timeout, &[1], 1.0, 5.0), (Ack(1), &[2, 3], 2.0, 5.0)];
    play("sack", &TcpConfig { sack: clear, ..ten() }, &cleared);
}

/// ns-2's Sack1: recovery starts at the third duplicate, the pipe counts ACKs, and a hole needs one SACKed
/// segment above it, not three. Segments 1 and 4 are lost.
#[test]
fn the_pipe_of_ns2() {
    let config = TcpConfig { sack: SackConfig { form: SackForm::Ns2Pipe, ..SackConfig::default() }, ..ten() };
    let table: [Row; 6] = [
        (Sack(0, &[(2, 2)]), &[], 10.0, 10.0),
        (Sack(0, &[(2, 3)]), &[], 10.0, 10.0),
        // pipe = 10 - 3, plus one retransmitted.
        (Sack(0, &[(5, 5), (2, 3)]), &[1], 5.0, 5.0),
        (Sack(0, &[(5, 6), (2, 3)]), &[], 5.0, 5.0),
        (Sack(0, &[(5, 7), (2, 3)]), &[], 5.0, 5.0),
        (Sack(0, &[(5, 8), (2, 3)]), &[4], 5.0, 5.0),
    ];
    play("sack", &config, &table);
}

/// RFC 3042 with RFC 6675 §5 step 3: only while the window allows, and not counted towards FlightSize.
#[test]
fn limited_transmit() {
    let config = TcpConfig { limited_transmit: true, ..ten() };
    let table: [Row; 3] = [
        (Sack(0, &[(2, 2)]), &[11], 10.0, 10.0),
        (Sack(0, &[(2, 3)]), &[12], 10.0, 10.0),
        (Sack(0, &[(2, 4)]), &[1], 5.0, 5.0),
    ];
    play("sack", &config, &table);
}

/// TCP-Linux' sender with a window of ten segments, all in flight.
fn linux() -> TcpConfig {
    TcpConfig { sack: SackConfig { form: SackForm::TcpLinux, ..SackConfig::default() }, ..ten() }
}

/// ns-2's TCP-Linux: a segment is lost when the fourth one above it is SACKed. cwnd falls to a quarter at
/// once, ssthresh to a half; the reported limit of segments in flight falls by one for every two that leave
/// the network.
#[test]
fn the_walk_down_of_tcp_linux() {
    let table: [Row; 9] = [
        // SACKed segments are not in flight: three more may be sent.
        (Sack(0, &[(2, 4)]), &[11, 12, 13], 10.0, 10.0),
        // Eight in flight: 6 to 13. One may be sent.
        (Sack(0, &[(2, 5)]), &[1], 10.0, 5.0),
        (Sack(0, &[(2, 6)]), &[], 8.0, 5.0),
        (Sack(0, &[(2, 7)]), &[14], 8.0, 5.0),
        (Sack(0, &[(2, 8)]), &[], 7.0, 5.0),
        (Sack(0, &[(2, 9)]), &[15], 7.0, 5.0),
        (Sack(0, &[(2, 10)]), &[], 6.0, 5.0),
        (Ack(10), &[16], 6.0, 5.0),
        // The end: everything outstanding at the start is acknowledged. Three are in flight.
        (Ack(13), &[17, 18], 5.0, 5.0),
    ];
    play("sack", &linux(), &table);
}

/// At the end the window may exceed the segments in flight by at most three.
#[test]
fn no_burst_at_the_end_of_tcp_linux() {
    let table: [Row; 2] = [(Sack(0, &[(2, 10)]), &[1, 11], 10.0, 5.0), (Ack(11), &[12, 13, 14], 3.0, 5.0)];
    play("sack", &linux(), &table);
}

/// Growth by bytes acknowledged (RFC 3465): one segment per ACK up to and including ssthresh, then one per
/// window; none if the window was not full.
#[test]
fn the_growth_of_tcp_linux() {
    let config =
        TcpConfig { initial_ssthresh: Some(3.0), initial_window: InitialWindow::Segments(2), ..linux() };
    let table: [Row; 6] = [
        (Ack(1), &[3, 4], 3.0, 3.0),
        (Ack(2), &[5, 6], 4.0, 3.0),
        (Ack(4), &[7, 8], 4.0, 3.0),
        (Ack(6), &[9, 10, 11], 5.0, 3.0),
        (Ack(10), &[12, 13, 14, 15], 5.0, 3.0),
        (Ack(11), &[16, 17], 6.0, 3.0),
    ];
    play("sack", &config, &table);
}

/// On a timeout everything not SACKed is lost; the window becomes one segment, ssthresh half of what it
/// was.
#[test]
fn the_timeout_of_tcp_linux() {
    let table: [Row; 4] = [
        (Sack(0, &[(3, 4)]), &[11, 12], 10.0, 10.0),
        (Timeout, &[1], 1.0, 5.0),
        (Sack(1, &[(3, 4)]), &[2, 5], 2.0, 5.0),
        (Ack(5), &[6, 7, 8], 3.0, 5.0),
    ];
    play("sack", &linux(), &table);
}
