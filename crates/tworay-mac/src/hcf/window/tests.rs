use super::*;

fn n(number: u16) -> FrameNumber {
    FrameNumber::new(number)
}

/// A window with `count` frames, all sent once.
fn sent(count: u16, limit: u8) -> TransmitWindow<u16> {
    let mut w = TransmitWindow::new(n(4_090), limit);
    for frame in 0..count {
        let number = w.admit(frame, 1_500).expect("room");
        w.sent(number);
    }
    w
}

fn waiting(w: &TransmitWindow<u16>) -> Vec<u16> {
    w.waiting().map(|(_, frame, _, _)| frame).collect()
}

/// A BlockAck from `start` on with the given numbers.
fn ack(start: u16, received: &[u16]) -> BlockAck {
    let bitmap = received.iter().fold(0u64, |map, number| map | 1 << n(*number).since(n(start)));
    BlockAck { start: n(start), bitmap }
}

#[test]
fn the_window_holds_64_frames() {
    let mut w = TransmitWindow::new(n(0), 7);
    for frame in 0..64u16 {
        assert_eq!(w.room(), 64 - frame);
        assert_eq!(w.admit(frame, 1_500), Some(n(frame)));
    }
    assert_eq!((w.room(), w.admit(64, 1_500)), (0, None));
}

/// Numbers wrap: the window begins at 4,090.
#[test]
fn the_window_moves_to_the_oldest_frame_that_is_missing() {
    let mut w = sent(10, 7);
    let mut out = Vec::new();
    w.on_block_ack(&ack(4_090, &[4_090, 4_091, 4_093, 4_095, 0, 3]), &mut out);
    assert_eq!(out, [0, 1, 3, 5, 6, 9].map(Outcome::Acknowledged));
    assert_eq!((w.start(), waiting(&w)), (n(4_092), vec![2, 4, 7, 8]));
    // Numbers 4,092 to 3 are taken: 8 of 64.
    assert_eq!((w.room(), w.admit(10, 1_500)), (56, Some(n(4))));
}

#[test]
fn a_frame_is_given_up_after_its_own_attempts() {
    let mut w = sent(2, 3);
    let mut out = Vec::new();
    w.on_block_ack(&ack(4_090, &[4_091]), &mut out);
    for _ in 0..2 {
        assert_eq!(w.request_due(), None);
        let numbers: Vec<_> = w.waiting().map(|(number, ..)| number).collect();
        assert_eq!(numbers, [n(4_090)]);
        w.sent(n(4_090));
        w.on_no_answer(&mut out);
    }
    assert_eq!(out, [Outcome::Acknowledged(1), Outcome::GivenUp(0)]);
    assert!(w.is_empty());
    assert_eq!(w.request_due(), Some(n(4_092)), "the receiver waits for 4,090 until it hears of this");
    w.request_answered();
    assert_eq!(w.request_due(), None);
}

#[test]
fn frames_that_were_not_sent_are_not_judged() {
    let mut w = sent(2, 1);
    let number = w.admit(2, 1_500).expect("room");
    let mut out = Vec::new();
    w.on_no_answer(&mut out);
    assert_eq!(out, [Outcome::GivenUp(0), Outcome::GivenUp(1)]);
    assert_eq!((w.start(), waiting(&w)), (number, vec![2]));
}

#[test]
fn numbers_behind_the_bitmap_were_received() {
    let mut w = sent(3, 7);
    let mut out = Vec::new();
    w.on_block_ack(&ack(4_092, &[4_092]), &mut out);
    assert_eq!(out, [0, 1, 2].map(Outcome::Acknowledged));
}

#[test]
fn a_late_block_ack_is_harmless() {
    let mut w = sent(2, 7);
    let (mut out, old) = (Vec::new(), ack(4_090, &[4_090]));
    w.on_block_ack(&old, &mut out);
    w.on_block_ack(&old, &mut out);
    assert_eq!(out, [Outcome::Acknowledged(0)]);
    assert_eq!(waiting(&w), [1]);
}

#[test]
fn clearing_returns_what_is_not_done() {
    let mut w = sent(4, 7);
    w.on_block_ack(&ack(4_090, &[4_092]), &mut Vec::new());
    assert_eq!(w.clear().collect::<Vec<_>>(), [0, 1, 3]);
    assert_eq!((w.start(), w.room()), (n(4_094), 64));
}
