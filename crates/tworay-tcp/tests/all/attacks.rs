//! Segments that others forge or repeat: a transfer delivers what was written all the same.
//!
//! The attacker of these tests sees every segment and can send old ones again, whenever it likes (RFC 9293 §3.4 and §3.10
//! keep old duplicates out), and can forge what no correct peer sends now: resets, SYNs, acknowledgments of data never
//! sent or from long ago, data far outside the window, impossible SACK blocks, answers to probes that nobody sent, and
//! notices of broken links. It doesn't forge numbers inside the window: then TCP without authentication can't help. Nor
//! does it forge the first SYN: a listener that takes it up is freed by the reset of the true peer (RFC 9293 §3.5.1), and
//! these endpoints neither send nor obey resets.

use crate::common::{Fate, Pair, every_variant};
use proptest::prelude::*;
use proptest::sample::Index;
use tworay_base::{Seq32, SimDuration};
use tworay_tcp::{Arrival, Handshake, PathEvent, TcpConfig};
use tworay_wire::{ProbeKind, ProbeOption, SackBlock, TcpFlags, TcpOptions, TcpSegment};

/// An act of the attacker.
#[derive(Clone, Debug)]
enum Attack {
    /// Sends a segment that was sent before again, to the end that it was for.
    Replay(Index),
    /// Sends a segment that no correct peer sends now.
    Forge(usize, Forgery),
    /// Tells an end that its path broke, or is there again.
    Notice(usize, bool),
}

#[derive(Clone, Debug)]
enum Forgery {
    Reset(u32),
    Syn(u32),
    /// Acknowledges this much more than was sent.
    AckOfUnsent(u32),
    /// Acknowledges this much less than the first byte.
    AckFromBefore(u32),
    /// Payload this far beyond the largest window.
    DataFarAhead(u32),
    /// SACK blocks this far beyond what was sent.
    SackOfUnsent(u32, u32),
    /// An answer to a probe that nobody sent.
    Answer(ProbeKind, u16),
}

fn forgery() -> impl Strategy<Value = Forgery> {
    let far = 1u32..1 << 29;
    prop_oneof![
        any::<u32>().prop_map(Forgery::Reset),
        any::<u32>().prop_map(Forgery::Syn),
        far.clone().prop_map(Forgery::AckOfUnsent),
        far.clone().prop_map(Forgery::AckFromBefore),
        far.clone().prop_map(Forgery::DataFarAhead),
        (far, 1u32..100_000).prop_map(|(ahead, length)| Forgery::SackOfUnsent(ahead, length)),
        // Numbers of a connection's probes begin at random; these are guesses.
        (prop::sample::select(&ProbeKind::ALL[..]), any::<u16>())
            .prop_map(|(kind, id)| Forgery::Answer(kind, id)),
    ]
}

/// Attacks, each with the number of events before it.
fn attacks() -> impl Strategy<Value = Vec<(u64, Attack)>> {
    let attack = prop_oneof![
        4 => any::<Index>().prop_map(Attack::Replay),
        4 => (0usize..2, forgery()).prop_map(|(who, forgery)| Attack::Forge(who, forgery)),
        1 => (0usize..2, any::<bool>()).prop_map(|(who, broken)| Attack::Notice(who, broken)),
    ];
    prop::collection::vec((1u64..40, attack), 1..60)
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        6 => Just(Fate::Arrives),
        2 => Just(Fate::Lost),
        1 => Just(Fate::Doubled),
        1 => (1u64..4000).prop_map(|ms| Fate::Late(SimDuration::from_millis(ms))),
    ]
}

/// The number after everything that an end has sent, and its first one.
fn sent_by(pair: &Pair, who: usize, iss: u32) -> (Seq32, Seq32) {
    let ends = pair.log.iter().filter(|(_, by, _)| *by == who).map(|(.., s)| s.seq_end());
    let last = ends.reduce(|a, b| if b.diff(a) > 0 { b } else { a });
    (Seq32(iss), last.unwrap_or(Seq32(iss).plus(1)))
}

