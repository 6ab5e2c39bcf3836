use super::*;
use crate::facts::mean_speed;
use crate::track::Track;
use tworay_base::{NodeId, Purpose};

const STRIP: Area = Area { width: 1500.0, height: 300.0 };

fn rng(node: u16) -> RngStream {
    RngStream::new(1, NodeId(node), Purpose::Mobility)
}

fn model(min: f64, max: f64, pause: u64) -> WaypointModel {
    let pause = SimDuration::from_secs(pause);
    WaypointModel { area: STRIP, min_speed: Speed(min), max_speed: Speed(max), pause }
}

fn stationary(model: WaypointModel, nodes: u16) -> Vec<Track> {
    (0..nodes).map(|i| Track::random_waypoint(RandomWaypoint::stationary(model, rng(i)))).collect()
}

fn s(seconds: u64) -> SimTime {
    SimTime::from_nanos(seconds * 1_000_000_000)
}

/// Mean speeds of Papanastasiou (2006): (vmax - vmin) / ln(vmax/vmin), from the first second on.
#[test]
fn mean_speeds_of_the_thesis() {
    for (min, max, mean) in
        [(1.0, 2.0, 1.44), (2.1, 5.0, 3.34), (4.1, 10.0, 6.62), (5.0, 15.0, 9.10), (9.0, 20.0, 13.78)]
    {
        let model = model(min, max, 0);
        assert!((model.mean_speed().get() - mean).abs() < 0.005, "{min} to {max} m/s");
        let mut tracks = stationary(model, 1000);
        for (from, to) in [(0, 60), (0, 900)] {
            let found = mean_speed(&mut tracks, s(from), s(to)).get();
            assert!((found / mean - 1.0).abs() < 0.02, "{min} to {max} m/s: {found} for {mean}");
        }
    }
}

/// Without the stationary start, speeds begin near the middle of the range and decay.
#[test]
fn a_fresh_start_is_too_fast_at_first() {
    let model = model(1.0, 20.0, 0);
    let mut tracks: Vec<Track> = (0..1000)
        .map(|i| Track::random_waypoint(RandomWaypoint::starting_at(model, STRIP.draw(&mut rng(i)), rng(i))))
        .collect();
    let early = mean_speed(&mut tracks, s(0), s(10)).get();
    assert!((early - 10.5).abs() < 0.5, "{early}");
    assert!((model.mean_speed().get() - 6.34).abs() < 0.01);
    let late = mean_speed(&mut tracks, s(3000), s(4000)).get();
    assert!((late - 6.34).abs() < 0.2, "{late}");
}

/// With pauses, the share of pausing nodes is the same at the start and later, and equals the model's.
#[test]
fn the_share_of_pausing_nodes_is_stationary() {
    let model = model(1.0, 20.0, 60);
    let expected = model.pausing();
    assert!((expected - 60.0 / (60.0 + STRIP.mean_distance() / 6.342)).abs() < 1e-3, "{expected}");
    let mut tracks = stationary(model, 4000);
    for t in [0, 30, 600] {
        let pausing =
            tracks.iter_mut().filter_map(|tr| (tr.speed_at(s(t)).get() == 0.0).then_some(())).count();
        let share = pausing as f64 / 4000.0;
        assert!((share - expected).abs() < 0.03, "at {t} s: {share} for {expected}");
    }
}

/// Stationary positions concentrate in the centre: the mean distance from the strip's middle line is the same
/// at the start and much later, and smaller than the uniform 375 m.
#[test]
fn positions_are_stationary() {
    let mut tracks = stationary(model(5.0, 15.0, 0), 4000);
    let mut spread = |t| {
        let sum: f64 = tracks.iter_mut().map(|tr| (tr.position(s(t)).x - 750.0).abs()).sum();
        sum / 4000.0
    };
    let (early, late) = (spread(0), spread(1000));
    assert!((early - late).abs() < 12.0, "{early} {late}");
    assert!(early < 330.0, "{early}");
}

/// 0.5214 sides for a square, one third of the length for a line.
#[test]
fn mean_distance_of_two_points() {
    let square = Area { width: 1000.0, height: 1000.0 };
    assert!((square.mean_distance() - 521.405).abs() < 0.01);
    let line = Area { width: 3000.0, height: 1.0 };
    assert!((line.mean_distance() - 1000.0).abs() < 0.1);
    let mut rng = rng(0);
    let sum: f64 = (0..100_000).map(|_| STRIP.draw(&mut rng).distance(STRIP.draw(&mut rng))).sum();
    assert!((sum / 100_000.0 / STRIP.mean_distance() - 1.0).abs() < 0.01);
}

/// The walk determines results: these numbers may change only with an entry under "Changed results".
#[test]
fn the_walk_of_node_3_is_fixed() {
    let mut track = Track::random_waypoint(RandomWaypoint::stationary(model(1.0, 20.0, 10), rng(3)));
    let walk: Vec<String> = [0, 100, 900]
        .map(|t| track.position(s(t)))
        .iter()
        .map(|p| format!("{:.6} {:.6}", p.x, p.y))
        .collect();
    assert_eq!(walk, ["1106.847751 95.716811", "973.424813 88.133682", "1107.136200 210.660527"]);
}

#[test]
fn nobody_leaves_the_area() {
    for track in &mut stationary(model(1.0, 20.0, 5), 20) {
        for t in 0..2000 {
            let p = track.position(s(t));
            assert!((0.0..=1500.0).contains(&p.x) && (0.0..=300.0).contains(&p.y), "{p:?} at {t} s");
        }
    }
}

#[test]
fn equal_limits_mean_one_speed() {
    let model = model(5.0, 5.0, 0);
    assert_eq!(model.mean_speed(), Speed(5.0));
    for track in &mut stationary(model, 5) {
        assert!((track.speed_at(s(0)).get() - 5.0).abs() < 1e-9);
        assert!((track.travelled(s(0), s(1000)) - 5000.0).abs() < 1e-3);
    }
}
