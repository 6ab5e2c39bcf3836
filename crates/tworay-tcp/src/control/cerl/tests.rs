use crate::control::bench::{Bench, HALF};
use crate::control::tests::*;

/// T = 100 ms and a longest queue of 200 ms: the threshold is 0.55 · 200 = 110 ms.
fn bench(text: &str, rtt_ms: u64) -> Bench {
    let mut bench = Bench::new(text);
    bench.rtt(100).rtt(300).rtt(rtt_ms);
    bench
}

#[test]
fn a_short_queue_means_a_random_loss() {
    for (rtt, random) in [(100, true), (209, true), (211, false), (300, false)] {
        let mut bench = bench("cerl", rtt);
        let window = bench.loss();
        let expected = if random { Window { cwnd: 10.0, ssthresh: 20.0 } } else { HALF };
        assert_eq!(window, expected, "{rtt} ms");
        assert_eq!(bench.wanted(), if random { "guess=channel" } else { "guess=congestion" }, "{rtt} ms");
        bench.effects.clear();
        bench.part.on_recovery_exit(&bench.view, &mut bench.effects);
        assert_eq!(bench.wanted(), if random { "window=10/20" } else { "" }, "{rtt} ms");
    }
    assert_eq!(Bench::new("cerl").loss(), HALF, "without a queue ever seen a loss is congestion");
    assert_eq!(bench("cerl(0.2)", 141).loss(), HALF, "A = 0.2: 40 ms");
}

/// Only data sent after a reduction can cause the next one.
#[test]
fn one_reduction_a_window() {
    let mut bench = bench("cerl", 300);
    assert_eq!(bench.loss(), HALF);
    bench.view.cwnd = 5.0;
    bench.view.una = bench.view.una.plus(3000);
    assert_eq!(bench.loss(), Window { cwnd: 5.0, ssthresh: 20.0 }, "sent before");
    assert_eq!(bench.wanted(), "guess=congestion");
    bench.view.una = bench.view.max;
    assert_eq!(bench.loss(), HALF, "sent after");
}
