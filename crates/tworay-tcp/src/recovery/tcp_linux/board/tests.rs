use super::*;
use proptest::prelude::*;

/// One letter per mark: `.` out, `s` SACKed, `L` lost, `R` sent again.
fn picture(board: &Board) -> String {
    let letter = |m: &Mark<Repeat>| match m {
        Mark::Out => '.',
        Mark::Sacked => 's',
        Mark::Lost => 'L',
        Mark::Again(_) => 'R',
    };
    board.marks.iter().map(letter).collect()
}

fn after(board: &mut Board, acked: usize, blocks: &[(u64, u64)]) -> (News, String) {
    let mut blocks = blocks.to_vec();
    let news = board.update(acked, &mut blocks, 3);
    (news, picture(board))
}

fn repair(board: &mut Board, outstanding: usize) -> Option<u64> {
    let place = board.next_lost()?;
    board.sent_again(place, outstanding);
    Some(board.number(place))
}

#[test]
fn a_segment_is_lost_when_four_above_it_are_reported() {
    let mut b = Board::default();
    for (right, picture, lost) in
        [(2, ".s", false), (3, ".ss", false), (4, ".sss", false), (5, "Lssss", true)]
    {
        assert_eq!(after(&mut b, 0, &[(1, right)]), (News { sacked: true, lost }, picture.into()), "{right}");
    }
    assert_eq!(b.in_flight(10), 5);
    // What matters is how far above SACKs reach, not how many there are.
    let mut b = Board::default();
    assert_eq!(after(&mut b, 0, &[(6, 7)]).1, "LLL...s");
}

#[test]
fn a_retransmission_is_lost_when_something_sent_later_is_reported() {
    let mut b = Board::default();
    after(&mut b, 0, &[(1, 5)]);
    assert_eq!(repair(&mut b, 10), Some(0));
    assert_eq!(repair(&mut b, 10), None);
    assert_eq!(after(&mut b, 0, &[(1, 10)]).1, "Rsssssssss", "all of these were sent before");
    assert_eq!(b.in_flight(12), 3);
    let (news, picture) = after(&mut b, 0, &[(1, 11)]);
    assert_eq!((news.lost, picture.as_str()), (true, "Lssssssssss"));
    assert_eq!(repair(&mut b, 12), Some(0));
}

#[test]
fn a_retransmission_is_lost_when_later_ones_are_reported() {
    let mut b = Board::default();
    after(&mut b, 0, &[(10, 11)]);
    assert_eq!(picture(&b), "LLLLLLL...s");
    for n in 0..6 {
        assert_eq!(repair(&mut b, 11), Some(n));
    }
    // The fifth one after the first: four may overtake it. Marks below the block are examined with the next
    // ACK.
    assert_eq!(after(&mut b, 0, &[(5, 6)]).1, "RRRRRsL...s");
    assert_eq!(after(&mut b, 0, &[(5, 6)]).1, "LRRRRsL...s");
}

#[test]
fn lost_segments_above_the_blocks_of_an_ack_are_not_found() {
    let mut b = Board::default();
    after(&mut b, 0, &[(1, 3), (10, 11)]);
    assert_eq!(picture(&b), "LssLLLL...s");
    assert_eq!(repair(&mut b, 11), Some(0));
    // A repeated block: marks are examined up to one above it.
    after(&mut b, 0, &[(1, 2)]);
    assert_eq!(b.next_lost(), Some(3));
    assert_eq!(repair(&mut b, 11), Some(3));
    after(&mut b, 0, &[(1, 2)]);
    assert_eq!(b.next_lost(), None, "4 is lost, but beyond the look");
}

#[test]
fn a_timeout_loses_all_but_what_was_reported() {
    let mut b = Board::default();
    after(&mut b, 0, &[(1, 3)]);
    b.lose_all(6);
    assert_eq!((picture(&b).as_str(), b.in_flight(6)), ("LssLLL", 0));
    assert_eq!(repair(&mut b, 6), Some(0));
    assert_eq!(after(&mut b, 3, &[]).1, "LLL");
    assert_eq!((repair(&mut b, 3), b.in_flight(3)), (Some(3), 1));
    assert_eq!(after(&mut b, 3, &[]).1, "", "nothing is known of what comes now");
    assert_eq!(b.in_flight(2), 2);
}

#[test]
fn a_receiver_that_throws_data_away_gets_all_again() {
    let mut b = Board::default();
    after(&mut b, 0, &[(1, 3)]);
    after(&mut b, 1, &[]);
    b.lose_all(4);
    assert_eq!(picture(&b), "LLLL");
}

proptest! {
    /// The counters always match the marks.
    #[test]
    fn counts_are_those_of_the_marks(steps in prop::collection::vec((0..4usize, 0..4usize, 0..12u64, 1..6u64, any::<bool>()), 1..60)) {
        let (mut b, mut out) = (Board::default(), 0usize);
        for (new, acked, left, len, timeout) in steps {
            out += new;
            let acked = acked.min(out);
            out -= acked;
            let next = b.number(acked + out);
            let left = (b.number(acked) + left).min(next);
            let block = (left, (left + len).min(next));
            let mut blocks = if block.0 < block.1 { vec![block] } else { vec![] };
            b.update(acked, &mut blocks, 3);
            if timeout {
                b.lose_all(out);
            }
            if let Some(place) = b.next_lost() {
                prop_assert!(place < out);
                b.sent_again(place, out);
            }
            let count = |wanted: Mark<Repeat>| b.marks.iter().filter(|m| **m == wanted).count();
            prop_assert!(b.marks.len() <= out);
            prop_assert_eq!(b.in_flight(out), out - count(Mark::Sacked) - count(Mark::Lost));
        }
    }
}
