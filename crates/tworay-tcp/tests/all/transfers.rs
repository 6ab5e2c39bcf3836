//! Whatever is lost, duplicated or reordered, a finite transfer delivers exactly what was written, and ends
//! once the path is good. Covers every variant, every handshake, and both directions at once.

use crate::common::{Fate, Pair, every_variant};
use proptest::prelude::*;
use tworay_base::{Seq32, SimDuration, SimTime};
use tworay_tcp::{
    AckPolicy, Amount, Handshake, NewRenoExit, NewRenoTimer, RenoForm, SackForm, TcpConfig, Timing, Variant,
    VegasForm,
};
use tworay_wire::TcpSegment;

/// Every variant of the registry, and the useful combinations.
fn variants() -> Vec<Variant> {
    let combined = COMBINATIONS.iter().map(|n| n.parse().unwrap_or_else(|e| panic!("{n}: {e}")));
    every_variant().into_iter().chain(combined).collect()
}

/// Enough to combine every setting with every variant.
const CASES: u32 = 200;

const COMBINATIONS: &[&str] = &[
    "sack+westwood+",
    "sack+westwood+(2)+cwl(5)",
    "reno+sca(4)",
    "newreno+cwl(1)",
    "tahoe+ssca",
    "sack+adaptive-sca+adaptive-cwl",
    "newreno+daa",
    "sack+daa",
    "vegas+cwl(3)",
    "newreno+adaptive-sca+westwood+cwl(4)",
    "welcome(lra_wireless=cap,congestion=fig7,predicate=popcount5,bwe=tustin,filter=flipflop)",
    "welcome(cwnd=2,a_fixed=yes,relative=successive,predicate=run_current)",
    "welcome(cwnd=1,samples=1,count=1)",
    "sack+welcome(lra_link=keep,constant=band)",
    "reno+welcome(cwnd=2,lra_link=keep)",
    "probing(predictor=none)",
    "probing(gate_rto=yes,three_quarters=printed,resend=partial_acks)",
    "probing(predictor=per_second,reference=best_probe_prev,contention=slow_start,tie=below)",
    "freeze-probing(0.3,0.2,no)",
    "newreno+elfn(resume=go_back)",
    "sack+elfn(interval=0.3)",
    "sca(4)+elfn",
    "sack+cubic",
    "reno+cubic(fast_convergence=no,friendly=no)",
    "sack+veno(base=ever,rtt=shortest)",
    "newreno+cerl+cwl(4)",
    "sack+cdg(tolerance=no,scale=0.01)",
    "bbr(floor=1,rtprop=0.5,probe_rtt=0.05)",
    "bbr3(floor=1,wait=0.1,min_rtt=1,probe_rtt=0.5)",
    "copa(switching=no,delta=0.05)",
    "linux+bbr",
    "linux+cubic",
    "linux+cubic+hystart++",
    "linux+vegas-growth",
    "sack+hystart++(cap=0)+veno",
    "linux+eifel+westwood+cwl(4)",
    "sack+rack-tlp+prr+f-rto+eifel+hystart++",
    "sack+prr+elfn(resume=go_back)",
    "sack+rack-tlp+welcome(lra_link=keep)",
    "newreno+f-rto+eifel+hystart++(0)",
    "reno+f-rto+veno",
    "tahoe+f-rto+sca",
];

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        5 => Just(Fate::Arrives),
        3 => Just(Fate::Lost),
        1 => Just(Fate::Doubled),
        2 => (1u64..400).prop_map(|ms| Fate::Late(SimDuration::from_millis(ms))),
    ]
}