/// A forged segment for end `to`.
fn forged(pair: &Pair, to: usize, forgery: &Forgery, config: &TcpConfig) -> TcpSegment {
    let (_, next) = sent_by(pair, 1 - to, config.iss);
    let (first, highest) = sent_by(pair, to, config.iss);
    let (src_port, dst_port) = if to == 0 { (2, 1) } else { (1, 2) };
    let mut segment = TcpSegment {
        src_port,
        dst_port,
        seq: next,
        ack: first,
        flags: TcpFlags::ACK,
        window: config.window_bytes() as u32,
        payload: 0,
        options: TcpOptions::default(),
    };
    match *forgery {
        Forgery::Reset(seq) => (segment.seq, segment.flags) = (Seq32(seq), TcpFlags::RST),
        Forgery::Syn(seq) => (segment.seq, segment.flags) = (Seq32(seq), TcpFlags::SYN),
        Forgery::AckOfUnsent(by) => segment.ack = highest.plus(by),
        Forgery::AckFromBefore(by) => (segment.ack, segment.window) = (first.minus(by), 0),
        Forgery::DataFarAhead(by) => {
            (segment.seq, segment.payload) = (next.plus(config.window_bytes() as u32 * 2).plus(by), 1000);
        }
        Forgery::SackOfUnsent(ahead, length) => {
            let left = highest.plus(ahead);
            segment.options.sack.push(SackBlock { left, right: left.plus(length) });
        }
        Forgery::Answer(kind, id) => segment.options.probe = Some(ProbeOption { kind, id }),
    }
    segment
}

fn act(pair: &mut Pair, attack: &Attack, config: &TcpConfig) {
    let mut out = Vec::new();
    let to = match attack {
        Attack::Replay(which) if pair.log.is_empty() => which.index(2),
        Attack::Replay(which) => {
            let (_, by, segment) = pair.log[which.index(pair.log.len())];
            let arrival = Arrival { ttl_left: 60, hops: 4 };
            pair.ends[1 - by].on_segment(pair.now, &segment, arrival, &mut out);
            1 - by
        }
        Attack::Forge(to, forgery) => {
            let segment = forged(pair, *to, forgery, config);
            pair.ends[*to].on_segment(pair.now, &segment, Arrival { ttl_left: 9, hops: 55 }, &mut out);
            *to
        }
        Attack::Notice(to, broken) => {
            let event =
                if *broken { PathEvent::LinkFailure { segment: None } } else { PathEvent::RouteFound };
            pair.ends[*to].on_path_event(pair.now, event, &mut out);
            *to
        }
    };
    pair.act(to, out);
}

proptest! {
    // A quarter of the usual number, 64, since each case runs every variant; PROPTEST_CASES scales it.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_attacker_beside_the_window_spoils_a_transfer(
        attacks in attacks(),
        fates in prop::collection::vec(fate(), 0..60),
        bytes in prop_oneof![(1u64..90_000, Just(0u64)), (1u64..40_000, 1u64..40_000)],
        handshake in prop_oneof![Just(Handshake::ThreeWay), Just(Handshake::OneWay), Just(Handshake::None)],
        iss in prop_oneof![Just(0u32), Just(u32::MAX - 5000), any::<u32>()],
        [fin, timestamps, dsack, ns2]: [bool; 4],
    ) {
        let mut config = if ns2 { TcpConfig::ns2() } else { TcpConfig::default() };
        (config.handshake, config.iss, config.fin) = (handshake, iss, fin);
        (config.timestamps, config.sack.dsack) = (timestamps, dsack);
        for variant in every_variant() {
            let mut pair = Pair::new(&config, &variant, fates.clone());
            pair.start([bytes.0, bytes.1]);
            for (events, attack) in &attacks {
                pair.run(*events);
                if pair.seen.iter().any(|seen| seen.finished > 0) {
                    break;
                }
                let listens = pair.seen[1].connected == 0;
                if !(listens && matches!(attack, Attack::Forge(1, Forgery::Syn(_)))) {
                    act(&mut pair, attack, &config);
                }
            }
            pair.run(200_000);
            for (who, written) in [bytes.0, bytes.1].into_iter().enumerate() {
                let (seen, end) = (&pair.seen[who], &pair.ends[who]);
                prop_assert_eq!(seen.finished, 1, "{} side {}: {:?} {:?}", variant, who, seen, end.snapshot());
                prop_assert_eq!(pair.seen[1 - who].delivered, written, "{} from side {}", variant, who);
                prop_assert_eq!(end.counters().acked_bytes, written, "{} side {}", variant, who);
            }
        }
    }
}

