use super::*;
use std::path::Path;

fn bytes(toml: &str, set: &[&str], options: &RunOptions) -> f64 {
    let set: Vec<String> = set.iter().map(|&one| one.to_owned()).collect();
    let world = Scenario::from_toml(toml, "x.toml", Path::new(""), &set).unwrap();
    memory_of_tables(&world, options).unwrap() as f64
}

fn recorded() -> RunOptions {
    RunOptions { series: true, record: true, ..RunOptions::default() }
}

const STRING: &str = r#"
duration = "110s"
[topology]
kind = "string"
hops = 3
spacing = "200m"
[routing]
protocol = "static"
[[flow]]
from = 0
to = 3
app = "cbr"
interval = "100ms"
size = "512B"
start = "10s"
"#;

/// 100 s of ten datagrams a second over three hops: 1000 segments, 2000 changes of what is alive, 4 × 3000
/// frames and 2 × 3000 changes of queues.
#[test]
fn datagrams_over_radio_follow_from_their_interval() {
    let wanted = 1000.0 * 400.0 + 2000.0 * 70.0 + 12_000.0 * 200.0 + 6000.0 * 85.0;
    assert_eq!(bytes(STRING, &[], &recorded()), wanted);
    // Below the threshold there is no RTS and no CTS, and twice the time has twice the rows.
    let without = 1000.0 * 400.0 + 2000.0 * 70.0 + 6000.0 * 200.0 + 6000.0 * 85.0;
    assert_eq!(bytes(STRING, &["mac.rts_threshold=3000B"], &recorded()), without);
    assert_eq!(bytes(STRING, &["duration=210s"], &recorded()), 2.0 * wanted);
    let series = RunOptions { series: true, ..RunOptions::default() };
    assert_eq!(bytes(STRING, &[], &series), 2000.0 * 70.0);
    assert_eq!(bytes(STRING, &[], &RunOptions::default()), 0.0);
    assert_eq!(bytes(STRING, &["flow.0.packets=10"], &series), 20.0 * 70.0);
}

const WIRES: &str = r#"
duration = "100s"
[[wire]]
from = 0
to = 1
rate = "10Mbps"
delay = "1ms"
[[wire]]
from = 1
to = 2
rate = "1Mbps"
delay = "10ms"
[tcp]
mss = "960B"
[[flow]]
from = 0
to = 2
app = "ftp"
[[flow]]
from = 0
to = 2
app = "ftp"
"#;

/// Two transfers share 1 Mb/s: 125 segments of 1000 bytes a second, 12,500 in all, and as many ACKs. Each
/// packet has three rows on each of two wires, two in `alive`, one in `segments`; each ACK one in `series`.
#[test]
fn transfers_over_wires_share_the_slowest() {
    let wanted = 25_000.0 * (400.0 + 2.0 * 70.0 + 6.0 * 200.0) + 12_500.0 * 200.0;
    assert!((bytes(WIRES, &[], &recorded()) / wanted - 1.0).abs() < 1e-6);
    // Two segments in a round trip of 22 ms: 91 segments a second each, less than half of 10 Mb/s.
    let slow = ["tcp.window=2", "wire.1.rate=10Mbps"];
    let segments = 2.0 * 100.0 * 2.0 / 0.022;
    let wanted = 2.0 * segments * (400.0 + 140.0 + 1200.0) + segments * 200.0;
    assert!((bytes(WIRES, &slow, &recorded()) / wanted - 1.0).abs() < 1e-6);
    // A file of 96 kB has 100 segments.
    let files = ["flow.0.bytes=96000B", "flow.1.bytes=96000B"];
    let wanted = 400.0 * (400.0 + 140.0 + 1200.0) + 200.0 * 200.0;
    assert!((bytes(WIRES, &files, &recorded()) / wanted - 1.0).abs() < 1e-6);
}

/// A replayed network: a round trip of 100 ms and no loss let a window of 64 send 640 segments a second; half
/// of all packets lost keep the window near the square root of 3.
#[test]
fn a_replayed_network_limits_the_window() {
    let world = |loss: &str| {
        let lanes = format!(
            "period = \"1s\"\nclass = [{{ delay = \"50ms\", loss = {loss} }}]\nschedule = [[\"0s\", 0]]"
        );
        format!(
            "duration = \"100s\"\n[routing]\nprotocol = \"static\"\n[tcp]\nmss = \"960B\"\n[[flow]]\nfrom = 0\nto = 1\n\
             app = \"ftp\"\n[[wire]]\nfrom = 0\nto = 1\nrate = \"1Gbps\"\n[wire.lanes]\n{lanes}\n"
        )
    };
    for (loss, rate) in [("0.0", 640.0), ("0.5", 10.0 * 3f64.sqrt())] {
        // Each packet has three rows on the wire, two in `alive`, one in `segments`; each ACK one in
        // `series`.
        let wanted = 100.0 * rate * (2.0 * (400.0 + 140.0 + 600.0) + 200.0);
        assert!((bytes(&world(loss), &[], &recorded()) / wanted - 1.0).abs() < 1e-6, "{loss}");
    }
}

/// 802.11a at 54 Mb/s, one hop, no RTS. A segment of 1,500 bytes: DIFS 34, backoff 7.5 slots of 9, preamble 20, 1,540
/// bytes 228.1, SIFS 16, ACK 32: 397.6 µs. The ACK of 40 bytes: 34 + 67.5 + 20 + 11.9 + 16 + 32 = 181.4 µs. Together
/// 579 µs, so 1,727 segments per second, each with four rows in `alive` (70 B) and one in `series` (200 B).
#[test]
fn a_transfer_over_802_11a_follows_from_its_airtime() {
    let text = r#"
duration = "101s"
[topology]
kind = "string"
hops = 1
spacing = "20m"
[radio]
standard = "a"
rate = "fixed"
mcs = 7
[mac]
rts_threshold = "3000B"
[routing]
protocol = "static"
[tcp]
mss = "1460B"
[[flow]]
from = 0
to = 1
start = "1s"
"#;
    let series = RunOptions { series: true, ..RunOptions::default() };
    let wanted = 1727.0 * 100.0 * (4.0 * 70.0 + 200.0);
    let ratio = bytes(text, &[], &series) / wanted;
    assert!((0.99..1.01).contains(&ratio), "{ratio}");
}

/// The rows of runs with today's radios: the estimate is within a factor of two, as with 802.11b.
#[test]
fn rows_with_todays_radios_are_within_a_factor_of_two() {
    for (name, standard) in
        [("string-6", "n"), ("string-3", "ac"), ("string-2", "g"), ("grid-4x5", "ac"), ("string-5", "a")]
    {
        let sets = ["duration=6s", "routing.protocol=static", "topology.spacing=60m"].map(String::from);
        let radio = format!("radio.standard={standard}");
        let world = Scenario::load(name, &[&sets[..], &[radio]].concat()).unwrap();
        let options = RunOptions { series: true, ..RunOptions::default() };
        let report = crate::run(&world, &options, &crate::RunControl::new()).unwrap();
        let rows = |wanted: &str| {
            let table = report.tables().into_iter().find(|table| table.name == wanted);
            table.map_or(0, |table| match &table.columns[0].data {
                crate::ColumnData::F64(times) => times.len(),
                other => panic!("times, not {other:?}"),
            })
        };
        let taken = rows("series") as f64 * SERIES_ROW + rows("alive") as f64 * ALIVE_ROW;
        let ratio = memory_of_tables(&world, &options).unwrap() as f64 / taken;
        assert!((0.5..2.0).contains(&ratio), "{name} with {standard}: {ratio:.2}");
    }
}
