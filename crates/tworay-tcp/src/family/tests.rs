//! Every variant of the family as a table.

use super::bandwidth::{Bandwidth, PerRoundTrip, Tibet, Tustin};
use super::flip_flop::{FlipFlop, Verdict};
use super::slow_growth::Gate;
use super::*;
use crate::control::{
    AckEvent, Backoff, DupAckEvent, Effect, Effects, LossEvent, PathEvent, RtoEvent, RttEvent, SenderView,
    Window,
};
use crate::{TcpConfig, Variant};
use tworay_base::{Seq32, SimDuration, SimTime};

fn view(cwnd: f64, ssthresh: f64) -> SenderView {
    SenderView {
        now: SimTime::ZERO,
        cwnd,
        ssthresh,
        advertised: 64.0,
        mss: 1000,
        una: Seq32(1),
        nxt: Seq32(1),
        max: Seq32(1),
        flight: cwnd,
        dup_acks: 0,
        in_recovery: false,
        after_timeout: false,
        srtt: None,
        rttvar: None,
        rto: SimDuration::from_secs(1),
        base_rto: SimDuration::from_secs(1),
        peer_probes: true,
        hops: 0,
    }
}

fn part(entry: &Entry, values: &[f64]) -> Box<dyn CongestionControl> {
    let Meaning::Part { make, .. } = entry.meaning else { panic!("{} is no part", entry.info.name) };
    make(values)(&TcpConfig::default())
}

fn ack(view: &SenderView) -> AckEvent {
    let cwnd = view.cwnd + if view.cwnd < view.ssthresh { 1.0 } else { 1.0 / view.cwnd };
    AckEvent {
        bytes: 1000,
        segments: 1.0,
        may_grow: true,
        standard: Window { cwnd, ssthresh: view.ssthresh },
    }
}

const HALF: Window = Window { cwnd: 5.0, ssthresh: 5.0 };
const LOSS: LossEvent = LossEvent { seq: Seq32(1), standard: HALF };

fn rto(consecutive: u32) -> RtoEvent {
    RtoEvent { seq: Seq32(1), consecutive, opening: false, standard: Window { cwnd: 1.0, ssthresh: 5.0 } }
}

/// `+` where an ACK grows the window.
fn growth(part: &mut dyn CongestionControl, view: &SenderView, acks: usize) -> String {
    let mut effects = Effects::new();
    (0..acks)
        .map(|_| if part.on_ack(view, &ack(view), &mut effects).cwnd > view.cwnd { '+' } else { '.' })
        .collect()
}

#[test]
fn the_gate_opens_once_in_theta_plus_one() {
    for (theta, expected) in [(0, "++++++++"), (1, "+.+.+.+."), (2, "+..+..+."), (4, "+....+..")] {
        let mut gate = Gate::default();
        let found: String = (0..8).map(|_| if gate.opens(theta) { '+' } else { '.' }).collect();
        assert_eq!(found, expected, "theta = {theta}");
    }
}

#[test]
fn ss_sca_and_ssca_gate_their_phases() {
    let (slow_start, avoidance) = (view(4.0, 10.0), view(10.0, 10.0));
    for (entry, in_slow_start, in_avoidance) in [
        (&slow_growth::SS, "+..+..", "++++++"),
        (&slow_growth::SCA, "++++++", "+..+.."),
        (&slow_growth::SSCA, "+..+..", "+..+.."),
    ] {
        let mut part = part(entry, &[2.0, 0.0]);
        assert_eq!(growth(&mut *part, &slow_start, 6), in_slow_start, "{}", entry.info.name);
        assert_eq!(growth(&mut *part, &avoidance, 6), in_avoidance, "{}: anew in avoidance", entry.info.name);
    }
}

#[test]
fn a_loss_restarts_the_count() {
    let avoidance = view(10.0, 10.0);
    let mut part = part(&slow_growth::SCA, &[4.0, 0.0]);
    assert_eq!(growth(&mut *part, &avoidance, 2), "+.");
    assert_eq!(part.on_loss(&avoidance, &LOSS, &mut Effects::new()), HALF);
    assert_eq!(growth(&mut *part, &avoidance, 2), "+.");
    part.on_rto(&avoidance, &rto(1), &mut Effects::new());
    assert_eq!(growth(&mut *part, &avoidance, 2), "+.");
}