fn config() -> impl Strategy<Value = TcpConfig> {
    let handshake = prop_oneof![Just(Handshake::ThreeWay), Just(Handshake::OneWay), Just(Handshake::None)];
    (handshake, any::<[bool; 14]>(), 0u32..4, prop_oneof![Just(0u32), Just(u32::MAX - 5000)]).prop_map(
        |(handshake, b, burst, iss)| {
            let mut c = if b[0] { TcpConfig::ns2() } else { TcpConfig::default() };
            c.handshake = handshake;
            c.fin = b[1];
            c.limited_transmit = b[2];
            c.timestamps = b[3];
            c.timing = if b[4] { Timing::EverySegment } else { Timing::OnePerWindow };
            c.reno = if b[5] { RenoForm::Rfc } else { RenoForm::Bugfix };
            c.vegas = if b[12] { VegasForm::Clean } else { VegasForm::Ns2 };
            c.newreno.partial_window_deflation = b[6];
            c.newreno.exit = if b[7] { NewRenoExit::Keep } else { NewRenoExit::Flight };
            c.newreno.timer = if b[8] { NewRenoTimer::Impatient } else { NewRenoTimer::SlowButSteady };
            c.sack.form = match (b[9], b[13]) {
                (true, _) => SackForm::Rfc6675,
                (false, true) => SackForm::Ns2Pipe,
                (false, false) => SackForm::TcpLinux,
            };
            c.sack.dsack = b[10];
            c.receiver.acks = if b[11] { AckPolicy::Delayed } else { AckPolicy::EverySegment };
            c.max_burst = burst;
            c.iss = iss;
            c
        },
    )
}

/// `ms` milliseconds after the start of the test network.
fn after(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(1000 + ms)
}

fn check(
    config: &TcpConfig,
    variant: &Variant,
    fates: Vec<Fate>,
    bytes: [u64; 2],
) -> Result<(), TestCaseError> {
    check_over(config, variant, fates, bytes, &[], false)
}

