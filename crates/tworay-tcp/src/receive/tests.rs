//! Which segments are acknowledged when, and with which SACK blocks.

use super::*;
use crate::{ReceiverConfig, SackConfig};
use tworay_wire::TcpOptions;

fn segment(start: u64, len: u32, fin: bool) -> TcpSegment {
    TcpSegment {
        src_port: 1,
        dst_port: 2,
        seq: Seq32(100 + start as u32),
        ack: Seq32(1),
        flags: if fin { TcpFlags::ACK.with(TcpFlags::FIN) } else { TcpFlags::ACK },
        window: 1000,
        payload: len,
        options: TcpOptions::default(),
    }
}

/// A receiver whose peer's SYN had number 100; data starts at offset 1.
fn receiver() -> (Receiver, Counters) {
    let mut r = Receiver::new(&ReceiverConfig::default());
    r.synchronise(Seq32(100), true);
    (r, Counters::default())
}

fn blocks(r: &Receiver, cfg: &TcpConfig) -> Vec<(u32, u32)> {
    r.blocks(cfg).iter().map(|b| (b.left.0 - 100, b.right.0 - 100)).collect()
}

#[test]
fn sack_blocks_newest_first() {
    let (mut r, mut c) = receiver();
    let cfg = TcpConfig::default();
    // Arriving (offset, length); then ACK, delivered bytes, blocks. RFC 2018 §4.
    type Row = ((u64, u32), u32, u64, &'static [(u32, u32)]);
    let table: [Row; 8] = [
        ((1, 10), 11, 10, &[]),
        ((21, 10), 11, 0, &[(21, 31)]),
        ((41, 10), 11, 0, &[(41, 51), (21, 31)]),
        ((31, 5), 11, 0, &[(21, 36), (41, 51)]),
        ((61, 10), 11, 0, &[(61, 71), (21, 36), (41, 51)]),
        ((81, 10), 11, 0, &[(81, 91), (61, 71), (21, 36)]),
        ((11, 10), 36, 25, &[(81, 91), (61, 71), (41, 51)]),
        ((36, 60), 96, 60, &[]),
    ];
    for ((at, len), ack, delivered, expected) in table {
        let result = r.accept(SimTime::ZERO, &cfg, &mut c, &segment(at, len, false));
        assert_eq!((r.ack().0 - 100, result.deliver), (ack, delivered), "after {at}+{len}");
        assert_eq!(blocks(&r, &cfg), expected, "after {at}+{len}");
        r.acknowledged();
    }
    assert_eq!(c.delivered_bytes, 95);
}

#[test]
fn duplicates_are_reported_if_wanted() {
    let (mut r, mut c) = receiver();
    let cfg = TcpConfig { sack: SackConfig { dsack: true, ..Default::default() }, ..Default::default() };
    r.accept(SimTime::ZERO, &cfg, &mut c, &segment(1, 10, false));
    r.accept(SimTime::ZERO, &cfg, &mut c, &segment(21, 10, false));
    let again = r.accept(SimTime::ZERO, &cfg, &mut c, &segment(1, 10, false));
    assert_eq!(again.ack, AckWhen::Alone, "a duplicate is answered at once");
    assert_eq!(blocks(&r, &cfg), [(1, 11), (21, 31)], "RFC 2883 §4: the duplicate first");
    r.acknowledged();
    assert_eq!(blocks(&r, &cfg), [(21, 31)], "and only once");
    assert_eq!(c.duplicates, 1);
}

#[test]
fn delayed_acks_hold_one_in_order_segment() {
    let (mut r, mut c) = receiver();
    let receiver = ReceiverConfig { acks: AckPolicy::Delayed, ..Default::default() };
    let cfg = TcpConfig { receiver, ..Default::default() };
    // RFC 5681 §4.2
    for (at, when, why) in [
        (1, AckWhen::Later, "the first of two"),
        (11, AckWhen::Now, "the second"),
        (31, AckWhen::Alone, "beyond a gap"),
        (21, AckWhen::Now, "fills the gap"),
        (41, AckWhen::Later, "in order again"),
    ] {
        let result = r.accept(SimTime::ZERO, &cfg, &mut c, &segment(at, 10, false));
        assert_eq!(result.ack, when, "{why}");
        if result.ack != AckWhen::Later {
            r.acknowledged();
        }
    }
}

/// RFC 7323 §4.3: an ACK of several segments echoes the timestamp of the first one; out-of-order segments
/// are not echoed.
#[test]
fn the_echo_is_of_the_segment_that_moved_the_window_first() {
    let (mut r, mut c) = receiver();
    let cfg = TcpConfig::default();
    let mut arrives = |r: &mut Receiver, at, stamp| {
        let mut s = segment(at, 10, false);
        s.options.timestamps = Some((stamp, 0));
        r.accept(SimTime::ZERO, &cfg, &mut c, &s);
        r.timestamp_to_echo()
    };
    assert_eq!([arrives(&mut r, 1, 7), arrives(&mut r, 11, 8)], [7, 7]);
    r.acknowledged();
    assert_eq!([arrives(&mut r, 31, 9), arrives(&mut r, 21, 10)], [7, 10]);
}

#[test]
fn the_fin_counts_once_everything_before_it_is_here() {
    let (mut r, mut c) = receiver();
    let cfg = TcpConfig::default();
    let early = r.accept(SimTime::ZERO, &cfg, &mut c, &segment(11, 0, true));
    assert!(!early.closed && early.deliver == 0);
    let all = r.accept(SimTime::ZERO, &cfg, &mut c, &segment(1, 10, false));
    assert_eq!((all.closed, all.deliver, r.ack().0 - 100), (true, 10, 12));
    let again = r.accept(SimTime::ZERO, &cfg, &mut c, &segment(11, 0, true));
    assert!(!again.closed, "the peer closes once");
}

/// Data that starts at or beyond the end of the window is discarded. [`Receiver::is_beyond_window`] tells
/// the simulation before the segment arrives, so that it books the segment as lost instead of delivered.
#[test]
fn nothing_beyond_the_window_is_kept() {
    let cfg = TcpConfig::default();
    let window = cfg.window_bytes();
    // Segment that arrived before (offset, length); segment under test (offset, length); whether it is
    // discarded.
    type Row = (Option<(u64, u32)>, (u64, u32), bool);
    let table: [Row; 7] = [
        (None, (1 + window, 10), true),
        (None, (5 + window, 10), true),
        // Its first byte is the last one of the window: the rest is cut off.
        (None, (window, 10), false),
        (None, (1, 10), false),
        // The window starts after the in-order data, not after data beyond a gap.
        (Some((1, 10)), (1 + window, 10), false),
        (Some((2, 10)), (1 + window, 10), true),
        // Repeated data: it was kept the first time.
        (Some((1, 10)), (1, 10), false),
    ];
    for (before, (at, len), thrown_away) in table {
        let (mut r, mut c) = receiver();
        if let Some((at, len)) = before {
            r.accept(SimTime::ZERO, &cfg, &mut c, &segment(at, len, false));
        }
        let (known, arrives) = (blocks(&r, &cfg), segment(at, len, false));
        assert_eq!(r.is_beyond_window(&arrives, &cfg), thrown_away, "{before:?} {at}+{len}");
        let result = r.accept(SimTime::ZERO, &cfg, &mut c, &arrives);
        assert_eq!(c.ignored_for(Ignored::OutsideWindow), u64::from(thrown_away), "{before:?} {at}+{len}");
        if thrown_away {
            assert_eq!((result.ack, result.deliver), (AckWhen::Alone, 0), "{before:?} {at}+{len}");
            assert_eq!(blocks(&r, &cfg), known);
        }
    }
}

/// Altman and Jiménez 2003: one segment for an ACK at first, two from the 2nd on, three from the 5th, four from the
/// 9th. Two are held until the third segment, then the 4th counts for two and the 5th for three: the ACK leaves at
/// the 6th. The 7th and 8th would need a third, but the 9th already needs four.
#[test]
fn stretched_acks_answer_more_segments_as_the_transfer_goes_on() {
    let (mut r, mut c) = receiver();
    let stretched = ReceiverConfig { acks: AckPolicy::Stretched, ..Default::default() };
    let cfg = TcpConfig { receiver: stretched, mss: tworay_base::Bytes(10), ..Default::default() };
    let mut rhythm = String::new();
    for n in 0..18 {
        let result = r.accept(SimTime::ZERO, &cfg, &mut c, &segment(1 + 10 * n, 10, false));
        let first = !rhythm.ends_with('.');
        match result.ack {
            AckWhen::Now => {
                assert_eq!(result.wait, None);
                r.acknowledged();
                rhythm.push('A');
            }
            AckWhen::Later => {
                assert_eq!(result.wait, first.then_some(cfg.receiver.interval), "the timer starts once");
                rhythm.push('.');
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(rhythm, "A.A..A...A...A...A");
    // Beyond a gap, and filling it: at once (RFC 5681 §4.2).
    assert_eq!(r.accept(SimTime::ZERO, &cfg, &mut c, &segment(201, 10, false)).ack, AckWhen::Alone);
    assert_eq!(r.accept(SimTime::ZERO, &cfg, &mut c, &segment(181, 10, false)).ack, AckWhen::Now);
}
