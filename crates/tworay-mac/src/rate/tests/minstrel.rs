use super::*;
use proptest::prelude::{any, prop_assert, proptest};

const MS: u64 = 1_000_000;

fn at(millis: u64) -> SimTime {
    SimTime::from_nanos(millis * MS)
}

fn minstrel(phy: &Phy, config: MinstrelConfig) -> MinstrelHt {
    let (modes, airtime, timing) = parts(phy);
    let rng = RngStream::new(7, NodeId(3), Purpose::Test);
    MinstrelHt::new(&modes, &airtime, &timing, config, rng).expect("modes")
}

fn n20() -> Phy {
    Phy::of(Standard::N)
}

fn report(mode: Mode, frames: u32, acknowledged: u32) -> RateReport {
    RateReport { mode, frames, acknowledged, sample: false }
}

/// Sends a transmission of `frames` each millisecond over a channel where `works` says with which modes frames
/// arrive. Returns how often each mode was the first of a chain.
fn run(
    minstrel: &mut MinstrelHt,
    millis: std::ops::Range<u64>,
    frames: u32,
    works: impl Fn(Mode) -> bool,
) -> Vec<Mode> {
    let mut sent = Vec::new();
    for now in millis.map(at) {
        let chain = minstrel.chain(now);
        sent.push(chain.stages()[0].mode);
        for failed in 0..7 {
            let mode = chain.mode_after(failed);
            let acknowledged = if works(mode) { frames } else { 0 };
            minstrel.report(now, &report(mode, frames, acknowledged));
            if acknowledged > 0 {
                break;
            }
        }
    }
    sent
}

/// The average of a step from 0.9 to 0.5: a quarter of the way with the exponential one.
#[test]
fn exponential_average_takes_a_quarter_of_the_new_value() {
    let mut m = minstrel(&n20(), MinstrelConfig::EARLIER);
    let mode = ht(2);
    m.report(at(1), &report(mode, 10, 9));
    assert_eq!(m.statistics(mode).map(|s| (s.attempts, s.successes, s.known)), Some((10, 9, false)));
    m.report(at(50), &report(ht(0), 1, 1));
    assert_eq!(m.statistics(mode).map(|s| s.probability), Some(0.9), "the first value counts in full");
    m.report(at(99), &report(mode, 10, 5));
    m.report(at(100), &report(ht(0), 1, 1));
    let found = m.statistics(mode).expect("in the table").probability;
    assert!((found - (0.75 * 0.9 + 0.25 * 0.5)).abs() < 1e-12, "{found}");
}

/// The coefficients of a second-order filter of period 16 by hand: a = exp(-π√2/16) = 0.757539; second
/// 2a cos(π√2/8) = 1.287378, third -a² = -0.573865, first 0.286488. The step goes 0.9 → 0.9 - 0.4 × 0.286488.
#[test]
fn low_pass_average_follows_a_step_and_settles_there() {
    let mut m = minstrel(&n20(), MinstrelConfig::LINUX);
    let mode = ht(2);
    let mut found = Vec::new();
    for update in 1..=40u64 {
        m.report(at(50 * update - 1), &report(mode, 10, if update == 1 { 9 } else { 5 }));
        m.report(at(50 * update), &report(ht(0), 1, 1));
        found.push(m.statistics(mode).expect("in the table").probability);
    }
    assert_eq!(found[0], 0.9);
    assert!((found[1] - (0.9 - 0.4 * 0.286_488)).abs() < 1e-5, "{}", found[1]);
    let second = 0.286_488 * 0.5 + 1.287_378 * found[1] - 0.573_865 * 0.9;
    assert!((found[2] - second).abs() < 1e-5, "{} for {second}", found[2]);
    assert!((found[39] - 0.5).abs() < 1e-3);
}

#[test]
fn rates_that_were_not_used_keep_their_probability() {
    let mut m = minstrel(&n20(), MinstrelConfig::LINUX);
    m.report(at(10), &report(ht(4), 4, 3));
    for millis in [50, 100, 150] {
        m.report(at(millis), &report(ht(0), 1, 1));
    }
    let s = m.statistics(ht(4)).expect("in the table");
    assert_eq!((s.probability, s.idle_updates), (0.75, 2));
}

