use super::*;
use crate::control::tests::*;

const DEFAULTS: [f64; 6] = [2.0, 4.0, 0.7, 2.0, 50.0, 0.0];

/// The gap in ms after each of these round trips (ms) over `hops` hops, with segments of 1000 bytes.
fn gaps(values: &[f64], hops: u8, round_trips: &[u64]) -> Vec<f64> {
    let mut part = part(&ENTRY, values);
    let view = SenderView { hops, ..view(4.0, 64.0) };
    round_trips
        .iter()
        .map(|ms| {
            let exact = SimDuration::from_millis(*ms);
            let mut effects = Effects::new();
            part.on_rtt(&view, &RttEvent { exact, ticked: exact }, &mut effects);
            let [Effect::Pace(gap)] = effects[..] else { panic!("{effects:?}") };
            (gap.as_secs_f64() * 1e6).round() / 1e3
        })
        .collect()
}

#[test]
fn the_gap_is_the_delay_of_four_hops() {
    // 1000 bytes take 4 ms at 2 Mb/s: 4/2 x (80 / 4 + 4) = 48 ms, whatever the number of equal samples.
    assert_eq!(gaps(&DEFAULTS, 4, &[80, 80, 80]), [48.0; 3]);
    // The same round trip over twice the hops: 2 x (10 + 4).
    assert_eq!(gaps(&DEFAULTS, 8, &[80]), [28.0]);
    // Five hops ahead, over a link of 1 Mb/s: 2.5 x (20 + 8).
    assert_eq!(gaps(&[1.0, 5.0, 0.7, 2.0, 50.0, 0.0], 4, &[80]), [70.0]);
}

#[test]
fn round_trips_that_vary_lengthen_it() {
    // 80 and 160 ms: delay 0.7 x 48 + 0.3 x 88 = 60 ms; mean 120. The squares are 1600 each: with n - 1 the
    // deviation is sqrt(3200 / 1) = 56.569, so 60 x (1 + 2 x 56.569 / 120) = 116.569; with n it is 40, so
    // 60 x (1 + 2/3) = 100, and so is the mean absolute deviation.
    assert_eq!(gaps(&DEFAULTS, 4, &[80, 160]), [48.0, 116.569]);
    assert_eq!(gaps(&[2.0, 4.0, 0.7, 2.0, 50.0, 1.0], 4, &[80, 160]), [48.0, 100.0]);
    assert_eq!(gaps(&[2.0, 4.0, 0.7, 2.0, 50.0, 2.0], 4, &[80, 160]), [48.0, 100.0]);
    assert_eq!(gaps(&[2.0, 4.0, 0.7, 0.0, 50.0, 0.0], 4, &[80, 160]), [48.0, 60.0], "the spread is left out");
    // Only the last two count: 160 and 160 don't vary. 0.7 x 60 + 0.3 x 88 = 68.4.
    assert_eq!(gaps(&[2.0, 4.0, 0.7, 2.0, 2.0, 0.0], 4, &[80, 160, 160])[2], 68.4);
    // 80, 80 and 200 ms: mean 120; squares 1600 + 1600 + 6400 = 9600. sqrt(9600 / 2) = 69.282,
    // sqrt(9600 / 3) = 56.569, absolute (40 + 40 + 80) / 3 = 53.333. Delay: 0.7 x 48 + 0.3 x 108 = 66 ms.
    for (deviation, gap) in [(0.0, 142.21), (1.0, 128.225), (2.0, 124.667)] {
        let values = [2.0, 4.0, 0.7, 2.0, 50.0, deviation];
        assert_eq!(gaps(&values, 4, &[80, 80, 200])[2], gap, "deviation {deviation}");
    }
}

#[test]
fn an_unknown_path_is_not_paced() {
    let mut part = part(&ENTRY, &DEFAULTS);
    let exact = SimDuration::from_millis(80);
    let mut effects = Effects::new();
    part.on_rtt(&view(4.0, 64.0), &RttEvent { exact, ticked: exact }, &mut effects);
    assert!(effects.is_empty());
}
