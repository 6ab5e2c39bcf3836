use super::*;

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

/// `tcp_update_skb_after_send` of Linux 6.1, with a gap of 10 ms. Ten segments leave at once; the tenth begins the first
/// gap. A segment 3 ms late shortens the next gap to 7 ms, one 20 ms late to 5 ms. The repair that leaves 3 ms early counts
/// from the time at which it was due.
#[test]
fn linux_catches_up_half_a_gap_at_most() {
    let mut pacer = Pacer::new();
    pacer.gap = SimDuration::from_millis(10);
    pacer.follow_linux();
    for _ in 0..9 {
        pacer.sent(at(1000));
        assert_eq!(pacer.due(), at(1000));
    }
    for (sent, due) in [(1000, 1010), (1013, 1020), (1040, 1045), (1042, 1055)] {
        pacer.sent(at(sent));
        assert_eq!(pacer.due(), at(due), "after the segment at {sent} ms");
    }
}

/// A gap that changes holds for segments that leave afterwards.
#[test]
fn linux_fixes_a_departure_when_the_segment_before_it_leaves() {
    let mut pacer = Pacer::new();
    pacer.gap = SimDuration::from_millis(10);
    pacer.follow_linux();
    (0..10).for_each(|_| pacer.sent(at(1000)));
    pacer.gap = SimDuration::from_millis(20);
    pacer.follow_linux();
    assert_eq!(pacer.due(), at(1010));
    pacer.sent(at(1010));
    assert_eq!(pacer.due(), at(1030));
}

/// Other variants keep the gap of now after the last segment, late or not.
#[test]
fn a_strict_gap_knows_no_credit() {
    let mut pacer = Pacer::new();
    pacer.gap = SimDuration::from_millis(10);
    for sent in [1000, 1013, 1040] {
        pacer.sent(at(sent));
        assert_eq!(pacer.due(), at(sent + 10));
    }
}
