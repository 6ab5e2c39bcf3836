//! Pacing and delivery-rate samples from a variant's view.

use crate::common::{Fate, Pair};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tworay_base::{SimDuration, SimTime};
use tworay_tcp::{
    AckEvent, CongestionControl, Effect, Effects, RateSample, RecoveryKind, SackForm, SenderView, TcpConfig,
    Variant, Window,
};

/// Paces from the first ACK on, and counts what the rate samples report.
#[derive(Debug)]
struct Paced {
    gap: SimDuration,
    delivered: Arc<AtomicU64>,
    total: u64,
    /// Expected age of every echoed timestamp, if known.
    age: Option<SimDuration>,
}

impl CongestionControl for Paced {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        let echo = event.echo.expect("timestamps are on");
        let age = view.now.since(echo);
        assert!(echo <= view.now && self.age.is_none_or(|a| a == age), "{age} old at {}", view.now);
        event.standard
    }
    fn on_rate(&mut self, view: &SenderView, sample: &RateSample, effects: &mut Effects) {
        effects.push(Effect::Pace(self.gap));
        assert!(sample.newly_delivered > 0.0 && sample.delivered >= sample.newly_delivered);
        let total = (sample.total_delivered * f64::from(view.mss)).round() as u64;
        assert!(self.total < total, "{total} after {}", self.total);
        self.total = total;
        // Both ends have a part, but only one sends.
        self.delivered.fetch_max(total, Ordering::Relaxed);
    }
}

fn paced(recovery: RecoveryKind, gap: SimDuration, age: Option<SimDuration>) -> (Variant, Arc<AtomicU64>) {
    let delivered = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&delivered);
    let make = move |_: &TcpConfig| -> Box<dyn CongestionControl> {
        Box::new(Paced { gap, delivered: Arc::clone(&counter), total: 0, age })
    };
    (Variant::custom("paced", recovery, Arc::new(make)), delivered)
}

/// Times at which end 0 sent payload.
fn sent(pair: &Pair) -> Vec<SimTime> {
    pair.log.iter().filter(|(_, who, s)| *who == 0 && s.payload > 0).map(|(at, ..)| *at).collect()
}

#[test]
fn segments_keep_the_gap_and_no_more() {
    // 40 segments, a window of 64: only pacing holds them back. The first two are sent before the first
    // ACK.
    let gap = SimDuration::from_millis(7);
    let (variant, delivered) = paced(RecoveryKind::NewReno, gap, Some(SimDuration::from_millis(100)));
    let config = TcpConfig {
        timestamps: true,
        initial_window: tworay_tcp::InitialWindow::Segments(30),
        ..TcpConfig::default()
    };
    let mut pair = Pair::new(&config, &variant, Vec::new());
    pair.start([100 * 1460, 0]);
    pair.run(10_000);
    let times = sent(&pair);
    assert_eq!(times.len(), 100);
    let gaps: Vec<SimDuration> = times.windows(2).map(|w| w[1].since(w[0])).collect();
    assert!(gaps[..29].iter().all(|g| g.is_zero()), "the initial window isn't paced");
    // One round trip later the first ACK starts the pacing.
    assert_eq!(gaps[29], pair.delay * 2);
    assert!(gaps[30..].iter().all(|g| *g == gap), "{:?}", &gaps[30..]);
    assert_eq!(delivered.load(Ordering::Relaxed), 100 * 1460 + 1, "the FIN counts as a byte");
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        6 => Just(Fate::Arrives),
        2 => Just(Fate::Lost),
        1 => (1u64..200).prop_map(|ms| Fate::Late(SimDuration::from_millis(ms))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_recovery_ends_its_transfer_when_paced(
        fates in prop::collection::vec(fate(), 0..80),
        bytes in 0u64..90_000,
        gap in 0u64..40_000,
        ns2: bool,
        form in prop_oneof![Just(SackForm::Rfc6675), Just(SackForm::Ns2Pipe), Just(SackForm::TcpLinux)],
    ) {
        for recovery in RecoveryKind::ALL {
            let (variant, delivered) = paced(*recovery, SimDuration::from_micros(gap), None);
            let mut config = if ns2 { TcpConfig::ns2() } else { TcpConfig::default() };
            (config.timestamps, config.sack.form) = (true, form);
            let mut pair = Pair::new(&config, &variant, fates.clone());
            pair.start([bytes, 0]);
            pair.run(100_000);
            let name = recovery.name();
            prop_assert_eq!(pair.seen[0].finished, 1, "{}: {:?}", name, pair.ends[0].snapshot());
            prop_assert_eq!(pair.seen[1].delivered, bytes, "{}", name);
            // Everything delivered was reported exactly once.
            prop_assert!(delivered.load(Ordering::Relaxed) >= bytes, "{}", name);
            // Repairs may start early, one segment each; all other segments keep the gap.
            let early = sent(&pair).windows(2).filter(|w| w[1].since(w[0]) < SimDuration::from_micros(gap)).count();
            let counters = pair.ends[0].counters();
            let allowed = 2 + counters.retransmitted_segments + 2 * counters.dup_acks;
            prop_assert!(early as u64 <= allowed, "{}: {} early, {} allowed", name, early, allowed);
        }
    }
}

/// The window at which a sender resumes after ten idle seconds. RFC 5681 §4.1: at most the initial window.
/// BBR ("Restarting From Idle"): the window of before, and its rate keeps the segments apart. Segments that
/// ACKs release one by one leave at least 1/64 of a round trip apart; from the initial window two leave at
/// once.
#[test]
fn bbr_keeps_its_model_while_the_application_is_idle() {
    for (name, keeps) in [("bbr", true), ("bbr3", true), ("newreno", false), ("cubic", false)] {
        let variant: Variant = name.parse().expect("a variant");
        let mut pair = Pair::new(&TcpConfig::default(), &variant, Vec::new());
        for who in [1, 0] {
            let mut out = Vec::new();
            pair.ends[who].open(pair.now, &mut out);
            pair.act(who, out);
        }
        pair.write(300_000);
        pair.run(100_000);
        let before = pair.ends[0].snapshot().cwnd;
        assert!(before > 10.0 && pair.ends[0].snapshot().flight_bytes == 0, "{name}: {before}");
        pair.now += SimDuration::from_secs(10);
        let from = pair.now;
        pair.write(300_000);
        let after = pair.ends[0].snapshot().cwnd;
        assert_eq!(after, if keeps { before } else { 2.0 }, "{name}");
        pair.run(100_000);
        let at: Vec<SimTime> = sent(&pair).into_iter().filter(|at| *at >= from).collect();
        let first = at.iter().filter(|t| t.since(from) < SimDuration::from_millis(50)).count();
        let at_once = at.iter().filter(|t| **t == from).count();
        assert!(
            if keeps { at_once == 1 && first > 2 } else { at_once == 2 && first == 2 },
            "{name}: {at_once}, {first}"
        );
    }
}
