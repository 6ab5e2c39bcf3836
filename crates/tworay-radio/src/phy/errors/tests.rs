use super::*;
use std::collections::BTreeMap;
use tworay_base::Ratio;

fn factor(db: f64) -> f64 {
    Ratio(db).factor()
}

/// Proakis §5.2: at Eb/N0 of 9.6 dB, BPSK and QPSK err once in 100,000 bits.
#[test]
fn bpsk_and_qpsk_err_once_in_100_000_at_9_6_db() {
    let bpsk = ofdm::bit_error_rate(Modulation::Bpsk, factor(9.588));
    let qpsk = ofdm::bit_error_rate(Modulation::Qpsk, 2.0 * factor(9.588));
    assert!((bpsk / 1e-5 - 1.0).abs() < 0.01, "{bpsk}");
    assert!((qpsk / bpsk - 1.0).abs() < 1e-12, "two bits share twice the energy");
}

/// M-QAM with Gray coding: 2 (1 - 1/√M) neighbours over log₂√M bits, Q(√(3 sinr/(M - 1))) each, by hand at a
/// ratio that makes the argument 3: Q(3) = 1.349898e-3.
#[test]
fn qam_errs_to_its_nearest_neighbours() {
    let q3 = 1.349_898e-3;
    for (modulation, m, bits) in
        [(Modulation::Qam16, 16.0f64, 2.0), (Modulation::Qam64, 64.0, 3.0), (Modulation::Qam256, 256.0, 4.0)]
    {
        let sinr = 9.0 * (m - 1.0) / 3.0;
        let expected = 2.0 * (1.0 - 1.0 / m.sqrt()) / bits * q3;
        let found = ofdm::bit_error_rate(modulation, sinr);
        assert!((found / expected - 1.0).abs() < 1e-5, "{modulation:?}: {found} for {expected}");
    }
}

/// Which coded bits a code rate keeps, of outputs A and B of each step (§17.3.5.6, figures 17-9 and 19-11).
fn kept(code: CodeRate) -> &'static [(bool, bool)] {
    match code {
        CodeRate::Half => &[(true, true)],
        CodeRate::TwoThirds => &[(true, true), (true, false)],
        CodeRate::ThreeQuarters => &[(true, true), (true, false), (false, true)],
        CodeRate::FiveSixths => &[(true, true), (true, false), (false, true), (true, false), (false, true)],
    }
}

/// Walks all paths of the code that leave the zero state in one puncturing period and are back there at the end
/// of a period for the first time, and counts their information bits in error by distance. This is the trellis
/// of the punctured code, whose branches are whole periods.
fn walk(code: CodeRate, most: u32) -> BTreeMap<u32, f64> {
    let parity = |x: u32| x.count_ones() % 2;
    let pattern = kept(code);
    let mut found = BTreeMap::new();
    // (state, distance) -> (paths, bits in error on them).
    let mut open: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::from([((0, 0), (1.0, 0.0))]);
    while !open.is_empty() {
        let mut next: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
        for ((start, before), (paths, bits)) in open {
            for block in 0..1u32 << pattern.len() {
                if start == 0 && block == 0 {
                    continue;
                }
                let (mut state, mut far) = (start, before);
                for (i, (keep_a, keep_b)) in pattern.iter().enumerate() {
                    // The newest bit is the highest of seven: generators 133 and 171 octal.
                    let window = (block >> i & 1) << 6 | state;
                    far += parity(window & 0o133) * u32::from(*keep_a);
                    far += parity(window & 0o171) * u32::from(*keep_b);
                    state = window >> 1;
                }
                let bits = bits + f64::from(block.count_ones()) * paths;
                if far > most {
                    continue;
                } else if state == 0 {
                    *found.entry(far).or_insert(0.0) += bits;
                } else {
                    let entry = next.entry((state, far)).or_insert((0.0, 0.0));
                    entry.0 += paths;
                    entry.1 += bits;
                }
            }
        }
        open = next;
    }
    found
}

#[test]
fn the_weight_spectra_are_those_of_the_code_and_its_puncturing() {
    for code in [CodeRate::Half, CodeRate::TwoThirds, CodeRate::ThreeQuarters, CodeRate::FiveSixths] {
        let table = spectrum(code);
        let most = table.free_distance + 9;
        let walked = walk(code, most);
        assert_eq!(walked.keys().next(), Some(&table.free_distance), "{code:?}");
        let terms: Vec<f64> =
            (table.free_distance..=most).map(|d| walked.get(&d).copied().unwrap_or(0.0)).collect();
        assert_eq!(terms, table.bits_in_error, "{code:?}");
    }
}

#[test]
fn the_spectrum_at_one_half_goes_on_to_distance_26() {
    let walked = walk(CodeRate::Half, 26);
    let terms: Vec<f64> = [20, 22, 24, 26].iter().map(|d| walked[d]).collect();
    assert_eq!(terms, ofdm::HALF_CONTINUED);
}

