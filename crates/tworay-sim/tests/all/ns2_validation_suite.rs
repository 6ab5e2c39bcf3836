//! ns-2's own validation suite over tworay's wires: the same packets retransmitted at the same times.
//!
//! Topology and settings are those of `test-suite-tcpVariants.tcl` (Debian's ns2-examples): s1 and s2 on 8
//! Mb/s wires to r1, then 800 kb/s and 100 ms to k1, where listed packets are dropped. Each row has figures
//! of ns-2.35's trace: packets sent by s1 (the SYN is packet 0), the last ACK it received, and each
//! retransmission with its time. Times must agree within 0.1 ms. The tests of tworay-tcp and `make peers`
//! compare the full traces packet by packet.

use crate::common::parse;
use tworay_sim::{ColumnData, RunControl, RunOptions, run};

type Row = (&'static str, &'static str, bool, u64, u64, &'static [(u32, f64)]);

#[rustfmt::skip]
const ROWS: [Row; 48] = [
    ("onedrop", "tahoe", false, 246, 224, &[(14, 2.0692)]),
    ("onedrop", "reno", false, 297, 272, &[(14, 2.0692)]),
    ("onedrop", "newreno", false, 297, 272, &[(14, 2.0692)]),
    ("onedrop", "sack", false, 295, 270, &[(14, 2.069288)]),
    ("onedrop", "tahoe", true, 248, 226, &[(14, 2.0692)]),
    ("onedrop", "reno", true, 297, 272, &[(14, 2.0692)]),
    ("onedrop", "newreno", true, 297, 272, &[(14, 2.0692)]),
    ("onedrop", "sack", true, 295, 270, &[(14, 2.069288)]),
    ("twodrops", "tahoe", false, 246, 223, &[(14, 2.0692), (28, 2.28108)]),
    ("twodrops", "reno", false, 119, 104, &[(14, 2.0692), (28, 3.28108)]),
    ("twodrops", "newreno", false, 285, 260, &[(14, 2.0692), (28, 2.28108)]),
    ("twodrops", "sack", false, 280, 255, &[(14, 2.069288), (28, 2.343656)]),
    ("twodrops", "tahoe", true, 246, 222, &[(14, 2.0692), (28, 2.28108), (29, 2.28108)]),
    ("twodrops", "reno", true, 121, 106, &[(14, 2.0692), (28, 3.28108)]),
    ("twodrops", "newreno", true, 278, 253, &[(14, 2.0692), (28, 2.28108)]),
    ("twodrops", "sack", true, 287, 262, &[(14, 2.069288), (28, 2.260544)]),
    ("threedrops", "tahoe", false, 240, 215, &[(14, 2.0692), (26, 2.28108), (27, 2.28108), (28, 2.49296)]),
    ("threedrops", "reno", false, 113, 97, &[(14, 2.0692), (26, 3.28108), (28, 3.49296), (29, 3.49296)]),
    ("threedrops", "newreno", false, 257, 232, &[(14, 2.0692), (26, 2.28108), (28, 2.49296)]),
    ("threedrops", "sack", false, 279, 253, &[(14, 2.069288), (26, 2.162976), (28, 2.343744)]),
    ("threedrops", "tahoe", true, 238, 211, &[(14, 2.0692), (26, 2.28108), (27, 2.28108), (28, 2.49296), (29, 2.49296), (30, 2.49296)]),
    ("threedrops", "reno", true, 120, 103, &[(14, 2.0692), (26, 3.28108), (28, 3.49296), (29, 3.49296)]),
    ("threedrops", "newreno", true, 250, 226, &[(14, 2.0692), (26, 2.28108), (28, 2.49296)]),
    ("threedrops", "sack", true, 286, 260, &[(14, 2.069288), (26, 2.162976), (28, 2.260632)]),
    ("fourdrops", "tahoe", false, 235, 208, &[(14, 2.0692), (24, 2.28108), (25, 2.28108), (26, 2.49296), (27, 2.49296), (28, 2.49296)]),
    ("fourdrops", "reno", false, 107, 88, &[(14, 2.0692), (24, 3.28108), (26, 3.49296), (27, 3.49296), (28, 3.70484), (29, 3.70484), (30, 3.70484)]),
    ("fourdrops", "newreno", false, 233, 208, &[(14, 2.0692), (24, 2.28108), (26, 2.49296), (28, 2.70484)]),
    ("fourdrops", "sack", false, 278, 251, &[(14, 2.069288), (24, 2.142176), (26, 2.152664), (28, 2.343832)]),
    ("fourdrops", "tahoe", true, 242, 213, &[(14, 2.0692), (24, 2.28108), (25, 2.28108), (26, 2.49296), (27, 2.49296), (28, 2.49296), (29, 2.50336), (30, 2.70484)]),
    ("fourdrops", "reno", true, 117, 97, &[(14, 2.0692), (24, 3.28108), (26, 3.49296), (27, 3.49296), (28, 3.70484), (29, 3.70484), (30, 3.70484), (31, 3.71524)]),
    ("fourdrops", "newreno", true, 232, 207, &[(14, 2.0692), (24, 2.28108), (26, 2.49296), (28, 2.70484)]),
    ("fourdrops", "sack", true, 279, 252, &[(14, 2.069288), (24, 2.152664), (26, 2.260632), (28, 2.271032)]),
    ("multiple", "tahoe", false, 218, 186, &[(11, 2.08064), (12, 2.29252), (13, 2.29252), (14, 2.5044), (15, 2.5044), (16, 2.5148), (17, 2.5148), (18, 2.71628), (19, 2.71628), (20, 2.71628), (21, 2.73708), (22, 2.73708)]),
    ("multiple", "reno", false, 103, 79, &[(11, 2.08064), (12, 3.29252), (13, 3.5044), (14, 3.5044), (15, 3.71628), (16, 3.71628), (17, 3.72668), (18, 3.72668), (19, 3.93856), (20, 3.94896), (21, 3.95936), (22, 3.95936)]),
    ("multiple", "newreno", false, 148, 124, &[(11, 2.08064), (12, 2.29252), (13, 2.5044), (14, 2.71628), (16, 2.92816), (17, 3.14004), (18, 3.35192), (19, 3.5638)]),
    ("multiple", "sack", false, 103, 79, &[(11, 2.080816), (12, 3.292872), (13, 3.504928), (14, 3.504928), (15, 3.716984), (16, 3.716984), (17, 3.727296), (18, 3.727296), (19, 3.939352), (20, 3.949752), (21, 3.960152), (22, 3.960152)]),
    ("multiple", "tahoe", true, 223, 189, &[(11, 2.08064), (12, 2.29252), (13, 2.29252), (14, 2.5044), (15, 2.5044), (16, 2.5148), (17, 2.5148), (18, 2.71628), (19, 2.71628), (20, 2.71628), (21, 2.72668), (22, 2.73708), (23, 2.74748), (24, 2.92816)]),
    ("multiple", "reno", true, 111, 86, &[(11, 2.08064), (12, 3.29252), (13, 3.5044), (14, 3.5044), (15, 3.71628), (16, 3.71628), (17, 3.72668), (18, 3.72668), (19, 3.92816), (20, 3.94896), (21, 3.95936), (22, 3.95936)]),
    ("multiple", "newreno", true, 143, 119, &[(11, 2.08064), (12, 2.29252), (13, 2.5044), (14, 2.71628), (16, 2.92816), (17, 3.14004), (18, 3.35192), (19, 3.5638)]),
    ("multiple", "sack", true, 105, 81, &[(11, 2.080816), (12, 3.292872), (13, 3.504928), (14, 3.504928), (15, 3.716984), (16, 3.716984), (17, 3.727296), (18, 3.727296), (19, 3.928952), (20, 3.949752), (21, 3.960152), (22, 3.960152)]),
    ("multiple2", "tahoe", false, 223, 193, &[(11, 2.0692), (12, 2.28108), (13, 2.28108), (14, 2.49296), (15, 2.49296), (16, 2.50336), (17, 2.50336), (18, 2.70484), (19, 2.70484), (20, 2.70484)]),
    ("multiple2", "reno", false, 103, 83, &[(11, 2.0692), (12, 3.28108), (13, 3.49296), (14, 3.49296), (15, 3.70484), (16, 3.70484), (17, 3.71524), (18, 3.71524)]),
    ("multiple2", "newreno", false, 187, 164, &[(11, 2.0692), (12, 2.28108), (13, 2.49296), (14, 2.70484), (16, 2.91672)]),
    ("multiple2", "sack", false, 244, 218, &[(11, 2.069376), (12, 2.110976), (13, 2.281432), (14, 2.281432), (16, 2.323032)]),
    ("multiple2", "tahoe", true, 229, 198, &[(11, 2.0692), (12, 2.28108), (13, 2.28108), (14, 2.49296), (15, 2.49296), (16, 2.50336), (17, 2.50336), (18, 2.70484), (19, 2.70484), (20, 2.70484), (21, 2.71524)]),
    ("multiple2", "reno", true, 112, 90, &[(11, 2.0692), (12, 3.28108), (13, 3.49296), (14, 3.49296), (15, 3.70484), (16, 3.70484), (17, 3.71524), (18, 3.71524), (19, 3.91672)]),
    ("multiple2", "newreno", true, 189, 166, &[(11, 2.0692), (12, 2.28108), (13, 2.49296), (14, 2.70484), (16, 2.91672)]),
    ("multiple2", "sack", true, 241, 215, &[(11, 2.069376), (12, 2.271032), (13, 2.281432), (14, 2.281432), (16, 2.483088)]),
];

fn drops(test: &str) -> &'static str {
    match test {
        "onedrop" => "14",
        "twodrops" => "14, 28",
        "threedrops" => "14, 26, 28",
        "fourdrops" => "14, 24, 26, 28",
        "multiple" => "11, 12, 13, 14, 16, 17, 18, 19",
        _ => "11, 12, 13, 14, 16",
    }
}

