//! Shared by the variants' tests; also tests combinations. Each variant's own tests are beside it.
#![allow(unused_imports)]

pub(super) use super::bandwidth::{self, Bandwidth, Exponential, FixedGain, PerRoundTrip, Tibet, Tustin};
pub(super) use super::flip_flop::{ControlState, FlipFlop};
pub(super) use super::slow_growth::Gate;
pub(super) use super::*;
pub(crate) use crate::control::{
    AckEvent, Backoff, DupAckEvent, Effect, Effects, LossEvent, PathEvent, RtoEvent, RttEvent, SenderView,
    Window,
};
pub(crate) use crate::{TcpConfig, Variant};
pub(crate) use tworay_base::{Seq32, SimDuration, SimTime};

pub(crate) fn view(cwnd: f64, ssthresh: f64) -> SenderView {
    SenderView {
        now: SimTime::ZERO,
        cwnd,
        ssthresh,
        advertised: 1000.0,
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

pub(crate) fn part(entry: &Entry, values: &[f64]) -> Box<dyn CongestionControl> {
    let Meaning::Part(part) = entry.meaning else { panic!("{} is no part", entry.info.name) };
    (part.make)(values)(&TcpConfig::default())
}

pub(crate) fn ack(view: &SenderView) -> AckEvent {
    let cwnd = view.cwnd + if view.cwnd < view.ssthresh { 1.0 } else { 1.0 / view.cwnd };
    AckEvent {
        bytes: 1000,
        segments: 1.0,
        delivered: 1.0,
        may_grow: true,
        limited: None,
        standard: Window { cwnd, ssthresh: view.ssthresh },
        echo: None,
    }
}

pub(crate) const HALF: Window = Window { cwnd: 5.0, ssthresh: 5.0 };
pub(crate) const LOSS: LossEvent = LossEvent { seq: Seq32(1), standard: HALF };

pub(crate) fn rto(consecutive: u32) -> RtoEvent {
    RtoEvent { seq: Seq32(1), consecutive, opening: false, standard: Window { cwnd: 1.0, ssthresh: 5.0 } }
}

/// One character per ACK, `+` where it grows the window.
pub(crate) fn growth(part: &mut dyn CongestionControl, view: &SenderView, acks: usize) -> String {
    let mut effects = Effects::new();
    (0..acks)
        .map(|_| if part.on_ack(view, &ack(view), &mut effects).cwnd > view.cwnd { '+' } else { '.' })
        .collect()
}

/// An ACK every 10 ms for `n` ACKs: 100 segments/s.
pub(super) fn steady(estimator: &mut dyn Bandwidth, n: u32) -> f64 {
    let view = SenderView { srtt: Some(SimDuration::from_millis(100)), ..view(10.0, 10.0) };
    (0..n).for_each(|_| estimator.on_credit(1.0, 0.01, &view));
    estimator.estimate()
}

/// Feeds a part with ACKs every 10 ms and a round trip of 100 ms.
pub(crate) fn fed(mut part: Box<dyn CongestionControl>) -> Box<dyn CongestionControl> {
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
fn sensible_and_senseless_combinations() {
    for (text, name) in [
        ("newreno+sca(10)", "newreno+sca"),
        ("sack+sca(4)", "sack+sca(4)"),
        ("westwood", "westwood"),
        ("westwood+", "westwood+"),
        ("sack+westwood++cwl(3)", "sack+westwood++cwl(3)"),
        ("reno+adaptive-cwl", "reno+adaptive-cwl"),
        ("vegas(2,4,1)+daa", "vegas(2,4)+daa"),
        ("newreno+sca(4)+westwood+cwl(4)", "newreno+sca(4)+westwood+cwl(4)"),
        ("sack+hystart+++cubic", "sack+hystart+++cubic"),
    ] {
        let variant: Variant = text.parse().expect(text);
        assert_eq!(variant.name(), name);
        assert_eq!(name.parse::<Variant>().expect(name), variant, "the canonical name reads back");
    }
    for (text, problem, remedy) in [
        (
            "vegas+sca",
            "sca cannot be combined with vegas: Vegas has its own growth rule",
            "combine it with newreno or reno or sack or tahoe",
        ),
        (
            "tahoe+westwood",
            "westwood cannot be combined with tahoe: it replaces the halving of a fast recovery",
            "combine it with newreno or reno or sack",
        ),
        (
            "reno+newreno-ff",
            "newreno-ff cannot be combined with reno: it is defined for NewReno only",
            "combine it with newreno",
        ),
        ("newreno+ss+sca", "ss and sca take the same decision", "keep one of them"),
        ("sack+copa+hystart++", "copa and hystart++ take the same decision", "keep one of them"),
        ("cubic+sca", "cubic and sca take the same decision", "keep one of them"),
        ("westwood+fixed-rto", "westwood and fixed-rto take the same decision", "keep one of them"),
        ("newreno+cwl", "cwl needs n (limit of the congestion window, segments)", "write cwl(1)"),
        ("newreno+cwl(0)", "n = 0 is out of range", "choose 1 to 100000"),
        ("newreno+wetwood", "there is no variant wetwood", "did you mean westwood?"),
    ] {
        let error = text.parse::<Variant>().expect_err(text);
        assert_eq!((&*error.problem, &*error.remedy), (problem, remedy));
    }
}

#[test]
fn the_guide_shows_the_code_that_is_compiled() {
    let guide = include_str!("../../../../docs/guide/add-a-variant.md");
    assert!(guide.contains(include_str!("../../../../docs/examples/gentle.rs").trim_end()));
    assert!(include_str!("../variant/registry.rs").contains("gentle::ENTRY,\n"));
    let developer = include_str!("../../../../docs/guide/transport-developer.md");
    let core =
        developer.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    assert!(core.contains("fn on_loss") && guide.contains(core.trim_end()), "{core}");
    for text in ["gentle", "sack+gentle(0.9)", "newreno+sca+gentle"] {
        assert_eq!(text.parse::<Variant>().expect(text).name(), text);
    }
}
