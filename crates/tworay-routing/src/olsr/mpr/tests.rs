use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const DEFAULT: u8 = 3;

fn ids(list: &[u16]) -> Vec<NodeId> {
    list.iter().map(|n| NodeId(*n)).collect()
}

fn neighbour(node: u16, willingness: u8, reaches: &[u16]) -> Candidate {
    Candidate { node: NodeId(node), willingness, reaches: ids(reaches) }
}

/// The neighbourhood of `me` in a network given by its links.
fn view(links: &[(u16, u16)], me: u16) -> Vec<Candidate> {
    let near = |n: u16| {
        let mut list: Vec<u16> =
            links.iter().filter_map(|&(a, b)| if a == n { Some(b) } else { (b == n).then_some(a) }).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    near(me).into_iter().map(|n| neighbour(n, DEFAULT, &near(n))).collect()
}

/// The six nodes of the route-break scenario of Papanastasiou (2006), table 3.4: the string A to E, and F
/// next to D and E.
#[test]
fn relays_of_the_thesis_example() {
    let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5];
    let links = [(a, b), (b, c), (c, d), (d, e), (d, f), (e, f)];
    let table: [(u16, &[u16]); 6] = [(a, &[b]), (b, &[c]), (c, &[b, d]), (d, &[c]), (e, &[d]), (f, &[d])];
    for (me, relays) in table {
        assert_eq!(choose_relays(NodeId(me), &view(&links, me), 1), ids(relays), "node {me}");
    }
}

/// Each rule of §8.3.1 is decisive once. Node 0 chooses; 1 to 9 are its neighbours, from 10 on two hops away.
#[test]
fn rules_of_the_heuristic() {
    let table: [(&str, Vec<Candidate>, u8, &[u16]); 9] = [
        ("nobody behind the neighbours", view(&[(0, 1), (0, 2), (1, 2)], 0), 1, &[]),
        (
            "the only way to a node is taken",
            vec![neighbour(1, DEFAULT, &[10, 11]), neighbour(2, 1, &[12])],
            1,
            &[1, 2],
        ),
        (
            "who is always willing is taken, needed or not",
            vec![neighbour(1, WILL_ALWAYS, &[]), neighbour(2, DEFAULT, &[10])],
            1,
            &[1, 2],
        ),
        (
            "who is never willing isn't, and what only it reaches doesn't count",
            vec![neighbour(1, WILL_NEVER, &[10, 11]), neighbour(2, DEFAULT, &[10])],
            1,
            &[2],
        ),
        (
            "the more willing before the better connected",
            vec![neighbour(1, 2, &[10, 11]), neighbour(2, 5, &[10]), neighbour(3, 5, &[11])],
            1,
            &[2, 3],
        ),
        (
            "the better connected among equals",
            vec![
                neighbour(1, DEFAULT, &[10, 11]),
                neighbour(2, DEFAULT, &[11, 12, 13]),
                neighbour(3, DEFAULT, &[10, 12]),
                neighbour(4, DEFAULT, &[13, 10]),
            ],
            1,
            &[1, 2],
        ),
        (
            "the redundant go again, the least willing first",
            vec![
                neighbour(1, 5, &[10, 12]),
                neighbour(2, 4, &[10, 11]),
                neighbour(3, 2, &[11, 12]),
                neighbour(4, WILL_ALWAYS, &[10]),
            ],
            1,
            &[1, 2, 4],
        ),
        (
            "coverage 2 where two are there",
            vec![
                neighbour(1, DEFAULT, &[10, 11]),
                neighbour(2, DEFAULT, &[10]),
                neighbour(3, DEFAULT, &[10]),
            ],
            2,
            &[1, 2],
        ),
        (
            "own neighbours and oneself need no relay",
            vec![neighbour(1, DEFAULT, &[0, 2]), neighbour(2, DEFAULT, &[0, 1])],
            1,
            &[],
        ),
    ];
    for (what, neighbours, coverage, relays) in table {
        assert_eq!(choose_relays(NodeId(0), &neighbours, coverage), ids(relays), "{what}");
    }
}

/// Up to 8 neighbours and up to 12 two-hop neighbours.
fn neighbourhoods() -> impl Strategy<Value = Vec<Candidate>> {
    let one = (0u8..=7, proptest::collection::vec(1u16..21, 0..10));
    proptest::collection::vec(one, 1..9).prop_map(|list| {
        list.into_iter()
            .enumerate()
            .map(|(i, (will, reaches))| neighbour(i as u16 + 1, will, &reaches))
            .collect()
    })
}

/// The number of `relays` that cover each two-hop neighbour.
fn covered(neighbours: &[Candidate], relays: &[NodeId]) -> BTreeMap<NodeId, usize> {
    let mut count = BTreeMap::new();
    for n in neighbours.iter().filter(|n| n.willingness != WILL_NEVER) {
        let mut far = n.reaches.clone();
        far.sort_unstable();
        far.dedup();
        far.retain(|f| *f != NodeId(0) && !neighbours.iter().any(|m| m.node == *f));
        for f in far {
            *count.entry(f).or_insert(0) += usize::from(relays.contains(&n.node));
        }
    }
    count
}

proptest! {
    /// Every two-hop neighbour is covered as often as required, or by all neighbours that can; no unwilling
    /// neighbour is chosen; and no relay is redundant unless it is always willing.
    #[test]
    fn everybody_is_covered(neighbours in neighbourhoods(), coverage in 1u8..4) {
        let relays = choose_relays(NodeId(0), &neighbours, coverage);
        let everyone: Vec<NodeId> = neighbours.iter().map(|n| n.node).collect();
        let possible = covered(&neighbours, &everyone);
        let wanted = |far: &NodeId| possible[far].min(usize::from(coverage));
        for (far, by) in covered(&neighbours, &relays) {
            prop_assert!(by >= wanted(&far), "{far} is covered by {by} of {}", possible[&far]);
        }
        for n in &neighbours {
            let taken = relays.contains(&n.node);
            prop_assert!(n.willingness != WILL_NEVER || !taken);
            prop_assert!(n.willingness != WILL_ALWAYS || taken);
            if taken && n.willingness != WILL_ALWAYS {
                let others: Vec<NodeId> = relays.iter().copied().filter(|r| *r != n.node).collect();
                let short = covered(&neighbours, &others).iter().any(|(far, by)| *by < wanted(far));
                prop_assert!(short, "{} is redundant", n.node);
            }
        }
    }

    /// With equal willingness, the greedy set exceeds the smallest one by at most the logarithmic factor of
    /// greedy covering (at most 12 nodes to cover: H(12) < 3.11).
    #[test]
    fn the_set_is_near_the_smallest(mut neighbours in neighbourhoods()) {
        for n in &mut neighbours {
            n.willingness = DEFAULT;
        }
        let relays = choose_relays(NodeId(0), &neighbours, 1);
        let smallest = (0u32..1 << neighbours.len())
            .map(|mask| {
                neighbours.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, n)| n.node).collect()
            })
            .filter(|set: &Vec<NodeId>| covered(&neighbours, set).values().all(|by| *by > 0))
            .map(|set| set.len())
            .min()
            .unwrap();
        prop_assert!(relays.len() as f64 <= 3.11 * smallest as f64);
        // In practice it is much closer.
        prop_assert!(relays.len() <= smallest + 2, "{} relays where {smallest} do", relays.len());
    }
}
