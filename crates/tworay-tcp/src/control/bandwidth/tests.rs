#[allow(unused_imports)]
use super::*;
use crate::control::tests::*;

#[test]
fn estimators_find_a_steady_rate() {
    let estimators: [Box<dyn Bandwidth>; 3] =
        [Box::new(Tustin::new(1.0)), Box::new(Tibet::new(0.9, 0.5)), Box::new(PerRoundTrip::default())];
    for mut estimator in estimators {
        let rate = steady(&mut *estimator, 1000);
        assert!((rate - 100.0).abs() < 1.0, "{estimator:?}");
    }
}

#[test]
fn tustin_by_hand() {
    let mut filter = Tustin::new(1.0);
    let view = view(10.0, 10.0);
    filter.on_credit(1.0, 0.1, &view);
    // ((2 - 0.1) 0 + 0.1 (10 + 0)) / 2.1
    assert!((filter.estimate() - 1.0 / 2.1).abs() < 1e-12);
    let before = filter.estimate();
    filter.on_credit(1.0, 0.1, &view);
    assert!((filter.estimate() - (1.9 * before + 0.1 * 20.0) / 2.1).abs() < 1e-12);
    // An idle second counts as two zero samples.
    steady(&mut filter, 1000);
    let before = filter.estimate();
    filter.on_credit(1.0, 1.1, &view);
    assert!(filter.estimate() < 0.75 * before, "idle time lowers the estimate");
}

#[test]
fn clustered_acks_do_not_deceive_tibet() {
    // Pairs of ACKs 1 ms apart, every 20 ms: 100 segments/s. The mean of the quotients would be 526.
    let mut tibet = Tibet::new(0.9, 0.5);
    let view = view(10.0, 10.0);
    for _ in 0..500 {
        tibet.on_credit(1.0, 0.001, &view);
        tibet.on_credit(1.0, 0.019, &view);
    }
    assert!((tibet.estimate() - 100.0).abs() < 10.0, "{}", tibet.estimate());
}

#[test]
fn duplicate_acks_are_credited_once() {
    let mut credit = Credit::default();
    // Three duplicates stand for three segments; the ACK of five segments credits the remaining two.
    assert_eq!((0..3).map(|_| credit.duplicate()).sum::<f64>(), 3.0);
    assert_eq!(credit.advance(5.0), 2.0);
    assert_eq!(credit.advance(1.0), 1.0);
    assert_eq!(credit.advance(4.0), 2.0, "never more than two");
}

#[test]
fn fixed_gains_by_hand() {
    // Samples of 10 and 20 segments/s.
    for (mut filter, first, second) in [
        (FixedGain::tenth(), 1.0, 2.9),
        (FixedGain::twenty_first(), 10.0 / 21.0, (19.0 * 10.0 / 21.0 + 30.0) / 21.0),
        (FixedGain::thirty_first(), 10.0 / 31.0, (29.0 * 10.0 / 31.0 + 30.0) / 31.0),
    ] {
        let view = view(10.0, 10.0);
        filter.on_credit(1.0, 0.1, &view);
        assert!((filter.estimate() - first).abs() < 1e-12, "{filter:?}");
        filter.on_credit(2.0, 0.1, &view);
        assert!((filter.estimate() - second).abs() < 1e-12, "{filter:?}");
    }
}

#[test]
fn the_exponential_filter_forgets_with_time() {
    let mut filter = Exponential::new(1.0);
    let view = view(10.0, 10.0);
    filter.on_credit(1.0, 0.1, &view);
    assert!((filter.estimate() - 10.0 * (1.0 - libm::exp(-0.1))).abs() < 1e-12);
    filter.on_credit(1.0, 100.0, &view);
    assert!((filter.estimate() - 0.01).abs() < 1e-9, "only the last sample is left");
}
