use super::*;

fn timing(phy: &Phy) -> (PhyTiming, Airtime) {
    let airtime = Airtime::new(phy, DurationRules::Standard);
    (PhyTiming::new(phy, &airtime), airtime)
}

/// DIFS and EIFS by hand: a 16 + 18 and 16 + 44 + 34; b 10 + 40 and 10 + 304 + 50; g with the short slot 10 + 18.
#[test]
fn interframe_spaces_of_each_standard() {
    let (a, _) = timing(&Phy::of(Standard::A));
    assert_eq!((a.slot, a.sifs, a.difs(), a.eifs()), (micros(9), micros(16), micros(34), micros(94)));
    let (b, _) = timing(&Phy::of(Standard::B));
    assert_eq!((b.slot, b.sifs, b.difs(), b.eifs()), (micros(20), micros(10), micros(50), micros(364)));
    let (g, _) = timing(&Phy { slot: SlotTime::Short, ..Phy::of(Standard::G) });
    assert_eq!((g.slot, g.sifs, g.difs(), g.eifs()), (micros(9), micros(10), micros(28), micros(342)));
    let (ac, _) = timing(&Phy::of(Standard::Ac));
    assert_eq!(ac.aifs(3), micros(43));
    assert_eq!(ac.eifs_of(3), micros(16 + 44 + 43));
}

#[test]
fn windows_begin_at_31_only_where_b_stations_are() {
    let window = |phy: &Phy| timing(phy).0.window;
    assert_eq!(window(&Phy::of(Standard::B)), ContentionWindow { min: 31, max: 1_023 });
    assert_eq!(window(&Phy::of(Standard::G)), ContentionWindow { min: 15, max: 1_023 });
    let beside = Phy { coexistence: Coexistence::BStations, ..Phy::of(Standard::G) };
    assert_eq!(window(&beside), ContentionWindow { min: 31, max: 1_023 });
}

/// Table 9-155 with aCWmin 15 and aCWmax 1023.
#[test]
fn edca_defaults() {
    let (n, _) = timing(&Phy::of(Standard::N));
    let row = |category| {
        let p = n.edca(category);
        (p.aifsn, p.window.min, p.window.max, p.txop)
    };
    assert_eq!(row(AccessCategory::Background), (7, 15, 1_023, micros(0)));
    assert_eq!(row(AccessCategory::BestEffort), (3, 15, 1_023, micros(0)));
    assert_eq!(row(AccessCategory::Video), (2, 7, 15, micros(3_008)));
    assert_eq!(row(AccessCategory::Voice), (2, 3, 7, micros(1_504)));
    let (b, _) = timing(&Phy::of(Standard::B));
    let voice = b.edca(AccessCategory::Voice);
    assert_eq!((voice.window.min, voice.window.max, voice.txop), (7, 15, micros(3_264)));
}

/// a: 16 + 9 + 20. b: 10 + 20 + 192.
#[test]
fn responses_are_awaited_for_sifs_a_slot_and_their_preamble() {
    let (a, airtime) = timing(&Phy::of(Standard::A));
    assert_eq!(a.response_timeout(&airtime, Mode::Ofdm(OfdmRate::R24)), micros(45));
    let (b, airtime) = timing(&Phy::of(Standard::B));
    assert_eq!(b.response_timeout(&airtime, Mode::Dsss(DsssRate::R1)), micros(222));
}

/// §10.6.6.5.2 with the mandatory rates 6, 12 and 24: MCS 0 by 6, QPSK by 12, the others by 24 Mb/s.
#[test]
fn responses_take_the_highest_mandatory_rate_not_above_the_frame() {
    let ofdm = |rate| Mode::Ofdm(rate);
    let expected = [
        (OfdmRate::R6, OfdmRate::R6),
        (OfdmRate::R9, OfdmRate::R6),
        (OfdmRate::R18, OfdmRate::R12),
        (OfdmRate::R24, OfdmRate::R24),
        (OfdmRate::R54, OfdmRate::R24),
    ];
    for (data, ack) in expected {
        assert_eq!(control_response(ofdm(data), &[]), ofdm(ack));
    }
    let (r6, r12, r24) = (OfdmRate::R6, OfdmRate::R12, OfdmRate::R24);
    for (mcs, ack) in (0u8..).zip([r6, r12, r12, r24, r24, r24, r24, r24]) {
        assert_eq!(control_response(ht(mcs, Width::Mhz20, GuardInterval::Short), &[]), ofdm(ack));
        assert_eq!(control_response(vht(mcs, 2, Width::Mhz80, GuardInterval::Long), &[]), ofdm(ack));
    }
    assert_eq!(control_response(Mode::Dsss(DsssRate::R5_5), &[]), Mode::Dsss(DsssRate::R5_5));
}

#[test]
fn a_basic_rate_set_comes_first() {
    let basic = [Mode::Dsss(DsssRate::R1), Mode::Dsss(DsssRate::R2), Mode::Ofdm(OfdmRate::R6)];
    assert_eq!(control_response(Mode::Dsss(DsssRate::R11), &basic), Mode::Dsss(DsssRate::R2));
    assert_eq!(control_response(Mode::Ofdm(OfdmRate::R54), &basic), Mode::Ofdm(OfdmRate::R6));
    // No basic rate is slow enough: the highest mandatory one is.
    let fast = [Mode::Ofdm(OfdmRate::R24)];
    assert_eq!(control_response(Mode::Ofdm(OfdmRate::R12), &fast), Mode::Ofdm(OfdmRate::R12));
}

/// 64-QAM 5/6 and 256-QAM count as 54 Mb/s (Table 10-10).
#[test]
fn reference_rates_of_ht_and_vht() {
    let of_mcs =
        |mcs| reference_mode(vht(mcs, 1, Width::Mhz80, GuardInterval::Long)).rate().as_bps() / 1_000_000;
    assert_eq!((0..10).map(of_mcs).collect::<Vec<_>>(), [6, 12, 18, 24, 36, 48, 54, 54, 54, 54]);
}

/// A CTS of 14 bytes at 11 Mb/s: 192 + 11 µs (10.2 rounded up); it reserves SIFS and the exchange.
#[test]
fn ofdm_beside_b_stations_is_preceded_by_a_cts_to_self() {
    let phy = Phy { coexistence: Coexistence::BStations, ..Phy::of(Standard::G) };
    let (t, airtime) = timing(&phy);
    let before = |mode, basic: &[Mode]| Protection::before(&phy, &airtime, t.sifs, mode, basic);
    let p = before(Mode::Ofdm(OfdmRate::R54), &[]).expect("protected");
    assert_eq!((p.mode, p.cts, p.cost), (Mode::Dsss(DsssRate::R11), micros(203), micros(213)));
    assert_eq!(p.reserves(micros(300)), micros(310));
    let slow = before(Mode::Ofdm(OfdmRate::R54), &[Mode::Dsss(DsssRate::R2)]).expect("protected");
    assert_eq!(slow.cts, micros(192 + 56));
    assert_eq!(before(Mode::Dsss(DsssRate::R11), &[]), None, "b stations decode it");
    let alone = Phy::of(Standard::G);
    let (t, airtime) = timing(&alone);
    assert_eq!(Protection::before(&alone, &airtime, t.sifs, Mode::Ofdm(OfdmRate::R54), &[]), None);
}
