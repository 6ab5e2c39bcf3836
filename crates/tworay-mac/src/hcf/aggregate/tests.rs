use super::*;
use tworay_radio::phy::{DurationRules, GuardInterval, Phy, Standard, Width};

fn airtime(standard: Standard) -> Airtime {
    Airtime::new(&Phy::of(standard), DurationRules::Standard)
}

fn ht(mcs: u8) -> Mode {
    Mode::ht(mcs, Width::Mhz20, GuardInterval::Long).expect("the standard has it")
}

/// Adds frames of `bytes` until none fits.
fn filled(mode: Mode, standard: Standard, limits: AssemblyLimits, bytes: u32) -> Assembly {
    let mut assembly = Assembly::new(mode, &airtime(standard), limits);
    while assembly.add(bytes) {}
    assembly
}

/// 1,538 bytes and a delimiter are 1,542; padded 1,544. The last one isn't padded.
#[test]
fn subframes_are_delimited_and_padded_but_the_last() {
    let mut a = Assembly::new(ht(7), &airtime(Standard::N), AssemblyLimits::default());
    assert!(a.add(1_538) && a.add(1_538) && a.add(100));
    let places: Vec<_> = a.subframes().iter().map(|s| (s.offset, s.end())).collect();
    assert_eq!(places, [(0, 1_542), (1_544, 3_086), (3_088, 3_192)]);
    assert_eq!(a.bytes(), 3_192);
}

/// 65,535 / 1,544 = 42.4: HT's aggregates of full frames have 42.
#[test]
fn ht_ends_at_65535_bytes() {
    let a = filled(ht(7), Standard::N, AssemblyLimits::default(), 1_538);
    // At 65 Mb/s, 5.448 ms are 1,362 symbols of 260 bits, 44,262 bytes: 28 frames; so time ends it first.
    assert_eq!(a.subframes().len(), 28);
    let fast = Mode::ht(15, Width::Mhz40, GuardInterval::Long).expect("the standard has it");
    assert_eq!(filled(fast, Standard::N, AssemblyLimits::default(), 1_538).subframes().len(), 42);
}

/// MCS 0 in 20 MHz carries 4,423 bytes in 5.484 ms: two full frames.
#[test]
fn slow_modes_end_at_the_longest_ppdu() {
    assert_eq!(filled(ht(0), Standard::N, AssemblyLimits::default(), 1_538).subframes().len(), 2);
    let txop = AssemblyLimits { time: SimDuration::from_micros(1_504), ..AssemblyLimits::default() };
    let voice = filled(ht(7), Standard::N, txop, 1_538);
    // (1,504 - 36) / 4 = 367 symbols of 260 bits, 11,925 bytes: 7 frames.
    assert_eq!(voice.subframes().len(), 7);
    assert!(airtime(Standard::N).frame(ht(7), voice.bytes()) <= txop.time);
}

#[test]
fn vht_ends_at_64_frames() {
    let fast = Mode::vht(9, 2, Width::Mhz80, GuardInterval::Long).expect("the standard has it");
    let a = filled(fast, Standard::Ac, AssemblyLimits::default(), 1_538);
    assert_eq!((a.subframes().len(), a.bytes()), (64, 63 * 1_544 + 1_542));
    let few = AssemblyLimits { frames: 3, ..AssemblyLimits::default() };
    assert_eq!(filled(fast, Standard::Ac, few, 1_538).subframes().len(), 3);
}

#[test]
fn a_configured_length_ends_it_and_one_frame_always_fits() {
    let short = AssemblyLimits { bytes: 3_086, ..AssemblyLimits::default() };
    assert_eq!(filled(ht(7), Standard::N, short, 1_538).subframes().len(), 2);
    let none = AssemblyLimits { bytes: 0, ..AssemblyLimits::default() };
    assert_eq!(filled(ht(7), Standard::N, none, 1_538).subframes().len(), 1);
}
