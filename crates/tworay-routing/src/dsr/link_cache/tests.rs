use super::*;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Add(Vec<u16>),
    Find(u16),
    Remove(u16, u16),
}

/// Paths of a small network, so that the same ones come again, and now and then a look-up or a break.
fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let node = || 1u16..6;
    let step = prop_oneof![
        8 => prop::sample::subsequence(vec![1u16, 2, 3, 4, 5], 1..4).prop_map(Step::Add),
        2 => node().prop_map(Step::Find),
        1 => (0u16..6, node()).prop_map(|(from, to)| Step::Remove(from, to)),
    ];
    proptest::collection::vec((0u64..3_000, step), 1..120)
}

fn config(cache: CacheKind, bidirectional: bool) -> DsrConfig {
    DsrConfig { cache, bidirectional, route_cache_timeout: SimDuration::from_secs(4), ..DsrConfig::default() }
}

proptest! {
    /// Beside a cache that extends its links with each path at once: same news, same routes, same distances.
    #[test]
    fn repeats_that_wait_change_no_answer(steps in steps(), links in any::<bool>(), both in any::<bool>()) {
        let kind = if links { CacheKind::Link } else { CacheKind::LinkMaxLife };
        let config = config(kind, both);
        let mut cache = LinkCache::new(&config, NodeId(0));
        let mut plain = cache.clone();
        let mut now = SimTime::ZERO;
        for (later, step) in steps {
            now += SimDuration::from_millis(later);
            match step {
                Step::Add(path) => {
                    let path: Vec<NodeId> = path.into_iter().map(NodeId).collect();
                    prop_assert_eq!(cache.add(now, &path), plain.add_links(now, &path));
                }
                Step::Find(dst) => {
                    let of = |cache: &mut LinkCache| cache.find(now, NodeId(dst), Found::Wanted);
                    prop_assert_eq!(of(&mut cache), of(&mut plain));
                }
                Step::Remove(from, to) => {
                    cache.remove(NodeId(from), NodeId(to));
                    plain.remove(NodeId(from), NodeId(to));
                }
            }
            for dst in 1..6 {
                prop_assert_eq!(cache.distance(NodeId(dst)), plain.distance(NodeId(dst)));
            }
        }
    }
}
