//! Every loss has a cause and nothing is counted twice. Every run checks that segments sent = delivered +
//! ledger + in flight and that each live packet is held in exactly one place. These tests stress the
//! checks: random topologies, movement, node failures, dialects, queues of two packets.

use crate::common::{parse, run_once};
use proptest::prelude::*;

/// Senders of current kernels, senders made to tell losses apart, and those made for multihop paths.
const TODAY: &[&str] =
    &["cubic", "veno", "cerl", "cdg", "bbr", "bbr3", "copa", "few", "tcp-ap", "tack", "linux"];

/// The repairs of losses of each of them.
const REPAIRS: &[&str] = &[
    "linux",
    "sack+rack-tlp",
    "sack+prr",
    "sack+rack+prr+eifel",
    "sack+rack-tlp+prr+f-rto",
    "sack+f-rto+eifel",
];

/// One of all combinations.
fn combined(number: u64) -> String {
    let (senders, repairs) = (TODAY.len() as u64 - 1, REPAIRS.len() as u64);
    format!("{}+{}", REPAIRS[(number % repairs) as usize], TODAY[(number / repairs % senders) as usize])
}

#[derive(Debug, Clone)]
struct World {
    nodes: u32,
    width: u32,
    speed: u32,
    flows: Vec<(u32, u32, u8)>,
    downs: Vec<(u32, u32)>,
    queue: u32,
    protocol: usize,
    dialect: usize,
    reception: usize,
    rts: usize,
    seed: u64,
}

fn worlds() -> impl Strategy<Value = World> {
    (
        (3u32..16, 200u32..1500, 0u32..40, 2u32..20, 0usize..4, 0usize..2, 0usize..2, 0usize..3, 0u64..1000),
        proptest::collection::vec((0u32..16, 0u32..16, 0u8..4), 1..4),
        proptest::collection::vec((0u32..16, 1u32..20), 0..3),
    )
        .prop_map(
            |((nodes, width, speed, queue, protocol, dialect, reception, rts, seed), flows, downs)| World {
                nodes,
                width,
                speed,
                flows,
                downs,
                queue,
                protocol,
                dialect,
                reception,
                rts,
                seed,
            },
        )
}

