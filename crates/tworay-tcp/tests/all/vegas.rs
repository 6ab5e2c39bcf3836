//! Vegas against ns-2.35's `Agent/TCP/Vegas` on the wired bottleneck of the validation suite: the
//! congestion window every half second, to a hundredth of a segment. The figures come from ns-2 with the
//! suite's settings and packets of 1040 B (ns-2's Vegas adds no header).

use crate::ns2_validation::network;

use tworay_tcp::TcpConfig;

/// Dropped packets; cwnd at 2.0 s, 2.5 s, …
const NS2: [(&[u64], &[f64]); 2] = [
    (
        &[],
        &[6.0, 12.0, 11.167, 13.380, 15.457, 17.807, 20.086, 22.354, 23.209, 23.209, 23.209, 23.209, 23.209],
    ),
    (
        &[60],
        &[6.0, 12.0, 11.167, 9.333, 11.450, 13.836, 16.173, 18.323, 20.639, 22.848, 23.384, 23.384, 23.384],
    ),
];

#[test]
fn the_window_follows_ns2s() {
    for (drops, expected) in NS2 {
        let run = network::run_for("vegas", &TcpConfig::ns2_validation(), drops, 8.25);
        assert_eq!(run.cwnd.len(), expected.len());
        for (i, (ours, theirs)) in run.cwnd.iter().zip(expected).enumerate() {
            let at = 2.0 + 0.5 * i as f64;
            assert!((ours - theirs).abs() < 0.01, "drops {drops:?}, {at} s: cwnd {ours}, ns-2 {theirs}");
        }
        let again = run.retransmissions();
        assert_eq!(
            again.iter().map(|r| r.0).collect::<Vec<_>>(),
            drops,
            "only what was dropped is sent again"
        );
    }
}

#[test]
fn it_settles_with_a_few_segments_in_the_queue() {
    // 20.2 segments fill the path of 800 kb/s and 0.21 s; alpha and beta allow 1 to 3 (3 to 5) more.
    for (variant, low, high) in [("vegas", 21.0, 24.0), ("vegas(3,5,1)", 22.5, 26.0)] {
        let run = network::run_for(variant, &TcpConfig::ns2_validation(), &[], 20.0);
        let last = run.cwnd.last().copied().expect("samples");
        assert!((low..high).contains(&last), "{variant}: {last}");
    }
}

/// Linux' growth keeps 2 to 4 queued segments of cwnd (R - B) / B, rounded down. The path holds 20.2 segments and q more
/// queue, so R / B is (20.2 + q) / 20.2: q is at least 1.83 (22.03 x 1.83 / 20.2 = 2) and below 4.18 (24.38 x 4.18 / 20.2 = 5).
#[test]
fn as_a_growth_it_settles_between_linux_limits() {
    for variant in ["linux+vegas-growth", "newreno+vegas-growth", "sack+vegas-growth"] {
        let run = network::run_for(variant, &TcpConfig::ns2_validation(), &[], 20.0);
        let last = run.cwnd.last().copied().expect("samples");
        assert!((22.03..24.38).contains(&last), "{variant}: {last}");
    }
}
