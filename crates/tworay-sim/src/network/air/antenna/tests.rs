use super::*;

/// -82 dBm, 4 dB, -62 dBm; noise of -94 dBm.
const LIMITS: Thresholds = Thresholds { preamble: 6.31e-12, ratio: 2.512, energy: 6.31e-10 };
const NOISE: f64 = 3.98e-13;

fn at(micros: u64) -> SimTime {
    SimTime::from_nanos(1_000 * micros)
}

/// A signal of 100 µs with `dbm`.
fn signal(tx: u32, from: u64, dbm: f64) -> Signal {
    let power = 1e-3 * libm::pow(10.0, dbm / 10.0);
    Signal { tx, from: at(from), to: at(from + 100), power, noise: NOISE }
}

#[test]
fn a_strong_preamble_is_received_and_a_weak_one_isn_t() {
    let mut antenna = Antenna::default();
    assert_eq!(antenna.begin(signal(1, 0, -82.5), false, &LIMITS), Begun::Interferes { lost: None });
    assert_eq!(antenna.begin(signal(2, 200, -81.5), false, &LIMITS), Begun::Received { lost: None });
    assert_eq!(antenna.end(2), Some(signal(2, 200, -81.5)));
    assert_eq!(antenna.end(2), None);
}

/// 6 dB above the other signal are enough, 2 dB aren't.
#[test]
fn interference_hides_a_preamble() {
    for (dbm, begun) in [(-66.0, Begun::Received { lost: None }), (-70.0, Begun::Interferes { lost: None })] {
        let mut antenna = Antenna::default();
        antenna.begin(signal(1, 0, -72.0), true, &LIMITS);
        assert_eq!(antenna.begin(signal(2, 50, dbm), false, &LIMITS), begun);
    }
}

#[test]
fn a_stronger_preamble_within_4_microseconds_takes_its_place() {
    let mut antenna = Antenna::default();
    antenna.begin(signal(1, 0, -75.0), false, &LIMITS);
    assert_eq!(antenna.begin(signal(2, 3, -65.0), false, &LIMITS), Begun::Received { lost: Some(1) });
    assert!(antenna.others().any(at(3), at(100)), "the first one interferes now");
    let mut late = Antenna::default();
    late.begin(signal(1, 0, -75.0), false, &LIMITS);
    assert_eq!(late.begin(signal(2, 5, -65.0), false, &LIMITS), Begun::Interferes { lost: None });
    assert_eq!(late.current().map(|signal| signal.tx), Some(1));
}

/// Two preambles of equal strength at once: none is detected, as among the equally far stations of a cell.
#[test]
fn equally_strong_preambles_hide_each_other() {
    let mut antenna = Antenna::default();
    antenna.begin(signal(1, 0, -70.0), false, &LIMITS);
    assert_eq!(antenna.begin(signal(2, 0, -70.0), false, &LIMITS), Begun::Interferes { lost: Some(1) });
    assert_eq!(antenna.current(), None);
    // -70 dBm twice are -67 dBm: below -62 dBm, so the medium counts as idle.
    assert_eq!(antenna.energy_until(at(1), &LIMITS), None);
    antenna.begin(signal(3, 20, -60.0), true, &LIMITS);
    assert_eq!(antenna.energy_until(at(20), &LIMITS), Some(at(120)));
}

#[test]
fn a_transmission_ends_reception() {
    let mut antenna = Antenna::default();
    antenna.begin(signal(1, 0, -60.0), false, &LIMITS);
    assert_eq!(antenna.own_transmission(), Some(1));
    assert_eq!(antenna.end(1), None);
    assert_eq!(antenna.energy_until(at(50), &LIMITS), Some(at(100)), "its energy is still there");
}
