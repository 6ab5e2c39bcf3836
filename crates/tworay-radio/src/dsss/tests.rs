use super::*;

const BANDWIDTH: f64 = 22e6;

/// By hand: at 0 dB, a spreading gain of 22 (11) gives Eb/N0 = 22 (11).
#[test]
fn despreading_gain_carries_a_frame_through_equal_interference() {
    let dbpsk = bit_error_rate(1.0, BitRate::from_bps(1_000_000), BANDWIDTH);
    let dqpsk = bit_error_rate(1.0, BitRate::from_bps(2_000_000), BANDWIDTH);
    assert!((dbpsk / 1.395e-10 - 1.0).abs() < 1e-2, "{dbpsk}");
    assert!((dqpsk / 1.94e-4 - 1.0).abs() < 1e-2, "{dqpsk}");
}

#[test]
fn more_signal_is_never_worse() {
    for rate in [1_000_000, 2_000_000].map(BitRate::from_bps) {
        let at = |db: i32| bit_error_rate(libm::pow(10.0, f64::from(db) / 10.0), rate, BANDWIDTH);
        assert!((-30..30).all(|db| at(db) >= at(db + 1)));
        assert!((0.499..=0.5).contains(&at(-60)), "without signal every other bit is wrong");
    }
}

/// A bit counted as errorless leaves the success probability of the longest frame at exactly one.
#[test]
fn errorless_frames_succeed_for_certain() {
    for rate in [1_000_000, 2_000_000].map(BitRate::from_bps) {
        let edge = 49.0 * rate.as_bps() as f64 / (0.58 * BANDWIDTH);
        assert!(!is_errorless(0.999 * edge, rate, BANDWIDTH));
        let sinr = 1.001 * edge;
        assert!(is_errorless(sinr, rate, BANDWIDTH));
        let bits = 8.0 * 2346.0;
        let log_success = bits * libm::log1p(-bit_error_rate(sinr, rate, BANDWIDTH));
        assert_eq!(libm::exp(log_success), 1.0);
    }
}
