use super::*;
use crate::phy::errors::{Coding, KnownErrors, success};
use crate::phy::{CodeRate, Modulation};

fn at(micros: u64) -> SimTime {
    SimTime::from_nanos(micros * 1_000)
}

fn three_signals() -> Interference {
    let mut i = Interference::default();
    i.add(at(0), at(30), 1.0);
    i.add(at(20), at(50), 2.0);
    i.add(at(70), at(100), 4.0);
    i
}

#[test]
fn chunks_cover_the_signal_without_gaps() {
    let chunks = three_signals().chunks(at(10), at(80));
    let found: Vec<_> =
        chunks.iter().map(|c| (c.from.as_nanos() / 1_000, c.to.as_nanos() / 1_000, c.interference)).collect();
    assert_eq!(found, [(10, 20, 1.0), (20, 30, 3.0), (30, 50, 2.0), (50, 70, 0.0), (70, 80, 4.0)]);
}

#[test]
fn a_signal_alone_is_one_chunk_and_an_empty_time_none() {
    let none = Interference::default();
    let only = Chunk { from: at(5), to: at(9), interference: 0.0 };
    assert_eq!(none.chunks(at(5), at(9)).as_slice(), [only]);
    assert!(none.chunks(at(9), at(9)).is_empty());
    assert!(three_signals().chunks(at(9), at(5)).is_empty());
}

#[test]
fn signals_that_touch_do_not_overlap() {
    let i = three_signals();
    assert!(!i.any(at(50), at(70)), "one ends at 50, the next begins at 70");
    assert!(i.any(at(49), at(70)) && i.any(at(50), at(71)));
    assert_eq!([i.at(at(30)), i.at(at(50)), i.at(at(70))], [2.0, 0.0, 4.0]);
}

#[test]
fn ended_signals_are_forgotten() {
    let mut i = three_signals();
    i.forget_ended(at(50));
    assert!(!i.any(at(0), at(70)));
    assert!(i.any(at(70), at(71)));
}

/// Half of the bits without and half with interference: the product of both probabilities.
#[test]
fn a_section_succeeds_if_every_chunk_does() {
    let coding = Coding::Ofdm(Modulation::Qpsk, CodeRate::Half);
    let mut i = Interference::default();
    i.add(at(50), at(200), 1.0);
    let section = Section { coding, from: at(0), to: at(100), bits: 8_000 };
    let expected = success(coding, 5.0, 4_000.0) * success(coding, 5.0 / 2.0, 4_000.0);
    let known = KnownErrors::default();
    let found = section.success(5.0, 1.0, &i, &known);
    assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    // The subframe that ends before the interferer begins doesn't know of it.
    let before = Section { to: at(50), bits: 4_000, ..section };
    assert!((before.success(5.0, 1.0, &i, &known) - success(coding, 5.0, 4_000.0)).abs() < 1e-12);
    let empty = Section { to: at(0), bits: 0, ..section };
    assert_eq!(empty.success(5.0, 1.0, &i, &known), 1.0);
}

/// The same interference from the first to the last bit: one ratio for all of them, as the product over its halves has it.
#[test]
fn a_section_within_a_signal_has_one_ratio() {
    let (coding, known) = (Coding::Ofdm(Modulation::Qpsk, CodeRate::Half), KnownErrors::default());
    let mut i = Interference::default();
    i.add(at(0), at(100), 1.0);
    i.add(at(10), at(90), 0.5);
    let section = Section { coding, from: at(10), to: at(90), bits: 8_000 };
    let found = section.success(5.0, 1.0, &i, &known);
    assert!((found - success(coding, 5.0 / 2.5, 8_000.0)).abs() < 1e-12, "{found}");
    // A signal without power that begins in the middle divides the section, and changes nothing.
    i.add(at(50), at(90), 0.0);
    assert!((section.success(5.0, 1.0, &i, &known) - found).abs() < 1e-12);
    let empty = Section { to: at(10), bits: 0, ..section };
    assert_eq!(empty.success(5.0, 1.0, &i, &known), 1.0);
}

/// Powers are 1 up to 20, 3 up to 30, 2 up to 50 µs, then nothing up to 70.
#[test]
fn energy_lasts_until_the_sum_falls_below_the_threshold() {
    let i = three_signals();
    assert_eq!(i.at_least_until(at(20), 3.0), Some(at(30)));
    assert_eq!(i.at_least_until(at(20), 2.0), Some(at(50)));
    assert_eq!(i.at_least_until(at(0), 1.0), Some(at(50)));
    assert_eq!(i.at_least_until(at(0), 2.0), None);
    assert_eq!(i.at_least_until(at(60), 0.5), None);
}