fn scenario(test: &str, variant: &str, limited_transmit: bool) -> tworay_sim::scenario::Scenario {
    parse(&format!(
        r#"
        name = "suite"
        duration = "6s"
        dialect = "ns2"
        routing = {{ protocol = "static" }}
        [tcp]
        variant = "{variant}"
        mss = "1000B"
        window = 28
        limited_transmit = {limited_transmit}
        max_burst = 0
        halving_precision = "integer"
        rto = {{ initial = "6s", min = "1s" }}
        newreno = {{ timer = "slow-but-steady", partial_window_deflation = false }}
        [[wire]]
        from = 0
        to = 2
        rate = "8Mbps"
        delay = "0s"
        [[wire]]
        from = 1
        to = 2
        rate = "8Mbps"
        delay = "0s"
        [[wire]]
        from = 2
        to = 3
        rate = "800kbps"
        delay = "100ms"
        queue = 7
        drops = [{}]
        [[flow]]
        from = 0
        to = 3
        app = "ftp"
        start = "1s"
        "#,
        drops(test)
    ))
}

#[test]
fn all_rows_of_the_suite_agree_within_a_tenth_of_a_millisecond() {
    for (test, variant, limited, packets, last_ack, retransmissions) in ROWS {
        let title = format!("{test} {variant}{}", if limited { " with limited transmit" } else { "" });
        let options = RunOptions { seed: 1, series: true, ..RunOptions::default() };
        let report = run(&scenario(test, variant, limited), &options, &RunControl::new()).expect("runs");
        let flow = &report.document.flows[0];
        assert_eq!(flow.sent_segments + 1, packets, "{title}: packets sent");
        assert_eq!(flow.acked_segments, last_ack, "{title}: last ACK");
        let seen = sent_again(&report);
        let numbers = |list: &[(u32, f64)]| list.iter().map(|x| x.0).collect::<Vec<_>>();
        assert_eq!(numbers(&seen), numbers(retransmissions), "{title}: packets sent again");
        for (ours, theirs) in seen.iter().zip(retransmissions) {
            assert!(
                (ours.1 - theirs.1).abs() < 1e-4,
                "{title}: packet {} at {} against {}",
                ours.0,
                ours.1,
                theirs.1
            );
        }
    }
}

/// Packets passed to the first wire again, with their times: (packet number, seconds).
fn sent_again(report: &tworay_sim::RunReport) -> Vec<(u32, f64)> {
    let tables = report.tables();
    let table = tables.iter().find(|t| t.name == "packets").expect("the packets table is there");
    let column = |name: &str| &table.columns.iter().find(|c| c.name == name).expect("column").data;
    let (ColumnData::F64(at), ColumnData::Str(event), ColumnData::I64(from), ColumnData::I64(seq)) =
        (column("t_s"), column("event"), column("from"), column("seq"))
    else {
        panic!("the columns have other types")
    };
    let mut seen = std::collections::BTreeSet::new();
    let mut again = Vec::new();
    for i in 0..at.len() {
        if from[i] == 0 && event[i] == "enqueue" && seq[i] > 0 && !seen.insert(seq[i]) {
            again.push((((seq[i] - 1) / 1000 + 1) as u32, at[i]));
        }
    }
    again
}