/// Updates without an attempt are counted from the latest update with one on: a rate that is in use is not forgotten.
#[test]
fn idle_updates_begin_anew_after_an_attempt() {
    let mut m = minstrel(&n20(), MinstrelConfig::LINUX);
    let mut idle = Vec::new();
    for (update, used) in (1..).zip([1, 5, 5, 5, 1, 1, 5, 1, 5, 5]) {
        m.report(at(50 * update), &report(ht(used), 8, 8));
        idle.push([1, 5].map(|rate| m.statistics(ht(rate)).expect("a rate").idle_updates));
    }
    assert_eq!(idle, [[0, 1], [1, 0], [2, 0], [3, 0], [0, 1], [0, 2], [1, 0], [0, 1], [1, 0], [2, 0]]);
}

/// By hand: 16 packets of 1,200 bytes at MCS 7 are 153,622 bits in 591 symbols, 147.75 µs a packet; header 36,
/// SIFS 16 and a BlockAck at 24 Mb/s 32 µs are 84 µs for the aggregate of 16 that is assumed at first.
#[test]
fn throughput_counts_airtime_and_caps_probabilities() {
    let expected = |probability: f64| probability * 9_600.0 / (147.75e-6 + 84e-6 / 16.0);
    for (acknowledged, counts) in [(16u32, 0.9), (15, 0.9), (8, 0.5), (1, 0.0)] {
        let mut m = minstrel(&n20(), MinstrelConfig::LINUX);
        m.report(at(50), &report(ht(7), 16, acknowledged));
        let found = m.expected_throughput(ht(7)).expect("in the table");
        assert!((found - expected(counts)).abs() <= 1e-6 * expected(1.0), "{acknowledged} of 16: {found}");
    }
}

#[test]
fn the_chain_is_best_throughput_second_best_and_most_reliable() {
    let mut m = minstrel(&n20(), MinstrelConfig::LINUX);
    // 65 Mb/s half of the time is worse than 52 Mb/s at 70 %, and 39 Mb/s is reliable but slower.
    for (mcs, acknowledged) in [(7, 50), (5, 70), (4, 90), (0, 100)] {
        m.report(at(10), &report(ht(mcs), 100, acknowledged));
    }
    m.report(at(50), &report(ht(0), 1, 1));
    let (best, reliable) = m.best();
    assert_eq!(best, [ht(5), ht(4), ht(7), ht(0)]);
    assert_eq!(reliable, ht(4), "of those above 75 %, the one with most throughput");
}

#[test]
fn without_reliable_rates_the_likeliest_ends_the_chain() {
    let mut m = minstrel(&n20(), MinstrelConfig::LINUX);
    for (mcs, acknowledged) in [(7, 50), (3, 60), (0, 70)] {
        m.report(at(10), &report(ht(mcs), 100, acknowledged));
    }
    m.report(at(50), &report(ht(6), 1, 0));
    assert_eq!(m.best().1, ht(0));
}

/// A start at the slowest rate: 6 Mb/s is slower than MCS 0.
#[test]
fn nothing_known_means_the_slowest_rate() {
    let mut m = minstrel(&n20(), MinstrelConfig::EARLIER);
    assert_eq!(m.best(), ([ofdm(OfdmRate::R6); 4], ofdm(OfdmRate::R6)));
    let chain = m.chain(at(0));
    assert_eq!(chain.mode_after(20), ofdm(OfdmRate::R6));
}

/// Rates up to MCS 4 work, faster ones fail.
#[test]
fn both_samplings_find_the_fastest_rate_that_works() {
    let works = |mode: Mode| mode.rate() <= ht(4).rate();
    for config in [MinstrelConfig::LINUX, MinstrelConfig::EARLIER] {
        let mut m = minstrel(&n20(), config);
        run(&mut m, 0..6_000, 8, works);
        assert_eq!(m.best().0[0], ht(4), "{config:?}");
        // The channel becomes better, then worse.
        run(&mut m, 6_000..12_000, 8, |_| true);
        assert_eq!(m.best().0[0], ht(7), "{config:?}");
        run(&mut m, 12_000..14_000, 8, |mode| mode.rate() <= ht(1).rate());
        assert!(m.best().0[0].rate() <= ht(1).rate(), "{config:?}: {}", m.best().0[0]);
    }
}