#[test]
fn short_paths_can_be_left_alone() {
    let mut part = part(&slow_growth::SCA, &[4.0, 4.0]);
    let at = |hops| SenderView { hops, ..view(10.0, 10.0) };
    assert_eq!(growth(&mut *part, &at(3), 6), "++++++");
    assert_eq!(growth(&mut *part, &at(4), 6), "+....+");
}

#[test]
fn adaptive_sca_takes_theta_from_the_hops() {
    let [aodv, dsr] = adaptive_sca::TABLES;
    // hops, table B.1 (AODV), table 4.4 (DSR)
    for (hops, with_aodv, with_dsr) in
        [(0, 0, 0), (3, 0, 0), (4, 48, 42), (9, 48, 29), (12, 37, 10), (15, 39, 10), (30, 39, 10)]
    {
        assert_eq!(
            (adaptive_sca::theta(aodv, hops), adaptive_sca::theta(dsr, hops)),
            (with_aodv, with_dsr),
            "{hops} hops"
        );
    }
    let mut part = part(&adaptive_sca::ENTRY, &[1.0]);
    let twelve = SenderView { hops: 12, ..view(10.0, 10.0) };
    assert_eq!(growth(&mut *part, &twelve, 12), "+..........+");
}

#[test]
fn window_limits() {
    assert_eq!(part(&cwl::CWL, &[3.0]).limit(), Some(3.0));
    let mut adaptive = part(&cwl::ADAPTIVE, &[]);
    assert_eq!(adaptive.limit(), None, "an unknown path");
    // Thesis, table 4.2
    for (hops, limit) in [
        (1, 2.0),
        (2, 2.0),
        (3, 1.0),
        (4, 1.0),
        (5, 2.0),
        (6, 2.0),
        (7, 3.0),
        (10, 3.0),
        (11, 4.0),
        (13, 4.0),
        (14, 5.0),
        (20, 5.0),
    ] {
        adaptive.on_path_event(&view(1.0, 2.0), PathEvent::Hops(hops), &mut Effects::new());
        assert_eq!(adaptive.limit(), Some(limit), "{hops} hops");
    }
}

#[test]
fn fixed_rto_doubles_once() {
    let mut part = part(&fixed_rto::ENTRY, &[]);
    for (consecutive, backoff) in
        [(1, Backoff::Double), (2, Backoff::Keep), (3, Backoff::Keep), (1, Backoff::Double)]
    {
        let decision = part.on_rto(&view(10.0, 10.0), &rto(consecutive), &mut Effects::new());
        assert_eq!(decision.backoff, backoff, "timeout {consecutive} in a row");
    }
}

/// An ACK every 10 ms for `n` ACKs: 100 segments/s.
fn steady(estimator: &mut dyn Bandwidth, n: u32) -> f64 {
    let view = SenderView { srtt: Some(SimDuration::from_millis(100)), ..view(10.0, 10.0) };
    (0..n).for_each(|_| estimator.on_credit(1.0, 0.01, &view));
    estimator.estimate()
}

#[test]
fn estimators_find_a_steady_rate() {
    let estimators: [Box<dyn Bandwidth>; 3] =
        [Box::new(Tustin::default()), Box::new(Tibet::new(0.9, 0.5)), Box::new(PerRoundTrip::default())];
    for mut estimator in estimators {
        let rate = steady(&mut *estimator, 1000);
        assert!((rate - 100.0).abs() < 1.0, "{estimator:?}");
    }
}

