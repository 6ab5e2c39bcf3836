use super::*;
use proptest::prelude::*;
use tworay_base::{Ratio, SimDuration};

/// The decoding threshold in watts: WaveLAN at 250 m. Powers below are multiples of it.
const READABLE: f64 = 3.652e-10;
const STANDARD: ReceptionQuirks = ReceptionQuirks::STANDARD;
const NS2: ReceptionQuirks = ReceptionQuirks::NS2;

const PLCP: SimDuration = SimDuration::from_micros(192);
const SLOW: BitRate = BitRate::from_bps(1_000_000);
const FAST: BitRate = BitRate::from_bps(2_000_000);
/// RTS, CTS and broadcasts at 1 Mb/s, ACKs and data at 2 Mb/s: the default.
const RATES: BodyRates = BodyRates([SLOW, FAST, FAST]);

fn at(micros: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_micros(micros)
}

fn capture(quirks: ReceptionQuirks) -> Reception {
    let config = RadioConfig { reception: ReceptionModel::Capture, ..RadioConfig::default() };
    Reception::new(&config, &Channel::new(&config), quirks, BodyRates([SLOW; 3]), PLCP)
}

/// One receiver and a log of what it reports.
struct Story {
    receiver: Receiver,
    rules: Reception,
    own_until: u64,
    lines: Vec<String>,
}

/// (name, begins, ends, power as a multiple of the decoding threshold)
type Told = (u32, u64, u64, f64);

/// Plays the signals and the station's transmissions (begins, ends) in order of time.
fn story(rules: Reception, signals: &[Told], own: &[(u64, u64)]) -> Vec<String> {
    let mut s = Story { receiver: Receiver::default(), rules, own_until: 0, lines: Vec::new() };
    let mut steps: Vec<(u64, u8, usize)> = Vec::new();
    for (i, &(_, begins, ends, _)) in signals.iter().enumerate() {
        // At equal times, ends come before beginnings.
        steps.extend([(begins, 2, i), (ends, 0, i)]);
    }
    steps.extend(own.iter().enumerate().map(|(i, &(begins, _))| (begins, 1, i)));
    steps.sort_unstable();
    for (now, what, i) in steps {
        let transmitting = now < s.own_until;
        if what == 1 {
            s.own_until = own[i].1;
            s.receiver.own_transmission(&s.rules);
            continue;
        }
        let (tx, _, ends, power) = signals[i];
        if what == 2 {
            let signal = Signal { tx, end: at(ends), power: power * READABLE, body: BodyRate::Basic };
            let begin = if s.rules.adds_up() { Receiver::begin_sinr } else { Receiver::begin_capture };
            let arrived = begin(&mut s.receiver, at(now), signal, transmitting, &s.rules);
            if arrived.captured_over && s.rules.captured_over_sets_nav() {
                s.lines.push(format!("{now}: {tx} captured over"));
            }
            if let Some(lost) = arrived.lost {
                s.lines.push(format!("{now}: {lost} lost"));
            }
        } else {
            match s.receiver.end(tx, transmitting, &s.rules) {
                Verdict::NotHeard => {}
                verdict => s.lines.push(format!("{now}: {tx} {verdict:?}")),
            }
        }
    }
    assert_eq!(s.receiver.reading_until(), None, "all signals are over");
    s.lines
}

fn verdicts(quirks: ReceptionQuirks, signals: &[Told]) -> Vec<String> {
    story(capture(quirks), signals, &[])
}

#[test]
fn a_frame_alone_is_good_from_the_threshold_on() {
    for quirks in [STANDARD, NS2] {
        assert_eq!(verdicts(quirks, &[(1, 0, 300, 1.0)]), ["300: 1 Good"]);
        assert_eq!(verdicts(quirks, &[(1, 0, 300, 1.0), (2, 300, 600, 5.0)]), ["300: 1 Good", "600: 2 Good"]);
    }
}

#[test]
fn the_frame_being_read_survives_what_is_ten_decibels_weaker() {
    for (weaker, survives) in [(1.0, true), (1.0000001, false), (5.0, false), (10.0, false), (100.0, false)] {
        let found = verdicts(STANDARD, &[(1, 0, 300, 10.0), (2, 100, 200, weaker)]);
        assert_eq!(found.contains(&"300: 1 Good".to_owned()), survives, "second signal {weaker}: {found:?}");
    }
}

