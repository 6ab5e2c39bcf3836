use super::*;

fn n(number: u16) -> FrameNumber {
    FrameNumber::new(number)
}

fn millis(t: u64) -> SimTime {
    SimTime::from_nanos(t * 1_000_000)
}

/// Passes frames with these numbers at time zero; returns what was handed up.
fn pass(r: &mut Reorder<u16>, numbers: &[u16]) -> Vec<u16> {
    let mut out = Vec::new();
    for number in numbers {
        r.on_frame(millis(0), n(*number), *number, &mut out);
    }
    out
}

#[test]
fn frames_wait_for_those_before_them() {
    let mut r = Reorder::new(n(4_094));
    assert_eq!(pass(&mut r, &[4_094, 0, 1, 3]), [4_094]);
    assert_eq!(r.waiting(), 3);
    assert_eq!(pass(&mut r, &[4_095]), [4_095, 0, 1]);
    assert_eq!(pass(&mut r, &[2]), [2, 3]);
    assert_eq!(r.waiting(), 0);
}

#[test]
fn duplicates_are_told() {
    let mut r = Reorder::new(n(0));
    let mut out = Vec::new();
    assert!(r.on_frame(millis(0), n(0), 0, &mut out));
    assert!(!r.on_frame(millis(0), n(0), 0, &mut out), "handed up");
    assert!(r.on_frame(millis(0), n(2), 2, &mut out));
    assert!(!r.on_frame(millis(0), n(2), 2, &mut out), "held");
    assert_eq!(out, [0]);
}

/// §10.25.6.6.2 b: a number beyond the window moves it; its end becomes that number.
#[test]
fn a_frame_beyond_the_window_pushes_out_the_oldest() {
    let mut r = Reorder::new(n(0));
    assert!(pass(&mut r, &[1, 2, 40]).is_empty());
    // 66 makes the window 3 to 66: 1 and 2 go up, 3 is awaited.
    assert_eq!(pass(&mut r, &[66]), [1, 2]);
    assert!(pass(&mut r, &[0]).is_empty(), "too late");
    assert_eq!(pass(&mut r, &[3]), [3]);
    // 1,000 empties the buffer: 937 is next.
    assert_eq!(pass(&mut r, &[1_000]), [40, 66]);
    assert_eq!(r.waiting(), 1);
}

#[test]
fn a_request_releases_what_waits_for_frames_given_up() {
    let mut r = Reorder::new(n(10));
    pass(&mut r, &[11, 13, 14]);
    let mut out = Vec::new();
    r.on_request(millis(0), n(13), &mut out);
    assert_eq!(out, [11, 13, 14], "10 and 12 were given up");
    r.on_request(millis(0), n(12), &mut out);
    assert_eq!(pass(&mut r, &[15]), [15], "an old request has no effect");
}

/// A frame of 0 ms is overdue at 100 ms; one of 50 ms behind the next gap is not.
#[test]
fn patience_ends_after_100_ms() {
    let mut r = Reorder::new(n(0));
    let mut out = Vec::new();
    assert_eq!(r.deadline(), SimTime::NEVER);
    r.on_frame(millis(0), n(2), 2, &mut out);
    r.on_frame(millis(50), n(3), 3, &mut out);
    r.on_frame(millis(50), n(5), 5, &mut out);
    assert_eq!(r.deadline(), millis(100));
    r.on_timer(millis(99), &mut out);
    assert!(out.is_empty());
    r.on_timer(millis(100), &mut out);
    assert_eq!((out.as_slice(), r.deadline()), ([2, 3].as_slice(), millis(150)));
    r.on_timer(millis(150), &mut out);
    assert_eq!((out.as_slice(), r.deadline()), ([2, 3, 5].as_slice(), SimTime::NEVER));
}

/// 0 and 1 are missing: 2 waits for them until 100 ms, and a request at 120 ms gives up 4.
#[test]
fn what_comes_too_late_was_given_up_before() {
    let mut r = Reorder::new(n(0));
    let mut out = Vec::new();
    r.on_frame(millis(0), n(2), 2, &mut out);
    assert_eq!(r.skipped_at(n(0)), None);
    r.on_timer(millis(100), &mut out);
    r.on_frame(millis(110), n(3), 3, &mut out);
    r.on_request(millis(120), n(5), &mut out);
    assert_eq!(
        [0, 1, 4, 5].map(|number| r.skipped_at(n(number))),
        [Some(millis(100)), Some(millis(100)), Some(millis(120)), None]
    );
    for i in 0..40 {
        r.on_request(millis(200 + i), n(1000 + 2 * i as u16), &mut out);
    }
    assert_eq!(r.skipped_at(n(1070)), Some(millis(236)));
}

#[test]
fn the_scoreboard_reports_the_latest_64() {
    let mut s = Scoreboard::new(n(4_090));
    for number in [4_090, 4_091, 4_095, 2] {
        s.on_frame(n(number));
    }
    // Bits 0, 1, 5 and 8.
    assert_eq!(s.answer(), BlockAck { start: n(4_090), bitmap: 0b1_0010_0011 });
    // 60 is bit 66: the window moves on by 3, to 4,093.
    s.on_frame(n(60));
    assert_eq!(s.answer(), BlockAck { start: n(4_093), bitmap: 1 << 63 | 1 << 5 | 1 << 2 });
    s.on_frame(n(4_091));
    assert_eq!(s.answer().start, n(4_093), "older ones change nothing");
    s.on_request(n(2));
    assert_eq!(s.answer(), BlockAck { start: n(2), bitmap: 1 << 58 | 1 });
    s.on_request(n(1_000));
    assert_eq!(s.answer(), BlockAck { start: n(1_000), bitmap: 0 });
}

#[test]
fn what_is_held_or_handed_up_isn_t_new_and_can_be_flushed() {
    let mut r = Reorder::new(n(0));
    pass(&mut r, &[0, 2, 5]);
    let new: Vec<u16> = (0..7).filter(|number| r.is_new(n(*number))).collect();
    assert_eq!(new, [1, 3, 4, 6]);
    assert_eq!(r.frames().copied().collect::<Vec<_>>(), [2, 5]);
    let mut out = Vec::new();
    r.flush(millis(0), &mut out);
    assert_eq!((out, r.waiting()), (vec![2, 5], 0));
    let mut board = Scoreboard::new(n(10));
    board.on_frame(n(12));
    let known: Vec<u16> = (8..14).filter(|number| board.has_or_is_beyond(n(*number))).collect();
    assert_eq!(known, [8, 9, 12]);
}
