//! Whole networks: the state they converge to, and how long they are wrong.

use super::desk::ids;
use super::net::{Fate, Net};
use proptest::prelude::*;
use tworay_base::{NodeId, SimDuration};
use tworay_routing::RoutingProtocol;
use tworay_routing::{DropReason, OlsrConfig, OlsrPaper, TcRedundancy};

/// Seconds until all nodes know the network: two HELLOs to find neighbours, one to choose relays, one TC
/// interval, and the time for the message to travel.
const SETTLED: u64 = 20;
/// Seconds until all outdated information has expired: twice the longest hold time.
const FORGOTTEN: u64 = 40;

/// The string A to E, and F next to D and E.
fn thesis_network(config: &OlsrConfig) -> Net {
    let mut net = Net::new(6, config, 1);
    for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)] {
        net.link(a, b);
    }
    net
}

/// Table 3.4 of Papanastasiou (2006), computed by the nodes from their HELLOs.
#[test]
fn relays_of_the_thesis_network() {
    let mut net = thesis_network(&OlsrConfig::by(OlsrPaper::ThesisTrace));
    net.run(SETTLED);
    let table: [&[u16]; 6] = [&[1], &[2], &[1, 3], &[2], &[3], &[3]];
    for (node, relays) in (0..).zip(table) {
        assert_eq!(net.olsr(node).relays(), ids(relays), "node {node}");
    }
    // The inverse: which nodes have chosen each node.
    let selectors: Vec<Vec<NodeId>> = (0..6).map(|node| net.olsr(node).selectors(net.now)).collect();
    let chosen = [ids(&[]), ids(&[0, 2]), ids(&[1, 3]), ids(&[2, 4, 5]), ids(&[]), ids(&[])];
    assert_eq!(selectors, chosen);
    assert_eq!(net.fault(), None);
    assert_eq!(net.send(0, 4), Fate::Arrived(vec![0, 1, 2, 3, 4]));
}

/// The break of D to E in Papanastasiou (2006, §3.4): packets are sent to the lost neighbour until its HELLOs
/// have been missing for NEIGHB_HOLD_TIME. Then C learns that D has lost E, before it learns of the route
/// over F.
#[test]
fn the_thesis_break() {
    let mut net = thesis_network(&OlsrConfig::by(OlsrPaper::ThesisTrace));
    net.run(30);
    net.unlink(3, 4);
    let mut ladder = Vec::new();
    for second in 1..=20 {
        net.run(1);
        let fate = match net.send(0, 4) {
            Fate::Arrived(path) => format!("{path:?}"),
            other => format!("{other:?}"),
        };
        if ladder.last().is_none_or(|(_, last)| *last != fate) {
            ladder.push((second, fate));
        }
    }
    let (broken, repaired) = ("Lost".to_string(), "[0, 1, 2, 3, 5, 4]".to_string());
    let (last, end) = ladder.last().unwrap().clone();
    assert_eq!((&ladder[0], &end), (&(1, broken), &repaired), "{ladder:?}");
    assert!((6..=12).contains(&last), "{ladder:?}");
    assert_eq!(net.fault(), None);
}

/// TC messages on change shorten the time without a route.
#[test]
fn immediate_tc_repairs_sooner() {
    let repaired_after = |immediate_tc, seed| {
        let config = OlsrConfig { immediate_tc, ..OlsrConfig::by(OlsrPaper::ThesisTrace) };
        let mut net = Net::new(6, &config, seed);
        for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)] {
            net.link(a, b);
        }
        net.run(30);
        net.unlink(3, 4);
        (1..30).find(|_| {
            net.run(1);
            matches!(net.send(0, 4), Fate::Arrived(_))
        })
    };
    let total =
        |immediate| (1..=100).map(|seed| repaired_after(immediate, seed).expect("repaired")).sum::<u64>();
    let (with, without) = (total(true), total(false));
    // At best the six seconds of the hold time, plus a HELLO in which E chooses F. The gain is a second on
    // average, while single runs scatter by two: ten are too few.
    assert!((600..=800).contains(&with), "{with} s in 100 runs");
    assert!(without >= with + 50, "{without} s against {with} s in 100 runs");
}