/// A sender with its first window of data in flight, and the ACK of everything sent.
fn with_window_in_flight(variant: &tworay_tcp::Variant, config: &TcpConfig) -> (Pair, TcpSegment) {
    let mut pair = Pair::new(config, variant, Vec::new());
    pair.start([10_000_000, 0]);
    let last = pair.log.iter().rev().find(|(_, by, s)| *by == 0 && s.payload > 0).expect("data").2;
    let options = TcpOptions::default();
    let ack = TcpSegment {
        src_port: 2,
        dst_port: 1,
        seq: last.ack,
        ack: last.seq_end(),
        payload: 0,
        options,
        ..last
    };
    (pair, ack)
}

/// ACK division (Savage et al. 1999, §4.1): a receiver acknowledges each segment in a hundred pieces. Slow start adds at
/// most the bytes newly acknowledged (RFC 5681 §3.1, equation 2), so that the window grows as if it had not.
#[test]
fn pieces_of_acknowledgments_open_no_window() {
    let config = TcpConfig { handshake: Handshake::None, ..TcpConfig::default() };
    let mss = 1460.0;
    let mut grown = Vec::new();
    for variant in every_variant() {
        let (mut pair, whole) = with_window_in_flight(&variant, &config);
        let before = pair.ends[0].snapshot().cwnd;
        let bytes = whole.ack.diff(Seq32(1)) as u32;
        for piece in (1..=bytes).filter(|n| n % 14 == 0 || *n == bytes) {
            let now = pair.now + SimDuration::from_millis(100) + SimDuration::from_micros(u64::from(piece));
            let segment = TcpSegment { ack: Seq32(1).plus(piece), ..whole };
            pair.ends[0].on_segment(now, &segment, Arrival::default(), &mut Vec::new());
        }
        let after = pair.ends[0].snapshot().cwnd;
        if after > before + f64::from(bytes) / mss + 1.0 {
            grown.push(format!("{variant}: {before} to {after} segments for {bytes} B"));
        }
    }
    assert!(grown.is_empty(), "{grown:#?}");
}

/// Optimistic acknowledgments (Savage et al. 1999, §4.3): a receiver acknowledges what it has not received yet. It gets
/// what it asks for, but never more in flight than it offered, and nothing beyond what was sent counts.
#[test]
fn optimistic_acknowledgments_stay_within_the_window() {
    let config = TcpConfig { handshake: Handshake::None, ..TcpConfig::default() };
    for variant in every_variant() {
        let (mut pair, mut ack) = with_window_in_flight(&variant, &config);
        let mut now = pair.now;
        let mut highest = ack.ack;
        for round in 0..400u64 {
            now += SimDuration::from_micros(500);
            // Every third one is for a segment that was not even sent.
            let lie = round % 3 == 2;
            ack.ack = if lie { highest.plus(1460) } else { highest };
            let mut out = Vec::new();
            pair.ends[0].on_segment(now, &ack, Arrival::default(), &mut out);
            for action in &out {
                if let tworay_tcp::TcpAction::Send { segment, .. } = action
                    && segment.seq_end().diff(highest) > 0
                {
                    highest = segment.seq_end();
                }
            }
            let state = pair.ends[0].snapshot();
            assert!(state.flight_bytes <= config.window_bytes(), "{variant}: {state:?}");
            assert!(state.cwnd.is_finite() && state.nxt == highest, "{variant}: {state:?} {highest:?}");
        }
        let (sent, acked) = (highest.diff(Seq32(1)) as u64, pair.ends[0].counters().acked_bytes);
        assert!(acked <= sent, "{variant}: {acked} acknowledged of {sent}");
        assert!(pair.ends[0].counters().ignored_for(tworay_tcp::Ignored::AckTooHigh) > 0, "{variant}");
    }
}
