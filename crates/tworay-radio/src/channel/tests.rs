use super::*;
use crate::config::{Profile, RadioConfig};
use proptest::prelude::*;
use tworay_base::{Metres, Ratio};

fn channel(propagation: Propagation) -> Channel {
    Channel::new(&RadioConfig { propagation, ..RadioConfig::default() })
}

const LOG3: Propagation = Propagation::LogDistance { exponent: 3.0, reference: Metres(1.0) };
const LAWS: [Propagation; 4] = [Propagation::FreeSpace, Propagation::TwoRayGround, Propagation::Range, LOG3];

fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * b.abs()
}

/// The profile's two distances: 250 m to receive, 550 m to sense.
#[test]
fn wavelan_receives_within_250_m_and_senses_within_550_m() {
    let c = channel(Propagation::TwoRayGround);
    let ladder = [
        (200.0, true, true),
        (250.0, true, true),
        (250.1, false, true),
        (550.0, false, true),
        (550.1, false, false),
    ];
    for (metres, received, sensed) in ladder {
        let power = c.rx_power(metres);
        assert_eq!(power >= c.rx_threshold(), received, "{metres} m, {power} W");
        assert_eq!(power >= c.cs_threshold(), sensed, "{metres} m, {power} W");
    }
    assert!((c.range_of(c.rx_threshold()) - 250.0).abs() < 0.05);
    assert!((c.range_of(c.cs_threshold()) - 550.0).abs() < 0.05);
}

/// Closed forms, calculated by hand for Pt = 0.28183815 W, λ = 3e8/914e6 m, antennas at 1.5 m.
#[test]
fn closed_forms() {
    let two_ray = channel(Propagation::TwoRayGround);
    // Pt·ht²·hr²/d⁴ at 200 m: 0.28183815 · 5.0625 / 1.6e9.
    assert!(close(two_ray.rx_power(200.0), 8.917_535e-10, 1e-6));
    // Pt·(λ/4πd)² at 40 m: λ/4π = 0.0261197 m.
    let lambda: f64 = 3e8 / 914e6;
    let friis = 0.281_838_15 * (lambda / (4.0 * PI * 40.0)).powi(2);
    assert!(close(friis, 1.201_74e-7, 1e-5));
    for law in [Propagation::TwoRayGround, Propagation::FreeSpace] {
        assert!(close(channel(law).rx_power(40.0), friis, 1e-12), "{law:?}");
    }
    // Free space continues with the square: the power at 200 m is 25 times less than at 40 m.
    assert!(close(channel(Propagation::FreeSpace).rx_power(200.0), friis / 25.0, 1e-12));
    // Log distance with exponent 3 from 1 m: 10 times the distance, 30 dB less.
    let log = channel(LOG3);
    assert!(close(log.rx_power(100.0), log.rx_power(10.0) / 1000.0, 1e-9));
    assert!(close(log.rx_power(1.0), friis * 1600.0, 1e-12));
}

#[test]
fn gains_and_losses_enter_in_decibels() {
    let plain = channel(Propagation::TwoRayGround);
    let tuned = Channel::new(&RadioConfig {
        profile: Profile::Custom,
        tx_gain: Ratio(3.0),
        rx_gain: Ratio(10.0),
        system_loss: Ratio(3.0),
        ..RadioConfig::default()
    });
    for metres in [30.0, 300.0] {
        assert!(close(tuned.rx_power(metres), 10.0 * plain.rx_power(metres), 1e-12));
    }
}

#[test]
fn two_ray_crosses_over_at_86_m_without_a_step() {
    let c = channel(Propagation::TwoRayGround);
    let crossover = c.crossover().expect("two-ray has one");
    assert!((crossover - 86.1).abs() < 0.1, "{crossover}");
    let (before, after) = (c.rx_power(crossover * (1.0 - 1e-12)), c.rx_power(crossover * (1.0 + 1e-12)));
    assert!(close(before, after, 1e-10), "{before} {after}");
}

#[test]
fn flat_range_has_full_power_inside_and_none_outside() {
    let c = channel(Propagation::Range);
    assert_eq!(c.rx_power(0.0), 0.281_838_15);
    assert_eq!(c.rx_power(250.0), 0.281_838_15);
    assert_eq!(c.rx_power(250.000_001), 0.0);
    assert_eq!(c.range_of(c.rx_threshold()), 250.0);
    assert_eq!(c.range_of(c.cs_threshold()), 250.0);
    assert_eq!(c.range_of(1.0), 0.0);
}

#[test]
fn nobody_receives_more_than_was_sent() {
    for law in LAWS {
        assert_eq!(channel(law).rx_power(0.0), 0.281_838_15, "{law:?}");
        assert_eq!(channel(law).range_of(0.3), 0.0, "{law:?}");
    }
    assert_eq!(channel(Propagation::FreeSpace).range_of(0.0), f64::INFINITY);
}

#[test]
fn delay_is_distance_over_c() {
    let c = channel(Propagation::TwoRayGround);
    for (metres, nanos) in [(0.0, 0), (0.1, 0), (30.0, 100), (250.0, 833), (300.0, 1000), (550.0, 1833)] {
        assert_eq!(c.delay(metres).as_nanos(), nanos, "{metres} m");
    }
}

/// k·T·B·F: -174 dBm/Hz + 73.4 dB + 7 dB = -93.5 dBm.
#[test]
fn noise_and_sinr_thresholds() {
    let c = channel(Propagation::TwoRayGround);
    assert!((10.0 * (c.noise() * 1e3).log10() + 93.55).abs() < 0.05, "{}", c.noise());
    for (mbps, db) in [(0.5, 4.0), (1.0, 4.0), (2.0, 7.0), (5.5, 11.0), (11.0, 16.0), (54.0, 16.0)] {
        let ratio = c.sinr_threshold(BitRate::from_bps((mbps * 1e6) as u64));
        assert!(close(10.0 * ratio.log10(), db, 1e-9), "{mbps} Mb/s");
    }
    assert!(close(c.capture_ratio(), 10.0, 1e-12));
}

proptest! {
    #[test]
    fn power_never_rises_with_distance(near in 0.0..2000.0f64, further in 0.0..500.0f64) {
        for law in LAWS {
            let c = channel(law);
            prop_assert!(c.rx_power(near + further) <= c.rx_power(near) * (1.0 + 1e-12), "{:?}", law);
        }
    }

    #[test]
    fn range_inverts_power(metres in 0.1..5000.0f64) {
        for law in [Propagation::FreeSpace, Propagation::TwoRayGround, LOG3] {
            let c = channel(law);
            let back = c.range_of(c.rx_power(metres));
            prop_assert!(close(back, metres, 1e-9), "{:?}: {} became {}", law, metres, back);
        }
    }

    #[test]
    fn squared_distances_give_the_same_power(metres in 0.0..5000.0f64) {
        for law in LAWS {
            let c = channel(law);
            prop_assert_eq!(c.rx_power(metres), c.rx_power_squared(metres * metres));
        }
    }
}
