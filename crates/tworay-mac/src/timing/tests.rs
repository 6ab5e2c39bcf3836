use super::Timing;
use crate::config::{Dialect, MacConfig, RtsStrategy};
use tworay_base::{BitRate, Bytes, SimDuration};

fn timing(config: &MacConfig) -> Timing {
    Timing::new(config, &config.quirks())
}

fn us(d: SimDuration) -> f64 {
    d.as_nanos() as f64 / 1e3
}

#[test]
fn interframe_spaces_and_control_frames_at_1_mbps() {
    for config in [MacConfig::default(), MacConfig::ns2()] {
        let t = timing(&config);
        assert_eq!((us(t.slot), us(t.sifs), us(t.difs), us(t.eifs)), (20.0, 10.0, 50.0, 364.0));
        assert_eq!((us(t.rts), us(t.cts), us(t.ack)), (352.0, 304.0, 304.0));
    }
}

#[test]
fn data_frames() {
    let (standard, ns2) = (timing(&MacConfig::default()), timing(&MacConfig::ns2()));
    // (bytes of the network packet, standard µs, ns-2 µs): 36 and 34 bytes around it.
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
    let t = timing(&MacConfig { ack_rate: Some(mbps(2)), ..MacConfig::default() });
    assert_eq!((us(t.cts), us(t.ack), us(t.eifs)), (304.0, 248.0, 364.0));
    assert_eq!((us(t.cts_timeout), us(t.ack_timeout)), (334.0, 278.0));
}

#[test]
fn response_timeouts() {
    let of = |t: Timing| (us(t.cts_timeout), us(t.ack_timeout));
    assert_eq!(of(timing(&MacConfig::default())), (334.0, 334.0));
    assert_eq!(of(timing(&MacConfig::ns2())), (318.0, 318.0));
}

#[test]
fn the_thesis_strategies() {
    // Which of a TCP segment (1500 bytes) and a TCP ACK (40 bytes) gets an RTS.
    for (rts, segment, ack) in [
        (RtsStrategy::Full, true, true),
        (RtsStrategy::Partial, true, false),
        (RtsStrategy::None, false, false),
    ] {
        for dialect in [Dialect::Standard, Dialect::Ns2] {
            // The name outweighs the number.
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
