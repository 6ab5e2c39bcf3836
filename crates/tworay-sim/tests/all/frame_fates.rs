//! Outcomes of frames in the table `frames`.

use crate::common::parse;
use std::collections::BTreeSet;
use tworay_mac::FrameKind;
use tworay_sim::{ColumnData, Emission, RunControl, RunOptions, RunReport, run};

fn world(more: &str) -> RunReport {
    let text = format!(
        "duration = \"4s\"\ntopology = {{ kind = \"string\", hops = 1, spacing = \"180m\" }}\n\
         routing.protocol = \"static\"\nmac.rts = \"full\"\n\
         [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nsize = \"200B\"\ninterval = \"200ms\"\nstart = \"1s\"\n{more}"
    );
    let options = RunOptions { seed: 1, medium_log: true, record: true, ..RunOptions::default() };
    run(&parse(&text), &options, &RunControl::new()).expect("a run")
}

/// Times and outcomes of the frames of a kind.
fn frames(report: &RunReport, kind: &str) -> Vec<(f64, Option<&'static str>)> {
    let tables = report.tables();
    let frames = tables.iter().find(|t| t.name == "frames").expect("frames");
    let column = |name: &str| &frames.columns.iter().find(|c| c.name == name).expect("a column").data;
    let words = |name: &str| match column(name) {
        ColumnData::Word(words, places) => {
            places.iter().map(|place| place.map(|place| words[usize::from(place)])).collect::<Vec<_>>()
        }
        other => panic!("{name}: {other:?}"),
    };
    let ColumnData::F64(times) = column("t_s") else { panic!("times") };
    let (kinds, fates) = (words("kind"), words("fate"));
    (0..times.len()).filter(|i| kinds[*i] == Some(kind)).map(|i| (times[i], fates[i])).collect()
}

/// Node 1 goes off in the middle of a CTS. No bit error and no other frame strikes it.
#[test]
fn a_frame_whose_sender_goes_off_is_node_down() {
    let whole = world("");
    let log = whole.medium_log().expect("a log of the medium").emissions();
    let cts = |e: &&Emission| e.kind == FrameKind::Cts && e.at.as_secs_f64() > 2.0;
    let cut = log.iter().find(cts).expect("a CTS");
    let off = (cut.at + cut.airtime / 2).as_secs_f64();
    let report = world(&format!("[[event]]\nnode = 1\nat = \"{off:.9}s\"\nwhat = \"down\"\n"));
    let at = cut.at.as_secs_f64();
    let (before, after): (Vec<_>, Vec<_>) = frames(&report, "cts").into_iter().partition(|(t, _)| *t < at);
    assert!(before.len() > 3 && before.iter().all(|(_, fate)| *fate == Some("received")), "{before:?}");
    assert_eq!(after, [(at, Some("node-down"))]);
}

/// ns-2, `0 ── 1` and `2 ── 3`, where node 1 senses both others: node 2 from 350 m, and node 3 from 540 m with 7.5 dB less. A
/// datagram of node 0 that begins during one of node 2 is destroyed from then on, also if node 3 confirms that one later.
#[test]
fn a_collision_is_that_of_the_frame_that_was_there_first() {
    let text = "duration = \"20s\"\ndialect = \"ns2\"\nrouting.protocol = \"static\"\nmac.rts_threshold = \"3000B\"\n\
                topology = { kind = \"explicit\", positions = [[0, 0], [240, 0], [590, 0], [780, 0]] }\n\
                [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nsize = \"512B\"\ninterval = \"50ms\"\nstart = \"1s\"\n\
                [[flow]]\nfrom = 2\nto = 3\napp = \"cbr\"\nsize = \"512B\"\ninterval = \"5.12ms\"\nstart = \"1s\"\n";
    let options = RunOptions { seed: 11, record: true, ..RunOptions::default() };
    let report = run(&parse(text), &options, &RunControl::new()).expect("a run");
    let tables = report.tables();
    let frames = tables.iter().find(|t| t.name == "frames").expect("frames");
    let column = |name: &str| &frames.columns.iter().find(|c| c.name == name).expect("a column").data;
    let numbers = |name: &str| match column(name) {
        ColumnData::MaybeI64(numbers) => numbers.clone(),
        ColumnData::I64(numbers) => numbers.iter().copied().map(Some).collect(),
        other => panic!("{name}: {other:?}"),
    };
    let words = |name: &str| match column(name) {
        ColumnData::Word(words, places) => {
            places.iter().map(|place| place.map(|place| words[usize::from(place)])).collect::<Vec<_>>()
        }
        other => panic!("{name}: {other:?}"),
    };
    let (ColumnData::F64(starts), ColumnData::F64(airtimes)) = (column("t_s"), column("airtime_s")) else {
        panic!("times")
    };
    let (from, kinds, fates) = (numbers("from"), words("kind"), words("fate"));
    let interferers = numbers("interferer");
    let of = |node: i64, i: &usize| from[*i] == Some(node) && kinds[*i] == Some("data");
    let collided = (0..starts.len()).filter(|i| of(0, i) && fates[*i] == Some("collision"));
    let mut first = 0;
    for i in collided {
        let during = |j: &usize| starts[*j] < starts[i] && starts[i] < starts[*j] + airtimes[*j];
        if (0..i).rev().take(20).any(|j| of(2, &j) && during(&j)) {
            first += 1;
            assert_eq!(interferers[i], Some(2), "at {} s", starts[i]);
        }
    }
    assert!(first > 100, "{first} collisions with a frame that was there first");
}

