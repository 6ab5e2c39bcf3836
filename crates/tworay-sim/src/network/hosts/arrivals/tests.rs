use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

proptest! {
    /// Steps forward and back by up to 1,000: a set of all numbers that were received agrees.
    #[test]
    fn each_number_counts_once(steps in proptest::collection::vec(-1000i64..1000, 1..400)) {
        let (mut arrivals, mut all, mut largest) = (Arrivals::new(), BTreeSet::new(), 0i64);
        for step in steps {
            let number = (largest + step).max(0);
            largest = largest.max(number);
            prop_assert_eq!(arrivals.is_first(number as u64), all.insert(number), "{}", number);
        }
    }
}

#[test]
fn what_was_overtaken_by_more_than_the_window_does_not_count() {
    let mut arrivals = Arrivals::new();
    assert!(arrivals.is_first(WINDOW));
    assert!(arrivals.is_first(1) && !arrivals.is_first(1), "1,023 below the largest");
    assert!(!arrivals.is_first(0), "1,024 below");
    assert!(arrivals.is_first(1_000_000) && !arrivals.is_first(WINDOW + 2) && arrivals.is_first(999_999));
}