/// With outages (start and length in ms), optionally on a path that removes probe options.
fn check_over(
    config: &TcpConfig,
    variant: &Variant,
    fates: Vec<Fate>,
    bytes: [u64; 2],
    outages: &[(u64, u64)],
    strips_probes: bool,
) -> Result<(), TestCaseError> {
    let mut pair = Pair::new(config, variant, fates);
    pair.outages = outages.iter().map(|&(from, ms)| (after(from), after(from + ms))).collect();
    pair.strips_probes = strips_probes;
    pair.start(bytes);
    pair.run(200_000);
    for (who, &written) in bytes.iter().enumerate() {
        let (seen, end) = (&pair.seen[who], &pair.ends[who]);
        prop_assert_eq!(
            seen.finished,
            1,
            "{} side {}: {:?} {:?}",
            variant,
            who,
            end.snapshot(),
            end.counters()
        );
        prop_assert_eq!(seen.connected, 1);
        prop_assert_eq!(end.counters().acked_bytes, written);
        prop_assert_eq!(pair.seen[1 - who].delivered, written, "{}", variant);
        prop_assert!(pair.seen[1 - who].peer_closed <= 1);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_finite_transfer_delivers_what_was_written_and_ends(
        config in config(),
        fates in prop::collection::vec(fate(), 0..120),
        bytes in prop_oneof![(0u64..120_000, Just(0u64)), (0u64..60_000, 0u64..60_000)],
    ) {
        for variant in variants() {
            check(&config, &variant, fates.clone(), [bytes.0, bytes.1])?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES / 2, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn broken_links_end_no_transfer(
        config in config(),
        fates in prop::collection::vec(fate(), 0..60),
        bytes in prop_oneof![(0u64..150_000, Just(0u64)), (0u64..60_000, 0u64..60_000)],
        outages in prop::collection::vec((0u64..20_000, 1u64..8_000), 1..4),
        strips_probes: bool,
    ) {
        for variant in variants() {
            check_over(&config, &variant, fates.clone(), [bytes.0, bytes.1], &outages, strips_probes)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES / 2, failure_persistence: None, ..ProptestConfig::default() })]
    /// An application that stops sends no new data, and all that it had sent arrives. Its transfer had no
    /// end, or one that it did not reach.
    #[test]
    fn a_sender_that_stops_finishes_what_it_has_sent_and_no_more(
        config in config(),
        fates in prop::collection::vec(fate(), 0..60),
        whole in prop_oneof![Just(Amount::Endless), Just(Amount::Bytes(50_000_000))],
        stop in 0u64..8_000,
    ) {
        for variant in variants() {
            let mut pair = Pair::new(&config, &variant, fates.clone());
            let stopped = pair.stop_at(whole, after(stop));
            let end_of = |segment: &TcpSegment| u64::from(segment.seq.diff(Seq32(config.iss)) as u32)
                + u64::from(segment.payload);
            // By its place in the log: what was sent in the instant of the stop, but before it, is no new data.
            let sent = |from: usize, to: usize| {
                let data = pair.log[from..to].iter().filter(|(_, who, s)| *who == 0 && s.payload > 0);
                data.map(|(_, _, segment)| end_of(segment)).max().unwrap_or(1)
            };
            let before = sent(0, stopped);
            prop_assert!(sent(stopped, pair.log.len()) <= before, "{} sends new data", variant);
            prop_assert_eq!(pair.seen[0].finished, 1, "{}: {:?}", variant, pair.ends[0].snapshot());
            prop_assert_eq!(pair.seen[1].delivered, before - 1, "{}", variant);
            prop_assert_eq!(pair.ends[0].counters().acked_bytes, before - 1, "{}", variant);
        }
    }
}

#[test]
fn a_long_outage_is_survived() {
    for variant in variants() {
        let fates = (0..60).map(|i| if i < 30 { Fate::Arrives } else { Fate::Lost }).collect();
        check(&TcpConfig::default(), &variant, fates, [300_000, 0]).expect("a complete transfer");
    }
}

#[test]
fn without_losses_nothing_is_sent_twice() {
    for variant in variants() {
        for config in [TcpConfig::default(), TcpConfig::ns2()] {
            let mut pair = Pair::new(&config, &variant, Vec::new());
            pair.start([500_000, 0]);
            pair.run(100_000);
            let counters = pair.ends[0].counters();
            assert_eq!((counters.retransmitted_segments, counters.timeouts), (0, 0), "{variant}");
            assert_eq!(counters.sent_segments, 500_000u64.div_ceil(1460), "{variant}");
        }
    }
}

#[test]
fn a_closed_window_is_probed_until_it_opens() {
    use tworay_tcp::{Arrival, SegmentKind, TcpAction, TcpTimer};
    let variant: Variant = "newreno".parse().expect("a variant");
    let config = TcpConfig { handshake: Handshake::None, ..TcpConfig::default() };
    let mut pair = Pair::new(&config, &variant, Vec::new());
    let (now, mut out) = (pair.now, Vec::new());
    let end = &mut pair.ends[0];
    end.open(now, &mut out);
    end.write(now, Amount::Bytes(5000), &mut out);
    let TcpAction::Send { segment, .. } =
        out.iter().rev().find(|a| matches!(a, TcpAction::Send { .. })).expect("data")
    else {
        unreachable!()
    };
    let mut answer = *segment;
    (answer.ack, answer.seq, answer.payload, answer.window) = (segment.seq_end(), segment.ack, 0, 0);
    out.clear();
    end.on_segment(now, &answer, Arrival::default(), &mut out);
    assert!(out.iter().any(|a| matches!(a, TcpAction::Arm(TcpTimer::Persist, _))), "{out:?}");
    out.clear();
    end.on_timer(now, TcpTimer::Persist, &mut out);
    assert!(out.iter().any(|a| matches!(a, TcpAction::Send { kind: SegmentKind::Probe, .. })), "{out:?}");
    answer.window = 60_000;
    out.clear();
    end.on_segment(now, &answer, Arrival::default(), &mut out);
    assert!(out.contains(&TcpAction::Disarm(TcpTimer::Persist)));
    assert!(
        out.iter().any(|a| matches!(a, TcpAction::Send { kind: SegmentKind::Data { .. }, .. })),
        "{out:?}"
    );
}
