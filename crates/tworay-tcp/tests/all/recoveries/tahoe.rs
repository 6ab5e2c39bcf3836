//! Tahoe (Jacobson 1988; ns-2's `Agent/TCP`): slow start, congestion avoidance, fast retransmit. After any
//! loss the sender goes back to the lost segment with a window of one.
//!
//! | event | reaction |
//! |---|---|
//! | ACK of new data | cwnd + 1 below ssthresh, + 1/cwnd above (RFC 5681 §3.1) |
//! | third duplicate ACK | ssthresh = flight/2, cwnd = 1, retransmit from the loss on |
//! | further duplicate ACKs | none: the window is not inflated |
//! | timeout | the same, and the timer backs off |

use super::table::Do::{Ack, Timeout};
use super::table::{Row, config, play, ten};
use tworay_tcp::TcpConfig;

/// Slow start up to ssthresh, then one segment per round trip.
#[test]
fn growth() {
    let config = TcpConfig { initial_ssthresh: Some(4.0), ..config() };
    let table: [Row; 5] = [
        (Ack(1), &[3, 4], 3.0, 4.0),
        (Ack(2), &[5, 6], 4.0, 4.0),
        (Ack(3), &[7], 4.25, 4.0),
        (Ack(4), &[8], 4.4853, 4.0),
        // One step per ACK, however much it acknowledges.
        (Ack(8), &[9, 10, 11, 12], 4.7083, 4.0),
    ];
    play("tahoe", &config, &table);
}

/// Segments 1 and 5 are lost: the repair of 1 reveals 5, which slow start has retransmitted by then.
#[test]
fn fast_retransmit_goes_back_to_the_loss() {
    let table: [Row; 7] = [
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[1], 1.0, 5.0),
        (Ack(0), &[], 1.0, 5.0),
        (Ack(0), &[], 1.0, 5.0),
        (Ack(4), &[5, 6], 2.0, 5.0),
        (Ack(10), &[11, 12, 13], 3.0, 5.0),
    ];
    play("tahoe", &ten(), &table);
}

/// Retransmitted segments that had already arrived cause duplicate ACKs. These indicate no new loss until
/// everything outstanding at the last loss is acknowledged (ns-2's `bugFix_`).
#[test]
fn duplicates_of_what_was_sent_again_are_no_loss() {
    let table: [Row; 9] = [
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[], 10.0, 10.0),
        (Ack(0), &[1], 1.0, 5.0),
        (Ack(4), &[5, 6], 2.0, 5.0),
        (Ack(4), &[], 2.0, 5.0),
        (Ack(4), &[], 2.0, 5.0),
        (Ack(4), &[], 2.0, 5.0),
        (Ack(4), &[], 2.0, 5.0),
        (Timeout, &[5], 1.0, 2.0),
    ];
    play("tahoe", &ten(), &table);
}

/// RFC 3042: one new segment on each of the first two duplicate ACKs.
#[test]
fn limited_transmit() {
    let config = TcpConfig { limited_transmit: true, ..ten() };
    let table: [Row; 3] =
        [(Ack(0), &[11], 10.0, 10.0), (Ack(0), &[12], 10.0, 10.0), (Ack(0), &[1], 1.0, 5.0)];
    play("tahoe", &config, &table);
}