/// 802.11ac, two of five frames lost. An RTS has 20 bytes, a BlockAckReq 24 (IEEE 802.11-2016 §9.3.1). At 6 Mb/s a symbol of 4 µs has 24 bits,
/// after a preamble of 20 µs: with 22 bits of service and tail, 8 symbols or 52 µs and 9 symbols or 56 µs. A packet that the station gives up
/// after aggregates that got no answer, and requests for that, was not lost to RTS.
#[test]
fn a_block_ack_req_is_no_rts() {
    let text = "duration = \"5s\"\nrouting = { protocol = \"aodv\", aodv.dialect = \"ns2\" }\ntopology = { kind = \"string\", hops = 2, spacing = \"180m\" }\n\
                radio.preset = \"ac80x2\"\nmac.rts_threshold = \"RTS\"\nerrors.frame_err = { bernoulli = { rate = 0.4 } }\n\
                [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nsize = \"1000B\"\nrate = \"5Mbps\"\nstart = \"1s\"\n";
    let options = RunOptions { seed: 1, record: true, ..RunOptions::default() };
    for rts in ["100kB", "0B"] {
        let report = run(&parse(&text.replace("RTS", rts)), &options, &RunControl::new()).expect("a run");
        let lengths = |kind: &str| -> BTreeSet<u64> { airtimes(&report, kind) };
        let announced = if rts == "0B" { BTreeSet::from([52]) } else { BTreeSet::new() };
        assert_eq!((lengths("rts"), lengths("block-ack-req")), (announced, BTreeSet::from([56])), "{rts}");
        let tables = report.tables();
        let ledger = tables.iter().find(|t| t.name == "ledger").expect("a ledger");
        let died = &ledger.columns.iter().find(|c| c.name == "died").expect("a column").data;
        let ColumnData::Str(died) = died else { panic!("{died:?}") };
        assert!(died.iter().any(|died| died == "data-retries"), "{rts}");
        assert_eq!(died.iter().any(|died| died == "rts-retries"), rts == "0B");
    }
}

/// Durations of the frames of a kind, µs.
fn airtimes(report: &RunReport, kind: &str) -> BTreeSet<u64> {
    let tables = report.tables();
    let frames = tables.iter().find(|t| t.name == "frames").expect("frames");
    let column = |name: &str| &frames.columns.iter().find(|c| c.name == name).expect("a column").data;
    let (ColumnData::Word(words, kinds), ColumnData::F64(times)) = (column("kind"), column("airtime_s"))
    else {
        panic!("kinds and times")
    };
    let of_kind = |place: &Option<_>| place.map(|place| words[usize::from(place)]) == Some(kind);
    let of_kind = kinds.iter().zip(times).filter(|(place, _)| of_kind(place));
    of_kind.map(|(_, time)| (time * 1e6).round() as u64).collect()
}
