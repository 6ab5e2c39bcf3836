use crate::{Content, Emission, RunControl, RunOptions, RunReport, run};
use std::path::Path;
use tworay_base::SimDuration;
use tworay_mac::FrameKind;
use tworay_radio::Verdict;
use tworay_scenario::Scenario;

/// One datagram over `0 ── 1`, and over 300 m if `apart`.
fn one_datagram(apart: bool, medium_log: bool) -> RunReport {
    one_datagram_with("", apart, medium_log)
}

/// The same with more settings.
fn one_datagram_with(settings: &str, apart: bool, medium_log: bool) -> RunReport {
    let text = format!(
        "duration = \"1s\"\n{settings}routing.protocol = \"static\"\nmac.arp = false\n\
         topology = {{ kind = \"explicit\", positions = [[0, 0], [{}, 0]] }}\n\
         [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nrate = \"8kbps\"\npackets = 1\n",
        if apart { 300 } else { 150 }
    );
    let scenario = Scenario::from_toml(&text, "test.toml", Path::new("."), &[]).expect("a scenario");
    let options = RunOptions { medium_log, ..RunOptions::default() };
    run(&scenario, &options, &RunControl::new()).expect("a run")
}

/// RTS, CTS, data, ACK: each starts a SIFS (10 µs) and 0.5 µs of propagation (150 m) after the one before, and is
/// received.
#[test]
fn an_exchange_is_four_frames_a_sifs_apart() {
    let report = one_datagram(false, true);
    let frames = report.medium_log().expect("a log").emissions();
    let kinds: Vec<FrameKind> = frames.iter().map(|e| e.kind).collect();
    assert_eq!(kinds, [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack]);
    for pair in frames.windows(2) {
        let gap = pair[1].at.since(pair[0].at + pair[0].airtime);
        let flight = gap.saturating_sub(SimDuration::from_micros(10));
        assert!((400..=600).contains(&flight.as_nanos()), "{pair:?}");
    }
    let good = |e: &Emission| e.receptions.len() == 1 && e.receptions[0].verdict == Verdict::Good;
    assert!(frames.iter().all(good), "{frames:?}");
    let contents: Vec<Content> = frames.iter().map(|e| e.content).collect();
    let segment = Content::Segment(0);
    assert_eq!(contents, [segment, Content::Nothing, segment, Content::Nothing]);
}

/// Static routing has no route over 300 m, so nothing is sent; and without the option nothing is logged.
#[test]
fn nothing_is_logged_without_frames_or_without_the_option() {
    assert_eq!(one_datagram(true, true).medium_log().map(|log| log.emissions().len()), Some(0));
    assert!(one_datagram(false, false).medium_log().is_none());
}

/// Errors above the MAC destroy every packet: the frame is received and acknowledged, and the log marks the data frame alone.
#[test]
fn a_packet_destroyed_above_the_mac_is_marked() {
    let report = one_datagram_with("errors.pkt_err.bernoulli.rate = 1.0\n", false, true);
    let frames = report.medium_log().expect("a log").emissions();
    assert!(frames.iter().all(|e| e.receptions[0].verdict == Verdict::Good), "{frames:?}");
    let destroyed: Vec<FrameKind> =
        frames.iter().filter(|e| e.receptions[0].destroyed).map(|e| e.kind).collect();
    assert_eq!(destroyed, [FrameKind::Data]);
}
