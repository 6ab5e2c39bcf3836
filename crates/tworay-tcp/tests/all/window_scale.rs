//! Window scaling (RFC 7323 §2): on the SYNs, in later windows, and with a peer that does not support it.

use crate::common::Pair;
use tworay_base::{Bytes, NodeId, Purpose, RngStream, Seq32, SimTime};
use tworay_tcp::{Arrival, Connection, Ports, Side, TcpAction, TcpConfig, WindowSize};
use tworay_wire::{TcpFlags, TcpOptions, TcpSegment};

fn with_window(bytes: u64) -> TcpConfig {
    TcpConfig { window: WindowSize::Bytes(Bytes(bytes)), ..TcpConfig::default() }
}

#[test]
fn the_shift_is_the_least_that_fits() {
    for (window, shift) in
        [(65_535, 0), (65_536, 1), (93_440, 1), (131_070, 1), (131_072, 2), (1 << 20, 5), (1 << 30, 14)]
    {
        assert_eq!(with_window(window).window_shift(), shift, "{window} B");
    }
}

/// Window, option of both SYNs, window field of the SYNs, later windows.
#[test]
fn both_syns_carry_the_option_if_the_window_needs_it() {
    for (window, option, on_syn, after) in [
        (64 * 1460, Some(1), 65_535, 93_440),
        (65_535, None, 65_535, 65_535),
        (20_000, None, 20_000, 20_000),
        // A window is rounded down to what the field can represent.
        (131_075, Some(2), 65_535, 131_072),
    ] {
        let config = with_window(window);
        let mut pair = Pair::new(&config, &"newreno".parse().expect("a variant"), Vec::new());
        pair.start([30_000, 0]);
        pair.run(10_000);
        assert_eq!(pair.seen[1].delivered, 30_000);
        let (syns, others): (Vec<&TcpSegment>, Vec<&TcpSegment>) =
            pair.log.iter().map(|(_, _, s)| s).partition(|s| s.flags.has(TcpFlags::SYN));
        assert_eq!(syns.len(), 2);
        assert!(syns.iter().all(|s| s.options.window_scale == option && s.window == on_syn), "{window} B");
        assert!(others.iter().all(|s| s.options.window_scale.is_none() && s.window == after), "{window} B");
    }
}

#[test]
fn ns2s_segments_have_no_options() {
    let config = TcpConfig::ns2();
    let mut pair = Pair::new(&config, &"newreno".parse().expect("a variant"), Vec::new());
    pair.start([30_000, 0]);
    pair.run(10_000);
    assert!(pair.log.iter().all(|(_, _, s)| s.options == TcpOptions::default() && s.window == 93_440));
}

/// If the peer's SYN has no such option, neither does the answer, and windows have 16 bits.
#[test]
fn a_peer_that_does_not_scale_gets_plain_windows() {
    let config = with_window(1 << 20);
    let rng = RngStream::new(1, NodeId(0), Purpose::Test);
    let variant = "newreno".parse().expect("a variant");
    let mut end = Connection::new(&config, &variant, Side::Passive, Ports { local: 1, remote: 2 }, rng);
    let mut out = Vec::new();
    end.open(SimTime::ZERO, &mut out);
    let syn = TcpSegment {
        src_port: 2,
        dst_port: 1,
        seq: Seq32(0),
        ack: Seq32(0),
        flags: TcpFlags::SYN,
        window: 10_000,
        payload: 0,
        options: TcpOptions { mss: Some(1460), ..TcpOptions::default() },
    };
    end.on_segment(SimTime::ZERO, &syn, Arrival::default(), &mut out);
    let data = TcpSegment { seq: Seq32(1), ack: Seq32(1), flags: TcpFlags::ACK, payload: 1460, ..syn };
    end.on_segment(SimTime::ZERO, &data, Arrival::default(), &mut out);
    let sent: Vec<_> = out
        .iter()
        .filter_map(|a| match a {
            TcpAction::Send { segment, .. } => Some((segment.options.window_scale, segment.window)),
            _ => None,
        })
        .collect();
    assert_eq!(sent, [(None, 65_535), (None, 65_535)]);
}