#[test]
fn tustin_by_hand() {
    let mut filter = Tustin::default();
    let view = view(10.0, 10.0);
    filter.on_credit(1.0, 0.1, &view);
    // ((2 - 0.1) 0 + 0.1 (10 + 0)) / 2.1
    assert!((filter.estimate() - 1.0 / 2.1).abs() < 1e-12);
    let before = filter.estimate();
    filter.on_credit(1.0, 0.1, &view);
    assert!((filter.estimate() - (1.9 * before + 0.1 * 20.0) / 2.1).abs() < 1e-12);
    // A second of silence counts as two samples of zero, the rest as usual.
    steady(&mut filter, 1000);
    let before = filter.estimate();
    filter.on_credit(1.0, 1.1, &view);
    assert!(filter.estimate() < 0.75 * before, "idle time lowers the estimate");
}

#[test]
fn clustered_acks_do_not_deceive_tibet() {
    // Pairs: two ACKs 1 ms apart, then 19 ms: 100 segments/s. The mean of the quotients would be 526.
    let mut tibet = Tibet::new(0.9, 0.5);
    let view = view(10.0, 10.0);
    for _ in 0..500 {
        tibet.on_credit(1.0, 0.001, &view);
        tibet.on_credit(1.0, 0.019, &view);
    }
    assert!((tibet.estimate() - 100.0).abs() < 10.0, "{}", tibet.estimate());
}

/// Feeds a part with ACKs every 10 ms and a round trip of 100 ms.
fn fed(mut part: Box<dyn CongestionControl>) -> Box<dyn CongestionControl> {
    let rtt = SimDuration::from_millis(100);
    let mut effects = Effects::new();
    for i in 1..2000 {
        let now = SimTime::ZERO + SimDuration::from_millis(10) * i;
        let view = SenderView { now, srtt: Some(rtt), ..view(20.0, 64.0) };
        part.on_ack(&view, &ack(&view), &mut effects);
        part.on_rtt(&view, &RttEvent { exact: rtt, ticked: rtt }, &mut effects);
    }
    part
}

#[test]
fn westwood_fills_the_pipe_after_a_loss() {
    // 100 segments/s over 100 ms: about 10 segments.
    for (entry, values, enlarges) in [
        (&westwood::ENTRY, &[][..], false),
        (&westwood::TIBET, &[0.9, 0.5], false),
        (&westwood_plus::ENTRY, &[0.0], true),
    ] {
        let name = entry.info.name;
        let mut p = fed(part(entry, values));
        let cut = p.on_loss(&view(20.0, 64.0), &LOSS, &mut Effects::new());
        assert!((9.0..=10.0).contains(&cut.ssthresh) && cut.cwnd == cut.ssthresh, "{name}: {cut:?}");
        let small = p.on_loss(&view(4.0, 64.0), &LOSS, &mut Effects::new());
        assert_eq!(small.cwnd, if enlarges { cut.ssthresh } else { 4.0 }, "{name}");
        let timeout = p.on_rto(&view(20.0, 64.0), &rto(1), &mut Effects::new());
        assert_eq!((timeout.window.cwnd, timeout.window.ssthresh), (1.0, cut.ssthresh), "{name}");
        let mut fresh = part(entry, values);
        assert_eq!(
            fresh.on_loss(&view(10.0, 64.0), &LOSS, &mut Effects::new()),
            HALF,
            "{name}: no estimate yet"
        );
    }
}

#[test]
fn westwood_plus_as_in_linux() {
    let mut p = fed(part(&westwood_plus::ENTRY, &[1.0]));
    let mut effects = Effects::new();
    assert_eq!(p.on_loss(&view(20.0, 64.0), &LOSS, &mut effects), HALF, "Reno on entry");
    p.on_recovery_exit(&view(5.0, 5.0), &mut effects);
    assert!(
        matches!(effects[..], [Effect::SetWindow(w)] if w.cwnd > 8.0 && w.cwnd == w.ssthresh),
        "{effects:?}"
    );
    assert_eq!(p.on_rto(&view(20.0, 64.0), &rto(1), &mut effects).window, rto(1).standard, "Reno's timeout");
}