#[test]
fn a_stronger_latecomer_spoils_the_frame_and_is_lost_itself() {
    for quirks in [STANDARD, NS2] {
        let found = verdicts(quirks, &[(1, 0, 300, 1.0), (2, 100, 200, 1000.0)]);
        assert_eq!(found, ["100: 2 lost", "300: 1 Collided"]);
    }
}

#[test]
fn locks_on_undecodable() {
    let locks = |locks_on_undecodable| ReceptionQuirks { locks_on_undecodable, ..STANDARD };
    let weak = [(1, 0, 300, 0.5)];
    assert_eq!(verdicts(locks(false), &weak), [""; 0], "mere energy has no end worth a word");
    assert_eq!(verdicts(locks(true), &weak), ["300: 1 Undecodable"]);

    // A frame thirteen decibels above energy that was already there.
    let over = [(1, 0, 300, 0.5), (2, 100, 500, 10.0)];
    assert_eq!(verdicts(locks(false), &over), ["500: 2 Good"]);
    assert_eq!(verdicts(locks(true), &over), ["100: 2 lost", "300: 1 Undecodable"]);

    // And one that is not strong enough.
    let near = [(1, 0, 300, 0.5), (2, 100, 500, 4.0)];
    assert_eq!(verdicts(locks(false), &near), ["500: 2 Collided"]);
}

#[test]
fn locks_while_transmitting() {
    let locks = |locks_while_transmitting| capture(ReceptionQuirks { locks_while_transmitting, ..STANDARD });
    // Begins during the station's transmission and ends after it; another frame arrives during its remainder.
    let signals = [(1, 50, 300, 1.0), (2, 350, 600, 1.0)];
    assert_eq!(story(locks(false), &signals, &[(0, 100)]), ["600: 2 Good"]);
    let ns2 = capture(NS2);
    assert_eq!(story(ns2.clone(), &signals, &[(0, 100)]), ["300: 1 Deafened", "600: 2 Good"]);
    // It prevents reception of a frame that begins after the transmission.
    let overlapping = [(1, 50, 300, 1.0), (2, 150, 280, 20.0)];
    assert_eq!(story(locks(false), &overlapping, &[(0, 100)]), ["280: 2 Good"]);
    assert_eq!(story(ns2, &overlapping, &[(0, 100)]), ["150: 2 lost", "300: 1 Deafened"]);
}

#[test]
fn longest_collided_frame_holds() {
    let longest = |longest_collided_frame_holds| ReceptionQuirks { longest_collided_frame_holds, ..STANDARD };
    // A third signal after the end of the first, while the second continues.
    let signals = [(1, 0, 300, 1.0), (2, 100, 900, 1.0), (3, 400, 700, 20.0)];
    assert_eq!(verdicts(longest(false), &signals), ["100: 2 lost", "300: 1 Collided", "700: 3 Good"]);
    assert_eq!(verdicts(longest(true), &signals), ["100: 1 lost", "400: 3 lost", "900: 2 Collided"]);
    // A shorter second signal changes nothing, nor does one that ends at the same time.
    let shorter = [(1, 0, 300, 1.0), (2, 100, 300, 1.0)];
    assert_eq!(verdicts(longest(false), &shorter), verdicts(longest(true), &shorter));
}

#[test]
fn captured_over_sets_nav() {
    let nav = |captured_over_sets_nav| ReceptionQuirks { captured_over_sets_nav, ..STANDARD };
    let signals = [(1, 0, 300, 10.0), (2, 100, 900, 1.0)];
    assert_eq!(verdicts(nav(false), &signals), ["300: 1 Good"]);
    assert_eq!(verdicts(nav(true), &signals), ["100: 2 captured over", "300: 1 Good"]);
}

#[test]
fn a_collision_can_be_captured_over_too_in_ns2() {
    // The receiver compares with the collided frame that ends last.
    let signals = [(1, 0, 300, 1.0), (2, 100, 900, 50.0), (3, 200, 1000, 5.0), (4, 300, 950, 6.0)];
    assert_eq!(
        verdicts(NS2, &signals),
        ["100: 1 lost", "200: 3 captured over", "300: 2 lost", "950: 4 Collided"]
    );
}

