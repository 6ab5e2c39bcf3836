use super::*;

fn millis(t: u64) -> SimTime {
    SimTime::from_nanos(t * 1_000_000)
}

/// Takes a packet each millisecond from a queue whose packets are always `delay` old and which has `bytes_left`
/// left. Returns when packets were dropped, ms.
fn drops(codel: &mut Codel, times: std::ops::Range<u64>, delay: u64, bytes_left: u64) -> Vec<u64> {
    let mut at = Vec::new();
    for t in times {
        let mut dropped = Vec::new();
        let head = Head { arrived: millis(t.saturating_sub(delay)), bytes_left };
        let taken = codel.dequeue(millis(t), &CodelConfig::default(), || Some(((), head)), &mut dropped);
        assert!(taken.is_some(), "the queue is never empty");
        at.extend(dropped.iter().map(|()| t));
    }
    at
}

/// The first packet above the target leaves at 100 ms; the first drop comes an interval later, the next ones
/// after 100/√1, 100/√2, 100/√3, … ms: 300, 370.7, 428.4, 478.4 (taken at whole ms).
#[test]
fn drops_come_faster_by_the_inverse_square_root() {
    let found = drops(&mut Codel::default(), 100..500, 20, 100_000);
    assert_eq!(found, [200, 300, 371, 429, 479]);
}

#[test]
fn a_delay_below_the_target_is_never_punished() {
    assert!(drops(&mut Codel::default(), 100..2_000, 4, 100_000).is_empty());
    assert!(!drops(&mut Codel::default(), 100..2_000, 5, 100_000).is_empty(), "5 ms is not below");
}

#[test]
fn the_last_packet_is_never_dropped() {
    assert!(drops(&mut Codel::default(), 100..2_000, 50, 1_514).is_empty());
    assert!(!drops(&mut Codel::default(), 100..2_000, 50, 1_515).is_empty());
}

/// A burst shorter than an interval passes.
#[test]
fn one_short_delay_starts_the_interval_again() {
    let mut codel = Codel::default();
    assert!(drops(&mut codel, 100..190, 20, 100_000).is_empty());
    assert!(drops(&mut codel, 190..191, 1, 100_000).is_empty());
    assert_eq!(drops(&mut codel, 191..300, 20, 100_000), [291]);
}

/// Drops at 200, 300, 371, 429 and 479 (the next would be due at 523.1): the count is 5, 4 more than at the
/// start. The queue empties, and is too long again within 16 intervals: the second row starts at count 4 with a
/// step of 100/√4 = 50, then √5: 44.7, √6: 40.8 ms.
#[test]
fn a_row_of_drops_soon_after_another_starts_at_its_rate() {
    let mut codel = Codel::default();
    drops(&mut codel, 100..500, 20, 100_000);
    drops(&mut codel, 500..600, 1, 100_000);
    assert_eq!(drops(&mut codel, 600..840, 20, 100_000), [700, 750, 795, 836]);
    // 16 intervals after the last drop was due, it starts at 1 again.
    drops(&mut codel, 840..2_600, 1, 100_000);
    assert_eq!(drops(&mut codel, 2_600..2_850, 20, 100_000), [2_700, 2_800]);
}

/// Packets that are overdue are dropped in one go, and an empty queue ends the row.
#[test]
fn a_late_dequeue_drops_all_that_is_due() {
    let mut codel = Codel::default();
    assert_eq!(drops(&mut codel, 100..201, 20, 100_000), [200]);
    let mut queue: Vec<u32> = (0..3).rev().collect();
    let mut dropped = Vec::new();
    let head = Head { arrived: millis(0), bytes_left: 100_000 };
    let taken =
        codel.dequeue(millis(450), &CodelConfig::default(), || queue.pop().map(|p| (p, head)), &mut dropped);
    // Due at 300, 370.7 and 428.4: three drops empty the queue.
    assert_eq!((taken, dropped), (None, vec![0, 1, 2]));
    assert!(drops(&mut codel, 451..540, 20, 100_000).is_empty(), "a new interval begins");
}
