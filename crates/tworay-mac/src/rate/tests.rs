use super::*;
use tworay_base::{NodeId, Purpose, Ratio, RngStream, SimDuration};
use tworay_radio::phy::errors::{Coding, success};
use tworay_radio::phy::{Airtime, DurationRules, GuardInterval, OfdmRate, Phy, PhyTiming, Standard, Width};

mod minstrel;

fn parts(phy: &Phy) -> (Vec<Mode>, Airtime, PhyTiming) {
    let airtime = Airtime::new(phy, DurationRules::Standard);
    (phy.modes(), airtime, PhyTiming::new(phy, &airtime))
}

fn ht(mcs: u8) -> Mode {
    Mode::ht(mcs, Width::Mhz20, GuardInterval::Long).expect("the standard has it")
}

fn ofdm(rate: OfdmRate) -> Mode {
    Mode::Ofdm(rate)
}

fn ideal(rule: IdealRule) -> Ideal {
    let (modes, airtime, _) = parts(&Phy::of(Standard::A));
    Ideal::new(modes, airtime, SimDuration::from_micros(150), rule).expect("modes")
}

#[test]
fn a_chain_is_followed_stage_by_stage_and_its_last_mode_goes_on() {
    let stage = |rate, tries| Stage { mode: ofdm(rate), tries };
    let chain =
        RetryChain::new(stage(OfdmRate::R54, 2), [stage(OfdmRate::R24, 1), stage(OfdmRate::R6, 2)], false);
    let modes: Vec<Mode> = (0..7).map(|failed| chain.mode_after(failed)).collect();
    use OfdmRate as R;
    assert_eq!(modes, [R::R54, R::R54, R::R24, R::R6, R::R6, R::R6, R::R6].map(ofdm));
}

#[test]
fn stages_with_the_same_mode_are_one() {
    let stage = |rate, tries| Stage { mode: ofdm(rate), tries };
    let chain = RetryChain::new(stage(OfdmRate::R6, 2), [stage(OfdmRate::R6, 3)], false);
    assert_eq!(chain.stages(), [stage(OfdmRate::R6, 5)]);
}

#[test]
fn fixed_always_sends_with_its_mode() {
    let mut fixed = RateControl::Fixed(ht(3));
    let failed = RateReport { mode: ht(3), frames: 1, acknowledged: 0, sample: false };
    fixed.report(SimTime::ZERO, &failed);
    let chain = fixed.chain(SimTime::ZERO, 1_500, |_| 0.0);
    assert!((0..300).all(|failures| chain.mode_after(failures) == ht(3)));
}

/// At 60 dB every mode succeeds; at -10 dB none does, and the slowest is all that is left.
#[test]
fn ideal_takes_the_fastest_mode_in_a_clear_channel_and_the_slowest_in_a_hopeless_one() {
    for rule in [IdealRule::Throughput, IdealRule::BitErrors(1e-6)] {
        let best = |db: f64| ideal(rule).choose(1_536, |_| Ratio(db).factor());
        assert_eq!(best(60.0), ofdm(OfdmRate::R54));
        assert_eq!(best(-10.0), ofdm(OfdmRate::R6));
    }
}

/// By the definition: no other mode decodes more bits per time at any ratio.
#[test]
fn ideal_is_a_bound() {
    let (modes, airtime, _) = parts(&Phy::of(Standard::A));
    let overhead = SimDuration::from_micros(150);
    for db in (0..30).map(f64::from) {
        let sinr = Ratio(db).factor();
        let goodput = |mode: Mode| {
            let time = (airtime.frame(mode, 1_536) + overhead).as_secs_f64();
            success(Coding::of_body(mode), sinr, 12_288.0) / time
        };
        let best = ideal(IdealRule::Throughput).choose(1_536, |_| sinr);
        assert!(modes.iter().all(|mode| goodput(*mode) <= goodput(best)), "{db} dB");
    }
}

/// 54 Mb/s errs at 24 dB in one frame of 2,000 bytes of a thousand (a bit in 16 million), at 22 dB in 59 of 100
/// (one bit in 18,000): with at most 10⁻⁶ it is taken at 24 dB only.
#[test]
fn ideal_by_bit_errors_leaves_a_margin() {
    let best = |db: f64| ideal(IdealRule::BitErrors(1e-6)).choose(1_536, |_| Ratio(db).factor());
    assert_eq!(best(24.5), ofdm(OfdmRate::R54));
    assert_ne!(best(22.0), ofdm(OfdmRate::R54));
}

/// ns-3.37's ideal manager over one hop of 802.11n, 40 mW over a loss of 46.68 dB + 30 lg d, 7 dB of noise figure in 20
/// MHz: 59.7 Mb/s at 5 and 15 m (MCS 7), 35.8 at 25 m (MCS 4), 23.9 at 35 m (MCS 3), 17.8 at 45 m (MCS 2).
#[test]
fn ideal_by_bit_errors_takes_the_modes_of_ns3_at_every_distance() {
    let (modes, airtime, _) = parts(&Phy::of(Standard::N));
    let modes: Vec<Mode> = modes.into_iter().filter(Mode::aggregates).collect();
    let ideal = Ideal::new(modes, airtime, SimDuration::from_micros(150), IdealRule::BitErrors(1e-6));
    let ideal = ideal.expect("there are modes");
    let best = |d: f64| {
        let sinr = 16.0206 - 46.6777 - 30.0 * d.log10() - (-174.0 + 10.0 * 20e6_f64.log10() + 7.0);
        ideal.choose(1_536, |_| Ratio(sinr).factor()).mcs()
    };
    let found: Vec<Option<u8>> = [5.0, 15.0, 25.0, 35.0, 45.0].map(best).to_vec();
    assert_eq!(found, [7, 7, 4, 3, 2].map(Some));
}

#[test]
fn controllers_without_modes_are_refused() {
    let (_, airtime, timing) = parts(&Phy::of(Standard::A));
    let rng = RngStream::new(1, NodeId(0), Purpose::Test);
    assert!(MinstrelHt::new(&[], &airtime, &timing, MinstrelConfig::LINUX, rng).is_err());
    assert!(Ideal::new(Vec::new(), airtime, SimDuration::ZERO, IdealRule::Throughput).is_err());
    let (modes, airtime, _) = parts(&Phy::of(Standard::A));
    assert!(Ideal::new(modes, airtime, SimDuration::ZERO, IdealRule::BitErrors(f64::NAN)).is_err());
}