#[test]
fn duplicate_acks_are_credited_once() {
    let mut credit = bandwidth::Credit::default();
    // Three duplicates stand for three segments; the ACK of five credits the other two.
    assert_eq!((0..3).map(|_| credit.duplicate()).sum::<f64>(), 3.0);
    assert_eq!(credit.advance(5.0), 2.0);
    assert_eq!(credit.advance(1.0), 1.0);
    assert_eq!(credit.advance(4.0), 2.0, "never more than two");
}

#[test]
fn the_flip_flop_notices_jumps() {
    let mut filter = FlipFlop::new();
    // ms, verdict
    for (x, verdict) in [
        (100.0, Verdict::InControl),
        (102.0, Verdict::InControl),
        (99.0, Verdict::InControl),
        (101.0, Verdict::InControl),
        (160.0, Verdict::High),
        (101.0, Verdict::InControl),
        (60.0, Verdict::Low),
    ] {
        assert_eq!(filter.sample(x), verdict, "{x} ms in {filter:?}");
    }
}

#[test]
fn newreno_ff_blames_the_channel_without_delay() {
    let jumps = |ms: &[u64]| {
        let mut p = part(&newreno_ff::ENTRY, &[10.0, 1.0]);
        let (mut effects, v) = (Effects::new(), view(10.0, 20.0));
        for &n in ms {
            let exact = SimDuration::from_millis(n);
            p.on_rtt(&v, &RttEvent { exact, ticked: exact }, &mut effects);
        }
        let window = p.on_loss(&v, &LOSS, &mut effects);
        (window, effects[0])
    };
    let guess = |guess| Effect::Guess { seq: Seq32(1), guess };
    assert_eq!(jumps(&[100, 101, 99, 100, 101]), (Window { cwnd: 10.0, ssthresh: 20.0 }, guess("channel")));
    assert_eq!(jumps(&[100, 101, 99, 160, 220, 300]), (HALF, guess("congestion")));
}

#[test]
fn sensible_and_senseless_combinations() {
    for (text, name) in [
        ("newreno+sca(10)", "newreno+sca"),
        ("sack+sca(4)", "sack+sca(4,0)"),
        ("westwood", "westwood"),
        ("westwood+", "westwood+"),
        ("sack+westwood++cwl(3)", "sack+westwood++cwl(3)"),
        ("reno+adaptive-cwl", "reno+adaptive-cwl"),
        ("vegas(2,4,1)+daa", "vegas(2,4,1)+daa"),
        ("newreno+sca(4)+westwood+cwl(4)", "newreno+sca(4,0)+westwood+cwl(4)"),
    ] {
        let variant: Variant = text.parse().expect(text);
        assert_eq!(variant.name(), name);
        assert_eq!(name.parse::<Variant>().expect(name), variant, "the canonical name reads back");
    }
    for (text, problem, remedy) in [
        (
            "vegas+sca",
            "sca makes no sense with vegas: Vegas has a growth of its own",
            "combine it with newreno or reno or sack or tahoe",
        ),
        (
            "tahoe+westwood",
            "westwood makes no sense with tahoe: it replaces the halving of a fast recovery",
            "combine it with newreno or reno or sack",
        ),
        (
            "reno+newreno-ff",
            "newreno-ff makes no sense with reno: it is defined on NewReno",
            "combine it with newreno",
        ),
        ("newreno+ss+sca", "ss and sca decide the same thing", "keep one of them"),
        ("westwood+fixed-rto", "westwood and fixed-rto decide the same thing", "keep one of them"),
        ("newreno+cwl", "cwl needs its n (segments)", "write cwl(1)"),
        ("newreno+cwl(0)", "n = 0 is out of range", "choose 1 to 100000"),
        ("newreno+wetwood", "there is no variant wetwood", "did you mean westwood?"),
    ] {
        let error = text.parse::<Variant>().expect_err(text);
        assert_eq!((error.problem(), error.remedy()), (problem, remedy));
    }
}

#[test]
fn duplicates_do_not_decide_for_westwood() {
    let mut p = part(&westwood::ENTRY, &[]);
    let decision = p.on_dup_ack(&view(10.0, 10.0), &DupAckEvent { count: 3 }, &mut Effects::new());
    assert_eq!(decision, crate::DupAckDecision::Recovery);
}
