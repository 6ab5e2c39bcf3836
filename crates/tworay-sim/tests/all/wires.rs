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

/// One segment in flight over 320 kb/s and 36.5 ms each way. Its 1040 bytes take 26 ms and the ACK's 40 bytes
/// 1 ms: one round trip is 0.1 s. The handshake takes 75 to 77 ms, depending on its options, so that segment
/// k (from 0) leaves at 75 ms + k × 0.1 s and is acknowledged 0.1 s later. Of a file, and of an endless
/// transfer, ten segments leave within a second. The last one is acknowledged at 1.075 s; a FIN then takes 75
/// ms more.
#[test]
fn an_ftp_sender_that_stops_completes_with_what_it_has_sent() {
    let fin = [("standard", 0.075), ("ns2", 0.0)];
    for ((dialect, fin), file) in fin.into_iter().flat_map(|f| [(f, ""), (f, "bytes = \"1MB\"\n")]) {
        let text = format!(
            "duration = \"100s\"\ndialect = \"{dialect}\"\nrouting.protocol = \"static\"\n\
             tcp = {{ mss = \"1000B\", window = 1 }}\nstation.processing_delay = \"0s\"\n\
             [[wire]]\nfrom = 0\nto = 1\nrate = \"320kbps\"\ndelay = \"36.5ms\"\n\
             [[flow]]\nfrom = 0\nto = 1\nstart = \"4s\"\nstop = \"5s\"\n{file}"
        );
        let flow = &run_once(&parse(&text), 1).document.flows[0];
        assert_eq!((flow.sent_segments, flow.acked_segments), (10, 10), "{dialect} {file}");
        let (took, expected) = (flow.completion_seconds.unwrap_or(f64::NAN), 1.075 + fin);
        // Options of the SYN are 4 to 12 bytes, and the phases of the timers' clocks do not matter.
        assert!((expected - 1e-6..expected + 0.002).contains(&took), "{dialect} {file}: {took} s");
        // Figures are those of the transfer's own time, not of the 100 s of the run.
        assert!(
            (flow.goodput_bps - 80_000.0 / took).abs() < 1.0,
            "{dialect} {file}: {} b/s",
            flow.goodput_bps
        );
    }
}

/// Datagrams leave at 4.0, 4.1, … 4.9 s: at the stop itself none does. A burst of 50 s on average ends with
/// the stop, and none follows it.
#[test]
fn a_udp_sender_that_stops_sends_nothing_more() {
    let flow = |app: &str| {
        let keys = format!("{app}\nsize = \"972B\"\ninterval = \"100ms\"\nstart = \"4s\"\nstop = \"5s\"");
        run_once(&parse(&link("", &keys)), 1).document.flows[0].clone()
    };
    let cbr = flow("app = \"cbr\"");
    assert_eq!((cbr.sent_segments, cbr.acked_segments), (10, 10));
    let bursts = flow("app = \"on-off\"\non = \"50s\"\noff = \"1s\"");
    assert!((1..=10).contains(&bursts.sent_segments), "{}", bursts.sent_segments);
}
