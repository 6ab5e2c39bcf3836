use super::*;
use std::path::Path;
use tworay_scenario::Scenario;

fn paths(topology: &str) -> Vec<FlowPath> {
    let text = format!("duration = \"10s\"\n{topology}\n[[flow]]\nfrom = 0\nto = 2\n");
    let scenario = Scenario::from_toml(&text, "t.toml", Path::new(""), &[]).expect("a good scenario");
    flow_paths(&scenario.setup(1, false).expect("a setup"))
}

fn words(path: &FlowPath) -> Option<String> {
    path.words(0, path.facts.partitioned_fraction()).map(|warning| warning.text)
}

#[test]
fn a_path_gives_no_words() {
    let found = paths("[topology]\nkind = \"string\"\nhops = 2\nspacing = \"200m\"");
    assert_eq!((found[0].facts.hops, words(&found[0])), (2, None));
}

#[test]
fn every_pair_of_a_string_is_as_far_as_its_numbers() {
    let text = "duration = \"10s\"\n[topology]\nkind = \"string\"\nhops = 3\nspacing = \"200m\"\n[[flow]]\nfrom = 0\nto = 2\n";
    let scenario = Scenario::from_toml(text, "t.toml", Path::new(""), &[]).expect("a good scenario");
    let found = all_pairs(&scenario.setup(1, false).expect("a setup"));
    let hops: Vec<_> = found.iter().map(|((a, b), facts)| (a.0, b.0, facts.hops, facts.connected)).collect();
    assert_eq!(hops, [(0, 1, 1, 1), (0, 2, 2, 1), (0, 3, 3, 1), (1, 2, 1, 1), (1, 3, 2, 1), (2, 3, 1, 1)]);
}

#[test]
fn a_gap_is_named_with_what_closes_it() {
    let found = paths("[topology]\nkind = \"explicit\"\npositions = [[0, 0], [200, 0], [600, 0]]");
    assert_eq!(
        words(&found[0]).as_deref(),
        Some(
            "flow 0 (0 to 2) never has a path: at the start nodes 1 and 2 are 400 m apart, but links reach 250 m; \
             put nodes between them, move them closer, or raise radio.tx_power"
        )
    );
}

/// Shadowing may carry a hop of 265 m.
#[test]
fn shadowing_may_open_a_path_beyond_the_mean_reach() {
    let radio = "[radio]\nshadowing = { sigma = \"3dB\", coherence = \"60s\" }\n";
    let found = paths(&format!("{radio}[topology]\nkind = \"string\"\nhops = 2\nspacing = \"265m\""));
    assert_eq!(
        words(&found[0]).as_deref(),
        Some(
            "flow 0 (0 to 2) has a path only while shadowing or fading favours one: at the start nodes 0 and 1 are 265 m \
             apart, but links reach a mean of 250 m; put nodes between them, move them closer, or raise radio.tx_power"
        )
    );
}

/// Nodes at 0, 100 and 200 m with a radio that reaches 250 m: one hop, two if none may be longer than 150 m, and no path
/// with hops of 90 m.
#[test]
fn fixed_routes_reach_as_far_as_their_longest_hop() {
    let with = |longest: &str| {
        let routing = format!("[routing]\nprotocol = \"static\"\n{longest}");
        paths(&format!("{routing}[topology]\nkind = \"string\"\nhops = 2\nspacing = \"100m\"")).remove(0)
    };
    assert_eq!(with("").facts.hops, 1);
    let found = with("longest_hop = \"150m\"\n");
    assert_eq!((found.facts.hops, words(&found)), (2, None));
    assert_eq!(
        words(&with("longest_hop = \"90m\"\n")).as_deref(),
        Some(
            "flow 0 (0 to 2) never has a path: at the start nodes 0 and 1 are 100 m apart, but hops of fixed routes reach \
             90 m; put nodes between them, move them closer, or raise routing.longest_hop"
        )
    );
}

