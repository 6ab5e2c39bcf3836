//! The heartbeat of Papanastasiou 2006, §5.2: with `tcp.heartbeat` both of TCP's timers, retransmission and
//! delayed ACK, fire only at its beats; with `tcp.receiver.heartbeat` only the latter.

use crate::common::{parse, run_once};
use tworay_sim::{ColumnData, RunControl, RunOptions, run};

/// The granularities of Papanastasiou 2006, ms.
const BEATS: [u64; 6] = [0, 10, 50, 100, 200, 500];

/// Which timers have a heartbeat. The timeout is at least a second, so that ACKs held until a beat are
/// never too late.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Whose {
    Both,
    Receiver,
}

fn scenario(beat: u64, whose: Whose, extra: &str) -> tworay_sim::scenario::Scenario {
    let (all, receiver) = match whose {
        Whose::Both => (beat, String::new()),
        Whose::Receiver => (0, format!(", heartbeat = \"{beat}ms\"")),
    };
    parse(&format!(
        r#"
        duration = "31s"
        topology = {{ kind = "string", hops = 1 }}
        routing = {{ protocol = "static" }}
        tcp = {{ variant = "newreno+cwl(1)", rto = {{ min = "1s" }}, heartbeat = "{all}ms", receiver = {{ acks = "delayed", interval = "100ms"{receiver} }} }}
        [[flow]]
        from = 0
        to = 1
        {extra}
        "#
    ))
}

/// One segment at a time; its ACK waits for its timer of 100 ms and then for the beat. The segment arrives
/// about 10 ms after the previous ACK, which left on a beat: a cycle is the first multiple of the beat
/// above about 110 ms.
#[test]
fn delayed_acks_leave_on_the_beat() {
    for (beat, cycle) in BEATS.into_iter().zip([0.109, 0.110, 0.150, 0.200, 0.200, 0.500]) {
        for whose in [Whose::Both, Whose::Receiver] {
            let report = run_once(&scenario(beat, whose, ""), 1);
            let acked = report.document.flows[0].acked_segments as f64;
            let expected = 31.0 / cycle;
            assert!(
                (0.98..1.02).contains(&(acked / expected)),
                "{whose:?}, {beat} ms: {acked} segments, {expected} expected"
            );
            assert_eq!(report.document.flows[0].timeouts, Some(0), "{whose:?}, {beat} ms");
        }
    }
}

/// Expiries of the retransmission timer after the receiver is switched off: time, and timeout.
fn expiries(beat: u64, whose: Whose) -> Vec<(f64, f64)> {
    let off = "[[event]]\nnode = 1\nat = \"5s\"\nwhat = \"down\"";
    let options = RunOptions { seed: 1, series: true, ..RunOptions::default() };
    let report = run(&scenario(beat, whose, off), &options, &RunControl::new()).expect("a run");
    let tables = report.tables();
    let series = tables.iter().find(|t| t.name == "series").expect("a series");
    let column = |name: &str| match series.columns.iter().find(|c| c.name == name).map(|c| &c.data) {
        Some(ColumnData::F64(values)) => values.clone(),
        other => panic!("{name}: {other:?}"),
    };
    let (t, rto) = (column("t_s"), column("rto_s"));
    let expiry = |&i: &usize| t[i] > 5.0 && rto[i] > 1.9 * rto[i - 1];
    (1..t.len()).filter(expiry).map(|i| (t[i], rto[i])).collect()
}

/// The receiver is switched off: the timer expires repeatedly, each time on a beat.
#[test]
fn retransmission_timeouts_fall_on_the_beat() {
    for beat in BEATS {
        let doubled = expiries(beat, Whose::Both);
        assert!(doubled.len() >= 4, "{beat} ms: {doubled:?}");
        for pair in doubled.windows(2) {
            // From beat to beat; without a heartbeat the gap equals the doubled timeout.
            let (gap, timeout) = (pair[1].0 - pair[0].0, pair[0].1);
            let beats = gap * 1e3 / beat.max(1) as f64;
            match beat {
                0 => assert!((gap - timeout).abs() < 1e-9, "{gap} s, timeout {timeout} s"),
                _ => assert!((beats - beats.round()).abs() < 1e-6, "{beat} ms: {gap} s"),
            }
            assert!(gap >= timeout - 1e-9 && gap < timeout + beat as f64 / 1e3 + 1e-9, "{beat} ms: {gap} s");
        }
    }
}

/// The receiver's granularity does not affect the sender's timer, which stays exact.
#[test]
fn the_receivers_beat_leaves_the_retransmission_timer_exact() {
    for beat in BEATS {
        let doubled = expiries(beat, Whose::Receiver);
        assert!(doubled.len() >= 4, "{beat} ms: {doubled:?}");
        for pair in doubled.windows(2) {
            let (gap, timeout) = (pair[1].0 - pair[0].0, pair[0].1);
            assert!((gap - timeout).abs() < 1e-9, "{beat} ms: {gap} s, timeout {timeout} s");
        }
    }
}
