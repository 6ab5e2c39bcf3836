use super::*;
use std::path::{Path, PathBuf};

/// A 1,500-byte packet in a frame of 1,536 bytes: 12,310 bits with SERVICE and tail.
#[test]
fn ofdm_frames_are_preamble_and_whole_symbols() {
    let a = airtime_of(Standard::A);
    // 12,310 / 24 = 512.9 symbols; 12,310 / 216 = 57.0 (56.99).
    assert_eq!(a.frame(Mode::Ofdm(OfdmRate::R6), 1_536), micros(20 + 513 * 4));
    assert_eq!(a.frame(Mode::Ofdm(OfdmRate::R54), 1_536), micros(20 + 57 * 4));
    // An ACK of 14 bytes: 134 bits are 6 symbols at 6 Mb/s and 2 at 24 Mb/s.
    assert_eq!(a.frame(Mode::Ofdm(OfdmRate::R6), 14), micros(44));
    assert_eq!(a.frame(Mode::Ofdm(OfdmRate::R24), 14), micros(28));
}

#[test]
fn ofdm_at_two_ghz_is_longer_by_the_signal_extension() {
    let (a, g) = (airtime_of(Standard::A), airtime_of(Standard::G));
    for rate in OfdmRate::ALL.map(Mode::Ofdm) {
        assert_eq!(g.frame(rate, 1_000), a.frame(rate, 1_000) + micros(6));
    }
    let n = Airtime::new(&Phy { band: Band::Ghz2, ..Phy::of(Standard::N) }, DurationRules::Standard);
    let mode = ht(7, Width::Mhz20, GuardInterval::Long);
    assert_eq!(n.frame(mode, 1_000), airtime_of(Standard::N).frame(mode, 1_000) + micros(6));
}

/// The rounding of the LENGTH field: 100 bytes at 11 Mb/s are 72.7 µs, sent as 73.
#[test]
fn dsss_bodies_take_whole_microseconds_after_a_long_or_short_preamble() {
    let long = airtime_of(Standard::B);
    let phy = Phy { preamble: DsssPreamble::Short, ..Phy::of(Standard::B) };
    let short = Airtime::new(&phy, DurationRules::Standard);
    assert_eq!(long.frame(Mode::Dsss(DsssRate::R11), 100), micros(192 + 73));
    assert_eq!(short.frame(Mode::Dsss(DsssRate::R11), 100), micros(96 + 73));
    assert_eq!(long.frame(Mode::Dsss(DsssRate::R5_5), 100), micros(192 + 146));
    assert_eq!(long.frame(Mode::Dsss(DsssRate::R2), 14), micros(192 + 56));
    assert_eq!(short.frame(Mode::Dsss(DsssRate::R1), 14), micros(192 + 112), "1 Mb/s has no short preamble");
}

/// §19.3.9, §21.3.8: 36 µs of HT preamble for one stream, 40 µs of VHT, 4 µs for each further training field.
#[test]
fn headers_grow_with_the_training_fields() {
    let n = airtime_of(Standard::N);
    let headers = [0, 8, 16, 24].map(|mcs| n.header(ht(mcs, Width::Mhz20, GuardInterval::Long)));
    assert_eq!(headers, [36, 40, 48, 48].map(micros));
    let ac = airtime_of(Standard::Ac);
    let headers = [1, 2, 3, 4].map(|streams| ac.header(vht(0, streams, Width::Mhz80, GuardInterval::Long)));
    assert_eq!(headers, [40, 44, 52, 52].map(micros));
}

/// 1,536 bytes at VHT MCS 0: 12,310 bits are 474 symbols of 26.
#[test]
fn vht_has_sig_b_by_the_standard_and_not_by_ns3() {
    let mode = vht(0, 1, Width::Mhz20, GuardInterval::Long);
    assert_eq!(airtime_of(Standard::Ac).frame(mode, 1_536), micros(40 + 474 * 4));
    let ns3 = Airtime::new(&Phy::of(Standard::Ac), DurationRules::Ns3);
    assert_eq!(ns3.frame(mode, 1_536), micros(1_932));
}

/// 14 bytes at HT MCS 0 are 6 symbols: 21.6 µs at 3.6 µs each, which occupy 24 µs.
#[test]
fn the_short_guard_interval_ends_on_a_boundary_of_four_microseconds() {
    let mode = ht(0, Width::Mhz20, GuardInterval::Short);
    assert_eq!(airtime_of(Standard::N).frame(mode, 14), micros(36 + 24));
    let ns3 = Airtime::new(&Phy::of(Standard::N), DurationRules::Ns3);
    assert_eq!(ns3.frame(mode, 14), SimDuration::from_nanos(57_600));
    // 10 symbols of 3.6 µs are 36 µs exactly: 26 × 10 bits less 22 are 29 bytes.
    assert_eq!(airtime_of(Standard::N).frame(mode, 29), micros(36 + 36));
}

