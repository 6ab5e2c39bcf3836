use super::super::bench::Bench;
use super::*;
use crate::control::tests::{LOSS, part, rto, view};
use tworay_base::SimDuration;

/// `acks` samples of 100 segments/s after the first ACK, and a round trip of 100 ms.
fn fed(name: &str, acks: u64) -> Bench {
    let mut bench = Bench::new(name);
    for i in 1..=acks + 1 {
        bench.at(10 * i).ack();
    }
    bench.rtt(100);
    bench
}

/// The agent's filter 1 (`bwe_computation`): b = 0.9047 b + 0.0476 (s + s'). From b = 0 and s' = 0 with s = 100
/// segments/s, b₁ = 100/21 and 100 − b falls by 19/21 with each ACK: b₁₀ = 100 − (100 − 100/21)(19/21)⁹ =
/// 61.31, times 0.1 s is 6.131 segments.
#[test]
fn a_loss_leaves_the_product_and_the_threshold_its_whole_segments() {
    let mut bench = fed("westwoodnr", 10);
    let after = bench.loss();
    assert!((after.cwnd - 6.131).abs() < 1e-3, "min(10, 6.131), not rounded: {after:?}");
    assert_eq!(after.ssthresh, 6.0, "(int) of the product");
    bench.view.cwnd = 4.0;
    assert_eq!(bench.loss().cwnd, 4.0, "cwnd does not grow");
    let timeout = bench.rto().window;
    assert_eq!((timeout.cwnd, timeout.ssthresh), (2.0, 6.0), "CLOSE_FASTER: cwnd = 2");
}

/// A product below two counts as two (`if (sstemp < 2) sstemp = 2`); with b = 0 too.
#[test]
fn at_least_two_segments_are_left() {
    // b₂ = 19/21 · 100/21 + 200/21 = 13.83, times 0.1 s is 1.38.
    for mut bench in [fed("westwoodnr", 2), Bench::new("westwoodnr")] {
        let after = bench.loss();
        assert_eq!((after.cwnd, after.ssthresh), (2.0, 2.0));
    }
}

/// Filter 3 with a time constant of 1 s, gaps of 10 ms: b = (1.99 b + 0.01 (s + s')) / 2.01. From b₁ = 1/2.01,
/// 100 − b falls by 1.99/2.01 with each ACK: b₁₀₀ = 100 − (100 − 0.4975) (1.99/2.01)⁹⁹ = 63.03.
#[test]
fn the_papers_filter_is_slower() {
    let after = fed("westwoodnr(filter=3)", 100).loss();
    assert!((after.cwnd - 6.303).abs() < 1e-3, "{after:?}");
}

/// 14 ms are two ticks of 10 ms in the agent's clock, `t_rtt_ * tcp_tick_`.
#[test]
fn the_shortest_round_trip_is_that_of_the_clock() {
    let mut part = part(&ENTRY, &[0.0, 1.0]);
    let ms = SimDuration::from_millis;
    for i in 1..2000 {
        let view = SenderView { now: tworay_base::SimTime::ZERO + ms(1) * i, ..view(20.0, 64.0) };
        part.on_ack(&view, &crate::control::tests::ack(&view), &mut Effects::new());
    }
    part.on_rtt(&view(20.0, 64.0), &RttEvent { exact: ms(14), ticked: ms(20) }, &mut Effects::new());
    // 1000 segments/s over 20 ms.
    let after = part.on_rto(&view(20.0, 64.0), &rto(1), &mut Effects::new()).window;
    assert!((19.0..=20.0).contains(&after.ssthresh), "{after:?}");
    let after = part.on_loss(&view(30.0, 64.0), &LOSS, &mut Effects::new());
    assert!((after.cwnd - 20.0).abs() < 0.01, "{after:?}");
}
