use super::Timing;
use crate::config::{MacConfig, RtsStrategy};
use tworay_base::Dialect;
use tworay_base::{BitRate, Bytes, SimDuration};

fn timing(config: &MacConfig) -> Timing {
    Timing::new(config, &config.quirks())
}

fn us(d: SimDuration) -> f64 {
    d.as_nanos() as f64 / 1e3
}

#[test]
fn interframe_spaces_and_control_frames() {
    // An ACK has 112 bits: with preamble and PLCP header 304 µs at 1 Mb/s, 248 µs at 2 Mb/s. By the standard
    // it answers data at the basic rate 2 Mb/s with 2 Mb/s (§9.6); ns-2 sends it at 1 Mb/s, like a CTS.
    for (config, ack) in [(MacConfig::default(), 248.0), (MacConfig::ns2(), 304.0)] {
        let t = timing(&config);
        assert_eq!((us(t.slot), us(t.sifs), us(t.difs), us(t.eifs)), (20.0, 10.0, 50.0, 364.0));
        assert_eq!((us(t.rts), us(t.cts), us(t.ack)), (352.0, 304.0, ack));
    }
}

#[test]
fn acks_go_at_the_highest_basic_rate_not_above_the_data() {
    let mbps = |n: u64| BitRate::from_bps(n * 100_000);
    let of = |basic: u64, data: u64, ack: Option<u64>, dialect| {
        let config = MacConfig {
            basic_rate: mbps(basic),
            data_rate: mbps(data),
            ack_rate: ack.map(mbps),
            dialect,
            ..MacConfig::default()
        };
        config.rate_of_acks().as_bps() / 100_000
    };
    // Basic rate and data rate in 100 kb/s; rate of ACKs by the standard and in ns-2.
    for (basic, data, standard, ns2) in [
        (10, 20, 20, 10),
        (10, 10, 10, 10),
        (10, 110, 20, 10),
        (20, 110, 20, 20),
        (55, 110, 55, 55),
        (20, 10, 10, 20),
    ] {
        let found = [Dialect::Standard, Dialect::Ns2].map(|dialect| of(basic, data, None, dialect));
        assert_eq!(found, [standard, ns2], "basic {basic}, data {data}");
        assert_eq!(of(basic, data, Some(10), Dialect::Standard), 10, "a rate that is given counts");
    }
}

#[test]
fn data_frames() {
    let (standard, ns2) = (timing(&MacConfig::default()), timing(&MacConfig::ns2()));
    // (bytes of the network packet, standard µs, ns-2 µs): the frame adds 36 and 34 bytes.
    for (ip, a, b) in [(1500, 6336.0, 6328.0), (40, 496.0, 488.0), (552, 2544.0, 2536.0), (0, 336.0, 328.0)] {
        let airtime = |t: &Timing| us(t.data_airtime(t.data_bytes(ip), false));
        assert_eq!((airtime(&standard), airtime(&ns2)), (a, b), "{ip} bytes at 2 Mb/s");
    }
    assert_eq!(us(ns2.data_airtime(ns2.data_bytes(28), true)), 192.0 + 62.0 * 8.0, "broadcast at 1 Mb/s");
}

#[test]
fn rates() {
    let mbps = |n: u64| BitRate::from_bps(n * 1_000_000);
    let t = timing(&MacConfig { basic_rate: mbps(2), data_rate: mbps(11), ..MacConfig::default() });
    assert_eq!((us(t.rts), us(t.cts), us(t.ack)), (272.0, 248.0, 248.0));
    assert_eq!(us(t.eifs), 364.0, "an ACK at the lowest rate, whatever the basic rate is");
    let t = timing(&MacConfig { ack_rate: Some(mbps(1)), ..MacConfig::default() });
    assert_eq!((us(t.cts), us(t.ack), us(t.eifs)), (304.0, 304.0, 364.0));
    assert_eq!((us(t.cts_timeout), us(t.ack_timeout)), (334.0, 334.0));
}

#[test]
fn response_timeouts() {
    let of = |t: Timing| (us(t.cts_timeout), us(t.ack_timeout));
    assert_eq!(of(timing(&MacConfig::default())), (334.0, 278.0));
    assert_eq!(of(timing(&MacConfig::ns2())), (318.0, 318.0));
}

#[test]
fn the_thesis_strategies() {
    // Which of a TCP segment (1500 bytes) and a TCP ACK (40 bytes) is preceded by an RTS.
    for (rts, segment, ack) in [
        (RtsStrategy::Full, true, true),
        (RtsStrategy::Partial, true, false),
        (RtsStrategy::None, false, false),
    ] {
        for dialect in [Dialect::Standard, Dialect::Ns2] {
            // The strategy overrides the threshold.
            let t = timing(&MacConfig {
                dialect,
                rts: Some(rts),
                rts_threshold: Bytes(77),
                ..MacConfig::default()
            });
            let gets = |ip| t.needs_rts(t.data_bytes(ip));
            assert_eq!((gets(1500), gets(40)), (segment, ack), "{rts:?} {dialect:?}");
        }
    }
}

#[test]
fn a_threshold_beyond_all_numbers_means_never() {
    for dialect in [Dialect::Standard, Dialect::Ns2] {
        let t = timing(&MacConfig { dialect, rts_threshold: Bytes(u64::MAX), ..MacConfig::default() });
        assert!(!t.needs_rts(t.data_bytes(65_535)));
    }
}
