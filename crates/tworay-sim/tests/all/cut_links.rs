//! Links that are cut while a flow uses them: which link, for how long, and the cause of the losses.

use crate::common::{parse, run_once};
use std::collections::BTreeSet;
use tworay_sim::{ColumnData, Document, RunControl, RunOptions, run};

const DIAMOND: &str =
    "topology = { kind = \"explicit\", positions = [[0, 0], [200, 60], [200, -60], [400, 0]] }";
const PAIR: &str = "topology = { kind = \"string\", hops = 1 }";
const CHAIN: &str = "topology = { kind = \"string\", hops = 2 }";

/// A transfer from node 0 to node `to` over a flat radio for 40 s, with a window that fills no queue, plus
/// `events`.
fn transfer(topology: &str, routing: &str, to: u16, start: &str, events: &str) -> Document {
    let text = format!(
        r#"
        duration = "40s"
        {topology}
        radio = {{ propagation = "range", range = "250m" }}
        routing = {{ protocol = "{routing}" }}
        tcp = {{ window = 8 }}
        [[flow]]
        from = 0
        to = {to}
        start = "{start}"
        {events}
        "#
    );
    run_once(&parse(&text), 3).document
}

fn cut(at: &str, rest: &str) -> String {
    format!("[[event]]\nflow = 0\nat = \"{at}\"\nwhat = \"cut\"\n{rest}\n")
}

#[test]
fn a_cut_link_carries_nothing_for_its_time_and_works_again_after_it() {
    let [whole, minus_ten, for_good] = ["", &cut("10s", "for = \"10s\""), &cut("10s", "")]
        .map(|events| transfer(PAIR, "static", 1, "0s", events));
    let acked =
        |report: &Document| report.flows[0].acked_segments as f64 / whole.flows[0].acked_segments as f64;
    // The first 10 of 40 s; and 10 s less than all, plus the wait for a timer that has doubled to about 6
    // s.
    assert!((0.24..0.26).contains(&acked(&for_good)), "{}", acked(&for_good));
    assert!((0.55..0.76).contains(&acked(&minus_ten)), "{}", acked(&minus_ten));
    for report in [&minus_ten, &for_good] {
        let lost: Vec<_> =
            report.ledger.iter().filter(|(_, n)| n.data + n.ack > 0).map(|(c, _)| *c).collect();
        assert_eq!(lost, ["link-failure"]);
    }
}

#[test]
fn routing_finds_the_way_round_a_cut_link() {
    let events = cut("10s", "");
    let run = |routing: &str, events: &str| {
        transfer(DIAMOND, routing, 3, "0s", events).flows[0].acked_segments as f64
    };
    let whole = run("aodv", "");
    assert!(run("aodv", &events) > 0.7 * whole, "there is another relay");
    assert!(run("static", &events) < 0.4 * whole, "static routes know of none");
}

#[test]
fn a_cut_waits_for_a_packet_of_its_flow() {
    // Due before the flow starts: its first packet, the SYN, is the last to cross a link.
    let report = transfer(CHAIN, "static", 2, "5s", &cut("1s", ""));
    let lost = &report.ledger["link-failure"];
    assert_eq!((report.flows[0].acked_segments, lost.data + lost.ack > 0), (0, true));
}

/// One sender and no other traffic: nothing can collide. Frames over the cut link get nowhere.
#[test]
fn a_frame_over_a_cut_link_is_out_of_range() {
    let text = format!(
        "duration = \"20s\"\n{PAIR}\nrouting = {{ protocol = \"static\" }}\n[[flow]]\nfrom = 0\nto = 1\n\
         app = \"cbr\"\nsize = \"512B\"\nrate = \"80kbps\"\n{}",
        cut("10s", "for = \"5s\"")
    );
    let options = RunOptions { seed: 1, record: true, ..RunOptions::default() };
    let report = run(&parse(&text), &options, &RunControl::new()).expect("a run");
    let tables = report.tables();
    let frames = tables.iter().find(|t| t.name == "frames").expect("frames");
    let column = |name: &str| &frames.columns.iter().find(|c| c.name == name).expect("a column").data;
    let (ColumnData::F64(at), ColumnData::Word(words, fates)) = (column("t_s"), column("fate")) else {
        panic!("times and outcomes")
    };
    let of = |during: bool| {
        // The cut begins behind the first packet after 10 s; a frame to node 1 every 51 ms.
        let inside = |t: f64| if during { (10.1..15.0).contains(&t) } else { !(10.0..15.1).contains(&t) };
        let fates = at.iter().zip(fates).filter(|(t, _)| inside(**t)).filter_map(|(_, fate)| *fate);
        fates.map(|word| words[usize::from(word)]).collect::<BTreeSet<&str>>()
    };
    assert_eq!((of(true), of(false)), (BTreeSet::from(["out-of-range"]), BTreeSet::from(["received"])));
}