#[test]
fn who_transmits_is_deaf() {
    for quirks in [STANDARD, NS2] {
        // Within the station's transmission: not noticed.
        let found = story(capture(quirks), &[(1, 50, 90, 1.0)], &[(0, 100)]);
        assert!(found.iter().all(|l| l == "90: 1 Deaf"), "{found:?}");
        // The station starts to transmit while receiving: the frame is lost without a collision.
        let found = story(capture(quirks), &[(1, 0, 300, 1.0)], &[(100, 200)]);
        assert!(found.iter().all(|l| l == "300: 1 Deafened"), "{found:?}");
        // Such a frame is never counted as a collision, nor are frames that overlap it during the
        // transmission.
        let found = story(capture(quirks), &[(1, 0, 300, 1.0), (2, 120, 310, 1.0)], &[(100, 200)]);
        assert!(!found.iter().any(|l| l.contains("Collided") || l.contains("2 lost")), "{found:?}");
    }
}

// ---- signal against noise plus interference -----------------------------------------------------

fn sinr_config() -> RadioConfig {
    let mut config = RadioConfig { reception: ReceptionModel::Sinr, ..RadioConfig::default() };
    config.sinr.preamble = Ratio(4.0);
    config.sinr.errors = SinrErrors::Threshold;
    config
}

fn sinr() -> Reception {
    let config = sinr_config();
    Reception::new(&config, &Channel::new(&config), STANDARD, RATES, PLCP)
}

#[test]
fn interferers_add_up() {
    // 4 dB are a factor of 2.51 for a frame at the basic rate: a power of 10 tolerates interference up to
    // 3.98.
    let with = |others: &[f64]| {
        let mut signals = vec![(1, 0, 1000, 10.0)];
        signals.extend(others.iter().enumerate().map(|(i, &p)| (i as u32 + 2, 100 + i as u64, 900, p)));
        story(sinr(), &signals, &[]).contains(&"1000: 1 Good".to_owned())
    };
    assert!(with(&[]) && with(&[3.97]) && with(&[1.3, 1.3, 1.3]) && with(&[0.01; 390]));
    assert!(!with(&[4.0]) && !with(&[1.4, 1.4, 1.4]) && !with(&[0.01; 400]));
    // In sequence they do not add up.
    let signals = [(1, 0, 1000, 10.0), (2, 100, 300, 3.0), (3, 300, 600, 3.0), (4, 700, 900, 3.0)];
    assert_eq!(story(sinr(), &signals, &[]).last().map(String::as_str), Some("1000: 1 Good"));
}

#[test]
fn a_body_at_2_mbps_needs_more() {
    // 7 dB are a factor of 5.01.
    let verdicts = [Verdict::Good, Verdict::Collided, Verdict::Collided];
    for (body, verdict) in [BodyRate::Basic, BodyRate::Ack, BodyRate::Data].into_iter().zip(verdicts) {
        let (mut r, rules) = (Receiver::default(), sinr());
        let signal = |tx, power| Signal { tx, end: at(1000), power: power * READABLE, body };
        r.begin_sinr(at(0), signal(1, 10.0), false, &rules);
        r.begin_sinr(at(10), signal(2, 3.0), false, &rules);
        assert_eq!(r.end(1, false, &rules), verdict, "{body:?}");
    }
}