/// The world with this variant as sender of its TCP flows.
fn toml_of(w: &World, tcp: &str) -> String {
    let mut t = String::from("name = \"random\"\nduration = \"20s\"\n");
    t += ["", "dialect = \"ns2\"\n"][w.dialect];
    t += &format!(
        "[topology]\nkind = \"uniform\"\nnodes = {}\nwidth = \"{}m\"\nheight = \"300m\"\n",
        w.nodes, w.width
    );
    if w.speed > 0 {
        t += &format!(
            "[mobility]\nkind = \"random-waypoint\"\nmin_speed = \"1m/s\"\nmax_speed = \"{}m/s\"\n",
            w.speed + 1
        );
    }
    t += &format!("[routing]\nprotocol = \"{}\"\n", ["static", "aodv", "dsr", "olsr"][w.protocol]);
    t += &format!("[radio]\nreception = \"{}\"\n", ["capture", "sinr"][w.reception]);
    t += &format!("[mac]\nqueue_limit = {}\nrts = \"{}\"\n", w.queue, ["full", "partial", "none"][w.rts]);
    for &(from, to, kind) in &w.flows {
        let (from, to) = (from % w.nodes, to % w.nodes);
        let to = if from == to { (to + 1) % w.nodes } else { to };
        t += &format!("[[flow]]\nfrom = {from}\nto = {to}\nstart = \"1s\"\n");
        if kind == 0 {
            t += &format!("tcp = \"{tcp}\"\n");
        }
        t += match kind {
            0 => "app = \"ftp\"\n",
            1 => "app = \"ftp\"\nbytes = \"100kB\"\n",
            2 => "app = \"cbr\"\nrate = \"300kbps\"\nsize = \"512B\"\n",
            _ => "app = \"on-off\"\nrate = \"500kbps\"\nsize = \"1000B\"\non = \"1s\"\noff = \"1s\"\n",
        };
    }
    // A node fails at most once at a time: two events for one node at the same instant are rejected.
    let downs: std::collections::BTreeSet<_> =
        w.downs.iter().map(|&(node, at)| (node % w.nodes, at)).collect();
    for (node, at) in downs {
        t += &format!("[[event]]\nnode = {node}\nat = \"{at}s\"\nwhat = \"down\"\n");
    }
    t
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn every_segment_has_one_fate(world in worlds()) {
        let report = run_once(&parse(&toml_of(&world, "sack")), world.seed);
        prop_assert!(report.document.events > 0);
    }

    /// The same for current senders.
    #[test]
    fn the_books_balance_whoever_sends(world in worlds()) {
        for tcp in TODAY {
            let report = run_once(&parse(&toml_of(&world, tcp)), world.seed);
            prop_assert!(report.document.events > 0, "{tcp}");
        }
    }

    /// The same for combinations, drawn by the world's seed; `make soak` draws others in every round.
    #[test]
    fn the_books_balance_whatever_repairs(world in worlds(), first in 0u64..1000) {
        for number in first..first + 4 {
            let tcp = combined(number * 17);
            let report = run_once(&parse(&toml_of(&world, &tcp)), world.seed);
            prop_assert!(report.document.events > 0, "{tcp}");
        }
    }

    /// A finite transfer over a static network delivers every byte and ends.
    #[test]
    fn a_finite_transfer_ends(hops in 1u32..6, kilobytes in 1u32..120, tcp in 0usize..4 + TODAY.len() + 60, ns2 in any::<bool>(), seed in 0u64..1000) {
        let text = format!(
            "name = \"finite\"\nduration = \"300s\"\n{}[topology]\nkind = \"string\"\nhops = {hops}\nspacing = \"200m\"\n[routing]\nprotocol = \"static\"\n[[flow]]\nfrom = 0\nto = {hops}\napp = \"ftp\"\nbytes = \"{kilobytes}kB\"\ntcp = \"{}\"\n",
            if ns2 { "dialect = \"ns2\"\n" } else { "" },
            match [&["tahoe", "reno", "newreno", "sack"], TODAY].concat().get(tcp) {
                Some(single) => (*single).to_owned(),
                None => combined(tcp as u64),
            },
        );
        let report = run_once(&parse(&text), seed);
        let flow = &report.document.flows[0];
        let seconds = flow.completion_seconds;
        prop_assert!(seconds.is_some(), "{kilobytes} kB over {hops} hops didn't end: {flow:?}");
        let delivered = flow.goodput_bps * seconds.unwrap_or(0.0) / 8.0;
        prop_assert!((delivered - f64::from(kilobytes) * 1000.0).abs() < 1.0, "{delivered} bytes of {kilobytes} kB");
    }
}

/// The flow ends 15 s before the run. DSR leads datagrams behind a break over another path, where they overtake those that have waited.
#[test]
fn each_datagram_that_is_not_lost_counts_as_received() {
    for routing in ["aodv", "dsr", "olsr"] {
        for seed in 1..5 {
            let text = format!(
                "duration = \"60s\"\nrouting.protocol = \"{routing}\"\n\
                 topology = {{ kind = \"uniform\", nodes = 30, width = \"1200m\", height = \"300m\" }}\n\
                 mobility = {{ kind = \"random-waypoint\", min_speed = \"5m/s\", max_speed = \"20m/s\" }}\n\
                 [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nrate = \"60kbps\"\nsize = \"256B\"\nstop = \"45s\"\n"
            );
            let document = run_once(&parse(&text), seed).document;
            let lost: u64 = document.ledger.values().map(|fates| fates.data).sum();
            let flow = &document.flows[0];
            assert_eq!(flow.sent_segments, flow.acked_segments + lost, "{routing}, seed {seed}");
        }
    }
}
