//! Movement files written by other programs: known path facts must be reproduced.
//!
//! The reference files are found through `TWORAY_REFERENCE` or in `../shared/reference` beside the
//! repository. Without them only the file in `tests/data` is checked, and a note is printed.

use std::path::{Path, PathBuf};
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mobility::facts::{Links, PathFacts, pair_facts};
use tworay_mobility::{MobilityConfig, Position, TopologyConfig, World, build};
use tworay_wire::ns2::{Traffic, TrafficKind};

const HALF: SimDuration = SimDuration::from_millis(500);

fn s(seconds: f64) -> SimTime {
    SimTime::from_secs_f64(seconds)
}

fn load(file: &Path) -> World {
    let mobility = MobilityConfig::Ns2File { file: file.into() };
    build(&TopologyConfig::Recorded, &mobility, 1, SimDuration::from_secs(900), Path::new(""))
        .unwrap_or_else(|e| panic!("{e}"))
}

/// The facts of one pair over radio links of 250 m.
fn between(world: &mut World, pair: (NodeId, NodeId), from: f64, to: f64) -> PathFacts {
    let links = Links { range: Some(250.0), wires: Vec::new() };
    PathFacts::of(&pair_facts(&mut world.tracks, &[pair], &links, s(from), s(to), HALF))
}

fn facts(world: &mut World, from: f64, to: f64) -> PathFacts {
    between(world, (NodeId(0), NodeId(1)), from, to)
}

/// A path in the reference folder, or `None` and a note if it is absent.
fn reference(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TWORAY_REFERENCE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference"),
        PathBuf::from,
    );
    let file = root.join(path);
    if !file.exists() {
        println!("NOTE: {path} is absent; set TWORAY_REFERENCE to check it");
        return None;
    }
    Some(file)
}

/// 400 m apart, nodes 0 and 1 are connected only through node 2: from 17.5 s, when it is 250 m from node 0,
/// until 41.5 s, when it is 150 m to the north.
#[test]
fn the_shuttle_connects_two_nodes_for_a_while() {
    let mut world = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/shuttle.mov"));
    assert_eq!((world.tracks.len(), world.area), (3, (400.0, 1000.0)));
    for (t, x, y) in [
        (0.0, 400.0, 0.0),
        (15.0, 300.0, 0.0),
        (20.0, 200.0, 0.0),
        (45.0, 200.0, 500.0),
        (90.0, 200.0, 1000.0),
    ] {
        assert!(world.tracks[2].position(s(t)).distance(Position::new(x, y)) < 1e-6, "{t} s");
    }
    for (from, to, hops, partitioned) in [
        (0.0, 17.5, 0.0, 1.0),
        (17.5, 41.5, 2.0, 0.0),
        (42.0, 60.0, 0.0, 1.0),
        (0.0, 60.0, 2.0, 71.0 / 120.0),
    ] {
        let found = facts(&mut world, from, to);
        assert_eq!(found.mean_shortest_path_hops, hops, "{from} s to {to} s");
        assert!((found.partitioned_fraction - partitioned).abs() < 1e-9, "{from} to {to}: {found:?}");
    }
}

/// Figures of the reference runs (`ns2_mobility.csv`: connected_frac and mean_hops of the pair 0-1, range 250
/// m, 600 samples at 0, 0.5 … 299.5 s).
#[test]
fn connectivity_of_the_reference_movement() {
    for (name, connected, hops) in [
        ("rwp50_v5_s1", 1.0, 1.457),
        ("rwp50_v5_s2", 1.0, 1.552),
        ("rwp50_v5_s3", 1.0, 3.322),
        ("rwp50_v5_s4", 1.0, 1.312),
        ("rwp50_v5_s5", 1.0, 3.832),
        ("rwp50_v20_s1", 1.0, 3.237),
        ("rwp50_v20_s2", 1.0, 3.012),
        ("rwp50_v20_s3", 1.0, 3.170),
        ("rwp50_v20_s4", 1.0, 2.193),
        ("rwp50_v20_s5", 1.0, 3.258),
    ] {
        let Some(file) = reference(&format!("movement/{name}.mov.gz")) else { continue };
        let found = facts(&mut load(&file), 0.0, 300.0);
        let rounded = format!("{:.3}", found.mean_shortest_path_hops);
        assert_eq!(rounded, format!("{hops:.3}"), "{name}: {found:?}");
        assert_eq!(format!("{:.3}", 1.0 - found.partitioned_fraction), format!("{connected:.3}"), "{name}");
    }
}

