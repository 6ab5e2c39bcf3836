use super::*;
use crate::waypoint::{Area, WaypointModel};
use proptest::prelude::*;
use tworay_base::{NodeId, Purpose, RngStream, SimDuration};

fn s(seconds: f64) -> SimTime {
    SimTime::from_secs_f64(seconds)
}

/// East at 10 m/s from 1 s, stop at 3 s, north at 5 m/s from 10 s.
fn dog_leg() -> Track {
    let leg = |from, x, y, velocity| Leg { from: s(from), start: Position::new(x, y), velocity };
    Track::from_legs(vec![
        leg(1.0, 0.0, 0.0, (10.0, 0.0)),
        leg(3.0, 20.0, 0.0, (0.0, 0.0)),
        leg(10.0, 20.0, 0.0, (0.0, 5.0)),
    ])
}

#[test]
fn positions_and_speeds_along_the_way() {
    let mut track = dog_leg();
    // The last rows go back in time.
    let ladder = [
        (0.0, 0.0, 0.0, 0.0),
        (1.0, 0.0, 0.0, 10.0),
        (2.5, 15.0, 0.0, 10.0),
        (3.0, 20.0, 0.0, 0.0),
        (9.9, 20.0, 0.0, 0.0),
        (12.0, 20.0, 10.0, 5.0),
        (1000.0, 20.0, 4950.0, 5.0),
        (2.5, 15.0, 0.0, 10.0),
        (0.5, 0.0, 0.0, 0.0),
        (11.0, 20.0, 5.0, 5.0),
    ];
    for (t, x, y, speed) in ladder {
        assert!(track.position(s(t)).distance(Position::new(x, y)) < 1e-9, "{t} s");
        assert_eq!(track.speed_at(s(t)), Speed(speed), "{t} s");
    }
    assert_eq!(track.max_speed(), Speed(10.0));
    assert!(!track.is_static());
    assert_eq!(track.course_until(s(4.0)), s(10.0));
    assert_eq!(track.course_until(s(10.0)), SimTime::NEVER);
    assert!((track.travelled(s(0.0), s(11.0)) - 25.0).abs() < 1e-9);
    assert!((track.travelled(s(2.0), s(2.5)) - 5.0).abs() < 1e-9);
}

#[test]
fn a_fixed_node_stays() {
    let mut track = Track::fixed(Position::new(3.0, 4.0));
    assert!(track.is_static());
    assert_eq!(track.position(s(1e6)), Position::new(3.0, 4.0));
    assert_eq!(track.course_until(SimTime::ZERO), SimTime::NEVER);
    assert_eq!(Track::from_legs(vec![]).position(s(1.0)), Position::default());
}

#[test]
fn a_jump_has_no_bounded_speed() {
    let rest = |from, x| Leg::rest(s(from), Position::new(x, 0.0));
    let mut track = Track::from_legs(vec![rest(0.0, 0.0), rest(5.0, 100.0)]);
    assert_eq!(track.max_speed(), Speed(f64::INFINITY));
    assert!(!track.is_static());
    assert_eq!(track.position(SimTime::from_nanos(4_999_999_999)).x, 0.0);
    assert_eq!(track.position(s(5.0)).x, 100.0);
    assert_eq!(track.travelled(s(0.0), s(10.0)), 0.0);
}

fn walker(seed: u64, pause: SimDuration) -> Track {
    let model = WaypointModel {
        area: Area { width: 1500.0, height: 300.0 },
        min_speed: Speed(1.0),
        max_speed: Speed(20.0),
        pause,
    };
    Track::random_waypoint(RandomWaypoint::stationary(model, RngStream::numbered(seed, 0, Purpose::Mobility)))
}