/// One transmission a millisecond, one sample in 20 ms at the most; each is one attempt.
#[test]
fn slots_sample_once_in_20_ms_and_only_faster_rates_while_the_best_is_reliable() {
    let mut m = minstrel(&n20(), MinstrelConfig::LINUX);
    run(&mut m, 0..4_000, 8, |mode| mode.rate() <= ht(3).rate());
    let best = m.best().0[0];
    let mut samples = Vec::new();
    for now in (4_000..5_000).map(at) {
        let chain = m.chain(now);
        if chain.samples {
            samples.push((now, chain.stages()[0]));
        }
        m.report(now, &report(best, 8, 8));
    }
    assert!((10..=50).contains(&samples.len()), "{} samples", samples.len());
    assert!(samples.windows(2).all(|pair| pair[1].0.since(pair[0].0) >= SimDuration::from_millis(20)));
    assert!(samples.iter().all(|(_, stage)| stage.tries == 1));
    let slower = samples.iter().filter(|(_, stage)| stage.mode.rate() <= best.rate()).count();
    assert!(slower <= samples.len() / 6, "every sixth sample at most looks at slower rates");
}

/// Rates up to MCS 4 work. After a sample, 16 and twice the mean aggregate of 8 transmissions pass before the
/// next; at most 16 samples lie between two updates.
#[test]
fn lookaround_waits_between_samples() {
    let mut m = minstrel(&n20(), MinstrelConfig::EARLIER);
    run(&mut m, 0..4_000, 8, |mode| mode.rate() <= ht(4).rate());
    assert_eq!(m.best().0[0], ht(4));
    let mut samples = Vec::new();
    for i in 4_000..6_000u64 {
        let chain = m.chain(at(i));
        let mode = chain.stages()[0].mode;
        if chain.samples {
            samples.push(i);
            m.report(at(i), &report(mode, 8, 0));
        }
        m.report(at(i), &report(ht(4), 8, 8));
    }
    assert!(samples.len() >= 10, "{} samples", samples.len());
    assert!(samples.windows(2).all(|pair| pair[1] - pair[0] > 30), "{samples:?}");
}

/// At 6 Mb/s an exchange of 1,200 bytes takes 1.684 ms; with backoffs of 7.5, 15.5 and 31.5 slots of 9 µs, the
/// third ends at 5.5 ms and the fourth beyond 6 ms.
#[test]
fn attempts_fit_into_six_milliseconds() {
    let mut m = minstrel(&Phy::of(Standard::A), MinstrelConfig::LINUX);
    m.report(at(50), &report(ofdm(OfdmRate::R6), 1, 1));
    let chain = m.chain(at(51));
    let last = chain.stages().last().expect("a stage");
    assert_eq!(last.mode, ofdm(OfdmRate::R6));
    // The three stages of the chain have the same mode, so that their tries add up; a sample may stand before.
    let stages = if chain.samples { 2 } else { 3 };
    assert_eq!(last.tries, 3 * stages);
}

#[test]
fn the_same_stream_gives_the_same_choices() {
    let works = |mode: Mode| mode.rate() <= ht(5).rate();
    for config in [MinstrelConfig::LINUX, MinstrelConfig::EARLIER] {
        let choices = || run(&mut minstrel(&n20(), config), 0..500, 4, works);
        assert_eq!(choices(), choices());
    }
}

proptest! {
    /// Whatever is reported, also of modes that it doesn't have and of more acknowledgments than frames: the next chain
    /// names modes of the table, each tried at least once, and probabilities stay between 0 and 1.
    #[test]
    fn any_report_leaves_usable_rates(
        steps in proptest::collection::vec((0u64..200, any::<u8>(), 0u32..70, 0u32..70, any::<bool>()), 1..300),
        lookaround: bool,
    ) {
        let sampling = if lookaround { Sampling::Lookaround } else { Sampling::Slots };
        let mut minstrel = minstrel(&n20(), MinstrelConfig { sampling, ..MinstrelConfig::LINUX });
        let known = n20().modes();
        let (wide, _, _) = parts(&Phy { width: Width::Mhz40, ..n20() });
        let mut now = 0;
        for (wait, which, frames, acknowledged, sample) in steps {
            now += wait;
            let modes = if which % 8 == 0 { &wide } else { &known };
            let mode = modes[usize::from(which) % modes.len()];
            minstrel.report(at(now), &RateReport { mode, frames, acknowledged, sample });
            let chain = minstrel.chain(at(now));
            prop_assert!(!chain.stages().is_empty());
            for stage in chain.stages() {
                prop_assert!(known.contains(&stage.mode) && stage.tries > 0, "{stage:?}");
            }
            for mode in &known {
                if let Some(statistics) = minstrel.statistics(*mode) {
                    prop_assert!((0.0..=1.0).contains(&statistics.probability), "{statistics:?}");
                }
                let throughput = minstrel.expected_throughput(*mode);
                prop_assert!(throughput.is_none_or(|t| t.is_finite() && t >= 0.0), "{throughput:?}");
            }
        }
    }
}