/// The CMU Monarch scenes contain expected hop counts, `$god_ set-dist a b hops`: at the start for all pairs,
/// and at each later time at which a distance changes. Positions must give the same hops.
#[test]
fn monarch_scenes_agree_with_their_own_oracle() {
    // Name, nodes, the file's first node number, hop counts at the start, hop counts checked during the run.
    for (name, nodes, first, initial, later) in [
        ("scen-1500x300-60-0-20-2.gz", 60, 0, 1770, 1000),
        ("scen-670x670-50-600-20-0.gz", 50, 0, 1225, 1000),
        ("scen-670x670-50-600-20-1.gz", 50, 0, 1225, 1000),
        ("scen-670x670-50-600-20-2.gz", 50, 1, 1225, 1000),
    ] {
        let Some(file) = reference(&format!("scenes/{name}")) else { continue };
        let mut world = load(&file);
        assert_eq!(world.tracks.len(), nodes, "{name}");
        let text = tworay_wire::read_text(&file).unwrap();
        let mut oracle: Vec<(f64, usize, usize, u32)> = text.lines().filter_map(oracle_line).collect();
        oracle.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (start, changes): (Vec<_>, Vec<_>) = oracle.into_iter().partition(|line| line.0 == 0.0);
        assert_eq!(start.len(), initial, "{name}");
        let stride = (changes.len() / 1000).max(1);
        let sampled: Vec<_> = changes.into_iter().step_by(stride).collect();
        assert!(sampled.len() >= later, "{name}");
        let mut wrong = 0;
        for (at, a, b, hops) in start.iter().chain(&sampled) {
            // Just after the change, which happens where a distance passes 250 m.
            let t = at + 1e-6;
            let pair = (NodeId((a - first) as u16), NodeId((b - first) as u16));
            let found = between(&mut world, pair, t, t);
            let unreachable = *hops >= 1000;
            let agrees = if unreachable {
                found.partitioned_fraction == 1.0
            } else {
                found.mean_shortest_path_hops == f64::from(*hops)
            };
            if !agrees {
                wrong += 1;
                println!("{name}: {a} {b} at {at} s: {hops} hops in the file, {found:?}");
            }
        }
        assert_eq!(wrong, 0, "{name}");
    }
}

/// `$god_ set-dist a b hops`, at time zero or inside `$ns_ at time "…"`.
fn oracle_line(line: &str) -> Option<(f64, usize, usize, u32)> {
    let words: Vec<&str> = line.split([' ', '"']).filter(|w| !w.is_empty()).collect();
    let (at, words) = match words.as_slice() {
        ["$ns_", "at", at, rest @ ..] => (at.parse().ok()?, rest),
        rest => (0.0, rest),
    };
    let ["$god_", "set-dist", a, b, hops] = words else { return None };
    Some((at, a.parse().ok()?, b.parse().ok()?, hops.parse().ok()?))
}

/// A file shortened by hand: commands come first and out of order.
#[test]
fn the_small_monarch_scene() {
    let Some(file) = reference("scenes/scen-3-test") else { return };
    let mut world = load(&file);
    assert_eq!(world.tracks.len(), 3);
    // 15.0 m/s from (257.05, 345.36) at 51 s towards (221.83, 80.86): 266.83 m, 17.9 s.
    let mut at = |t| world.tracks[1].position(s(t));
    assert!(at(51.0).distance(Position::new(257.046298, 345.357732)) < 1e-6);
    assert!((at(51.0).distance(at(61.0)) - 149.092592).abs() < 1e-5);
    assert!(at(68.898).distance(Position::new(221.826585, 80.855495)) < 0.01);
}

#[test]
fn cbrgen_files_of_the_scenes() {
    if let Some(file) = reference("scenes/cbr-3-test") {
        let flows = Traffic::read(&file).unwrap().flows;
        let ends: Vec<_> = flows.iter().map(|f| (f.from, f.to, f.start.as_nanos() / 1_000_000)).collect();
        assert_eq!(ends, [(0, 2, 127_936), (1, 2, 150_000)]);
        assert!(matches!(flows[0].kind, TrafficKind::Cbr { packet_bytes: 512, .. }));
        assert!(matches!(&flows[1].kind, TrafficKind::Ftp { agent, .. } if agent == "Agent/TCP"));
    }
    if let Some(file) = reference("scenes/cbr-50-20-4-512.gz") {
        let flows = Traffic::read(&file).unwrap().flows;
        assert_eq!(flows.len(), 20);
        assert!(flows.iter().all(|f| f.from <= 50 && f.to <= 50));
    }
}

/// Reading, writing and reading again gives the same movement.
#[test]
fn reference_movement_survives_a_round_trip() {
    for name in ["movement/rwp50_v5_s1.mov.gz", "scenes/scen-670x670-50-600-20-2.gz"] {
        let Some(file) = reference(name) else { continue };
        let movement = tworay_wire::ns2::Movement::read(&file).unwrap();
        let again = tworay_wire::ns2::Movement::parse("copy", &movement.to_string()).unwrap();
        assert_eq!(movement, again, "{name}");
    }
}
