use super::ByNode;
use proptest::prelude::*;
use std::collections::BTreeMap;
use tworay_base::NodeId;

proptest! {
    /// Each number is an operation on a node: insert, change, remove.
    #[test]
    fn it_does_what_a_tree_does(operations in proptest::collection::vec((0..3_u8, 0..20_u16), 0..200)) {
        let (mut mine, mut tree) = (ByNode::default(), BTreeMap::new());
        for (number, (operation, node)) in operations.into_iter().enumerate() {
            let node = NodeId(node);
            match operation {
                0 => prop_assert_eq!(mine.get_or_insert_with(node, || number), tree.entry(node).or_insert(number)),
                1 => {
                    if let Some(value) = mine.get_mut(node) {
                        *value += 1;
                    }
                    tree.entry(node).and_modify(|value| *value += 1);
                }
                _ => prop_assert_eq!(mine.remove(node), tree.remove(&node)),
            }
            prop_assert_eq!(mine.get(node), tree.get(&node));
            prop_assert!(mine.iter().eq(tree.iter().map(|(node, value)| (*node, value))));
        }
    }
}