/// A frame that noise destroys is lost to its weak signal, whoever else is on the air; one that only an interferer
/// destroys, to the overlap. 7 dB (5.01) are needed at 2 Mb/s, 4 dB (2.51) at 1 Mb/s and for a preamble.
#[test]
fn what_noise_destroys_is_no_overlap() {
    let (rules, noise) = (sinr(), Channel::new(&sinr_config()).noise());
    let outcome = |ratio: f64, interference: f64| {
        let mut r = Receiver::default();
        let signal = |tx, power| Signal { tx, end: at(1000), power, body: BodyRate::Data };
        let begun = r.begin_sinr(at(0), signal(1, ratio * noise), false, &rules);
        if interference > 0.0 {
            r.begin_sinr(at(10), signal(2, interference * noise), false, &rules);
        }
        (begun.lost, r.end(1, false, &rules))
    };
    // The threshold of reception is above the noise here, so that these signals can't be as weak.
    assert!(READABLE >= 10.0 * noise);
    let strong = READABLE / noise;
    assert_eq!(outcome(strong, 0.0), (None, Verdict::Good));
    assert_eq!(outcome(strong, strong), (None, Verdict::Collided));

    let mut config = sinr_config();
    config.sinr.noise_figure.0 += 10.0 * libm::log10(strong / 4.5);
    let noisy = Reception::new(&config, &Channel::new(&config), STANDARD, RATES, PLCP);
    for (body, verdict) in [(BodyRate::Basic, Verdict::Good), (BodyRate::Data, Verdict::Weak)] {
        let mut r = Receiver::default();
        let signal = |tx, power| Signal { tx, end: at(1000), power, body };
        assert_eq!(r.begin_sinr(at(0), signal(1, READABLE), false, &noisy), Arrived::default());
        assert_eq!(r.end(1, false, &noisy), verdict, "{body:?}");
        r.begin_sinr(at(2000), Signal { end: at(3000), ..signal(3, READABLE) }, false, &noisy);
        r.begin_sinr(at(2010), Signal { end: at(2900), ..signal(4, READABLE) }, false, &noisy);
        let lost = if body == BodyRate::Basic { Verdict::Collided } else { Verdict::Weak };
        assert_eq!(r.end(3, false, &noisy), lost, "{body:?} with an interferer");
    }
    assert!(noisy.slower_gets_through(READABLE, BodyRate::Data));
    assert!(!noisy.slower_gets_through(READABLE, BodyRate::Basic), "1 Mb/s is the slowest");

    config.sinr.noise_figure.0 += 10.0 * libm::log10(4.5 / 2.4);
    let hiding = Reception::new(&config, &Channel::new(&config), STANDARD, RATES, PLCP);
    let mut r = Receiver::default();
    let signal = Signal { tx: 1, end: at(1000), power: READABLE, body: BodyRate::Data };
    assert_eq!(r.begin_sinr(at(0), signal, false, &hiding), Arrived { lost: Some(1), captured_over: false });
    assert!(hiding.hides(READABLE) && !noisy.hides(READABLE));
    assert_eq!(r.end(1, false, &hiding), Verdict::NotHeard);
    assert!(!hiding.slower_gets_through(READABLE, BodyRate::Data), "nothing is decoded without its preamble");
}

/// Share of 400 frames that survive a constant interferer, and one that ends with the PLCP header.
#[test]
fn bit_errors_are_drawn_where_they_leave_it_open() {
    let mut config = sinr_config();
    config.sinr.errors = SinrErrors::Dsss;
    let rules = Reception::new(&config, &Channel::new(&config), STANDARD, RATES, PLCP);
    let share = |interference: f64, until: u64| {
        let luck = RngStream::numbered(1, 1, tworay_base::Purpose::Test);
        let mut r = Receiver::with_luck(luck);
        let good = (0..400).filter(|n| {
            let from = n * 10_000;
            let signal =
                |tx, end, power| Signal { tx, end: at(end), power: power * READABLE, body: BodyRate::Data };
            r.begin_sinr(at(from), signal(1, from + 6328, 10.0), false, &rules);
            r.begin_sinr(at(from + 1), signal(2, from + until, interference), false, &rules);
            r.end(2, false, &rules);
            r.end(1, false, &rules) == Verdict::Good
        });
        good.count() as f64 / 400.0
    };
    // 12272 bits at 2 Mb/s; Eb/N0 is 11 times the power ratio.
    assert_eq!((share(1.0, 6328), share(20.0, 6328)), (1.0, 0.0));
    let ratio = 1.2;
    let chance = libm::exp(12_272.0 * libm::log1p(-dsss::bit_error_rate(ratio, FAST, 22e6)));
    assert!((0.2..0.8).contains(&chance), "{chance}");
    assert!((share(10.0 / ratio, 6328) - chance).abs() < 0.1, "three standard errors");
    assert_eq!(share(10.0 / ratio, 190), 1.0, "the header at 1 Mb/s stands more");
}

