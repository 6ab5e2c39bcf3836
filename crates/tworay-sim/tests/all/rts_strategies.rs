//! RTS/CTS strategies on strings (Papanastasiou 2006, §5.4): against ns-2's counts, and against the
//! direction of every row of tables 5.2 to 5.4.

use crate::common::{load, run_once};
use tworay_sim::Document;

const STRATEGIES: [&str; 3] = ["full", "partial", "none"];

fn means(runs: &[Vec<f64>]) -> Vec<f64> {
    (0..runs[0].len()).map(|i| runs.iter().map(|r| r[i]).sum::<f64>() / runs.len() as f64).collect()
}

fn string(hops: u32, rts: &str, settings: &[&str], seed: u64) -> Document {
    let rts = format!("mac.rts={rts}");
    let common = ["dialect=ns2", "routing.protocol=static", "tcp.variant=newreno", rts.as_str()];
    let all: Vec<&str> = common.iter().chain(settings).copied().collect();
    run_once(&load(&format!("string-{hops}"), &all), seed).document
}

/// Segments; collisions of RTS/CTS, data and ACK frames; RTSs, data and ACKs given up.
fn counts(d: &Document) -> Vec<f64> {
    let (c, g) = (&d.mac.collisions, &d.mac.drops);
    [d.flows[0].acked_segments, c.rts_cts, c.data, c.ack, g.rts_cts, g.data, g.ack].map(|n| n as f64).into()
}

/// ns-2.35 over static routes, 119 s, means of three seeds.
#[rustfmt::skip]
const NS2: [(u32, [[f64; 7]; 3]); 5] = [
    (3, [[4217.7, 6369.7, 0.0, 0.0, 567.3, 8.0, 559.3],
         [4580.0, 1144.3, 0.3, 4952.3, 3.7, 3.7, 518.3],
         [4883.7, 0.0, 743.0, 5289.7, 0.0, 0.7, 566.7]]),
    (4, [[3002.7, 8499.0, 49.3, 17.0, 209.0, 123.0, 86.0],
         [3234.3, 4834.3, 154.7, 3394.7, 120.3, 120.3, 74.0],
         [3788.7, 0.0, 1840.0, 5186.7, 0.0, 21.3, 285.7]]),
    (5, [[2624.0, 9130.7, 58.0, 43.7, 173.0, 106.7, 66.3],
         [2812.3, 5112.3, 181.3, 3766.0, 99.3, 99.3, 54.7],
         [3229.3, 0.0, 2355.0, 5042.3, 0.0, 25.0, 204.3]]),
    (6, [[2400.3, 10120.7, 55.7, 55.0, 159.3, 91.7, 67.7],
         [2578.0, 5440.3, 207.7, 4494.3, 100.7, 100.7, 39.3],
         [2904.3, 0.0, 2702.7, 5614.3, 0.0, 17.0, 153.3]]),
    (8, [[2190.0, 12227.3, 74.0, 93.7, 112.3, 72.0, 40.3],
         [2388.3, 6908.0, 274.7, 5576.3, 75.7, 75.7, 33.7],
         [2742.0, 0.0, 4299.0, 7349.0, 0.0, 8.7, 152.3]]),
];

/// Kinds with fewer occurrences per run in ns-2 vary by more than a fifth at random.
const ENOUGH: f64 = 20.0;

/// Goodput must be within 10 %, and every kind of collision and drop within 20 % of ns-2's.
fn follows_ns2(row: usize) {
    let (hops, expected) = NS2[row];
    for (rts, ns2) in STRATEGIES.iter().zip(expected) {
        let runs: Vec<_> = (1..=5).map(|seed| counts(&string(hops, rts, &["duration=120s"], seed))).collect();
        let ours = means(&runs);
        println!("{hops} hops, {rts}: {ours:.0?}, ns-2 {ns2:.0?}");
        assert!((ours[0] / ns2[0] - 1.0).abs() < 0.1, "{hops} hops, {rts}: goodput");
        for (kind, (a, b)) in ours.iter().zip(ns2).enumerate().skip(1) {
            assert!(
                b < ENOUGH || (a / b - 1.0).abs() < 0.2,
                "{hops} hops, {rts}, kind {kind}: {a}, ns-2 {b}"
            );
            assert!(b >= 1.0 || *a < 3.0, "{hops} hops, {rts}, kind {kind}: {a} where ns-2 has {b}");
        }
    }
}

