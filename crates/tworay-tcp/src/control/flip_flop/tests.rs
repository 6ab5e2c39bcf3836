use super::*;

#[test]
fn the_flip_flop_notices_jumps() {
    let mut filter = FlipFlop::new();
    // ms, verdict
    for (x, verdict) in [
        (100.0, ControlState::InControl),
        (102.0, ControlState::InControl),
        (99.0, ControlState::InControl),
        (101.0, ControlState::InControl),
        (160.0, ControlState::High),
        (101.0, ControlState::InControl),
        (60.0, ControlState::Low),
    ] {
        assert_eq!(filter.sample(x), verdict, "{x} ms in {filter:?}");
    }
}

#[test]
fn the_agile_centre_follows_a_ramp() {
    let outliers = |mut filter: FlipFlop| {
        let ramp = (0..30).map(|i| 100.0 + 10.0 * f64::from(i) + f64::from(i % 2));
        ramp.filter(|x| filter.sample(*x) == ControlState::High).count()
    };
    let (stable, agile) = (outliers(FlipFlop::new()), outliers(FlipFlop::agile()));
    assert!(stable > 10 && agile == 0, "stable {stable}, agile {agile}");
}
