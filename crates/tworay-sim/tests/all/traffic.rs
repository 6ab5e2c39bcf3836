//! Traffic of applications over one wire, against arithmetic.
//!
//! The wire has 1 Mb/s and 10 ms; headers of IPv4 and TCP have 40 bytes. A segment with n bytes of payload arrives
//! after 8 (n + 40) / 10⁶ + 0.01 s.

use std::path::Path;
use tworay_scenario::Scenario;
use tworay_sim::{ColumnData, FlowReport, RunControl, RunOptions, RunReport, run};

/// Time for a packet with this payload over the wire, s.
fn trip(payload: f64) -> f64 {
    8.0 * (payload + 40.0) / 1e6 + 0.01
}

fn report(seconds: u32, keys: &str) -> RunReport {
    let text = format!(
        "duration = \"{seconds}s\"\nrouting.protocol = \"static\"\n[[wire]]\nfrom = 0\nto = 1\nrate = \"1Mbps\"\ndelay = \"10ms\"\nqueue = 1000\n\
         [[flow]]\nfrom = 0\nto = 1\n{keys}\n"
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let scenario =
        Scenario::from_toml(&text, "t.toml", folder, &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, &RunOptions::default(), &RunControl::new()).expect("a run")
}

fn flow(seconds: u32, keys: &str) -> FlowReport {
    report(seconds, keys).document.flows[0].clone()
}

fn near(found: Option<f64>, expected: f64, off: f64) {
    let found = found.expect("a value");
    assert!((found - expected).abs() <= off, "{found}, expected {expected}");
}

#[test]
fn a_request_and_its_answer_take_their_two_trips() {
    let f =
        flow(100, "app = \"request\"\nrequest = \"300B\"\nsizes = { kind = \"fixed\", size = \"1400B\" }");
    // Pure acknowledgments of 40 bytes share the wire: one at most goes before the request, and one before the answer.
    let (least, acks) = (trip(300.0) + trip(1400.0), 2.0 * 8.0 * 40.0 / 1e6);
    near(f.transfer_seconds, least + acks / 2.0, acks / 2.0 + 1e-9);
    // One after the other for 100 s, after a handshake of three trips.
    let number = (100.0 - 3.0 * trip(0.0)) / f.transfer_seconds.expect("a mean");
    near(f.completed_transfers.map(|n| n as f64), number, 2.0);
    assert_eq!(f.retransmitted_segments, 0);
}

#[test]
fn a_closed_loop_does_one_transfer_after_the_other() {
    let (seconds, mean) = (2000, 1.0);
    let f = flow(seconds, "app = \"web\"\nthink = \"1s\"\nsizes = { kind = \"fixed\", size = \"1000B\" }");
    // A cycle takes the pause and the trip. N pauses scatter by √N times their mean.
    let cycles = f64::from(seconds) / (mean + trip(1000.0));
    let done = f.completed_transfers.expect("transfers") as f64;
    assert!((done - cycles).abs() < 5.0 * cycles.sqrt(), "{done} of {cycles}");
    near(f.transfer_seconds, trip(1000.0), 0.001);
}

#[test]
fn an_open_loop_has_a_poisson_number_of_transfers() {
    let f =
        flow(2000, "app = \"web\"\nevery = \"500ms\"\nsizes = { kind = \"exponential\", mean = \"3kB\" }");
    let done = f.completed_transfers.expect("transfers") as f64;
    assert!((done - 4000.0).abs() < 5.0 * 4000.0_f64.sqrt(), "{done}");
    // 4000 exponential sizes: the sum scatters by 1 / √4000, and so does their number.
    let load = 3000.0 * 8.0 / 0.5;
    assert!((f.goodput_bps / load - 1.0).abs() < 5.0 * (2.0_f64 / 4000.0).sqrt(), "{}", f.goodput_bps);
}

#[test]
fn transfers_are_the_same_whatever_the_variant() {
    let keys =
        "app = \"web\"\nevery = \"200ms\"\nsizes = { kind = \"pareto\", least = \"1kB\", most = \"1MB\" }";
    let asked = |variant: &str| {
        let report = report(60, &format!("{keys}\ntcp = \"{variant}\""));
        let tables = report.tables();
        let table = tables.iter().find(|table| table.name == "transfers").expect("a table of transfers");
        table.columns.iter().take(3).cloned().collect::<Vec<_>>()
    };
    let (one, other) = (asked("tahoe"), asked("cubic"));
    assert_eq!(one, other);
    let ColumnData::I64(bytes) = &one[2].data else { panic!("sizes are whole numbers") };
    assert!(bytes.len() > 200 && bytes.iter().all(|size| (1000..=1_000_000).contains(size)));
}

#[test]
fn transfers_by_size_add_up_to_the_mean() {
    let f = flow(
        300,
        "app = \"web\"\nthink = \"10ms\"\nsizes = { kind = \"listed\", sizes = [\"5kB\", \"50kB\"] }",
    );
    let by_size = f.transfer_seconds_by_size.expect("classes");
    assert_eq!(by_size.keys().copied().collect::<Vec<_>>(), ["to_100kB", "to_10kB"]);
    let (small, large) = (by_size["to_10kB"], by_size["to_100kB"]);
    // 50 kB take 0.4 s on the wire at least.
    assert!(small < 0.2 && (0.4..1.0).contains(&large), "{small}, {large}");
    let mean = f.transfer_seconds.expect("a mean");
    assert!(small < mean && mean < large);
}

#[test]
fn a_video_below_the_wires_rate_does_not_stall() {
    let f = flow(120, "app = \"video\"\nrate = \"500kbps\"\nchunk = \"2s\"");
    assert_eq!((f.stalls, f.stalled_seconds), (Some(0), Some(0.0)));
    // It fetches what plays in 120 s and at most a buffer of 30 s.
    let chunks = f.completed_transfers.expect("chunks");
    assert!((60..=75).contains(&chunks), "{chunks}");
    // The first chunk of 125 kB takes a second at the wire's rate, and slow start.
    let start = f.startup_seconds.expect("a start");
    assert!((1.0..2.0).contains(&start), "{start}");
}

#[test]
fn a_video_above_the_wires_rate_stalls_for_what_is_missing() {
    let f = flow(300, "app = \"video\"\nrate = \"2Mbps\"\nchunk = \"2s\"");
    let played = f.goodput_bps * 300.0 / 2e6;
    let silent = f.stalled_seconds.expect("stalls") + f.startup_seconds.expect("a start");
    // What has not been played is at most a chunk and what is in the buffer.
    assert!((silent + played - 300.0).abs() < 4.0, "{silent} s of silence, {played} s played");
    assert!(f.stalls.expect("stalls") > 20);
}

#[test]
fn a_trace_is_replayed_packet_by_packet() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replayed.trace");
    std::fs::write(&file, "100\n150\n150\n1000\n").unwrap();
    let f = flow(10, "app = \"replay\"\nfile = \"replayed.trace\"\nstart = \"1s\"");
    assert_eq!((f.sent_segments, f.acked_segments), (4, 4));
    assert_eq!(f.goodput_bps * 9.0 / 8.0, 4.0 * 1472.0);
    // One of the four waits for the one before: 12 ms each on the wire.
    near(f.mean_delay_seconds, 0.012 + 0.01 + 0.012 / 4.0, 1e-6);
    near(f.latency_under_load_seconds, 0.012 + 0.01 + 0.012, 0.034 / 64.0);
    let tcp = flow(10, "app = \"replay\"\nfile = \"replayed.trace\"\nstart = \"1s\"\nover = \"tcp\"");
    assert_eq!((tcp.completed_transfers, tcp.goodput_bps * 9.0 / 8.0), (Some(4), 4.0 * 1472.0));
}

#[test]
fn a_flow_that_stops_asks_for_nothing_more() {
    let f = flow(100, "app = \"request\"\nthink = \"1s\"\nstop = \"10s\"");
    assert!(f.completed_transfers.expect("transfers") < 30);
    assert_eq!(
        report(100, "app = \"video\"\nrate = \"1kbps\"\nstop = \"10s\"")
            .document
            .metrics
            .unfinished_connections,
        0
    );
}