/// Reference for one frame: is it first at the antenna and clear of what is there, and does its power exceed
/// the threshold over the sum of all others at every moment?
fn obviously_good(config: &RadioConfig, signals: &[Told], frame: usize) -> bool {
    let channel = Channel::new(config);
    let (_, begins, ends, power) = signals[frame];
    let on_air = |t: u64| {
        let others = signals.iter().enumerate().filter(move |(i, s)| *i != frame && s.1 <= t && t < s.2);
        others.map(|(_, s)| s.3 * READABLE).sum::<f64>()
    };
    let power = power * READABLE;
    let enough = |ratio: f64, t| power >= ratio * (channel.noise() + on_air(t));
    let needed = channel.sinr_threshold(BitRate::from_bps(1_000_000));
    enough(config.sinr.preamble.factor(), begins) && (begins..ends).all(|t| enough(needed, t))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Signals at distinct times: any frame being received is judged by the sum of interference, and every
    /// frame that finds the receiver free is received.
    #[test]
    fn sinr_agrees_with_the_sum_at_every_moment(
        found in proptest::collection::vec((1u64..200, 0.05f64..30.0), 1..8),
        begins in Just((0..16u64).map(|i| i * 13).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let config = sinr_config();
        let signals: Vec<Told> = found
            .iter()
            .zip(&begins)
            .enumerate()
            // Odd ends and even beginnings never coincide.
            .map(|(i, (&(long, power), &from))| (i as u32, 2 * from, 2 * (from + long) + 1, power))
            .collect();
        let mut order: Vec<usize> = (0..signals.len()).collect();
        order.sort_by_key(|&i| signals[i].1);
        let (needed, noise) = (config.sinr.preamble.factor(), Channel::new(&config).noise());
        let mut expected = Vec::new();
        let mut reading_until = 0;
        for i in order {
            let (tx, from, until, power) = signals[i];
            let there: f64 =
                signals.iter().filter(|s| s.1 < from && s.2 > from).map(|s| s.3 * READABLE).sum();
            let detected = power >= 1.0 && power * READABLE >= needed * (noise + there);
            if from < reading_until || !detected {
                continue;
            }
            reading_until = until;
            let verdict = if obviously_good(&config, &signals, i) { "Good" } else { "Collided" };
            expected.push((until, format!("{until}: {tx} {verdict}")));
        }
        let expected: Vec<String> = expected.into_iter().map(|e| e.1).collect();
        let mut found = story(sinr(), &signals, &[]);
        found.retain(|line| !line.ends_with("lost"));
        prop_assert_eq!(found, expected);
    }

    /// Under any rules, each decodable signal has at most one outcome, and the receiver is free at the end.
    #[test]
    fn each_signal_has_one_fate(
        found in proptest::collection::vec((0u64..400, 1u64..200, 0.05f64..30.0), 1..10),
        own in proptest::collection::vec((0u64..400, 1u64..100), 0..3),
        bits in 0u8..16,
        summed: bool,
    ) {
        let quirks = ReceptionQuirks {
            locks_on_undecodable: bits & 1 != 0,
            locks_while_transmitting: bits & 2 != 0,
            longest_collided_frame_holds: bits & 4 != 0,
            captured_over_sets_nav: bits & 8 != 0,
        };
        let rules = if summed { Reception { quirks, ..sinr() } } else { capture(quirks) };
        let signals: Vec<Told> = found
            .iter()
            .enumerate()
            .map(|(i, &(from, long, power))| (i as u32, from, from + long, power))
            .collect();
        let mut clock = 0;
        let own: Vec<(u64, u64)> = own
            .iter()
            .map(|&(from, long)| {
                let begins = clock + from;
                clock = begins + long;
                (begins, clock)
            })
            .collect();
        let lines = story(rules, &signals, &own);
        for (tx, _, _, power) in signals {
            let named = |word: &str| lines.iter().filter(|l| l.contains(&format!(": {tx} {word}"))).count();
            let (lost, collided) = (named("lost"), named("Collided"));
            let heard = collided + named("Good") + named("Undecodable") + named("Deaf");
            prop_assert!(heard <= 1 && lost <= 1);
            // A collision is counted once: when it happens or at the end.
            prop_assert!(lost + collided <= 1, "{lines:?}");
            prop_assert!(power >= 1.0 || lost + collided + named("Good") == 0, "unreadable: {lines:?}");
        }
    }
}
