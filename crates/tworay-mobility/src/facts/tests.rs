use super::*;
use crate::track::Leg;
use proptest::prelude::*;

fn s(seconds: f64) -> SimTime {
    SimTime::from_secs_f64(seconds)
}

fn string(n: u16) -> Vec<Track> {
    (0..n).map(|i| Track::fixed(Position::new(200.0 * f64::from(i), 0.0))).collect()
}

fn path_facts(
    tracks: &mut [Track],
    pairs: &[(NodeId, NodeId)],
    range: f64,
    from: SimTime,
    to: SimTime,
    step: SimDuration,
) -> PathFacts {
    let links = Links { range: Some(range), wires: Vec::new() };
    PathFacts::of(&pair_facts(tracks, pairs, &links, from, to, step))
}

const HALF: SimDuration = SimDuration::from_millis(500);

fn pair(a: u16, b: u16) -> (NodeId, NodeId) {
    (NodeId(a), NodeId(b))
}

#[test]
fn a_string_has_its_hops() {
    let mut tracks = string(9);
    for (a, b, hops) in [(0, 8, 8.0), (8, 0, 8.0), (2, 5, 3.0), (4, 4, 0.0)] {
        let facts = path_facts(&mut tracks, &[pair(a, b)], 250.0, s(0.0), s(900.0), HALF);
        assert_eq!((facts.mean_shortest_path_hops, facts.partitioned_fraction), (hops, 0.0), "{a} to {b}");
    }
    let facts = path_facts(&mut tracks, &[pair(0, 8), pair(0, 4)], 250.0, s(0.0), s(1.0), HALF);
    assert_eq!(facts.mean_shortest_path_hops, 6.0, "the mean over pairs");
    let far = path_facts(&mut tracks, &[pair(0, 8)], 450.0, s(0.0), s(1.0), HALF);
    assert_eq!(far.mean_shortest_path_hops, 4.0, "two positions at a stride");
    let cut = path_facts(&mut tracks, &[pair(0, 1), pair(3, 60_000)], 199.0, s(0.0), s(1.0), HALF);
    assert_eq!((cut.mean_shortest_path_hops, cut.partitioned_fraction), (0.0, 1.0));
}

/// One node moves away from the other at 10 m/s and is in range up to 5.0 s. Of the samples at 0, 0.5 … 9.5
/// s, 11 of 20 are connected; 10 s itself is not sampled.
#[test]
fn samples_include_the_start_and_leave_out_the_end() {
    let away = Leg { from: s(0.0), start: Position::new(200.0, 0.0), velocity: (10.0, 0.0) };
    let mut tracks = vec![Track::fixed(Position::default()), Track::from_legs(vec![away])];
    let facts = path_facts(&mut tracks, &[pair(0, 1)], 250.0, s(0.0), s(10.0), HALF);
    assert_eq!(facts.mean_shortest_path_hops, 1.0);
    assert!((facts.partitioned_fraction - 9.0 / 20.0).abs() < 1e-12);
    // One of two nodes moves at 10 m/s.
    assert!((mean_speed(&mut tracks, s(0.0), s(10.0)).get() - 5.0).abs() < 1e-9);
}

/// A wire connects two parts of a string in one direction only.
#[test]
fn wires_are_links_too() {
    let mut tracks = string(4);
    let links = |wires: &[(u16, u16)]| Links {
        range: Some(199.0),
        wires: wires.iter().map(|&(a, b)| pair(a, b)).collect(),
    };
    let mut facts = |wires: &[(u16, u16)]| {
        pair_facts(&mut tracks, &[pair(0, 3), pair(3, 0)], &links(wires), s(0.0), s(1.0), HALF)
    };
    let way = |connected, hops| PairFacts { samples: 1, connected, hops };
    assert_eq!(facts(&[]), [way(0, 0), way(0, 0)]);
    assert_eq!(facts(&[(0, 1), (1, 3)]), [way(1, 2), way(0, 0)]);
    // Without a radio, distance connects no nodes.
    let wired = Links { range: None, wires: vec![pair(0, 1)] };
    let mut here: Vec<Track> = (0..3).map(|_| Track::fixed(Position::default())).collect();
    let facts = pair_facts(&mut here, &[pair(0, 1), pair(0, 2)], &wired, s(0.0), s(1.0), HALF);
    assert_eq!(facts, [way(1, 1), way(0, 0)]);
}

/// 0, 200, 500 and 600 m: every path from the first to the last includes the 300 m.
#[test]
fn the_widest_gap_is_the_hop_that_no_path_avoids() {
    let places: Vec<Position> = [0.0, 600.0, 200.0, 500.0].map(|x| Position::new(x, 0.0)).to_vec();
    assert_eq!(widest_gap(&places, NodeId(0), NodeId(1)), Some((NodeId(2), NodeId(3), 300.0)));
    assert_eq!(widest_gap(&places, NodeId(3), NodeId(1)), Some((NodeId(3), NodeId(1), 100.0)));
    assert_eq!(widest_gap(&places, NodeId(0), NodeId(9)), None);
}

proptest! {
    /// Compared with Floyd-Warshall on random positions.
    #[test]
    fn hops_are_the_shortest(places in prop::collection::vec((0.0..1000.0f64, 0.0..1000.0f64), 2..15)) {
        let n = places.len();
        let mut tracks: Vec<Track> =
            places.iter().map(|&(x, y)| Track::fixed(Position::new(x, y))).collect();
        let mut hops = vec![vec![f64::INFINITY; n]; n];
        for i in 0..n {
            for j in 0..n {
                let (a, b) = (places[i], places[j]);
                if i == j { hops[i][j] = 0.0 }
                else if (a.0 - b.0).powi(2) + (a.1 - b.1).powi(2) <= 250.0 * 250.0 { hops[i][j] = 1.0 }
            }
        }
        for k in 0..n { for i in 0..n { for j in 0..n {
            hops[i][j] = hops[i][j].min(hops[i][k] + hops[k][j]);
        }}}
        for (i, row) in hops.iter().enumerate() {
            for (j, &expected) in row.iter().enumerate() {
                let facts = path_facts(&mut tracks, &[pair(i as u16, j as u16)], 250.0, s(0.0), s(1.0), HALF);
                if expected.is_finite() {
                    prop_assert_eq!(facts.mean_shortest_path_hops, expected);
                } else {
                    prop_assert_eq!(facts.partitioned_fraction, 1.0);
                }
            }
        }
    }
}