/// A connected network: a random tree with additional links.
fn networks() -> impl Strategy<Value = (u16, Vec<(u16, u16)>)> {
    (2u16..14).prop_flat_map(|n| {
        let tree = proptest::collection::vec(any::<prop::sample::Index>(), usize::from(n) - 1);
        let more = proptest::collection::vec((0..n, 0..n), 0..2 * usize::from(n));
        (tree, more).prop_map(move |(tree, more)| {
            let tree = (1..n).zip(tree).map(|(i, parent)| (i, parent.index(usize::from(i)) as u16));
            (n, tree.chain(more.into_iter().filter(|(a, b)| a != b)).collect())
        })
    })
}

fn configs() -> impl Strategy<Value = OlsrConfig> {
    let redundancy = prop_oneof![
        Just(TcRedundancy::Selectors),
        Just(TcRedundancy::SelectorsAndRelays),
        Just(TcRedundancy::Neighbours)
    ];
    (any::<bool>(), any::<bool>(), any::<bool>(), 1u8..3, 1u8..=7, redundancy).prop_map(
        |(bundling, immediate_tc, hysteresis, mpr_coverage, willingness, tc_redundancy)| OlsrConfig {
            bundling,
            immediate_tc,
            hysteresis,
            mpr_coverage,
            willingness,
            tc_redundancy,
            ..OlsrConfig::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any connected network converges to shortest routes between every pair, with any settings; and again
    /// after links change, even if that partitions it.
    #[test]
    fn every_pair_gets_a_shortest_route(
        (n, links) in networks(),
        config in configs(),
        seed: u64,
        flips in proptest::collection::vec((0u16..14, 0u16..14, any::<bool>()), 0..6),
    ) {
        let mut net = Net::new(n, &config, seed);
        for (a, b) in links {
            net.link(a, b);
        }
        net.run(SETTLED);
        prop_assert_eq!(net.fault(), None);
        for (a, b, up) in flips {
            if a % n != b % n {
                if up { net.link(a % n, b % n) } else { net.unlink(a % n, b % n) }
            }
        }
        net.run(FORGOTTEN);
        prop_assert_eq!(net.fault(), None);
    }

    /// Loops exist only while tables converge: with changing links and lost packets, a datagram may circle
    /// until its hop limit is reached; in a stable network none does.
    #[test]
    fn loops_end(
        (n, links) in networks(),
        seed: u64,
        flips in proptest::collection::vec((0u16..14, 0u16..14, any::<bool>(), 0u64..4), 0..20),
    ) {
        let config = OlsrConfig { immediate_tc: seed % 2 == 0, ..OlsrConfig::default() };
        let mut net = Net::new(n, &config, seed).lossy(0.2);
        for (a, b) in links {
            net.link(a, b);
        }
        net.run(SETTLED);
        for (a, b, up, wait) in flips {
            if a % n != b % n {
                if up { net.link(a % n, b % n) } else { net.unlink(a % n, b % n) }
            }
            net.run(wait);
            let fate = net.send(a % n, b % n);
            let ended = matches!(
                fate,
                Fate::Arrived(_) | Fate::Lost | Fate::Dropped(DropReason::NoRoute | DropReason::Ttl | DropReason::Loop)
            );
            prop_assert!(ended, "{fate:?}");
        }
        let mut net = net.lossy(0.0);
        net.run(FORGOTTEN);
        prop_assert_eq!(net.fault(), None);
    }
}

/// A node that no neighbour receives any more is forgotten by all nodes, not only by its neighbours.
#[test]
fn the_gone_are_forgotten() {
    let mut net = thesis_network(&OlsrConfig::default());
    net.run(SETTLED);
    net.unlink(0, 1);
    net.run(FORGOTTEN);
    assert_eq!(net.send(4, 0), Fate::Dropped(DropReason::NoRoute));
    assert_eq!(net.send(0, 4), Fate::Dropped(DropReason::NoRoute));
    assert_eq!(net.fault(), None);
    let quiet = net.olsr(0).counters().tc_originated;
    net.run(60);
    assert_eq!(net.olsr(0).counters().tc_originated, quiet, "who relays for nobody has nothing to tell");
    assert!(SimDuration::from_secs(60) > OlsrConfig::default().topology_hold_time);
}
