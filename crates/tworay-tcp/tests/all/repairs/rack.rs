//! RACK (RFC 8985 §6).

use super::ladder::On::{Ack, Timer};
use super::ladder::{climb, config};

/// §3.4's example, with segments 1 to 4 for its P0 to P3. Of four segments the last three are lost, and so is
/// the first retransmission of the second.
#[test]
fn fast_recovery_section_3_4() {
    let ladder = climb(
        "sack+rack-tlp",
        &config(4),
        Some(4),
        &[1, 2, 3, 4],
        &[
            // A round trip of 100 ms.
            (100, Ack(1, &[]), &[]),
            // Step 3: two round trips later the tail is probed.
            (300, Timer, &[4]),
            // Step 5: what was sent before 4, more than a round trip ago, is lost.
            (400, Ack(1, &[(4, 4)]), &[2, 3]),
            // Step 7: 3 arrives, 2 was sent before it at the same time.
            (500, Ack(1, &[(3, 4)]), &[2]),
            (600, Ack(4, &[]), &[]),
        ],
    );
    assert_eq!(ladder.counters().timeouts, 0);
}

/// §6.2 step 5: a segment that may only be late has a quarter of the least round trip.
#[test]
fn what_is_late_by_less_than_a_quarter_round_trip_is_not_sent_again() {
    // A round trip of 100 ms; then 3 overtakes 2 by 20 ms.
    let ladder = climb(
        "sack+rack",
        &config(3),
        Some(5),
        &[1, 2, 3],
        &[(100, Ack(1, &[]), &[4]), (105, Ack(1, &[(3, 3)]), &[5]), (125, Ack(3, &[]), &[])],
    );
    assert_eq!(ladder.counters().retransmitted_segments, 0);
    // 3 was sent 100 ms after 2 and has arrived: 2 had time enough.
    climb(
        "sack+rack",
        &config(2),
        Some(3),
        &[1, 2],
        &[(100, Ack(1, &[]), &[3]), (200, Ack(1, &[(3, 3)]), &[2])],
    );
}

/// The timer of §6.3: nothing more arrives that could show the loss.
#[test]
fn the_reordering_timer_finds_a_loss() {
    climb(
        "sack+rack",
        &config(3),
        Some(3),
        &[1, 2, 3],
        &[
            (100, Ack(1, &[]), &[]),
            // 3 arrived 105 ms after it was sent together with 2: 2 may take 105 + 25 ms.
            (105, Ack(1, &[(3, 3)]), &[]),
            (130, Timer, &[2]),
            (230, Ack(3, &[]), &[]),
        ],
    );
}

/// §6.2 step 4: while no reordering was seen, three SACKed segments are enough, as for RFC 6675.
#[test]
fn three_sacked_segments_make_a_loss_at_once() {
    climb(
        "sack+rack",
        &config(5),
        Some(5),
        &[1, 2, 3, 4, 5],
        &[
            (100, Ack(1, &[]), &[]),
            (101, Ack(1, &[(3, 3)]), &[]),
            (102, Ack(1, &[(3, 4)]), &[]),
            (103, Ack(1, &[(3, 5)]), &[2]),
        ],
    );
}

/// §6.2 step 3 goes through what an ACK reports in ascending order: the first block is the latest to arrive,
/// which may be above others of the same ACK.
#[test]
fn two_new_blocks_of_one_ack_are_no_reordering() {
    climb(
        "sack+rack",
        &config(6),
        Some(6),
        &[1, 2, 3, 4, 5, 6],
        &[
            (100, Ack(1, &[]), &[]),
            (101, Ack(1, &[(5, 5), (3, 3)]), &[]),
            (102, Ack(1, &[(5, 6), (3, 3)]), &[2, 4]),
        ],
    );
}
