use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

proptest! {
    /// Lists in any order, with repetitions: a map of the latest times has the same nodes in ascending order.
    #[test]
    fn reaches_are_a_map_whatever_the_order_of_lists(
        lists in proptest::collection::vec(proptest::collection::vec(1u16..12, 0..8), 1..6)
    ) {
        let mut link = Link::new(NodeId(1), NodeId(1));
        let mut map = BTreeMap::new();
        for (second, list) in lists.iter().enumerate() {
            let until = SimTime::ZERO + SimDuration::from_secs(second as u64 + 1);
            let known = map.len();
            map.extend(list.iter().map(|node| (NodeId(*node), until)));
            let news = link.learn_reaches(list.iter().map(|node| NodeId(*node)), until);
            prop_assert_eq!(news, map.len() > known);
        }
        prop_assert_eq!(link.reaches, map.into_iter().collect::<Vec<_>>());
    }
}
