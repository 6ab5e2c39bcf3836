use super::*;
use crate::{Purpose, RngStream};
use std::collections::BTreeMap;

/// Any sequence of insertions, lookups and removals gives the same answers as a `BTreeMap`.
#[test]
fn it_answers_like_an_ordered_map() {
    let mut rng = RngStream::numbered(1, 1, Purpose::Test);
    for nodes in [4, 40, 65_535] {
        let (mut map, mut model) = (NodeMap::default(), BTreeMap::new());
        for _ in 0..20_000 {
            let node = NodeId(rng.below(nodes) as u16);
            let value = rng.below(65_536) as u16;
            match rng.below(3) {
                0 => assert_eq!(map.insert(node, value), model.insert(node, value)),
                1 => assert_eq!(map.remove(node), model.remove(&node)),
                _ => assert_eq!(map.get(node), model.get(&node).copied()),
            }
            assert_eq!(map.len(), model.len());
        }
        assert_eq!(map.nodes(), model.keys().copied().collect::<Vec<_>>());
    }
}

#[test]
fn an_empty_map_holds_no_memory_and_nothing_has_the_broadcast_address() {
    let map = NodeMap::default();
    assert!(map.is_empty() && map.slots.capacity() == 0);
    assert_eq!(map.get(NodeId::BROADCAST), None);
}

/// Neighbours in a grid have numbers one row apart; they must not cluster.
#[test]
fn regular_numbers_spread() {
    for stride in [1, 16, 100, 128, 1000] {
        let mut map = NodeMap::default();
        for i in 0..60u16 {
            map.insert(NodeId(i * stride), i);
        }
        let probes: usize = (0..60u16)
            .map(|i| {
                let node = NodeId(i * stride);
                map.find(node).wrapping_sub(NodeMap::hash(node)) & (map.slots.len() - 1)
            })
            .sum();
        assert!(probes < 60 * 3, "stride {stride}: {probes} steps for 60 look-ups");
    }
}
