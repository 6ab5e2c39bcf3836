use super::*;
use crate::phy::{DsssRate, GuardInterval, OfdmRate};

fn watts(dbm: f64) -> f64 {
    Dbm(dbm).to_watts().get()
}

/// -174 + 73.01 (20 MHz) + 7 = -93.99 dBm; 22 MHz -93.58; 80 MHz -87.97.
#[test]
fn noise_grows_with_the_bandwidth() {
    let of = |mode| noise(mode, Ratio(7.0)).to_dbm().get();
    let vht80 = Mode::vht(0, 1, Width::Mhz80, GuardInterval::Long).expect("a mode");
    assert!((of(Mode::Ofdm(OfdmRate::R6)) + 93.9897).abs() < 1e-4);
    assert!((of(Mode::Dsss(DsssRate::R1)) + 93.5758).abs() < 1e-4);
    assert!((of(vht80) + 87.9691).abs() < 1e-4);
}

#[test]
fn a_preamble_needs_power_and_ratio() {
    let d = PreambleDetection::default();
    let noise = watts(-94.0);
    assert!(d.detects(watts(-81.9), noise));
    assert!(!d.detects(watts(-82.1), noise), "too weak, though 12 dB above the noise");
    // A signal of -80 dBm over interference of -83.9 dBm is 3.9 dB above it, over -84.2 dBm 4.2 dB.
    assert!(!d.detects(watts(-80.0), watts(-83.9)));
    assert!(d.detects(watts(-80.0), watts(-84.2)));
}

/// -60 dBm over -65.1 dBm and a noise of -94 dBm is 5.09 dB; over -65 dBm and -80 dBm it is 4.86 dB.
#[test]
fn a_stronger_preamble_takes_over_early_in_a_frame() {
    let c = Capture::default();
    let heard =
        |micros: u64, dbm: f64| Heard { start: SimTime::from_nanos(micros * 1_000), power: watts(dbm) };
    assert!(c.takes_over(heard(0, -65.1), heard(16, -60.0), watts(-94.0)));
    assert!(!c.takes_over(heard(0, -65.1), heard(17, -60.0), watts(-94.0)), "its header is over");
    assert!(!c.takes_over(heard(0, -65.0), heard(10, -60.0), watts(-80.0)), "too little above the sum");
}

#[test]
fn frames_are_sensed_below_the_energy_of_noise_like_signals() {
    let ofdm = ClearChannel::ofdm(Width::Mhz20);
    assert!(ofdm.busy(watts(-81.0), true, 0.0));
    assert!(!ofdm.busy(watts(-81.0), false, 0.0), "a collision of preambles is mere energy");
    assert!(ofdm.busy(watts(-61.9), false, 0.0));
    // Two signals of -64.9 dBm are -61.9 dBm together.
    assert!(ofdm.busy(watts(-64.9), false, watts(-64.9)));
    assert!(!ofdm.busy(watts(-65.1), false, watts(-65.1)));
    assert!(!ClearChannel::ofdm(Width::Mhz80).busy(watts(-77.0), true, 0.0));
}

/// §16.3.8.5: the more power a station sends, the weaker the energy that it must heed.
#[test]
fn dsss_energy_threshold_depends_on_the_power_sent() {
    let energy = |milliwatts: f64| ClearChannel::dsss(Watts(milliwatts / 1e3)).energy.get();
    assert_eq!([energy(200.0), energy(100.0), energy(50.0)], [-76.0, -73.0, -70.0]);
}
