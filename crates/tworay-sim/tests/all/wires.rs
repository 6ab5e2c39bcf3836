//! Wires end to end: RED, random errors, handoffs; each loss has its true cause in the ledger.

use crate::common::{load, parse, run_once};
use tworay_sim::RunReport;

/// Two nodes, a wire of 1 Mb/s and 10 ms with these keys; datagrams of 972 + 28 bytes.
fn link(keys: &str, flow: &str) -> String {
    format!(
        "duration = \"100s\"\nrouting.protocol = \"static\"\n[[wire]]\nfrom = 0\nto = 1\nrate = \"1Mbps\"\ndelay = \"10ms\"\n{keys}\n\
         [[flow]]\nfrom = 0\nto = 1\n{flow}\n"
    )
}

fn lost(report: &RunReport, cause: &str) -> u64 {
    report.document.ledger.get(cause).map_or(0, |n| n.data + n.ack)
}

/// Half of the wire's rate at even intervals: packets never queue.
const CALM: &str = "app = \"cbr\"\nsize = \"972B\"\ninterval = \"16ms\"";

#[test]
fn a_bernoulli_link_loses_its_share_and_the_channel_is_blamed() {
    let packets = 6_250.0;
    // Rate per packet, or per bit of 8000 bits.
    let table = [
        ("errors = { bernoulli = { rate = 0.1 } }", 0.1),
        ("errors = { bernoulli = { unit = \"bit\", rate = 2e-5 } }", 1.0 - (1.0 - 2e-5_f64).powi(8000)),
        ("errors = { gilbert-elliott = { good_to_bad = 0.05, bad_to_good = 0.2 } }", 0.2),
    ];
    for (keys, share) in table {
        let report = run_once(&parse(&link(keys, CALM)), 1);
        let found = lost(&report, "channel") as f64 / packets;
        // Bursts vary more than independent errors: the tolerance is five times their deviation.
        assert!((found - share).abs() < 0.05, "{keys}: {found}, expected {share}");
        assert_eq!(lost(&report, "congestion") + lost(&report, "link-failure"), 0, "{keys}");
    }
    let back = run_once(&parse(&link("errors_back = { bernoulli = { rate = 0.5 } }", CALM)), 1);
    assert_eq!(lost(&back, "channel"), 0, "datagrams go the other way");
}

#[test]
fn a_listed_handoff_loses_what_falls_into_it() {
    let keys = "handoffs = { length = \"2s\", at = [\"10s\", \"50s\"] }";
    let report = run_once(&parse(&link(keys, CALM)), 1);
    // Four seconds at 62.5 packets per second; one packet may be in transit at the start of each handoff.
    assert!((250..=254).contains(&lost(&report, "link-failure")), "{}", lost(&report, "link-failure"));
    assert_eq!(lost(&report, "channel") + lost(&report, "congestion"), 0);
}

#[test]
fn random_handoffs_come_from_the_seed_and_hit_both_directions() {
    let keys = "handoffs = { length = \"0.5s\", count = 10 }";
    let world = parse(&link(keys, "app = \"ftp\"\n[[flow]]\nfrom = 1\nto = 0\napp = \"ftp\""));
    let (one, again, other) = (run_once(&world, 1), run_once(&world, 1), run_once(&world, 2));
    assert_eq!(one.document.ledger, again.document.ledger);
    assert_ne!(one.document.ledger, other.document.ledger);
    assert!(one.document.ledger["link-failure"].data >= 10, "{:?}", one.document.ledger);
    // Ten handoffs of 0.5 s take 5 % of the time, and the timeout after each one as much again.
    let free = run_once(&parse(&link("", "app = \"ftp\"")), 1).document.flows[0].goodput_bps;
    let cut = run_once(&parse(&link(keys, "app = \"ftp\"")), 1).document.flows[0].goodput_bps;
    assert!((0.85..0.95).contains(&(cut / free)), "{cut} of {free}");
}

#[test]
fn nothing_comes_through_a_link_that_is_always_down() {
    let keys = "handoffs = { length = \"100s\", at = [\"0s\"] }";
    let report = run_once(&parse(&link(keys, CALM)), 1);
    assert_eq!(report.document.flows[0].acked_segments, 0);
    assert_eq!(lost(&report, "link-failure"), 6_250);
}

/// TCP fills a drop-tail queue completely; RED keeps it short at little cost in goodput.
#[test]
fn red_keeps_the_round_trip_short_and_blames_congestion() {
    let run = |keys: &str| run_once(&parse(&link(keys, "app = \"ftp\"")), 1);
    let tail = run("queue = 50");
    let red = run("queue = 50\nred = { mean_packet = \"1500B\" }");
    let rtt = |r: &RunReport| r.document.flows[0].mean_rtt_seconds.unwrap_or(f64::NAN);
    assert!(rtt(&red) < 0.25 * rtt(&tail), "{} s against {} s", rtt(&red), rtt(&tail));
    let goodput = |r: &RunReport| r.document.flows[0].goodput_bps;
    assert!(goodput(&red) > 0.96 * goodput(&tail), "{} against {}", goodput(&red), goodput(&tail));
    assert!(lost(&red, "congestion") > 0 && lost(&red, "channel") == 0, "{:?}", red.document.ledger);
    assert_eq!(red.document.mac.queue_drops, lost(&red, "congestion"));
}

#[test]
fn a_kind_is_changed_in_one_place() {
    let world = load("dumbbell-5", &["wire_kind.sink.rate=2Mbps", "wire.2.rate=3Mbps"]);
    let rates: Vec<String> = world.settings.wires.iter().map(|l| l.rate.to_string()).collect();
    assert_eq!(rates[..3], ["100Mbps", "10Mbps", "3Mbps"]);
    assert!(rates[4] == "2Mbps" && rates[10] == "2Mbps", "{rates:?}");
}

/// Ten flows with sinks at 1 Mb/s each fill their sinks' wires.
#[test]
fn a_dumbbell_fills_its_sinks_links() {
    let report = run_once(&load("dumbbell-10", &["duration=20s"]), 1);
    for flow in &report.document.flows {
        // 1000 of 1040 bytes are payload.
        assert!((0.85e6..0.9616e6).contains(&flow.goodput_bps), "{} b/s", flow.goodput_bps);
    }
    assert!(report.document.metrics.jain_fairness.is_some_and(|j| j > 0.99));
}
