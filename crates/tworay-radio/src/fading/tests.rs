use super::*;
use crate::RadioConfig;

const N: u64 = 20_000;

fn fader(shadowing: Option<f64>, k: Option<f64>) -> Fader {
    let config = RadioConfig {
        shadowing: shadowing.map(|db| ShadowingConfig { sigma: Ratio(db), ..ShadowingConfig::default() }),
        fading: k.map(|k| FadingConfig { k, ..FadingConfig::default() }),
        ..RadioConfig::default()
    };
    assert_eq!(config.validate(), Ok(()));
    config.fader(42).expect("something varies")
}

fn gains(fader: &Fader) -> Vec<f64> {
    (0..N).map(|i| fader.gain(NodeId(3), NodeId(9), SimTime::from_nanos(1_000 * i))).collect()
}

fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0)).sqrt())
}

/// The largest distance between the empirical distribution and a closed form (Kolmogorov-Smirnov).
fn distance(mut values: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let gap = |(i, &x): (usize, &f64)| (cdf(x) - i as f64 / n).abs().max((cdf(x) - (i + 1) as f64 / n).abs());
    values.iter().enumerate().map(gap).fold(0.0, f64::max)
}

/// By chance, one run in a hundred would exceed this; the draws here are fixed.
fn bound() -> f64 {
    1.63 / (N as f64).sqrt()
}

#[test]
fn shadowing_is_normal_in_decibels() {
    for sigma in [2.0, 4.0, 8.0] {
        let db: Vec<f64> = gains(&fader(Some(sigma), None)).iter().map(|g| 10.0 * libm::log10(*g)).collect();
        let (mean, deviation) = moments(&db);
        assert!(mean.abs() < 3.0 * sigma / (N as f64).sqrt(), "mean {mean} dB of sigma {sigma}");
        assert!((deviation / sigma - 1.0).abs() < 0.02, "deviation {deviation} dB of sigma {sigma}");
        let normal = |x: f64| 0.5 * libm::erfc(-x / (sigma * std::f64::consts::SQRT_2));
        let d = distance(db, normal);
        assert!(d < bound(), "distance {d} for sigma {sigma}");
    }
}

#[test]
fn rayleigh_power_is_exponential() {
    let values = gains(&fader(None, Some(0.0)));
    let (mean, deviation) = moments(&values);
    assert!((mean - 1.0).abs() < 0.02 && (deviation - 1.0).abs() < 0.03, "{mean} and {deviation}");
    let d = distance(values, |x| 1.0 - libm::exp(-x));
    assert!(d < bound(), "distance {d}");
}

/// P(gain ≤ x) = Σ e^-K K^j / j! · P(Gamma(j+1) ≤ (1+K) x): the noncentral χ² with two degrees of freedom.
fn rician(k: f64, x: f64) -> f64 {
    let y = (1.0 + k) * x;
    let (mut weight, mut term, mut tail, mut sum) = (libm::exp(-k), libm::exp(-y), libm::exp(-y), 0.0);
    for j in 1..400 {
        sum += weight * (1.0 - tail);
        weight *= k / f64::from(j);
        term *= y / f64::from(j);
        tail += term;
    }
    sum
}

#[test]
fn rician_power_follows_its_closed_form() {
    for k in [0.5, 3.0, 6.0, 20.0] {
        let values = gains(&fader(None, Some(k)));
        let (mean, deviation) = moments(&values);
        let expected = (1.0_f64 + 2.0 * k).sqrt() / (1.0 + k);
        assert!((mean - 1.0).abs() < 0.02, "mean {mean} for K {k}");
        assert!((deviation / expected - 1.0).abs() < 0.03, "deviation {deviation} for K {k}");
        let d = distance(values, |x| rician(k, x));
        assert!(d < bound(), "distance {d} for K {k}");
    }
}

#[test]
fn a_draw_depends_on_seed_link_and_time_alone() {
    let fader = fader(Some(4.0), Some(6.0));
    let at = |ms: u64| SimTime::from_nanos(ms * 1_000_000);
    let (a, b, c) = (NodeId(1), NodeId(2), NodeId(3));
    let gain = fader.gain(a, b, at(5));
    assert_eq!(gain, fader.gain(a, b, at(5)));
    assert_eq!(gain, fader.gain(b, a, at(5)), "both directions of a link are one");
    assert_ne!(gain, fader.gain(a, c, at(5)));
    assert_ne!(gain, fader.gain(a, b, at(6)));
    assert_ne!(gain, Fader { seed: 43, ..fader }.gain(a, b, at(5)));
}

#[test]
fn coherence_keeps_a_value_for_its_time() {
    let config = RadioConfig {
        fading: Some(FadingConfig { k: 0.0, coherence: SimDuration::from_millis(10) }),
        ..RadioConfig::default()
    };
    let fader = config.fader(1).expect("fading");
    let gain = |ms: u64| fader.gain(NodeId(0), NodeId(1), SimTime::from_nanos(ms * 1_000_000));
    assert!(gain(20) == gain(29) && gain(29) != gain(30), "{} {} {}", gain(20), gain(29), gain(30));
}

#[test]
fn no_gain_is_above_the_most() {
    for fader in [fader(Some(8.0), None), fader(None, Some(0.0)), fader(Some(4.0), Some(0.0))] {
        let most = gains(&fader).into_iter().fold(0.0, f64::max);
        assert!(most <= fader.most() && most > 0.02 * fader.most(), "{most} of {}", fader.most());
    }
    assert_eq!(RadioConfig::default().fader(1), None);
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let good = RadioConfig::default();
    let shadowing = |db| Some(ShadowingConfig { sigma: Ratio(db), ..ShadowingConfig::default() });
    let fading = |k| Some(FadingConfig { k, ..FadingConfig::default() });
    let flat = crate::Propagation::Range;
    let table = [
        ("shadowing.sigma", RadioConfig { shadowing: shadowing(-1.0), ..good.clone() }),
        ("fading.k", RadioConfig { fading: fading(-0.1), ..good.clone() }),
        ("fading.k", RadioConfig { fading: fading(f64::NAN), ..good.clone() }),
        ("shadowing", RadioConfig { shadowing: shadowing(4.0), propagation: flat, ..good.clone() }),
        ("fading", RadioConfig { fading: fading(6.0), propagation: flat, ..good }),
    ];
    for (key, config) in table {
        assert_eq!(config.validate().map_err(|e| e.key), Err(key.to_owned()), "{config:?}");
    }
}
