//! Properties that hold in any network: no loops, and no packet is lost without a record.

use super::harness::{Net, Script, ms};
use proptest::prelude::*;
use tworay_base::SimDuration;
use tworay_routing::AodvConfig;
use tworay_routing::aodv::LocalRepair;

#[derive(Clone, Debug)]
struct World {
    nodes: u16,
    links: Vec<(u16, u16)>,
    script: Vec<(u64, Script)>,
    loss: f64,
    seed: u64,
}

fn pair(nodes: u16) -> impl Strategy<Value = (u16, u16)> {
    (0..nodes, 1..nodes).prop_map(move |(a, d)| (a, (a + d) % nodes))
}

fn world() -> impl Strategy<Value = World> {
    (3u16..9).prop_flat_map(|nodes| {
        let event = prop_oneof![
            2 => pair(nodes).prop_map(|(a, b)| Script::Up(a, b)),
            2 => pair(nodes).prop_map(|(a, b)| Script::Down(a, b)),
            1 => pair(nodes).prop_map(|(a, b)| Script::Lose(a, b)),
            5 => pair(nodes).prop_map(|(from, to)| Script::Send { from, to }),
        ];
        (
            prop::collection::vec(pair(nodes), 2..(2 * nodes as usize)),
            prop::collection::vec((0u64..25_000, event), 10..80),
            prop_oneof![Just(0.0), 0.0..0.4],
            any::<u64>(),
        )
            .prop_map(move |(links, script, loss, seed)| World { nodes, links, script, loss, seed })
    })
}

fn build(world: &World, config: &AodvConfig) -> Net {
    let mut net = Net::new(world.nodes, config, world.seed).lossy(world.loss);
    for &(a, b) in &world.links {
        net.link(a, b);
    }
    for (t, script) in &world.script {
        net.at(ms(*t), script.clone());
    }
    net
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// At every instant the next hops towards each destination form no cycle, and every packet moves to newer
    /// sequence numbers or, with the same one, to fewer hops. So no packet circles.
    #[test]
    fn rfc_routes_never_loop(world in world(), thesis in any::<bool>(), gratuitous_rrep in any::<bool>()) {
        let base = if thesis { AodvConfig::thesis_trace() } else { AodvConfig::rfc3561() };
        let config = AodvConfig { gratuitous_rrep, local_repair: LocalRepair::Off, ..base };
        let mut net = build(&world, &config).checking_loops();
        net.run_until(ms(60_000));
        prop_assert_eq!(net.returns(), 0, "a packet went in a circle\n{}", net.ladder);
    }

    /// With repair a packet may turn back, but routes never loop.
    #[test]
    fn repaired_routes_never_loop(world in world()) {
        let mut net = build(&world, &AodvConfig::thesis()).checking_loops();
        net.run_until(ms(60_000));
    }

    /// Every packet sent is delivered once, dropped once with a reason, or still buffered.
    #[test]
    fn every_packet_has_one_fate(world in world(), ns2 in any::<bool>()) {
        let config = if ns2 { AodvConfig::ns2() } else { AodvConfig::rfc3561() };
        let mut net = build(&world, &config);
        net.run_until(ms(120_000));
        let waiting: usize = (0..world.nodes).map(|i| net.router(i).buffered().len()).sum();
        let mut fates: Vec<u64> = net.delivered.iter().map(|d| d.1).chain(net.dropped.iter().map(|d| d.0)).collect();
        fates.sort_unstable();
        let before = fates.len();
        fates.dedup();
        prop_assert_eq!(before, fates.len(), "a packet had two fates");
        prop_assert_eq!(fates.len() + waiting, net.sent as usize);
    }

    /// In a static network in which source and destination are connected, packets arrive.
    #[test]
    fn connected_nodes_reach_each_other(nodes in 2u16..12, extra in prop::collection::vec((0u16..12, 0u16..12), 0..12), ns2 in any::<bool>(), seed in any::<u64>()) {
        let config = if ns2 { AodvConfig::ns2() } else { AodvConfig::rfc3561() };
        let mut net = Net::new(nodes, &config, seed);
        for i in 1..nodes {
            net.link((seed % u64::from(i)) as u16, i);
        }
        for (a, b) in extra {
            if a < nodes && b < nodes && a != b {
                net.link(a, b);
            }
        }
        for (i, to) in (1..nodes).enumerate() {
            net.send_at(ms(1000 + 700 * i as u64), 0, to);
        }
        net.run_until(ms(60_000));
        prop_assert_eq!(net.delivered.len() as u64, net.sent, "{}", net.ladder);
    }
}

#[test]
fn the_same_seed_gives_the_same_ladder() {
    let run = |seed| {
        let mut net = Net::new(6, &AodvConfig::rfc3561(), seed);
        for i in 1..6 {
            net.link(i - 1, i);
        }
        net.send_at(ms(1000), 0, 5);
        net.run_until(ms(10_000));
        net.ladder
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2), "jitter comes from the seed");
    assert_ne!(AodvConfig::rfc3561().broadcast_jitter, SimDuration::ZERO);
}
