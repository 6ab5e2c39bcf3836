use super::*;
use tworay_base::Metres;

fn places(topology: TopologyConfig) -> Vec<(f64, f64)> {
    positions(&topology, 1).iter().map(|p| (p.x, p.y)).collect()
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
    let uniform = |nodes| TopologyConfig::Uniform { nodes, width: Metres(1500.0), height: Metres(300.0) };
    let many = places(uniform(2000));
    assert_eq!(many[..50], places(uniform(50)));
    let (x, y) = many.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / 2000.0, b + y / 2000.0));
    assert!((x - 750.0).abs() < 40.0 && (y - 150.0).abs() < 8.0, "{x} {y}");
    assert!(many.iter().all(|&(x, y)| (0.0..1500.0).contains(&x) && (0.0..300.0).contains(&y)));
    assert_ne!(positions(&uniform(5), 1), positions(&uniform(5), 2), "the seed places");
}
