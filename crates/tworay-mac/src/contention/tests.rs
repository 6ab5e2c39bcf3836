use super::Backoff;
use proptest::prelude::*;
use tworay_base::{SimDuration, SimTime};

const SLOT: SimDuration = SimDuration::from_micros(20);

fn at(micros: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_micros(micros)
}

#[test]
fn only_whole_slots_are_used_up() {
    // (medium busy at, slots left of 3 that count from 100)
    for (busy, left) in [(0, 3), (100, 3), (119, 3), (120, 2), (159, 1), (160, 0), (161, 0), (9999, 0)] {
        let mut b = Backoff::new(3, at(50));
        b.stop(at(busy), at(100), SLOT);
        assert_eq!(b.ends(at(10_000), SLOT), at(10_000 + 20 * left), "busy at {busy}");
    }
}

#[test]
fn a_day_of_idleness_does_not_wrap_around() {
    let mut b = Backoff::new(1023, at(0));
    // After 2^32 slots and one.
    let later = at(20 * ((1 << 32) + 1));
    b.stop(later, at(0), SLOT);
    assert_eq!(b.ends(later, SLOT), later);
}

proptest! {
    /// Reference: counts slot by slot through the idle periods.
    #[test]
    fn freezing_agrees_with_walking(slots in 0u32..200, pauses in proptest::collection::vec((0u64..3000, 1u64..900), 0..12)) {
        let difs = 50;
        let mut backoff = Backoff::new(slots, at(difs));
        let (mut left, mut idle_since) = (slots, 0);
        for (idle, busy) in pauses {
            let turns_busy = idle_since + idle;
            let mut t = idle_since + difs;
            while left > 0 && t + 20 <= turns_busy {
                (left, t) = (left - 1, t + 20);
            }
            idle_since = turns_busy + busy;
            backoff.stop(at(turns_busy), at(turns_busy - idle + difs), SLOT);
            prop_assert_eq!(backoff.ends(at(idle_since + difs), SLOT), at(idle_since + difs + 20 * left as u64));
        }
    }
}
