//! Freeze-TCP: what the two ends exchange around an interruption, and what it costs (Goff, Moronski, Phatak
//! and Gupta 2000). The round trip is 100 ms, segments have 1000 B, and the window is 4 segments.

use crate::common::Pair;
use std::fmt::Write;
use tworay_base::{Bytes, SimDuration, SimTime};
use tworay_tcp::{Handshake, PathEvent, TcpConfig, WindowSize};

const WINDOW: u32 = 4;

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

/// A transfer that starts at 1 s.
fn transfer(variant: &str, bytes: u64) -> Pair {
    let config = TcpConfig {
        mss: Bytes(1000),
        window: WindowSize::Segments(WINDOW),
        handshake: Handshake::None,
        ..TcpConfig::default()
    };
    let mut pair = Pair::new(&config, &variant.parse().expect(variant), Vec::new());
    pair.start([bytes, 0]);
    pair
}

fn run_until(pair: &mut Pair, end: SimTime) {
    while pair.now < end {
        pair.run(1);
    }
}

/// Everything sent from `begin` to `end`, one line per instant and sender: payload numbers, or the ACK with
/// its window in segments.
fn ladder(pair: &Pair, begin: SimTime, end: SimTime) -> String {
    let mut lines: Vec<(u64, usize, String)> = Vec::new();
    for (when, who, s) in pair.log.iter().filter(|(when, ..)| (begin..end).contains(when)) {
        let what = match s.payload {
            0 if *who == 0 => format!(" probe {}", s.seq.0),
            0 => format!(" ack {} window {}", s.ack.0, s.window / 1000),
            _ => format!(" data {}", s.seq.0),
        };
        let ms = when.since_start().as_nanos() / 1_000_000;
        match lines.last_mut() {
            Some((t, by, text)) if (*t, *by) == (ms, *who) => text.push_str(&what),
            _ => lines.push((ms, *who, what)),
        }
    }
    lines.iter().fold(String::new(), |mut text, (ms, who, what)| {
        let _ = writeln!(text, "{ms} {}{what}", ["sender:", "receiver:"][*who]);
        text
    })
}

/// The transfer starts at 1000 ms, so the sender sends its window of four at every full 100 ms, and the
/// receiver acknowledges it 50 ms later. The receiver closes its window at 1960 ms with an ACK of its own,
/// which reaches the sender at 2010 ms: the four segments sent at 2000 ms are acknowledged with a window of
/// 0, and nothing is in flight after that. The round trip is constant, so RTTVAR has decayed and the timeout
/// is its minimum of 200 ms: probes follow 200, another 400 and another 800 ms after 2010 ms. The receiver
/// reopens at 4000 ms with three ACKs, and at 4050 ms the sender sends its whole window of new data.
#[test]
fn the_ladder_of_an_interruption() {
    let mut pair = transfer("freeze-tcp", 4_000_000);
    pair.plan(at(1960), 1, PathEvent::Interruption);
    pair.plan(at(4000), 1, PathEvent::Restored);
    run_until(&mut pair, at(4090));
    let next = pair.log.iter().rfind(|(when, who, _)| *who == 1 && *when < at(4000)).expect("an ACK").2.ack.0;
    let data = |n: u32| next - 1000 * n;
    let expected = [
        format!("1960 receiver: ack {} window 0", data(4)),
        format!("2000 sender: data {} data {} data {} data {}", data(4), data(3), data(2), data(1)),
        format!(
            "2050 receiver: ack {} window 0 ack {} window 0 ack {} window 0 ack {next} window 0",
            data(3),
            data(2),
            data(1)
        ),
        format!("2210 sender: probe {}", next - 1),
        format!("2260 receiver: ack {next} window 0"),
        format!("2610 sender: probe {}", next - 1),
        format!("2660 receiver: ack {next} window 0"),
        format!("3410 sender: probe {}", next - 1),
        format!("3460 receiver: ack {next} window 0"),
        format!("4000 receiver: ack {next} window 4 ack {next} window 4 ack {next} window 4"),
        format!("4050 sender: data {next} data {} data {} data {}", next + 1000, next + 2000, next + 3000),
    ];
    assert_eq!(ladder(&pair, at(1951), at(4090)).trim_end(), expected.join("\n"));
}

/// The path fails from 2000 to 4000 ms. Warned one round trip before, the sender loses nothing: no timeout,
/// no retransmission, the same window. Told at the break, it has lost the window of four that it sent at 2000
/// ms, retransmits that and no more, and keeps its window. Reno meanwhile doubles its timeout and restarts
/// with one segment.
#[test]
fn an_interruption_costs_neither_timeouts_nor_window() {
    let away = (at(2000), at(4000));
    // Variant; when the receiver is warned or the sender told; retransmitted segments.
    for (variant, warned, told, again) in [
        ("freeze-tcp", Some(1890), None, 0),
        ("newreno+freeze-tcp(0)", None, Some(2005), 4),
        ("sack+freeze-tcp(0)", None, Some(2005), 4),
    ] {
        let mut pair = transfer(variant, 4_000_000);
        pair.outages = vec![away];
        if let Some(ms) = warned {
            pair.plan(at(ms), 1, PathEvent::Interruption);
        }
        if let Some(ms) = told {
            // Repeated as long as the path is broken, because an ACK may be under way.
            (0..20).for_each(|i| pair.plan(at(ms + 100 * i), 0, PathEvent::PeerWindow { open: false }));
        }
        pair.plan(away.1, 1, PathEvent::Restored);
        run_until(&mut pair, at(1880));
        let before = pair.ends[0].snapshot();
        run_until(&mut pair, at(4060));
        let now = pair.ends[0].snapshot();
        assert_eq!(now.flight_segments, u64::from(WINDOW), "{variant}: the whole window at once");
        assert!(now.cwnd >= before.cwnd && now.ssthresh >= before.ssthresh, "{variant}: {before:?} {now:?}");
        let counters = pair.ends[0].counters();
        assert_eq!((counters.timeouts, counters.freezes), (0, 1), "{variant}");
        assert_eq!(counters.retransmitted_segments, again, "{variant}");
    }
    let mut reno = transfer("reno", 4_000_000);
    reno.outages = vec![away];
    run_until(&mut reno, at(4060));
    assert!(reno.ends[0].counters().timeouts >= 3, "0.2 + 0.4 + 0.8 s");
}

/// Data that was under way when the window closed is accepted, because it was sent into an open window (RFC
/// 9293 §3.8.6), and a transfer that is interrupted again and again delivers every byte.
#[test]
fn nothing_is_discarded_and_everything_arrives() {
    for variant in ["freeze-tcp", "sack+freeze-tcp", "newreno+freeze-tcp(0)"] {
        let bytes = 400_000;
        let mut pair = transfer(variant, bytes);
        for i in 1..20 {
            pair.plan(at(1000 + 330 * i), 1, PathEvent::Interruption);
            pair.plan(at(1000 + 330 * i + 150), 1, PathEvent::Restored);
        }
        pair.run(1_000_000);
        assert_eq!(pair.seen[1].delivered, bytes, "{variant}");
        let ends = [pair.ends[0].counters(), pair.ends[1].counters()];
        assert_eq!((ends[1].discarded, ends[0].timeouts), (0, 0), "{variant}");
    }
}