/// Tables 19-27 to 19-38 and 21-30 to 21-53: rates in Mb/s at the long guard interval, and N_ES.
#[test]
fn rates_and_encoders_are_those_of_the_tables() {
    let mbps = |mode: Mode| mode.rate().as_bps() as f64 / 1e6;
    let long = GuardInterval::Long;
    let ht20 = [6.5, 13.0, 19.5, 26.0, 39.0, 52.0, 58.5, 65.0];
    for (mcs, rate) in (0u8..).zip(ht20) {
        assert_eq!(mbps(ht(mcs, Width::Mhz20, long)), rate);
        assert_eq!(mbps(ht(mcs + 24, Width::Mhz20, long)), 4.0 * rate);
    }
    for (mcs, rate, encoders) in
        [(7, 135.0, 1), (15, 270.0, 1), (20, 243.0, 1), (21, 324.0, 2), (31, 540.0, 2)]
    {
        let mode = ht(mcs, Width::Mhz40, long);
        assert_eq!((mbps(mode), mode.encoders()), (rate, encoders), "MCS {mcs}");
    }
    let table = [
        (9, 1, 390.0, 1),
        (6, 2, 526.5, 1),
        (7, 2, 585.0, 2),
        (9, 2, 780.0, 2),
        (8, 3, 1_053.0, 2),
        (9, 3, 1_170.0, 3),
        (6, 4, 1_053.0, 2),
        (7, 4, 1_170.0, 3),
        (9, 4, 1_560.0, 3),
    ];
    for (mcs, streams, rate, encoders) in table {
        let mode = vht(mcs, streams, Width::Mhz80, long);
        assert_eq!((mbps(mode), mode.encoders()), (rate, encoders), "MCS {mcs}, {streams} streams");
    }
    assert_eq!(mbps(vht(9, 1, Width::Mhz40, long)), 180.0);
    assert_eq!(ht(7, Width::Mhz20, GuardInterval::Short).rate().as_bps(), 72_222_222);
}

#[test]
fn bytes_begin_after_the_service_field_and_end_before_the_frame() {
    let a = airtime_of(Standard::A);
    // 24 bits a symbol: the SERVICE field is two thirds of the first one.
    let mode = Mode::Ofdm(OfdmRate::R6);
    assert_eq!(a.byte(mode, 0), SimDuration::from_nanos(20_000 + 2_666));
    assert_eq!(a.byte(mode, 3), SimDuration::from_nanos(20_000 + 6_666));
    let b = airtime_of(Standard::B);
    assert_eq!(b.byte(Mode::Dsss(DsssRate::R1), 14), micros(192 + 112));
    for phy in [Phy::of(Standard::G), Phy { width: Width::Mhz80, streams: 4, ..Phy::of(Standard::Ac) }] {
        let airtime = Airtime::new(&phy, DurationRules::Standard);
        for mode in phy.modes() {
            assert!(airtime.byte(mode, 1_000) <= airtime.frame(mode, 1_000), "{mode}");
        }
    }
}

#[test]
fn the_longest_body_fits_and_one_byte_more_does_not() {
    let n = airtime_of(Standard::N);
    let slow = ht(0, Width::Mhz20, GuardInterval::Long);
    // (5,484 - 36) / 4 = 1,362 symbols of 26 bits, less 22 bits: 4,423.75 bytes.
    assert_eq!(n.longest(slow, MAX_PPDU), Some(4_423));
    assert!(n.frame(slow, 4_424) > MAX_PPDU);
    let fast = ht(31, Width::Mhz40, GuardInterval::Long);
    assert_eq!(n.longest(fast, MAX_PPDU), Some(65_535), "the length field ends first");
    assert_eq!(n.longest(slow, micros(30)), None);
}

