//! Outcomes of frames in the table `frames`.

use crate::common::parse;
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
