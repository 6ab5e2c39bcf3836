use super::*;
use tworay_base::Purpose;

fn s(t: f64) -> SimDuration {
    SimDuration::from_secs_f64(t)
}

fn at(t: f64) -> SimTime {
    SimTime::ZERO + s(t)
}

#[test]
fn a_window_cuts_what_touches_it() {
    let outages = Outages::new([(at(1.0), at(2.0)), (at(1.5), at(3.0)), (at(10.0), at(11.0))]);
    assert_eq!(outages.windows(), [(at(1.0), at(3.0)), (at(10.0), at(11.0))]);
    // From, to, whether it is cut.
    let table = [
        (0.0, 0.9, false),
        (0.0, 1.0, true),
        (1.2, 1.3, true),
        (2.9, 5.0, true),
        (3.0, 5.0, false),
        (3.0, 9.9, false),
        (0.0, 20.0, true),
        (3.0, 20.0, true),
        (11.0, 20.0, false),
    ];
    for (from, to, cut) in table {
        assert_eq!(outages.cut(at(from), at(to)), cut, "{from} to {to}");
    }
    assert!(!Outages::default().cut(at(0.0), at(9.0)));
}

#[test]
fn random_handoffs_are_as_many_and_as_long_as_asked_and_differ_by_seed() {
    let config = HandoffConfig { length: s(0.5), count: Some(10), at: None };
    let drawn = |seed| config.outages(s(60.0), &mut RngStream::numbered(seed, 0, Purpose::Test));
    let mut mean = 0.0;
    for seed in 0..400 {
        let outages = drawn(seed);
        let down: f64 = outages.windows().iter().map(|w| w.1.since(w.0).as_secs_f64()).sum();
        assert!((down - 5.0).abs() < 1e-6, "{down} s");
        assert!(outages.windows().last().is_some_and(|w| w.1 <= at(60.0)));
        let starts = outages.windows().iter().map(|w| w.0.as_secs_f64()).sum::<f64>();
        mean += starts / outages.windows().len() as f64 / 400.0;
    }
    // Uniform over the run: the mean start is half of 60 s minus half a window.
    assert!((mean - 29.75).abs() < 0.8, "{mean}");
    assert_eq!(drawn(3), drawn(3));
    assert_ne!(drawn(3), drawn(4));
}

#[test]
fn the_whole_run_can_be_one_handoff() {
    let config = HandoffConfig { length: s(6.0), count: Some(10), at: None };
    let outages = config.outages(s(60.0), &mut RngStream::numbered(1, 0, Purpose::Test));
    assert_eq!(outages.windows(), [(at(0.0), at(60.0))]);
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let good = HandoffConfig { length: s(0.5), count: Some(10), at: None };
    assert_eq!(good.validate(s(60.0)), Ok(()));
    let table = [
        ("length", HandoffConfig { length: s(0.0), ..good.clone() }),
        ("length", HandoffConfig { count: None, ..good.clone() }),
        ("count", HandoffConfig { at: Some(vec![s(1.0)]), ..good.clone() }),
        ("count", HandoffConfig { count: Some(121), ..good.clone() }),
        ("at.1", HandoffConfig { count: None, at: Some(vec![s(1.0), s(60.0)]), ..good }),
    ];
    for (key, config) in table {
        assert_eq!(config.validate(s(60.0)).map_err(|e| e.key), Err(key.to_owned()), "{config:?}");
    }
}
