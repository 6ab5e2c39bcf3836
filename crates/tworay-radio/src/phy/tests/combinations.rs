use super::*;

/// The key and the whole message of a refused combination.
fn refusal(phy: Phy) -> (String, String) {
    let problem = Phy::new(phy).expect_err("the standard forbids it");
    (problem.key.clone(), problem.to_string())
}

#[test]
fn forbidden_radios_are_refused_with_the_reason() {
    let of = Phy::of;
    let cases = [
        (Phy { band: Band::Ghz2, ..of(Standard::Ac) }, "band", "802.11ac exists at 5 GHz only"),
        (Phy { band: Band::Ghz2, ..of(Standard::A) }, "band", "802.11a exists at 5 GHz only"),
        (Phy { band: Band::Ghz5, ..of(Standard::G) }, "band", "802.11g exists at 2.4 GHz only"),
        (Phy { band: Band::Ghz5, ..of(Standard::B) }, "band", "802.11b exists at 2.4 GHz only"),
        (Phy { width: Width::Mhz80, ..of(Standard::N) }, "width", "at most 40 MHz, not of 80 MHz"),
        (Phy { width: Width::Mhz40, ..of(Standard::A) }, "width", "at most 20 MHz, not of 40 MHz"),
        (Phy { streams: 2, ..of(Standard::G) }, "streams", "one spatial stream, not 2"),
        (Phy { streams: 5, ..of(Standard::Ac) }, "streams", "use 1 to 4"),
        (Phy { streams: 0, ..of(Standard::N) }, "streams", "use 1 to 4"),
        (Phy { guard: GuardInterval::Short, ..of(Standard::A) }, "guard", "no short guard interval"),
        (Phy { slot: SlotTime::Short, ..of(Standard::B) }, "slot", "the slot of 802.11b is 20 us"),
        (Phy { slot: SlotTime::Long, ..of(Standard::A) }, "slot", "the slot at 5 GHz is 9 us"),
        (
            Phy { coexistence: Coexistence::BStations, ..of(Standard::N) },
            "coexistence",
            "802.11b stations exist at 2.4 GHz only",
        ),
        (Phy { preamble: DsssPreamble::Short, ..of(Standard::Ac) }, "preamble", "no DSSS preamble"),
        (
            Phy { slot: SlotTime::Short, coexistence: Coexistence::BStations, ..of(Standard::G) },
            "slot",
            "don't know the slot of 9 us",
        ),
    ];
    for (phy, key, reason) in cases {
        let (found, message) = refusal(phy);
        assert_eq!(found, key, "{message}");
        assert!(message.contains(reason), "{message}");
    }
}

/// 80 MHz at 2.4 GHz: first the band is wrong for `ac`, then the width for `n`.
#[test]
fn eighty_megahertz_at_two_gigahertz_is_refused_for_every_standard() {
    let all = [Standard::B, Standard::A, Standard::G, Standard::N, Standard::Ac];
    for standard in all {
        let phy = Phy { band: Band::Ghz2, width: Width::Mhz80, ..Phy::of(standard) };
        assert!(Phy::new(phy).is_err(), "{standard}");
    }
}

#[test]
fn plain_radios_are_accepted() {
    for standard in [Standard::B, Standard::A, Standard::G, Standard::N, Standard::Ac] {
        assert_eq!(Phy::new(Phy::of(standard)), Ok(Phy::of(standard)));
    }
    let n40 = Phy { band: Band::Ghz2, width: Width::Mhz40, streams: 4, ..Phy::of(Standard::N) };
    assert!(Phy::new(Phy { slot: SlotTime::Long, ..n40 }).is_ok());
}

/// §21.5, Tables 21-30 to 21-53 up to 4 streams: these and no others are missing.
#[test]
fn vht_modes_with_fractions_of_a_bit_are_refused() {
    let mut missing = Vec::new();
    for width in Width::ALL {
        for streams in 1..=4 {
            for mcs in 0..10 {
                if Mode::vht(mcs, streams, width, GuardInterval::Long).is_err() {
                    missing.push((width.mhz(), streams, mcs));
                }
            }
        }
    }
    assert_eq!(missing, [(20, 1, 9), (20, 2, 9), (20, 4, 9), (80, 3, 6)]);
    let problem = Mode::vht(9, 1, Width::Mhz20, GuardInterval::Long).expect_err("excluded");
    assert!(problem.to_string().contains("fraction of a bit"), "{problem}");
    assert!(problem.to_string().contains("use MCS 8"), "{problem}");
}

#[test]
fn modes_out_of_range_are_refused() {
    let long = GuardInterval::Long;
    assert_eq!(Mode::ht(32, Width::Mhz20, long).expect_err("MCS 32").key, "mcs");
    assert_eq!(Mode::ht(0, Width::Mhz80, long).expect_err("80 MHz").key, "width");
    assert_eq!(Mode::vht(10, 1, Width::Mhz80, long).expect_err("MCS 10").key, "mcs");
    assert_eq!(Mode::vht(0, 5, Width::Mhz80, long).expect_err("5 streams").key, "streams");
}

/// b: 4. a: 8. g: 12. n at 5 GHz: 8 + 8 MCS. ac in 20 MHz: 8 + 9 MCS. n40x2 with both guard intervals at 2.4 GHz:
/// 12 + 2 × 2 × 16.
#[test]
fn a_station_has_the_modes_of_its_standard_and_the_older_ones() {
    let count = |phy: Phy| phy.modes().len();
    assert_eq!(count(Phy::of(Standard::B)), 4);
    assert_eq!(count(Phy::of(Standard::A)), 8);
    assert_eq!(count(Phy::of(Standard::G)), 12);
    assert_eq!(count(Phy::of(Standard::N)), 16);
    assert_eq!(count(Phy::of(Standard::Ac)), 17);
    let n40x2 = Phy { band: Band::Ghz2, width: Width::Mhz40, streams: 2, ..Phy::of(Standard::N) };
    assert_eq!(count(Phy { guard: GuardInterval::Short, ..n40x2 }), 12 + 64);
}

#[test]
fn a_rate_that_a_station_lacks_is_refused() {
    let a = Phy::of(Standard::A);
    let problem = a.check(Mode::Dsss(DsssRate::R11)).expect_err("no DSSS at 5 GHz");
    assert_eq!(
        problem.to_string(),
        "rate: a station of 802.11a at 5 GHz, 20 MHz, 1 stream has no 11 Mb/s DSSS; choose a rate that both \
         ends of the link have"
    );
    assert!(a.check(Mode::Ofdm(OfdmRate::R54)).is_ok());
    assert!(Phy::of(Standard::N).check(ht(8, Width::Mhz20, GuardInterval::Long)).is_err(), "two streams");
}
