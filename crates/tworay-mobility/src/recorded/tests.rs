use super::*;
use tworay_base::Speed;
use tworay_wire::ns2::Movement;

fn s(seconds: f64) -> SimTime {
    SimTime::from_secs_f64(seconds)
}

/// The track of a node that starts at (0, 0), in a file with these lines.
fn follow(commands: &[(f64, &str)]) -> Track {
    let mut text = String::from("$node_(0) set X_ 0\n$node_(0) set Y_ 0\n");
    for (at, command) in commands {
        text += &format!("$ns_ at {at} \"$node_(0) {command}\"\n");
    }
    track(&Movement::parse("m.mov", &text).unwrap().nodes[0])
}

fn check(track: &mut Track, ladder: &[(f64, f64, f64)]) {
    for &(t, x, y) in ladder {
        let p = track.position(s(t));
        assert!(p.distance(Position::new(x, y)) < 1e-6, "at {t} s: {p:?}, not ({x}, {y})");
    }
}

#[test]
fn a_node_goes_there_and_stops() {
    // 50 m at 5 m/s.
    let mut track = follow(&[(2.0, "setdest 30 40 5")]);
    check(
        &mut track,
        &[(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (7.0, 15.0, 20.0), (12.0, 30.0, 40.0), (99.0, 30.0, 40.0)],
    );
    assert_eq!(track.max_speed(), Speed(5.0));
    assert_eq!(track.position(s(99.0)), Position::new(30.0, 40.0), "stops exactly at the target");
}

#[test]
fn a_new_target_interrupts() {
    let mut track = follow(&[(0.0, "setdest 100 0 10"), (5.0, "setdest 50 20 2")]);
    check(&mut track, &[(5.0, 50.0, 0.0), (10.0, 50.0, 10.0), (15.0, 50.0, 20.0), (60.0, 50.0, 20.0)]);
}

#[test]
fn speed_zero_stops_on_the_way() {
    let mut track = follow(&[(0.0, "setdest 100 0 10"), (5.0, "setdest 100 0 0"), (8.0, "setdest 60 0 5")]);
    check(&mut track, &[(6.0, 50.0, 0.0), (8.0, 50.0, 0.0), (9.0, 55.0, 0.0), (20.0, 60.0, 0.0)]);
}

#[test]
fn a_target_underfoot_is_no_movement() {
    let mut track = follow(&[(1.0, "setdest 0 0 5")]);
    check(&mut track, &[(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)]);
    assert!(track.is_static());
}

#[test]
fn the_last_command_of_one_time_wins() {
    let mut track = follow(&[(1.0, "setdest 100 0 10"), (1.0, "setdest 0 100 10")]);
    check(&mut track, &[(2.0, 0.0, 10.0)]);
}

#[test]
fn a_jump_ends_the_movement_under_way() {
    let mut track = follow(&[
        (0.0, "setdest 100 0 10"),
        (5.0, "set X_ 500"),
        (5.0, "set Y_ 600"),
        (6.0, "setdest 510 600 1"),
    ]);
    check(&mut track, &[(4.0, 40.0, 0.0), (5.0, 500.0, 600.0), (6.0, 500.0, 600.0), (8.0, 502.0, 600.0)]);
    assert_eq!(track.max_speed(), Speed(f64::INFINITY));
}

#[test]
fn a_jump_at_time_zero_moves_the_start() {
    let mut track = follow(&[(0.0, "set X_ 7")]);
    check(&mut track, &[(0.0, 7.0, 0.0), (9.0, 7.0, 0.0)]);
    assert!(track.is_static());
}

/// Arrival and the next command at the same instant, as generators write it for a pause of zero.
#[test]
fn legs_that_follow_without_a_pause() {
    let mut track = follow(&[(0.0, "setdest 10 0 3"), (3.333333333, "setdest 10 10 3")]);
    check(&mut track, &[(3.333333333, 10.0, 0.0), (5.333333333, 10.0, 6.0)]);
    assert_eq!(track.max_speed(), Speed(3.0), "rounding of the arrival is no jump");
}