/// A datagram of 2276 bytes fills an MSDU with its headers of 28; segments have 40.
#[test]
fn packets_too_long_for_a_frame_are_named() {
    let said = |head: &str, flow: &str| {
        let text = format!("duration = \"10s\"\n{head}[[flow]]\nfrom = 0\nto = 1\n{flow}");
        let scenario = Scenario::from_toml(&text, "t.toml", Path::new(""), &[]).expect("a good scenario");
        let found = flow_paths(&scenario.setup(1, false).expect("a setup"));
        found[0].oversized(0).map(|warning| (warning.kind, warning.text))
    };
    let air = "[names]\nroof = 1\n[topology]\nkind = \"string\"\nhops = 1\n";
    let cbr = |size: u32| format!("app = \"cbr\"\ninterval = \"1s\"\nsize = \"{size}B\"\n");
    assert_eq!(said(air, &cbr(2276)), None);
    let (kind, text) = said(air, &cbr(9000)).expect("a warning");
    assert_eq!(kind, WarningKind::Oversized);
    assert_eq!(
        text,
        "flow 0 (0 to roof): its datagrams are IP packets of 9028 bytes, but an 802.11 frame holds 2304; IP would send \
         fragments, here each is one long frame; lower their size to 2276 bytes or less"
    );
    let (_, text) = said(&format!("tcp.mss = \"2265B\"\n{air}"), "").expect("a warning");
    assert!(
        text.contains("segments are IP packets of 2305 bytes")
            && text.ends_with("lower tcp.mss to 2264 bytes or less")
    );
    assert_eq!(said(air, ""), None);
    let wire = "[[wire]]\nfrom = 0\nto = 1\nrate = \"1Mbps\"\ndelay = \"1ms\"\n";
    assert_eq!(said(wire, &cbr(9000)), None, "wires may carry long frames");
}

/// Writes at 0, 4, 9 and 10 s: the flow starts at 1 s, so that two of them lie after 9 s.
#[test]
fn packets_of_a_trace_after_the_end_are_counted() {
    let file = std::env::temp_dir().join(format!("tworay-beyond-{}.csv", std::process::id()));
    std::fs::write(&file, "time_s,bytes\n0,100\n4,100\n9,100\n10,100\n").expect("a file");
    let said = |duration: u32, keys: &str| {
        let text = format!(
            "duration = \"{duration}s\"\n[topology]\nkind = \"string\"\nhops = 1\n[[flow]]\nfrom = 0\nto = 1\n\
             start = \"1s\"\napp = \"replay\"\nfile = {file:?}\n{keys}"
        );
        let scenario = Scenario::from_toml(&text, "t.toml", Path::new(""), &[]).expect("a good scenario");
        flow_paths(&scenario.setup(1, false).expect("a setup"))[0]
            .beyond_end(3)
            .map(|one| (one.kind, one.text))
    };
    let text = |late: &str, end: u32, are: &str| {
        format!(
            "flow 3 (0 to 1): {late} after its end at {end} s and {are} never sent; give a longer duration, or an \
             earlier start"
        )
    };
    let warned = |text| Some((WarningKind::BeyondEnd, text));
    assert_eq!(said(12, ""), None);
    assert_eq!(said(11, ""), warned(text("1 of the 4 packets of its trace lies", 11, "is")));
    assert_eq!(said(9, "over = \"tcp\""), warned(text("2 of the 4 packets of its trace lie", 9, "are")));
    assert_eq!(said(20, "stop = \"3s\""), warned(text("3 of the 4 packets of its trace lie", 3, "are")));
    std::fs::remove_file(&file).expect("a file");
}

#[test]
fn wires_are_paths() {
    let wires = "[[wire]]\nfrom = 0\nto = 1\nrate = \"1Mbps\"\ndelay = \"1ms\"\n";
    let cut = paths(&format!("{wires}[[wire]]\nfrom = 2\nto = 3\nrate = \"1Mbps\"\ndelay = \"1ms\""));
    assert_eq!(
        words(&cut[0]).as_deref(),
        Some(
            "flow 0 (0 to 2) never has a path: no wire or radio link leads there; add a [[wire]] or a [[radio.link]]"
        )
    );
    let whole = paths(&format!("{wires}[[wire]]\nfrom = 1\nto = 2\nrate = \"1Mbps\"\ndelay = \"1ms\""));
    assert_eq!((whole[0].facts.hops, words(&whole[0])), (2, None));
}

#[test]
fn a_share_of_the_time_is_said_from_five_percent_on() {
    let found = paths("[topology]\nkind = \"string\"\nhops = 2\nspacing = \"200m\"");
    assert_eq!(found[0].words(0, 0.04), None);
    let warning = found[0].words(0, 0.372).expect("worth saying");
    assert_eq!(warning.kind, WarningKind::PathMissing);
    assert!(warning.text.starts_with("flow 0 (0 to 2) has no path 37 % of the time, whatever TCP does"));
}
