use super::*;
use crate::Scenario;
use std::path::Path;
use tworay_base::LossCause;

/// Nodes at 0, 200 and 400 m that decode each other up to 250 m, and moves of node 1: when, where to, how fast.
fn scenario(moves: &[(f64, [f64; 2], Option<f64>)]) -> Scenario {
    let event = |(at, to, speed): &(f64, [f64; 2], Option<f64>)| {
        let speed = speed.map_or(String::new(), |speed| format!("speed = \"{speed}m/s\"\n"));
        format!("[[event]]\nat = \"{at}s\"\nnode = 1\nwhat = \"move\"\nto = {to:?}\n{speed}")
    };
    let events: String = moves.iter().map(event).collect();
    let text = format!(
        "duration = \"60s\"\ntopology = {{ kind = \"string\", hops = 2, spacing = \"200m\" }}\n\
         [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nrate = \"10kbps\"\n{events}"
    );
    Scenario::from_toml(&text, "test.toml", Path::new(""), &[]).expect("a scenario")
}

/// Begin and end of each disturbance, s, and the number of events that happen without disturbances, too.
fn found(scenario: &Scenario) -> (Vec<(f64, f64)>, usize) {
    let partings = Partings::of(&scenario.setup(1, false).expect("a network"));
    let disturbances = scenario.disturbances_by(&partings);
    assert!(disturbances.iter().all(|of| of.cause == LossCause::LinkFailure && of.node == Some(NodeId(1))));
    let end = |until: SimTime| if until == SimTime::NEVER { f64::INFINITY } else { until.as_secs_f64() };
    let times = disturbances.iter().map(|of| (of.at.as_secs_f64(), end(of.until))).collect();
    (times, scenario.undisturbed_by(&partings).settings.events.len())
}

#[test]
fn a_step_aside_parts_nothing() {
    assert_eq!(found(&scenario(&[(10.0, [200.0, 20.0], None)])), (vec![], 1));
    // 250 m from node 0 and 150 m from node 2.
    assert_eq!(found(&scenario(&[(10.0, [249.0, 0.0], Some(10.0))])), (vec![], 1));
}

#[test]
fn a_jump_parts_until_the_node_is_back() {
    let away = (10.0, [200.0, 900.0], None);
    assert_eq!(found(&scenario(&[away])), (vec![(10.0, f64::INFINITY)], 0));
    assert_eq!(found(&scenario(&[away, (30.0, [200.0, 0.0], None)])), (vec![(10.0, 30.0)], 0));
}

/// At 10 m/s from 200 m to the north, node 1 leaves the reach of both neighbours after 150 m, 15 s later, and comes back as fast.
#[test]
fn a_walk_parts_where_the_reach_ends() {
    let walk = scenario(&[(10.0, [200.0, 200.0], Some(10.0)), (32.0, [200.0, 0.0], Some(10.0))]);
    let (times, events) = found(&walk);
    let [(from, until)] = times[..] else { panic!("one parting: {times:?}") };
    assert!((25.0..=25.2).contains(&from) && (37.0..=37.2).contains(&until), "{from} {until}");
    assert_eq!(events, 0);
}

/// Moves after a parting are left out with it, whatever they do by themselves.
#[test]
fn later_moves_of_a_node_that_has_gone_are_left_out() {
    let (times, events) = found(&scenario(&[
        (5.0, [200.0, 9.0], None),
        (10.0, [200.0, 900.0], None),
        (30.0, [200.0, 9.0], None),
    ]));
    assert_eq!((times, events), (vec![(10.0, 30.0)], 1));
}

/// A wire's handoffs disturb while they last, and a wire that fails very often does so all the time.
#[test]
fn wires_disturb_while_they_are_down() {
    let of = |handoffs: &str| {
        let text = format!(
            "duration = \"60s\"\ntopology = {{ kind = \"string\", hops = 2, spacing = \"200m\" }}\n\
             [[wire]]\nfrom = 2\nto = 1\nrate = \"1Mbps\"\nhandoffs = {{ {handoffs} }}\n\
             [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nrate = \"10kbps\"\n"
        );
        found(&Scenario::from_toml(&text, "test.toml", Path::new(""), &[]).expect("a scenario")).0
    };
    assert_eq!(of("at = [\"5s\", \"20s\"], length = \"2s\""), [(5.0, 7.0), (20.0, 22.0)]);
    assert_eq!(of("count = 1001, length = \"1ms\""), [(0.0, f64::INFINITY)]);
}
