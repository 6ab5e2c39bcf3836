use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn shown(set: &RangeSet) -> Vec<(u64, u64)> {
    set.iter().map(|r| (r.start, r.end)).collect()
}

#[test]
fn touching_ranges_become_one() {
    let mut set = RangeSet::default();
    set.insert(10, 20);
    set.insert(30, 40);
    assert_eq!(shown(&set), [(10, 20), (30, 40)]);
    assert_eq!(set.insert(20, 30), Some(Range { start: 10, end: 40 }));
    assert_eq!(shown(&set), [(10, 40)]);
    set.clear_below(15);
    assert_eq!((shown(&set), set.total()), (vec![(15, 40)], 25));
}

proptest! {
    #[test]
    fn behaves_like_a_set_of_numbers(steps in prop::collection::vec((0u64..60, 0u64..12, any::<bool>()), 0..40)) {
        let (mut set, mut model) = (RangeSet::default(), BTreeSet::new());
        for (at, len, clear) in steps {
            if clear {
                set.clear_below(at);
                model = model.split_off(&at);
            } else {
                set.insert(at, at + len);
                model.extend(at..at + len);
            }
            prop_assert_eq!(set.total(), model.len() as u64);
            for n in 0..75 {
                prop_assert_eq!(set.containing(n).is_some(), model.contains(&n));
                prop_assert_eq!(set.bytes_below(n), model.range(..n).count() as u64);
            }
            let touching = set.iter().zip(set.iter().skip(1)).any(|(a, b)| a.end >= b.start);
            prop_assert!(!touching);
        }
    }
}