/// Figures that ns-3's validation of its NIST model gives for frames of 2,000 bytes: rate, dB, success
/// probability, tolerance.
#[test]
fn ofdm_frames_succeed_as_in_ns3() {
    use crate::phy::OfdmRate as R;
    let figures = [
        (R::R6, 2.5, 2.04e-10, 1e-10),
        (R::R6, 3.0, 0.020, 1e-3),
        (R::R6, 4.0, 0.885, 1e-3),
        (R::R9, 6.0, 0.097, 1e-3),
        (R::R9, 7.0, 0.918, 1e-3),
        (R::R12, 6.0, 0.0174, 1e-3),
        (R::R12, 7.0, 0.881, 1e-3),
        (R::R18, 9.5, 0.623, 1e-3),
        (R::R24, 13.0, 0.495, 1e-3),
        (R::R36, 16.5, 0.818, 1e-3),
        (R::R48, 20.0, 1.3e-4, 1e-4),
        (R::R48, 21.0, 0.649, 1e-3),
        (R::R54, 22.0, 0.410, 1e-3),
        (R::R54, 23.0, 0.958, 1e-3),
    ];
    for (rate, db, expected, tolerance) in figures {
        let found = success(Coding::of_body(Mode::Ofdm(rate)), factor(db), 16_000.0);
        assert!((found - expected).abs() <= tolerance, "{rate:?} at {db} dB: {found} for {expected}");
    }
}

/// Success probabilities of 2,000 bytes that ns-3.37's NIST model computes for modes of HT and VHT: mode, dB,
/// probability.
#[test]
fn ht_and_vht_frames_succeed_as_in_ns3() {
    use crate::phy::{GuardInterval::Long, Width};
    let ht = |mcs| Mode::ht(mcs, Width::Mhz20, Long).expect("a mode");
    let vht = |mcs| Mode::vht(mcs, 1, Width::Mhz80, Long).expect("a mode");
    let figures = [
        (ht(5), 21.0, 0.649_337),
        (ht(7), 23.5, 0.717_199),
        (ht(7), 24.0, 0.930_305),
        (ht(7), 24.5, 0.986_076),
        (vht(8), 28.0, 0.565_753),
        (vht(8), 29.0, 0.970_594),
        (vht(9), 29.5, 0.776_977),
        (vht(9), 30.0, 0.944_785),
        (vht(9), 31.0, 0.998_043),
    ];
    for (mode, db, expected) in figures {
        let found = success(Coding::of_body(mode), factor(db), 16_000.0);
        assert!((found - expected).abs() <= 2e-6, "{mode} at {db} dB: {found} for {expected}");
    }
}

/// Figures that ns-3's validation of its DSSS model gives for 8,624 bits: rate, dBm over a noise of -93.5522786
/// dBm, success probability, tolerance.
#[test]
fn dsss_and_cck_frames_succeed_as_in_ns3() {
    use DsssRate as R;
    let figures = [
        (R::R1, -99.0, 0.0003, 1e-4),
        (R::R1, -98.0, 0.202, 5e-3),
        (R::R2, -94.0, 0.036, 5e-3),
        (R::R2, -93.0, 0.519, 5e-3),
        (R::R5_5, -93.0, 6.6e-14, 5e-14),
        (R::R5_5, -91.0, 0.132, 5e-3),
        (R::R5_5, -90.0, 0.744, 5e-3),
        (R::R5_5, -89.0, 0.974, 5e-3),
        (R::R11, -90.0, 4.7e-14, 1e-14),
        (R::R11, -89.0, 8.85e-5, 1e-5),
        (R::R11, -88.0, 0.128, 5e-3),
        (R::R11, -87.0, 0.739, 5e-3),
        (R::R11, -86.0, 0.973, 5e-3),
    ];
    for (rate, dbm, expected, tolerance) in figures {
        let found = success(Coding::Dsss(rate), factor(dbm + 93.552_278_6), 8_624.0);
        assert!((found - expected).abs() <= tolerance, "{rate:?} at {dbm} dBm: {found} for {expected}");
    }
}

/// Without a signal every one of 16 symbols is equally likely. Far above the noise, only the nearest signals
/// count: 14 orthogonal ones at Q(√(Es/N0)).
#[test]
fn biorthogonal_symbols_at_both_ends() {
    assert!((cck::biorthogonal_16(0.0) - 15.0 / 16.0).abs() < 1e-9);
    let energy: f64 = 60.0;
    let nearest = 14.0 * 0.5 * libm::erfc((energy / 2.0).sqrt());
    let found = cck::biorthogonal_16(energy);
    assert!((found / nearest - 1.0).abs() < 1e-3, "{found} for {nearest}");
    assert_eq!(cck::biorthogonal_16(1e6), 0.0);
}

#[test]
fn more_signal_is_never_worse_and_more_bits_never_better() {
    let ofdm = (0..8).map(|mcs| Mode::ht(mcs, crate::phy::Width::Mhz20, crate::phy::GuardInterval::Long));
    let codings = ofdm.map(|mode| Coding::of_body(mode.expect("an HT mode")));
    for coding in codings.chain(DsssRate::ALL.map(Coding::Dsss)) {
        let at = |db: i32| success(coding, factor(f64::from(db)), 12_000.0);
        assert!((-30..45).all(|db| at(db) <= at(db + 1)), "{coding:?}");
        assert!(at(-30) < 1e-9 && at(45) > 0.999_999, "{coding:?}");
        let long = success(coding, factor(12.0), 24_000.0);
        assert!((long - at(12) * at(12)).abs() < 1e-12, "{coding:?}: independent bits");
    }
    assert_eq!(success(Coding::Dsss(DsssRate::R1), 0.0, 0.0), 1.0);
}

#[test]
fn headers_are_sent_with_the_most_robust_coding() {
    let vht = Mode::vht(7, 1, crate::phy::Width::Mhz80, crate::phy::GuardInterval::Long).expect("a mode");
    assert_eq!(Coding::of_header(vht), Coding::Ofdm(Modulation::Bpsk, CodeRate::Half));
    assert_eq!(Coding::of_header(Mode::Dsss(DsssRate::R11)), Coding::Dsss(DsssRate::R1));
    assert_eq!([header_bits(vht), header_bits(Mode::Dsss(DsssRate::R11))], [72, 48]);
}
