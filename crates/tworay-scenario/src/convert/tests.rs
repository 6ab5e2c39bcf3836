use super::*;

#[test]
fn ends_of_runs_are_round_numbers() {
    let table = [(0.0, 100), (3.0, 10), (93.5, 100), (100.0, 100), (100.5, 200), (899.7, 900), (900.0, 900)];
    for (last, end) in table {
        assert_eq!(rounded_up(SimDuration::from_secs_f64(last)), SimDuration::from_secs(end), "{last}");
    }
}

/// A movement of `nodes` nodes; the first `movers` of them walk 100 m at 5 m/s from time `at`.
fn walk(nodes: usize, movers: usize, at: f64) -> Movement {
    let line = |i: usize| format!("$node_({i}) set X_ {i}\n$node_({i}) set Y_ 0\n");
    let go = |i: usize| format!("$ns_ at {at} \"$node_({i}) setdest {i} 100 5\"\n");
    let text: String = (0..nodes).map(line).chain((0..movers).map(go)).collect();
    Movement::parse("walk.mov", &text).unwrap()
}

#[test]
fn a_move_in_the_last_second_is_seen_to_its_end() {
    let seconds = |nodes, movers, at: f64| {
        let needed = SimDuration::from_secs_f64(at);
        long_enough(&walk(nodes, movers, at), needed).as_secs_f64()
    };
    // The walk takes 20 s.
    assert_eq!(seconds(2, 1, 39.5), 60.0, "until 59.5 s");
    assert_eq!(seconds(2, 1, 40.0), 60.0, "a run of 40 s would not even begin it");
    assert_eq!(seconds(2, 1, 75.0), 80.0, "as a generator's file may end");
    // Most nodes of a generated file are moving when its time is up.
    assert_eq!(seconds(50, 40, 899.5), 900.0);
}