#[test]
fn three_hops_follow_ns2() {
    follows_ns2(0);
}
#[test]
fn four_hops_follow_ns2() {
    follows_ns2(1);
}
#[test]
fn five_hops_follow_ns2() {
    follows_ns2(2);
}
#[test]
fn six_hops_follow_ns2() {
    follows_ns2(3);
}
#[test]
fn eight_hops_follow_ns2() {
    follows_ns2(4);
}

/// Rows of tables 5.2 (COL), 5.3 (means in flight) and 5.4 (FAIL), and goodput, for full, partial and none;
/// one run of 120 s over four hops.
const THESIS: [(&str, [f64; 3]); 12] = [
    ("COL RTS/CTS", [15047.0, 8236.0, 0.0]),
    ("COL DATA", [79.0, 240.0, 3696.0]),
    ("COL ACK", [67.0, 6318.0, 8197.0]),
    ("COL total", [15193.0, 14794.0, 11893.0]),
    ("FAIL RTS/CTS", [273.0, 169.0, 0.0]),
    ("FAIL DATA", [167.0, 169.0, 35.0]),
    ("FAIL ACK", [106.0, 81.0, 310.0]),
    // Counted once each: the thesis also counts a packet whose RTS was not answered under RTS/CTS.
    ("distinct segments dropped", [273.0, 250.0, 345.0]),
    ("mean DATA in flight", [3.28, 3.60, 8.34]),
    ("mean ACK in flight", [2.15, 2.16, 7.31]),
    ("mean in flight", [5.55, 5.89, 15.74]),
    ("goodput", [4476.0, 4748.0, 5365.0]),
];

/// The change in the thesis is +1 % and +0.3 % in a single run; in ns-2 it is -7 % and -18 %, as here
/// (docs/studies/papanastasiou-2006.md explains the sign).
const AS_NS2: [(&str, usize); 2] = [("FAIL DATA", 1), ("mean ACK in flight", 1)];

fn thesis_rows(d: &Document) -> Vec<f64> {
    let n = counts(d);
    let f = &d.flows[0];
    let (data, ack) = (f.mean_data_alive_segments, f.mean_ack_alive_segments);
    let [goodput, col_rts, col_data, col_ack, fail_rts, fail_data, fail_ack] = n[..] else {
        unreachable!("seven counts")
    };
    let (collisions, dropped) = (col_rts + col_data + col_ack, fail_data + fail_ack);
    vec![
        col_rts,
        col_data,
        col_ack,
        collisions,
        fail_rts,
        fail_data,
        fail_ack,
        dropped,
        data,
        ack,
        data + ack,
        goodput,
    ]
}

/// Means of ten seeds by strategy.
fn tables(settings: &[&str]) -> [Vec<f64>; 3] {
    STRATEGIES.map(|rts| {
        let runs: Vec<_> = (1..=10).map(|seed| thesis_rows(&string(4, rts, settings, seed))).collect();
        means(&runs)
    })
}

#[test]
fn every_row_of_the_thesis_has_its_direction() {
    let ours = tables(&["duration=121s"]);
    for (row, (name, thesis)) in THESIS.iter().enumerate() {
        for other in [1, 2] {
            let (here, there) = (ours[other][row] - ours[0][row], thesis[other] - thesis[0]);
            println!("{name}, {}: {:.2} -> {:.2}", STRATEGIES[other], ours[0][row], ours[other][row]);
            if AS_NS2.contains(&(name, other)) {
                assert!(here < 0.0, "{name}, {}: {here:+.2}, ns-2 less", STRATEGIES[other]);
            } else {
                assert!(here * there > 0.0, "{name}, {}: {here:+.2}, thesis {there:+.2}", STRATEGIES[other]);
            }
        }
    }
}

/// Without RTS a data frame has the number of attempts of the short limit. With equal limits the order of
/// the strategies stays the same, so the gain comes from the reservation.
#[test]
fn with_equal_retry_limits_the_gain_stays() {
    let ours = tables(&["duration=121s", "mac.short_retry_limit=4"]);
    let goodput: Vec<f64> = ours.iter().map(|rows| rows[11]).collect();
    println!("goodput {goodput:.0?}");
    assert!(goodput[1] > 1.03 * goodput[0] && goodput[2] > 1.1 * goodput[1], "{goodput:?}");
    let acks: Vec<f64> = ours.iter().map(|rows| rows[6]).collect();
    assert!(acks[2] > 2.0 * acks[0], "without RTS it is the ACKs that are given up: {acks:?}");
}
