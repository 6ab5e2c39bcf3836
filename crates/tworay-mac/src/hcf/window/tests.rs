use super::*;

fn n(number: u16) -> FrameNumber {
    FrameNumber::new(number)
}

const LIFETIME: SimDuration = SimDuration::from_micros(500 * 1024);

fn at(millis: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(millis)
}

/// A window outside an agreement with `count` frames, all sent once.
fn sent(count: u16, limit: u8) -> TransmitWindow<u16> {
    filled(count, Persistence::Attempts(limit))
}

/// A window with `count` frames, admitted and sent at time 0.
fn filled(count: u16, limit: Persistence) -> TransmitWindow<u16> {
    let mut w = TransmitWindow::new(n(4_090), limit);
    for frame in 0..count {
        let number = w.admit(at(0), frame, 1_500).expect("room");
        w.sent(number);
    }
    w
}

fn waiting(w: &TransmitWindow<u16>) -> Vec<u16> {
    assert_eq!(usize::from(w.open()), w.frames().count());
    w.waiting().map(|(_, frame, _, _)| frame).collect()
}

/// A BlockAck from `start` on with the given numbers.
fn ack(start: u16, received: &[u16]) -> BlockAck {
    let bitmap = received.iter().fold(0u64, |map, number| map | 1 << n(*number).since(n(start)));
    BlockAck { start: n(start), bitmap }
}

#[test]
fn the_window_holds_64_frames() {
    let mut w = TransmitWindow::new(n(0), Persistence::Lifetime(LIFETIME));
    for frame in 0..64u16 {
        assert_eq!(w.room(), 64 - frame);
        assert_eq!(w.admit(at(0), frame, 1_500), Some(n(frame)));
    }
    assert_eq!((w.room(), w.admit(at(0), 64, 1_500)), (0, None));
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
    assert_eq!((w.room(), w.admit(at(0), 10, 1_500)), (56, Some(n(4))));
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
    w.request_done();
    assert_eq!(w.request_due(), None);
}

#[test]
fn frames_that_were_not_sent_are_not_judged() {
    let mut w = sent(2, 1);
    let number = w.admit(at(0), 2, 1_500).expect("room");
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
fn giving_up_returns_what_is_not_done_and_goes_on_behind_it() {
    let mut w = sent(4, 7);
    w.on_block_ack(&ack(4_090, &[4_092]), &mut Vec::new());
    let mut out = Vec::new();
    w.give_up(&mut out);
    assert_eq!(out, [0, 1, 3].map(Outcome::GivenUp));
    assert_eq!((w.start(), w.room(), w.request_due()), (n(4_094), 64, Some(n(4_094))));
    assert_eq!(w.open(), 0);
}

/// Under an agreement a frame has no retry count (§10.23.2.12.1): at one attempt a millisecond it is sent 511 times, and
/// ends 500 TU = 512 ms after its admission.
#[test]
fn a_frame_under_an_agreement_is_given_up_when_its_lifetime_ends() {
    let mut w = filled(2, Persistence::Lifetime(LIFETIME));
    let mut out = Vec::new();
    w.on_block_ack(&ack(4_090, &[4_091]), &mut out);
    for millis in 1..=511 {
        w.expire(at(millis), &mut out);
        assert_eq!(w.waiting().map(|(number, ..)| number).collect::<Vec<_>>(), [n(4_090)], "{millis} ms");
        w.sent(n(4_090));
        w.on_no_answer(&mut out);
    }
    assert_eq!((&out[..], w.request_due()), (&[Outcome::Acknowledged(1)][..], None));
    w.expire(at(512), &mut out);
    assert_eq!(out[1..], [Outcome::Expired(0)]);
    assert_eq!((w.is_empty(), w.start(), w.request_due()), (true, n(4_092), Some(n(4_092))));
}

/// Each frame has its own lifetime: the second one was admitted 100 ms later.
#[test]
fn lifetimes_end_one_by_one() {
    let mut w = filled(1, Persistence::Lifetime(LIFETIME));
    w.admit(at(100), 1, 1_500);
    let mut out = Vec::new();
    w.on_no_answer(&mut out);
    w.expire(at(611), &mut out);
    assert_eq!((out, waiting(&w), w.start()), (vec![Outcome::Expired(0)], vec![1], n(4_091)));
    let mut out = Vec::new();
    w.expire(at(612), &mut out);
    assert_eq!((out, w.is_empty()), (vec![Outcome::Expired(1)], true));
}

#[test]
fn frames_stay_sent_until_the_receiver_has_said_what_arrived() {
    let mut w = filled(3, Persistence::Lifetime(LIFETIME));
    let mut out = Vec::new();
    w.on_missing_block_ack();
    assert_eq!((w.asks(), w.request_due(), waiting(&w)), (true, Some(n(4_090)), vec![]));
    w.on_block_ack(&ack(4_090, &[4_090, 4_092]), &mut out);
    w.request_done();
    assert_eq!(out, [0, 2].map(Outcome::Acknowledged));
    assert_eq!((w.asks(), w.request_due(), waiting(&w)), (false, None, vec![1]));
}

/// Frames of which the receiver hasn't said anything age as well. Nothing is left to be asked, but the window's start
/// is to be told.
#[test]
fn frames_asked_for_expire() {
    let mut w = filled(2, Persistence::Lifetime(LIFETIME));
    let mut out = Vec::new();
    w.on_missing_block_ack();
    w.expire(at(512), &mut out);
    assert_eq!(out, [0, 1].map(Outcome::Expired));
    assert_eq!((w.asks(), w.request_due()), (false, Some(n(4_092))));
}

/// Of frames that were given up, nothing is asked any more: frames after them begin as in a new window, but that the receiver
/// must hear where it begins.
#[test]
fn what_was_given_up_is_not_asked_for() {
    let mut w = filled(5, Persistence::Lifetime(LIFETIME));
    w.on_missing_block_ack();
    assert!(w.asks());
    let mut out = Vec::new();
    w.give_up(&mut out);
    assert_eq!(out, [0, 1, 2, 3, 4].map(Outcome::GivenUp));
    assert_eq!((w.open(), w.room(), w.request_due()), (0, 64, Some(n(4_095))));
    let number = w.admit(at(1), 5, 1_500).expect("room");
    assert_eq!(number, n(4_095));
    w.sent(number);
    assert!(!w.asks(), "no BlockAck of this one is missing");
    w.request_done();
    assert_eq!(w.request_due(), None);
}