proptest! {
    /// The answers do not depend on the order of queries.
    #[test]
    fn the_order_of_questions_does_not_matter(
        seed: u64,
        pause in 0u64..100,
        times in prop::collection::vec(0.0..2000.0f64, 1..20),
    ) {
        let pause = SimDuration::from_secs(pause);
        let mut asked = walker(seed, pause);
        for t in times {
            prop_assert_eq!(asked.position(s(t)), walker(seed, pause).position(s(t)));
        }
    }

    /// No step exceeds the maximum speed, and the course is straight until its end.
    #[test]
    fn the_greatest_speed_bounds_every_step(seed: u64, pause in 0u64..20, start in 0.0..1000.0f64) {
        let mut track = walker(seed, SimDuration::from_secs(pause));
        let (mut now, mut here) = (s(start), track.position(s(start)));
        for _ in 0..50 {
            let next = now + SimDuration::from_millis(700);
            let speed = track.speed_at(now).get();
            let straight = track.course_until(now) >= next;
            let there = track.position(next);
            prop_assert!(here.distance(there) <= track.max_speed().get() * 0.7 + 1e-6);
            if straight {
                prop_assert!((here.distance(there) - speed * 0.7).abs() < 1e-6);
            }
            (now, here) = (next, there);
        }
    }
}

#[test]
fn a_redirected_node_keeps_its_past_and_goes_straight_to_its_new_place() {
    // East at 2 m/s from the origin for ever.
    let leg = Leg { from: SimTime::ZERO, start: Position::new(0.0, 0.0), velocity: (2.0, 0.0) };
    let mut track = Track::from_legs(vec![leg]);
    // At 10 s it is at (20, 0), 30 m south of (20, 30): there at 5 m/s after 6 s.
    track.redirect(s(10.0), Position::new(20.0, 30.0), Some(5.0));
    // At 20 s it jumps.
    track.redirect(s(20.0), Position::new(-1.0, 7.0), None);
    let places =
        [(5.0, 10.0, 0.0), (13.0, 20.0, 15.0), (17.0, 20.0, 30.0), (99.0, -1.0, 7.0), (5.0, 10.0, 0.0)];
    for (seconds, x, y) in places {
        let here = track.position(s(seconds));
        assert!(here.distance(Position::new(x, y)) < 1e-6, "{seconds} s: {here:?}");
    }
    assert!(track.max_speed().get().is_infinite());
    // The jump is over at 20 s, and is to come at 19 s.
    assert_eq!(track.max_speed_from(s(20.0)).get(), 0.0);
    assert!(track.max_speed_from(s(19.0)).get().is_infinite());
}

#[test]
fn a_walk_at_random_ends_where_the_node_is_put() {
    let area = Area { width: 100.0, height: 100.0 };
    let model =
        WaypointModel { area, min_speed: Speed(1.0), max_speed: Speed(20.0), pause: SimDuration::ZERO };
    let walk = || {
        let rng = RngStream::new(1, NodeId(0), Purpose::Mobility);
        Track::random_waypoint(RandomWaypoint::starting_at(model, Position::new(5.0, 5.0), rng))
    };
    let (mut free, mut put) = (walk(), walk());
    let at = |s: u64| SimTime::ZERO + SimDuration::from_secs(s);
    put.redirect(at(300), Position::new(50.0, 60.0), None);
    for seconds in [0, 17, 150, 299] {
        assert_eq!(put.position(at(seconds)), free.position(at(seconds)));
    }
    assert_eq!(put.position(at(300)), Position::new(50.0, 60.0));
    assert_eq!(put.position(at(3000)), Position::new(50.0, 60.0));
}

#[test]
fn a_node_moves_from_its_first_step_or_jump_on() {
    let place = Position::new(3.0, 4.0);
    assert_eq!(Track::fixed(place).moves_from(), SimTime::NEVER);
    let mut walks = Track::fixed(place);
    walks.redirect(s(5.0), Position::new(9.0, 4.0), Some(2.0));
    assert_eq!(walks.moves_from(), s(5.0));
    let mut jumps = Track::fixed(place);
    jumps.redirect(s(7.0), Position::new(9.0, 4.0), None);
    assert_eq!((jumps.moves_from(), jumps.position(s(6.0))), (s(7.0), place));
    assert_eq!(walker(1, SimDuration::ZERO).moves_from(), SimTime::ZERO);
}
