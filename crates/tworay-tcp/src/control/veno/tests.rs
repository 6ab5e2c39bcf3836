use crate::control::bench::{Bench, HALF};
use crate::control::tests::*;
use crate::control::veno::ENTRY;

/// BaseRTT 100 ms and this smoothed round trip; 10 segments.
fn bench(text: &str, srtt_ms: u64) -> Bench {
    let mut bench = Bench::new(text);
    bench.rtt(100);
    bench.view.srtt = Some(SimDuration::from_millis(srtt_ms));
    bench
}

/// By hand: N = 10 (1 − 100/RTT). 142 ms: 2.96; 143 ms: 3.01.
#[test]
fn the_backlog_tells_random_from_congestion() {
    for (srtt, cwnd, wanted) in [
        (100, 8.0, "guess=channel"),
        (142, 8.0, "guess=channel"),
        (143, 5.0, "guess=congestion"),
        (400, 5.0, "guess=congestion"),
    ] {
        let mut bench = bench("veno", srtt);
        let window = bench.loss();
        assert_eq!((window.cwnd, window.ssthresh), (cwnd, cwnd), "{srtt} ms");
        assert_eq!(bench.wanted(), wanted, "{srtt} ms");
    }
    assert_eq!(Bench::new("veno").loss(), HALF, "nothing measured: Reno's reduction");
    let mut wide = bench("veno(beta=5)", 143);
    assert_eq!(wide.loss().cwnd, 8.0);
}

/// Fu and Liew 2003 §II-C: one step on every second ACK once N reaches β.
#[test]
fn growth_halves_with_a_backlog() {
    let avoidance = |srtt| SenderView { srtt: Some(SimDuration::from_millis(srtt)), ..view(10.0, 10.0) };
    let sample = RttEvent { exact: SimDuration::from_millis(100), ticked: SimDuration::from_millis(100) };
    for (srtt, expected) in [(120, "++++++"), (200, "+.+.+.")] {
        let mut veno = part(&ENTRY, &[3.0, 0.8, 0.0, 0.0]);
        veno.on_rtt(&avoidance(100), &sample, &mut Effects::new());
        assert_eq!(growth(&mut *veno, &avoidance(srtt), 6), expected, "{srtt} ms");
    }
    let mut veno = part(&ENTRY, &[3.0, 0.8, 0.0, 0.0]);
    veno.on_rtt(&avoidance(100), &sample, &mut Effects::new());
    let slow_start = SenderView { ssthresh: 64.0, ..avoidance(200) };
    assert_eq!(growth(&mut *veno, &slow_start, 6), "++++++", "slow start is Reno's");
}

#[test]
fn a_loss_forgets_the_shortest_round_trip_unless_told_otherwise() {
    for (text, second) in [("veno", 8.0), ("veno(base=ever)", 5.0)] {
        let mut bench = bench(text, 300);
        assert_eq!(bench.loss().cwnd, 5.0, "{text}");
        bench.rtt(290);
        // 10 (1 − 290/300) = 0.33 with the new base; 6.7 with the old one.
        assert_eq!(bench.loss().cwnd, second, "{text}");
    }
}

/// Linux' form: the shortest sample of the last window replaces the smoothed round trip.
#[test]
fn the_shortest_of_a_window_can_be_the_round_trip() {
    let mut bench = bench("veno(rtt=shortest,base=ever)", 900);
    bench.view.una = bench.view.nxt;
    bench.view.nxt = bench.view.nxt.plus(10_000);
    for ms in [400, 120, 500] {
        bench.rtt(ms);
    }
    bench.view.una = bench.view.nxt;
    bench.rtt(450);
    assert_eq!(bench.loss().cwnd, 8.0, "10 (1 − 100/120) = 1.7, whatever the smoothed one says");
}

/// Only segments in flight can be queued: with a receiver's window of 8, N = 8 (1 − 100/142) = 2.4, however
/// far cwnd has grown; a cwnd of 78 would make it 23.
#[test]
fn the_backlog_is_that_of_the_window_in_use() {
    for (srtt, wanted) in [(142, "guess=channel"), (170, "guess=congestion")] {
        let mut bench = bench("veno", srtt);
        (bench.view.cwnd, bench.view.advertised, bench.view.flight) = (78.0, 8.0, 8.0);
        let window = bench.loss();
        assert_eq!(bench.wanted(), wanted, "{srtt} ms: N = {}", 8.0 * (1.0 - 100.0 / srtt as f64));
        assert_eq!(window.cwnd, if srtt == 142 { 0.8 * 8.0 } else { HALF.cwnd });
    }
}
