use super::*;

fn after_seconds(s: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs(s)
}

/// A ring of 4: segments 0 to 3 were acknowledged one by one, 4 and 5 are in flight since 9 s.
fn ring() -> Ring {
    let mut ring = Ring::new(4.0);
    for number in 0..4 {
        ring.sent(0, after_seconds(number));
        assert_eq!(ring.acknowledge(1).map(|s| s.times), Some(1));
    }
    ring.sent(0, after_seconds(9));
    ring.sent(1, after_seconds(9));
    ring
}

#[test]
fn an_ack_within_the_ring_empties_its_slots() {
    let mut ring = ring();
    assert_eq!(ring.acknowledge(2), Some(Stamp { at: Some(after_seconds(9)), times: 1 }));
    ring.sent(0, after_seconds(10));
    ring.sent(1, after_seconds(10));
    assert_eq!(ring.acknowledge(2).map(|s| s.times), Some(1));
}

#[test]
fn an_ack_across_the_rings_end_empties_none() {
    let mut ring = ring();
    ring.sent(2, after_seconds(9));
    ring.sent(3, after_seconds(9));
    ring.acknowledge(3);
    // Segments 7, 8 and 9: slots 3, 0 and 1.
    ring.sent(1, after_seconds(10));
    ring.sent(2, after_seconds(10));
    assert_eq!(ring.acknowledge(3).map(|s| s.times), Some(1), "slots were empty");
    // Uncleared slots keep their counts: the next segments in these slots look like retransmissions, once.
    for (slot, expected) in [(2, 1), (3, 2), (0, 2), (1, 2), (2, 1), (3, 1), (0, 1), (1, 1)] {
        ring.sent(0, after_seconds(11));
        let times = ring.acknowledge(1).map(|s| s.times);
        assert_eq!(times, Some(expected), "slot {slot}");
    }
}

#[test]
fn an_empty_slot_is_older_than_everything() {
    let ring = Ring::new(4.0);
    assert_eq!(ring.oldest(), Stamp::default());
    assert_eq!(ring.age(ring.oldest(), after_seconds(7)), SimDuration::from_secs(8));
}

#[test]
fn sending_the_first_segment_again_starts_anew() {
    let mut ring = Ring::new(4.0);
    ring.sent(0, after_seconds(1));
    ring.sent(1, after_seconds(1));
    ring.sent(0, after_seconds(7));
    assert_eq!((ring.oldest().times, ring.started), (1, after_seconds(7)));
    ring.acknowledge(1);
    assert_eq!(ring.oldest(), Stamp::default());
}
