//! Flows with access categories: who gets the medium.

use super::{World, udp};
use crate::common::{load, parse, run_once};
use tworay_base::{NodeId, Purpose, RngStream};

/// Saturated flows of the given ends and categories to station 0, which is 5 m from all others. MCS 7, single frames, all
/// signals equally strong: nobody decodes one of two that collide.
fn saturated(flows: &[(u32, &str)], mac: &str) -> Vec<f64> {
    let radio = "standard = \"n\"\nrate = \"fixed\"\nmcs = 7\npropagation = \"range\"";
    let flow = |(from, category): &(u32, &str)| udp(*from, 0, 60) + &format!("category = \"{category}\"\n");
    let world = World {
        hops: flows.iter().map(|flow| flow.0).max().unwrap_or(1),
        star: true,
        flows: flows.iter().map(flow).collect(),
        seconds: 12.0,
        ..World::hop(radio, &format!("max_aggregate = \"0B\"\n{mac}"), 5.0)
    };
    run_once(&world.scenario(), 1).document.flows.iter().map(|flow| flow.goodput_bps / 1e6).collect()
}

/// A frame of 1,526 B takes 228 us, SIFS and its ACK 44 us. Voice waits 34 us and 0 to 3 slots of 9 us, 13.5 us on average:
/// 11,680 bits in 319.5 us are 36.56 Mb/s. Background waits for 79 us, in which voice has always begun: 34 + 27 = 61 us. So it gets
/// nothing, from a station of its own or from the same one.
#[test]
fn voice_in_saturation_leaves_nothing_for_background() {
    for other in [1, 2] {
        let found = saturated(&[(1, "voice"), (other, "background")], "");
        assert!((found[0] / (11_680.0 / 319.5) - 1.0).abs() <= 0.01, "{found:?} Mb/s");
        assert_eq!(found[1], 0.0, "background of station {other}");
    }
}

/// Slots before the first one of a category (AIFSN), and its windows.
type Contender = (u32, u32, u32);

/// Shares of the frames of two saturated stations, slot by slot: each draws from its window, and counts down the slots that begin
/// after its interframe space and before the other transmits. A collision doubles both windows. `inside`: both are of one
/// station, which then sends the second one's frame, and only the first one's window grows.
fn model([a, b]: [Contender; 2], inside: bool) -> f64 {
    let mut rng = RngStream::new(1, NodeId(0), Purpose::Test);
    let (spaces, least, most) = ([a.0, b.0], [a.1, b.1], [a.2, b.2]);
    let mut windows = least;
    let mut left = windows.map(|window| rng.below(window + 1));
    let mut sent = [0u32; 2];
    for _ in 0..400_000 {
        let ends = [spaces[0] + left[0], spaces[1] + left[1]];
        let first = ends[0].min(ends[1]);
        let both = ends[0] == ends[1];
        for i in 0..2 {
            if ends[i] > first {
                left[i] -= first.saturating_sub(spaces[i]);
                continue;
            }
            if both && !(inside && i == 1) {
                windows[i] = (2 * windows[i] + 1).min(most[i]);
            } else {
                windows[i] = least[i];
                sent[i] += 1;
            }
            left[i] = rng.below(windows[i] + 1);
        }
    }
    f64::from(sent[0]) / f64::from(sent[0] + sent[1])
}

/// Table 9-155: AIFSN 3 and windows of 15 to 1,023 for best effort, 7 for background, 2 and 7 to 15 for video.
#[test]
fn categories_share_the_medium_as_their_slots_say() {
    let (background, best_effort, video) = ((7, 15, 1_023), (3, 15, 1_023), (2, 7, 15));
    let pairs = [
        (["best-effort", "best-effort"], [best_effort, best_effort]),
        (["background", "best-effort"], [background, best_effort]),
        (["best-effort", "video"], [best_effort, video]),
        (["background", "video"], [background, video]),
    ];
    for (names, contenders) in pairs {
        for inside in [false, true] {
            if inside && names[0] == names[1] {
                continue;
            }
            let other = if inside { 1 } else { 2 };
            let found = saturated(&[(1, names[0]), (other, names[1])], "");
            let (share, expected) = (found[0] / (found[0] + found[1]), model(contenders, inside));
            println!("{names:?}, one station {inside}: {share:.4}, model {expected:.4}");
            assert!((share - expected).abs() <= 0.015, "{names:?}, {inside}: {share}, {expected}");
        }
    }
}

/// With aggregates and fair queues, over two hops, too: a call beside a transfer waits for less time than one
/// of the same category.
#[test]
fn a_call_waits_less_in_the_category_voice() {
    let delay = |category: &str| {
        let scenario = parse(&format!(
            r#"
            duration = "8s"
            topology = {{ kind = "string", hops = 2, spacing = "60m" }}
            routing = {{ protocol = "static" }}
            radio = {{ preset = "n20" }}
            mac = {{ queue = "fifo", queue_limit = 200 }}
            tcp = {{ window = 400 }}
            [[flow]]
            from = 0
            to = 2
            [[flow]]
            from = 0
            to = 2
            app = "cbr"
            rate = "64kbps"
            size = "160B"
            start = "1s"
            category = "{category}"
            "#
        ));
        let report = run_once(&scenario, 1);
        let unknown = report.document.ledger["unknown"];
        assert_eq!((unknown.data, unknown.ack), (0, 0), "{category}");
        report.document.flows[1].mean_delay_seconds.expect("packets arrive")
    };
    let (voice, same) = (delay("voice"), delay("best-effort"));
    println!("voice {voice} s, best effort {same} s");
    assert!(voice < 0.25 * same, "{voice} and {same}");
}

/// The key with the default's name changes nothing.
#[test]
fn best_effort_is_the_default() {
    let text = |more: &[&str]| {
        let sets = ["radio.preset=n20", "topology.spacing=80m", "duration=4s"];
        let mut report = run_once(&load("string-3", &[&sets[..], more].concat()), 1);
        report.document.cpu_seconds = 0.0;
        report.json()
    };
    assert_eq!(text(&[]), text(&["flow.0.category=best-effort"]));
}
