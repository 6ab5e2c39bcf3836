//! Invalid segments are ignored and counted; they cause neither a panic nor a deadlock.

use crate::common::{Pair, every_variant};
use proptest::prelude::*;
use tworay_base::{Seq32, SimDuration};
use tworay_tcp::{AckSize, Arrival, Handshake, Ignored, PathEvent, SackForm, TcpConfig, TcpTimer};
use tworay_wire::{ProbeKind, ProbeOption, Report, SackBlock, TcpFlags, TcpOptions, TcpSegment};

const CASES: u32 = 200;

/// Sequence numbers near those of the connection and far from them.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0u32..60_000, 1 => any::<u32>(), 1 => (u32::MAX - 3000)..=u32::MAX, 1 => Just(0u32), 1 => Just(1u32)]
}

fn segment() -> impl Strategy<Value = TcpSegment> {
    let block = (number(), number()).prop_map(|(l, r)| SackBlock { left: Seq32(l), right: Seq32(r) });
    let probe = prop::option::of(
        (prop::sample::select(&ProbeKind::ALL[..]), prop_oneof![0u16..20, any::<u16>()])
            .prop_map(|(kind, id)| ProbeOption { kind, id }),
    );
    let report = prop::option::of(prop::sample::select(&Report::ALL[..]));
    let options =
        (any::<Option<(u32, u32)>>(), prop::collection::vec(block, 0..5), any::<bool>(), probe, report)
            .prop_map(|(timestamps, blocks, sack_permitted, probe, report)| TcpOptions {
                probe,
                report,
                timestamps,
                sack: blocks.into_iter().collect(),
                sack_permitted,
                ..TcpOptions::default()
            });
    let flags = prop_oneof![6 => Just(TcpFlags::ACK.0), 1 => any::<u8>()];
    let payload = prop_oneof![Just(0u32), 0u32..3000, any::<u32>()];
    let window = prop_oneof![Just(0u32), Just(93_440u32), any::<u32>()];
    (number(), number(), flags, payload, window, options).prop_map(
        |(seq, ack, flags, payload, window, options)| TcpSegment {
            src_port: 2,
            dst_port: 1,
            seq: Seq32(seq),
            ack: Seq32(ack),
            flags: TcpFlags(flags),
            window,
            payload,
            options,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn arbitrary_segments_and_timers_do_no_harm(
        segments in prop::collection::vec((segment(), 0u64..400, 0usize..12), 0..80),
        handshake in prop_oneof![Just(Handshake::ThreeWay), Just(Handshake::OneWay), Just(Handshake::None)],
        ns2: bool,
        rfc_sack: bool,
        linux: bool,
    ) {
        for variant in every_variant() {
            let mut config = if ns2 { TcpConfig::ns2() } else { TcpConfig::default() };
            config.handshake = handshake;
            config.timestamps = rfc_sack;
            config.ack_size = AckSize::Encoded;
            config.sack.form = match (rfc_sack, linux) {
                (true, _) => SackForm::Rfc6675,
                (false, true) => SackForm::TcpLinux,
                (false, false) => SackForm::Ns2Pipe,
            };
            let mut pair = Pair::new(&config, &variant, Vec::new());
            pair.start([80_000, 5_000]);
            pair.run(40);
            let mut now = pair.now;
            for (segment, wait, timer) in &segments {
                now += SimDuration::from_millis(*wait);
                for end in &mut pair.ends {
                    let mut out = Vec::new();
                    end.on_segment(now, segment, Arrival { ttl_left: 1, hops: *wait as u8 }, &mut out);
                    match TcpTimer::from_index(*timer) {
                        Some(timer) => end.on_timer(now, timer, &mut out),
                        None if *timer == 4 => end.on_path_event(now, PathEvent::LinkFailure { segment: None }, &mut out),
                        None if *timer == 5 => end.on_path_event(now, PathEvent::RouteFound, &mut out),
                        None => {}
                    }
                    prop_assert!(out.len() < 1000, "a flood of {} actions", out.len());
                    let s = end.snapshot();
                    prop_assert!(s.cwnd > 0.0 && s.cwnd.is_finite() && s.ssthresh >= 2.0, "{:?}", s);
                    prop_assert!(s.flight_bytes <= 2 * config.window_bytes(), "{:?}", s);
                }
            }
        }
    }
}

/// An open connection with data in flight, and a valid ACK to corrupt.
fn open() -> (Pair, TcpSegment) {
    let config = TcpConfig { handshake: Handshake::None, ..TcpConfig::default() };
    let mut pair = Pair::new(&config, &"sack".parse().expect("a variant"), Vec::new());
    pair.start([100_000, 0]);
    let sent = pair.log.iter().find(|(_, who, s)| *who == 0 && s.payload > 0).expect("data").2;
    let ack = TcpSegment { src_port: 2, dst_port: 1, seq: sent.ack, ack: sent.seq_end(), payload: 0, ..sent };
    (pair, ack)
}

#[test]
fn each_kind_of_garbage_is_counted_by_its_reason() {
    let block = |l, r| SackBlock { left: Seq32(l), right: Seq32(r) };
    type Spoil = fn(&mut TcpSegment);
    let table: [(&str, Spoil, Ignored); 6] = [
        ("an ACK for data never sent", |s| s.ack = s.ack.plus(1_000_000), Ignored::AckTooHigh),
        ("an ACK from before the connection", |s| s.ack = Seq32(0).minus(5), Ignored::OldAck),
        ("a SYN in the middle", |s| s.flags = TcpFlags::SYN, Ignored::UnexpectedSyn),
        ("no ACK flag", |s| s.flags = TcpFlags(0), Ignored::NoConnection),
        (
            "data far beyond the window",
            |s| (s.seq, s.payload) = (s.seq.plus(500_000), 100),
            Ignored::OutsideWindow,
        ),
        ("a reset", |s| s.flags = TcpFlags::RST, Ignored::Reset),
    ];
    for (what, spoil, reason) in table {
        let (mut pair, mut segment) = open();
        spoil(&mut segment);
        let before = pair.ends[0].snapshot();
        pair.ends[0].on_segment(pair.now, &segment, Arrival::default(), &mut Vec::new());
        assert_eq!(pair.ends[0].counters().ignored_for(reason), 1, "{what}");
        assert_eq!(pair.ends[0].snapshot(), before, "{what} changes nothing");
    }
    for absurd in [block(5, 5), block(900, 100), block(1, 5_000_000), block(u32::MAX, 3)] {
        let (mut pair, mut segment) = open();
        segment.options.sack.push(absurd);
        pair.ends[0].on_segment(pair.now, &segment, Arrival::default(), &mut Vec::new());
        assert_eq!(pair.ends[0].counters().ignored_for(Ignored::BadSackBlock), 1, "{absurd:?}");
    }
}

/// A connection can say before the arrival of a segment that it will discard all of it, so that the segment
/// is booked as lost.
#[test]
fn a_connection_says_what_it_will_throw_away() {
    let window = TcpConfig::default().window_bytes() as u32;
    // Distance beyond the next byte, payload, and whether it is discarded.
    for (ahead, payload, thrown_away) in
        [(0, 100, false), (window - 1, 100, false), (window, 100, true), (window, 0, false)]
    {
        let (mut pair, ack) = open();
        let segment = TcpSegment { seq: ack.seq.plus(ahead), payload, ..ack };
        assert_eq!(pair.ends[0].throws_away(&segment), thrown_away, "{ahead}+{payload}");
        pair.ends[0].on_segment(pair.now, &segment, Arrival::default(), &mut Vec::new());
        let ignored = pair.ends[0].counters().ignored_for(Ignored::OutsideWindow);
        assert_eq!(ignored, u64::from(thrown_away), "{ahead}+{payload}");
    }
}

#[test]
fn segments_before_opening_are_counted() {
    let (_, segment) = open();
    let mut pair = Pair::new(&TcpConfig::default(), &"reno".parse().expect("a variant"), Vec::new());
    pair.ends[1].on_segment(pair.now, &segment, Arrival::default(), &mut Vec::new());
    assert_eq!(pair.ends[1].counters().ignored_for(Ignored::NoConnection), 1);
}

#[test]
fn forged_probes_and_notices_change_nothing() {
    let open = |variant: &str| {
        let mut pair = Pair::new(&TcpConfig::default(), &variant.parse().expect("a variant"), Vec::new());
        pair.start([100_000, 0]);
        pair.run(6);
        let (_, _, sent) = *pair.log.iter().find(|(_, who, s)| *who == 0 && s.payload > 0).expect("data");
        let ack = TcpSegment { src_port: 2, dst_port: 1, seq: sent.ack, ack: sent.seq, payload: 0, ..sent };
        (pair, ack)
    };
    let probe = |kind, id| Some(ProbeOption { kind, id });
    // Description, variant, option, payload.
    let table = [
        ("an answer nobody asked for", "probing", probe(ProbeKind::Pr1Ack, 7), 0),
        ("the second answer first", "probing", probe(ProbeKind::Pr2Ack, 0), 0),
        ("an answer to Freeze-Probing", "freeze-probing", probe(ProbeKind::Pr1Ack, 1), 0),
        ("permission in the middle", "probing", probe(ProbeKind::Permitted, 0), 0),
        ("a question with payload", "probing", probe(ProbeKind::Probe1, 1), 10),
        ("a question that wasn't agreed on", "newreno", probe(ProbeKind::Probe1, 1), 0),
    ];
    for (what, variant, option, payload) in table {
        let (mut pair, mut segment) = open(variant);
        (segment.options.probe, segment.payload) = (option, payload);
        let (before, mut out) = (pair.ends[0].snapshot(), Vec::new());
        pair.ends[0].on_segment(pair.now, &segment, Arrival::default(), &mut out);
        assert_eq!(pair.ends[0].counters().ignored_for(Ignored::StrayProbe), 1, "{what}");
        assert_eq!(pair.ends[0].snapshot(), before, "{what}");
        assert_eq!(pair.ends[0].counters().probes_answered, 0, "{what}");
    }
    // A notice of a broken link before the connection is open, when nothing is in flight.
    let mut pair = Pair::new(&TcpConfig::default(), &"reno+elfn".parse().expect("a variant"), Vec::new());
    pair.ends[1].on_path_event(pair.now, PathEvent::LinkFailure { segment: None }, &mut Vec::new());
    assert_eq!(pair.ends[1].counters().ignored_for(Ignored::StrayNotice), 1);
    assert_eq!(pair.ends[1].counters().freezes, 0);
}
