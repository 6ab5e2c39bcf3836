use super::*;
use tworay_base::Metres;

fn places(topology: TopologyConfig) -> Vec<(f64, f64)> {
    positions(&topology, 1).expect("a valid topology").iter().map(|p| (p.x, p.y)).collect()
}

fn scattered(nodes: u32, width: f64, height: f64, connected_within: Option<f64>) -> TopologyConfig {
    let (width, height) = (Metres(width), Metres(height));
    TopologyConfig::Uniform { nodes, width, height, connected_within: connected_within.map(Metres) }
}

#[test]
fn a_string_runs_east() {
    let string = TopologyConfig::String { hops: 3, spacing: Metres(200.0) };
    assert_eq!(places(string), [(0.0, 0.0), (200.0, 0.0), (400.0, 0.0), (600.0, 0.0)]);
}

#[test]
fn a_grid_is_numbered_row_by_row() {
    let grid = TopologyConfig::Grid { rows: 2, columns: 3, spacing: Metres(10.0) };
    assert_eq!(places(grid), [(0.0, 0.0), (10.0, 0.0), (20.0, 0.0), (0.0, 10.0), (10.0, 10.0), (20.0, 10.0)]);
}

/// Arms of 2: a west-east string 0..=4 with node 2 in the centre, then 5..=8 from south to north.
#[test]
fn a_cross_shares_its_centre() {
    let cross = places(TopologyConfig::Cross { arm: 2, spacing: Metres(100.0) });
    assert_eq!(cross[..5], [(0.0, 200.0), (100.0, 200.0), (200.0, 200.0), (300.0, 200.0), (400.0, 200.0)]);
    assert_eq!(cross[5..], [(200.0, 0.0), (200.0, 100.0), (200.0, 300.0), (200.0, 400.0)]);
}

#[test]
fn explicit_places_are_kept() {
    let explicit = TopologyConfig::Explicit { positions: vec![[1.0, -2.0], [3.0, 4.0]] };
    assert_eq!(places(explicit), [(1.0, -2.0), (3.0, 4.0)]);
}

#[test]
fn uniform_fills_the_area_and_more_nodes_move_nobody() {
    let uniform = |nodes| scattered(nodes, 1500.0, 300.0, None);
    let many = places(uniform(2000));
    assert_eq!(many[..50], places(uniform(50)));
    let (x, y) = many.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / 2000.0, b + y / 2000.0));
    assert!((x - 750.0).abs() < 40.0 && (y - 150.0).abs() < 8.0, "{x} {y}");
    assert!(many.iter().all(|&(x, y)| (0.0..1500.0).contains(&x) && (0.0..300.0).contains(&y)));
    assert_ne!(positions(&uniform(5), 1), positions(&uniform(5), 2), "the seed places");
}

/// Twenty nodes on 800 m x 800 m: some draws are partitioned. A connected first draw is kept.
#[test]
fn it_is_drawn_again_until_it_is_connected() {
    let (mut kept, mut redrawn) = (0, 0);
    for seed in 1..=40 {
        let once = positions(&scattered(20, 800.0, 800.0, None), seed).expect("any draw will do");
        let wanted = scattered(20, 800.0, 800.0, Some(250.0));
        let joined = positions(&wanted, seed).expect("some draw is connected");
        assert!(is_connected(&joined, 250.0));
        assert_eq!(joined, positions(&wanted, seed).expect("again"), "the seed decides");
        assert_eq!(once == joined, is_connected(&once, 250.0), "seed {seed}");
        if once == joined { kept += 1 } else { redrawn += 1 }
    }
    assert!(kept > 0 && redrawn > 0, "{kept} kept, {redrawn} drawn again");
}

#[test]
fn what_cannot_be_connected_is_an_error() {
    let error = positions(&scattered(3, 10_000.0, 10_000.0, Some(10.0)), 7).expect_err("too thin");
    assert_eq!(
        error.to_string(),
        "topology.connected_within: none of 1000 draws of seed 7 connects 3 nodes over links of 10m; \
         give more nodes, a smaller area or longer links, or leave it out"
    );
}

/// Links of at most 100 m: a chain is connected, a gap of 101 m splits it; no node and one node count as
/// connected.
#[test]
fn connected_means_over_any_number_of_hops() {
    let row = |xs: &[f64]| xs.iter().map(|&x| Position::new(x, 0.0)).collect::<Vec<_>>();
    for (xs, connected) in [
        (&[][..], true),
        (&[5.0], true),
        (&[300.0, 0.0, 100.0, 200.0], true),
        (&[0.0, 100.0, 201.0, 301.0], false),
        (&[0.0, 500.0], false),
    ] {
        assert_eq!(is_connected(&row(xs), 100.0), connected, "{xs:?}");
    }
}
