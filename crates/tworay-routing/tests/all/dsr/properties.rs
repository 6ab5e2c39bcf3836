//! Random topologies, moves and losses.

use super::net::{Net, Script, ms};
use proptest::prelude::*;
use tworay_base::SimDuration;
use tworay_routing::{DsrConfig, DsrPaper, Rules};

#[derive(Clone, Debug)]
struct World {
    dialect: Rules<DsrPaper>,
    nodes: u16,
    seed: u64,
    loss: f64,
    links: Vec<(u16, u16)>,
    script: Vec<(u64, Script)>,
}

fn world() -> impl Strategy<Value = World> {
    (
        prop::sample::select(Rules::<DsrPaper>::all().collect::<Vec<_>>()),
        3u16..9,
        any::<u64>(),
        prop_oneof![Just(0.0), 0.0..0.3],
    )
        .prop_flat_map(|(dialect, nodes, seed, loss)| {
            let pair = move || (0..nodes, 0..nodes).prop_filter("two ends", |(a, b)| a != b);
            let happening = prop_oneof![
                4 => pair().prop_map(|(from, to)| Script::Send { from, to }),
                2 => pair().prop_map(|(a, b)| Script::Down(a, b)),
                2 => pair().prop_map(|(a, b)| Script::Up(a, b)),
                1 => pair().prop_map(|(a, b)| Script::Lose(a, b)),
            ];
            (prop::collection::vec(pair(), 2..20), prop::collection::vec((0u64..6000, happening), 1..60))
                .prop_map(move |(links, script)| World { dialect, nodes, seed, loss, links, script })
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The network checks at each hop that no source route visits a node twice (salvaging begins a new one),
    /// and that each packet passed to a router gets one answer. No packet is invented or held forever.
    #[test]
    fn no_packet_goes_round_in_circles(world in world()) {
        let config = DsrConfig::by(world.dialect);
        let mut net = Net::new(world.nodes, &config, world.seed).lossy(world.loss);
        for &(a, b) in &world.links {
            net.link(a, b);
        }
        for (t, what) in world.script {
            net.at(ms(t), what);
        }
        // A packet that meets a broken link is buffered again, so a network that keeps losing frames may hold
        // one without limit. Once all links are removed, the send buffer's timeout ends all waits.
        net.run_until(ms(45_000));
        net.silence();
        net.run_until(ms(45_000) + config.send_buffer_timeout + SimDuration::from_secs(5));
        prop_assert!(net.watch.most_salvages <= config.max_salvage_count);
        for node in 0..world.nodes {
            prop_assert!(net.router(node).buffered().is_empty(), "node {} holds packets for ever", node);
        }
        let mut fates: Vec<u64> = net.delivered.iter().map(|(_, uid)| *uid).chain(net.dropped.iter().map(|(uid, _)| *uid)).collect();
        if config.link_layer_feedback {
            // There is one copy of each packet, so each has one outcome.
            fates.sort_unstable();
            prop_assert_eq!(fates, (1..=net.sent).collect::<Vec<_>>());
        }
    }

    /// In a static network without losses, every packet arrives exactly once.
    #[test]
    fn what_can_arrive_arrives(nodes in 2u16..8, seed in any::<u64>(), extra in prop::collection::vec((0u16..8, 0u16..8), 0..6), ends in prop::collection::vec((0u16..8, 0u16..8), 1..12)) {
        // Only with link-layer feedback there is one copy of each packet.
        let configs = Rules::<DsrPaper>::all().map(DsrConfig::by);
        for config in configs.filter(|config| config.link_layer_feedback) {
            let mut net = Net::new(nodes, &config, seed);
            for i in 1..nodes {
                net.link(i - 1, i);
            }
            for &(a, b) in extra.iter().filter(|(a, b)| a != b && *a < nodes && *b < nodes) {
                net.link(a, b);
            }
            for (i, &(a, b)) in ends.iter().enumerate() {
                net.send_at(ms(600 + 40 * i as u64), a % nodes, b % nodes);
            }
            net.run_until(ms(29_000));
            let mut arrived: Vec<u64> = net.delivered.iter().map(|(_, uid)| *uid).collect();
            arrived.sort_unstable();
            prop_assert_eq!(arrived, (1..=net.sent).collect::<Vec<_>>(), "{:?}\n{}", config.dialect, net.ladder);
        }
    }
}