/// The same for every mode, at limits around those of TXOPs and whole symbols.
#[test]
fn the_longest_body_of_every_mode_is_the_last_that_fits() {
    let mut none = 0;
    for standard in [Standard::B, Standard::A, Standard::G, Standard::N, Standard::Ac] {
        for rules in [DurationRules::Standard, DurationRules::Ns3] {
            let widest = if standard == Standard::Ac { Width::Mhz80 } else { Width::Mhz40 };
            let (width, streams) =
                if matches!(standard, Standard::N | Standard::Ac) { (widest, 4) } else { (Width::Mhz20, 1) };
            let phy = Phy { width, streams, guard: GuardInterval::Short, ..Phy::of(standard) };
            let airtime = Airtime::new(&phy, rules);
            for mode in phy.modes() {
                for limit in [0, 40_000, 43_999, 44_000, 47_600, 200_000, 1_504_000, 3_008_000, 5_484_000] {
                    let limit = SimDuration::from_nanos(limit);
                    match airtime.longest(mode, limit) {
                        Some(bytes) => {
                            assert!(
                                airtime.frame(mode, bytes) <= limit,
                                "{mode}: {bytes} bytes in {limit:?}"
                            );
                            let more = airtime.frame(mode, bytes + 1) > limit;
                            assert!(more || bytes == mode.max_psdu(), "{mode}: {bytes} bytes in {limit:?}");
                        }
                        None => {
                            none += 1;
                            assert!(airtime.frame(mode, 0) > limit, "{mode}: nothing in {limit:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(none > 100, "{none} limits too short for anything");
}

/// Frames that ns-3.37 computed, one for each kind: standard, mode, bytes, ns.
#[test]
fn single_figures_of_ns3_agree() {
    let (long, short) = (GuardInterval::Long, GuardInterval::Short);
    let figures = [
        (Standard::A, Mode::Ofdm(OfdmRate::R24), 20_000, 6_688_000),
        (Standard::G, Mode::Ofdm(OfdmRate::R54), 4_000, 622_000),
        (Standard::N, ht(15, Width::Mhz40, long), 20_000, 636_000),
        (Standard::N, ht(4, Width::Mhz40, short), 4_000, 392_400),
        (Standard::Ac, vht(8, 2, Width::Mhz80, long), 20_000, 268_000),
        (Standard::Ac, vht(5, 2, Width::Mhz20, short), 1_536, 148_000),
    ];
    for (standard, mode, bytes, nanos) in figures {
        let ns3 = Airtime::new(&Phy::of(standard), DurationRules::Ns3);
        assert_eq!(ns3.frame(mode, bytes), SimDuration::from_nanos(nanos), "{mode}, {bytes} bytes");
    }
}

/// One line of a table of ns-3's durations: standard, mode, width, guard interval, streams, bytes, µs.
fn parse(line: &str) -> (Standard, Mode, u32, u64) {
    let cells: Vec<&str> = line.split(',').collect();
    let standard = match cells[0] {
        "a" => Standard::A,
        "g" => Standard::G,
        "n" => Standard::N,
        _ => Standard::Ac,
    };
    let number = |text: &str| -> u32 {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        digits.parse().expect("a number")
    };
    let width = *Width::ALL.iter().find(|w| w.mhz() == number(cells[2])).expect("a width");
    let guard = if cells[3] == "400" { GuardInterval::Short } else { GuardInterval::Long };
    let index = number(cells[1]) as u8;
    let mode = match standard {
        Standard::N => ht(index, width, guard),
        Standard::Ac => vht(index, number(cells[4]) as u8, width, guard),
        _ => {
            let rate = OfdmRate::ALL.into_iter().find(|r| r.rate().as_bps() == u64::from(index) * 1_000_000);
            Mode::Ofdm(rate.expect("an OFDM rate"))
        }
    };
    let (whole, tenth) = cells[6].split_once('.').expect("microseconds with one decimal");
    (standard, mode, number(cells[5]), u64::from(number(whole)) * 1_000 + u64::from(number(tenth)) * 100)
}

/// Every line of ns-3.37's table of durations, which is found through `TWORAY_REFERENCE` or in
/// `../shared/reference` beside the repository.
#[test]
fn a_table_of_ns3_agrees_in_every_line() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference");
    let folder = std::env::var_os("TWORAY_REFERENCE").map_or(beside, PathBuf::from);
    let Ok(text) = std::fs::read_to_string(folder.join("ns3_air_durations.csv")) else {
        println!("NOTE: no ns3_air_durations.csv (set TWORAY_REFERENCE): ns-3's durations were not compared");
        return;
    };
    let mut lines = 0;
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        let (standard, mode, bytes, nanos) = parse(line);
        let ns3 = Airtime::new(&Phy::of(standard), DurationRules::Ns3).frame(mode, bytes);
        assert_eq!(ns3, SimDuration::from_nanos(nanos), "{line}");
        // By the standard a frame has VHT-SIG-B and ends on a boundary of 4 µs; nothing else differs.
        let exact = Airtime::new(&Phy::of(standard), DurationRules::Standard).frame(mode, bytes);
        let sig_b = if standard == Standard::Ac { 4_000 } else { 0 };
        let excess = exact.as_nanos() - nanos - sig_b;
        assert!(if mode.guard() == GuardInterval::Long { excess == 0 } else { excess < 4_000 }, "{line}");
        lines += 1;
    }
    assert!(lines > 0, "the table has no lines");
    println!("{lines} lines of ns-3's durations agree");
}
