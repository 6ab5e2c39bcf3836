//! OLSR with the MAC's feedback: breaks that other nodes are told of, and breaks before there was a route.

use super::{Loss, causes, losses, parse, run_once};
use std::collections::BTreeSet;
use tworay_mac::FrameKind;
use tworay_radio::Verdict;
use tworay_sim::{ColumnData, Emission, RunControl, RunOptions, RunReport, run};

fn flow(from: u32, to: u32, more: &str) -> String {
    format!("[[flow]]\nfrom = {from}\nto = {to}\napp = \"cbr\"\n{more}\n")
}

fn string(hops: u32, more: &str, seed: u64) -> RunReport {
    let text = format!(
        "topology = {{ kind = \"string\", hops = {hops} }}\nmac.rts_threshold = \"0B\"\n\
         routing = {{ protocol = \"olsr\", olsr.link_layer_feedback = true }}\n{more}"
    );
    let options = RunOptions { seed, record: true, medium_log: true, ..RunOptions::default() };
    run(&parse(&text), &options, &RunControl::new()).expect("a run")
}

/// Times at which a node's router has given up a neighbour.
pub(super) fn link_breaks(report: &RunReport) -> Vec<(f64, (i64, i64))> {
    let tables = report.tables();
    let routing = tables.iter().find(|t| t.name == "routing").expect("a record of routing");
    let column = |name: &str| &routing.columns.iter().find(|c| c.name == name).expect("a column").data;
    let node = |name: &str, i: usize| match column(name) {
        ColumnData::I64(values) => Some(values[i]),
        ColumnData::MaybeI64(values) => values[i],
        other => panic!("{name}: {other:?}"),
    };
    let is_break = |i: usize| match column("event") {
        ColumnData::Str(words) => words[i] == "link-broken",
        ColumnData::Word(words, of) => of[i].is_some_and(|word| words[usize::from(word)] == "link-broken"),
        other => panic!("{other:?}"),
    };
    let ColumnData::F64(times) = column("t_s") else { panic!("times are reals") };
    let hop = |i: usize| (node("node", i).expect("a node"), node("neighbour", i).expect("a neighbour"));
    (0..times.len()).filter(|i| is_break(*i)).map(|i| (times[i], hop(i))).collect()
}

/// True if errors destroyed one of the seven frames that a MAC has sent for a hop before it gives up, or an answer to one.
fn errors_struck(log: &[Emission], (from, to): (i64, i64), until: f64) -> bool {
    let between = |e: &&Emission, a: i64, b: i64| (i64::from(e.from.0), i64::from(e.to.0)) == (a, b);
    let asks = |e: &&Emission| between(e, from, to) && matches!(e.kind, FrameKind::Rts | FrameKind::Data);
    let before = || log.iter().filter(|e| e.at.as_secs_f64() < until).rev();
    let Some(first) = before().filter(asks).take(7).last().map(|e| e.at) else { return true };
    let of_hop = |e: &&Emission| between(e, from, to) || between(e, to, from);
    let corrupt = |e: &Emission| e.receptions.iter().any(|r| r.verdict == Verdict::Corrupt);
    before().take_while(|e| e.at >= first).filter(of_hop).any(corrupt)
}

/// `0 ── 1 ── 2 ── 3`, datagrams from both ends, which do not hear each other, and errors in one of twenty frames. A MAC gives up after
/// seven frames that meet a busy neighbour or collide. Its HELLOs tell the neighbour of that for 6 s (RFC 3626 §13, §18.3),
/// and TC messages the other nodes. What none of them can send then is lost to that, whichever messages errors have destroyed lately.
#[test]
fn a_break_that_a_neighbour_tells_has_the_cause_of_its_mac() {
    let mut seen = 0;
    for seed in 1..=4 {
        let datagrams = "rate = \"200kbps\"\nsize = \"512B\"\nstart = \"1s\"";
        let more = format!(
            "duration = \"60s\"\nerrors.frame_err = {{ bernoulli = {{ rate = 0.05 }} }}\n{}{}",
            flow(0, 3, datagrams),
            flow(3, 0, datagrams)
        );
        let report = string(3, &more, seed);
        let log = report.medium_log().expect("a log of the medium").emissions();
        let (breaks, losses) = (link_breaks(&report), losses(&report));
        let first_of = |hop: (i64, i64), from: f64, until: f64| {
            breaks.iter().find(|(at, of)| *of == hop && (from..until).contains(at)).map(|(at, _)| *at)
        };
        for (told, (node, neighbour)) in &breaks {
            let Some(given_up) = first_of((*neighbour, *node), told - 6.0, *told) else { continue };
            if errors_struck(log, (*neighbour, *node), given_up) {
                continue;
            }
            let hops = [(*node, *neighbour), (*neighbour, *node)];
            let next = hops.iter().filter_map(|hop| first_of(*hop, told + 1e-6, f64::MAX));
            let until = next.fold(f64::MAX, f64::min);
            let of_break = |l: &&Loss| {
                let hop = l.next_hop.map(|next_hop| (l.root_node, next_hop));
                l.died == "no-route"
                    && hop.is_some_and(|hop| hops.contains(&hop))
                    && l.since > *told
                    && l.at < until
            };
            let lost: Vec<&Loss> = losses.iter().filter(of_break).collect();
            let wrong = lost.iter().find(|l| l.cause != "contention");
            assert_eq!(wrong, None, "{seed}: {neighbour} gave up {node} at {given_up}, told at {told}");
            seen += lost.len();
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// `0 ── … ── 4`: until TC messages have come from node 3, node 0 knows no route to node 4, and without other flows it loses nothing after
/// that. Flows around nodes 1 to 3 cost them links earlier. Datagrams that are lost before node 0 can have a route were not lost to this;
/// later ones were. Two relays delay TC messages by up to 0.5 s each, in each run by another time, and a cause holds for a second.
#[test]
fn a_break_before_the_first_route_has_cost_none() {
    let slow = flow(0, 4, "interval = \"100ms\"\nsize = \"64B\"\nstart = \"0.5s\"");
    let busy = |from: u32, to: u32| flow(from, to, "rate = \"400kbps\"\nsize = \"1000B\"\nstart = \"2s\"");
    let (mut before, mut after) = (0, 0);
    for others in [busy(0, 2) + &busy(4, 2), busy(1, 3) + &busy(4, 2)] {
        for seed in 1..=6 {
            let of_slow = |others: &str| {
                let report = string(4, &format!("duration = \"20s\"\n{slow}{others}"), seed);
                losses(&report).into_iter().filter(|l| l.flow == 0).collect::<Vec<Loss>>()
            };
            let twin = of_slow("");
            let found = twin.iter().map(|l| l.at).fold(0.0, f64::max);
            assert_eq!(causes(&twin), BTreeSet::from(["no-route"]), "{seed}");
            for loss in of_slow(&others) {
                let early = loss.at <= found;
                if early || loss.at > found + 2.0 {
                    let cause = if early { "no-route" } else { "contention" };
                    assert_eq!(loss.cause, cause, "{seed}: {loss:?}, without the others until {found}");
                    *(if early { &mut before } else { &mut after }) += 1;
                }
            }
        }
    }
    assert!(before > 500 && after > 500, "{before} {after}");
}

/// Seven nodes of 802.11n move while two flows of 2.5 Mb/s make HELLOs collide. Broadcasts reach 249 m. Nodes 6 and 4 part at 28 m/s, so that
/// a HELLO between them that was lost while they were neighbours matters to no route soon after. A cause that names a hop names one in reach.
#[test]
fn nodes_that_have_parted_have_no_hop_on_which_a_message_matters() {
    let ways = [
        ([420.0, 279.0], [451.0, 298.0], 9.0),
        ([369.0, 152.0], [216.0, 293.0], 14.0),
        ([4.0, 61.0], [37.0, 231.0], 15.0),
        ([377.0, 67.0], [32.0, 161.0], 10.0),
        ([246.0, 247.0], [488.0, 264.0], 13.0),
        ([489.0, 125.0], [164.0, 254.0], 10.0),
        ([140.0, 208.0], [29.0, 284.0], 15.0),
    ];
    let place = |node: i64, at: f64| {
        let ([x, y], [to_x, to_y], speed): ([f64; 2], [f64; 2], f64) = ways[node as usize];
        let way = (to_x - x).hypot(to_y - y);
        let part = (speed * at / way).min(1.0);
        [x + part * (to_x - x), y + part * (to_y - y)]
    };
    let apart = |a: i64, b: i64, at: f64| {
        let [[x, y], [to_x, to_y]] = [place(a, at), place(b, at)];
        (to_x - x).hypot(to_y - y)
    };
    let positions: Vec<String> = ways.iter().map(|(from, ..)| format!("{from:?}")).collect();
    let leg = |(node, (_, to, speed)): (usize, &(_, [f64; 2], f64))| {
        format!("{{ node = {node}, at = \"0s\", to = {to:?}, speed = \"{speed}m/s\" }}")
    };
    let legs: Vec<String> = ways.iter().enumerate().map(leg).collect();
    let flow = |from: u32, to: u32| {
        format!(
            "[[flow]]\nfrom = {from}\nto = {to}\napp = \"cbr\"\nsize = \"1000B\"\nrate = \"2500kbps\"\nstart = \"2s\"\n"
        )
    };
    let text = format!(
        "duration = \"9s\"\ntopology = {{ kind = \"explicit\", positions = [{}] }}\n\
         mobility = {{ kind = \"waypoints\", legs = [{}] }}\nradio.preset = \"n20\"\nrouting.protocol = \"olsr\"\n\
         mac = {{ queue_limit = 3, rts_threshold = \"1MB\", queue = \"fq-codel\" }}\n{}{}",
        positions.join(", "),
        legs.join(", "),
        flow(0, 1),
        flow(2, 3)
    );
    let losses = losses(&run_once(&parse(&text), 1));
    let by_load: Vec<&Loss> =
        losses.iter().filter(|l| l.cause == "contention" && l.died == "no-route").collect();
    let far = |l: &&&Loss| l.next_hop.is_some_and(|to| apart(l.root_node, to, l.since) > 249.5);
    assert_eq!(by_load.iter().find(far), None, "of {}", by_load.len());
    assert!(apart(6, 4, 5.5) < 249.0 && apart(6, 4, 7.0) > 280.0);
}

/// A field of 18 nodes, four flows of 88 kb/s from 2 to 3 s on, which collide with OLSR's messages and ask for addresses by broadcasts.
/// Datagrams that a flow alone loses, too, because its source has no route yet, were not lost to the others.
#[test]
fn what_a_flow_alone_loses_before_its_first_route_is_no_contention() {
    let field = include_str!("../../../../../docs/make/samples/how-it-is-checked/early-olsr.toml");
    let (network, flows) = field.split_once("[[flow]]").expect("flows");
    let flows: Vec<&str> = flows.split("[[flow]]").collect();
    let mut early = 0;
    for seed in 1..=4 {
        let together = losses(&run_once(&parse(field), seed));
        for (i, flow) in flows.iter().enumerate() {
            let alone = losses(&run_once(&parse(&format!("{network}[[flow]]{flow}")), seed));
            assert_eq!(causes(&alone), BTreeSet::from(["no-route"]), "{seed}");
            let found = alone.iter().map(|l| l.at).fold(0.0, f64::max);
            // The last one meets the message that brings the route.
            let before: Vec<&Loss> =
                together.iter().filter(|l| (l.flow, l.at < found - 0.05) == (i as i64, true)).collect();
            let wrong = before.iter().find(|l| l.cause != "no-route");
            assert_eq!(wrong, None, "{seed}, alone until {found}");
            early += before.len();
        }
    }
    assert!(early > 400, "{early}");
}

/// A node of a string is off for a while before OLSR has its first route over it. Without that, no datagram is lost once there is
/// a route. So what is lost until then is lost for want of a route, and what is lost later, to the outage: until neighbours trust the node
/// again, have chosen relays, and TC messages have crossed the string.
#[test]
fn an_outage_before_the_first_route_counts_until_tables_have_recovered() {
    let (mut early, mut late) = (0, 0);
    for (hops, node, off, on) in
        [(4, 2, "2s", "3.5s"), (4, 2, "1s", "6s"), (3, 1, "2s", "3.5s"), (5, 3, "100ms", "4s")]
    {
        for seed in 1..=6 {
            let run = |event: &str| {
                let datagrams = flow(0, hops, "interval = \"100ms\"\nsize = \"64B\"\nstart = \"0.5s\"");
                losses(&string(hops, &format!("duration = \"25s\"\n{event}\n{datagrams}"), seed))
            };
            let twin = run("");
            let found = twin.iter().map(|l| l.at).fold(0.0, f64::max);
            let outage = format!(
                "event = [{{ at = \"{off}\", node = {node}, what = \"down\" }}, \
                 {{ at = \"{on}\", node = {node}, what = \"up\" }}]"
            );
            // A datagram that comes with the last TC message may have either cause.
            for loss in run(&outage).iter().filter(|l| !(found..found + 0.15).contains(&l.at)) {
                let cause = if loss.at <= found { "no-route" } else { "node-down" };
                assert_eq!(loss.cause, cause, "{hops} {seed}: {loss:?}, without the outage until {found}");
                *(if loss.at <= found { &mut early } else { &mut late }) += 1;
            }
        }
    }
    assert!(early > 1000 && late > 500, "{early} {late}");
}

/// 12 moving nodes and bursts of errors before OLSR's first route. Without the errors node 11 has a route from 7.2 s on, and all that it sends from then until
/// 10.5 s arrives. So what it loses then has not been lost before its first route could be known; messages that relays delay at random may make
/// that 2 s later.
#[test]
fn where_the_twin_has_had_a_route_nothing_is_lost_for_want_of_a_first_one() {
    let scene = include_str!("../../../../../docs/make/samples/how-it-is-checked/parted-hop.toml");
    let without: Vec<&str> = scene.lines().filter(|line| !line.contains("_err = ")).collect();
    let between = |text: &str| {
        let losses = losses(&run_once(&parse(text), 1));
        losses.into_iter().filter(|l| (7.2..10.5).contains(&l.at)).collect::<Vec<_>>()
    };
    assert_eq!(between(&without.join("\n")), []);
    let lost = between(scene);
    let late: Vec<&Loss> = lost.iter().filter(|l| l.at > 9.2).collect();
    assert!(late.len() > 15, "{}", late.len());
    let wrong: Vec<f64> = late.iter().filter(|l| l.cause == "no-route").map(|l| l.at).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:?}", wrong.len(), late.len());
}

/// `0 ── 1 ── 2`, 200 m apart. Node 1 is away from 10 to 14 s, and alone that costs nothing after 15 s with these seeds. Node 2 receives nothing from
/// 15 to 24 s, which alone costs 300 datagrams. With both, routers would have used the links again two HELLOs after 14 s, had node 2 heard any: what is
/// lost after 18.5 s is lost to the noise, and not to the absence before; a cause holds for a second.
#[test]
fn noise_after_an_outage_keeps_routes_away_by_itself() {
    let run = |events: &str, seed: u64| {
        let text = format!(
            "duration = \"34s\"\ntopology = {{ kind = \"string\", hops = 2, spacing = \"200m\" }}\nradio.preset = \"b-2\"\n\
             routing.protocol = \"olsr\"\nevent = [{events}]\n{}",
            flow(0, 2, "rate = \"100kbps\"\nsize = \"500B\"\nstart = \"9s\"")
        );
        losses(&run_once(&parse(&text), seed)).into_iter().filter(|l| l.at > 15.0).collect::<Vec<Loss>>()
    };
    let away = "{ at = \"10s\", node = 1, what = \"move\", to = [200, 400] }, \
                { at = \"14s\", node = 1, what = \"move\", to = [200, 0] }";
    let deaf = "{ at = \"15s\", node = 2, what = \"loss\", rate = 1.0 }, { at = \"24s\", node = 2, what = \"loss\", rate = 0.0 }";
    let mut late = 0;
    for seed in [3, 7] {
        assert_eq!(run(away, seed), [], "{seed}");
        let alone = run(deaf, seed);
        assert!(
            alone.len() > 250 && causes(&alone) == BTreeSet::from(["channel"]),
            "{seed}: {}",
            alone.len()
        );
        let both: Vec<Loss> =
            run(&format!("{away}, {deaf}"), seed).into_iter().filter(|l| l.at > 19.6).collect();
        assert_eq!(both.iter().find(|l| l.cause != "channel"), None, "{seed}: of {}", both.len());
        late += both.len();
    }
    assert!(late > 300, "{late}");
}

/// Seven nodes in a row, 132 m apart, and fading that now and then carries a message over 264 m, which is 8 m beyond the mean reach. Node 0 has no
/// route at first. What an event does at the end of the run, or with a node 70 km away, has not cost one: the same losses have the same causes without
/// the event, and those of a node that has never had a route none of a hop that no route could rely on.
#[test]
fn events_elsewhere_and_later_explain_no_want_of_a_route() {
    let lost = |events: &str, seed: u64| {
        let places = "[[0, 0], [132, 0], [264, 0], [396, 0], [528, 0], [660, 0], [792, 0], [50000, 50000]]";
        let text = format!(
            "duration = \"35s\"\ntopology = {{ kind = \"explicit\", positions = {places} }}\n\
             radio = {{ preset = \"ac80x2\", fading = {{ k = 3.0, coherence = \"100ms\" }} }}\n\
             routing.protocol = \"olsr\"\nevent = [{events}]\n{}",
            flow(0, 6, "rate = \"100kbps\"\nsize = \"1000B\"\nstart = \"2s\"")
        );
        let all = losses(&run_once(&parse(&text), seed));
        all.into_iter().filter(|l| l.at < 34.0).collect::<Vec<Loss>>()
    };
    let aside = |at: &str| format!("{{ at = \"{at}\", node = 7, what = \"move\", to = [50001, 50000] }}");
    let mut count = 0;
    for seed in [1, 2, 7] {
        let alone = lost("", seed);
        count += alone.len();
        assert_eq!(lost("{ at = \"34.9s\", what = \"cut\", for = \"50ms\" }", seed), alone, "{seed}");
        for at in ["34.9s", "3s"] {
            let with = lost(&aside(at), seed);
            let wrong = with.iter().zip(&alone).find(|(with, alone)| with.cause != alone.cause);
            assert_eq!((wrong, with.len()), (None, alone.len()), "{seed}, {at}");
        }
    }
    assert!(count > 500, "{count}");
}

/// `0 ── 1 ── 2`, 231 m apart, with Rayleigh fading. Node 1 is off from 10.9 to 19.8 s, has a route to 2 again and uses it, until HELLOs are lost to the
/// fading. Its tables were not those that it had forgotten.
#[test]
fn a_route_learnt_again_is_not_lost_to_the_outage_before() {
    let text = format!(
        "duration = \"60s\"\ntopology = {{ kind = \"string\", hops = 2, spacing = \"231m\" }}\n\
         radio = {{ preset = \"b-2\", fading = {{ k = 0.0 }} }}\nmac.rts_threshold = \"3000B\"\nrouting.protocol = \"olsr\"\n\
         event = [{{ node = 1, at = \"10.9s\", what = \"down\" }}, {{ node = 1, at = \"19.8s\", what = \"up\" }}]\n{}",
        flow(0, 2, "rate = \"100kbps\"\nstart = \"4.8s\"")
    );
    let options = RunOptions { seed: 2, record: true, ..RunOptions::default() };
    let report = run(&parse(&text), &options, &RunControl::new()).expect("a run");
    let all = losses(&report);
    // Frames of node 1 that arrive at node 2 after the outage.
    let again = all.iter().find(|l| l.node == 1 && l.at > 20.0 && l.died != "no-route").expect("a hop used");
    let after: Vec<&Loss> =
        all.iter().filter(|l| l.node == 1 && l.died == "no-route" && l.at > again.at).collect();
    assert!(after.len() > 20, "{}", after.len());
    assert_eq!(after.iter().find(|l| l.cause == "node-down"), None);
}

/// Two rows of four nodes, and the link from 6 to 7 is cut at 25.2 s. Node 7 gives it up at 25.69 s, and what it then has to send by other neighbours
/// overfills their ARP slots, for which it gives up 2 and 3 in the same instant. Its HELLO tells them so: nothing has collided between them.
#[test]
fn a_neighbour_may_give_up_a_link_for_what_a_break_elsewhere_sends_over_it() {
    let text = format!(
        "duration = \"40s\"\ndialect = \"ns2\"\ntopology = {{ kind = \"grid\", columns = 4, rows = 2, spacing = \"150m\" }}\n\
         routing = {{ protocol = \"olsr\", olsr = {{ dialect = \"thesis\", link_layer_feedback = true }} }}\n\
         mac.rts_threshold = \"3000B\"\nerrors.frame_err = {{ bernoulli = {{ rate = 0.1 }} }}\n\
         event = [{{ node = 1, at = \"18.4s\", what = \"down\" }}, {{ node = 1, at = \"27.6s\", what = \"up\" }},\n\
         {{ flow = 0, at = \"25.2s\", what = \"cut\", for = \"2.8s\" }}]\n\
         [[flow]]\nfrom = 7\nto = 6\napp = \"ftp\"\ntcp = \"sack\"\nstart = \"13s\"\n{}{}",
        flow(0, 4, "size = \"512B\"\ninterval = \"8ms\"\nstart = \"17s\""),
        flow(5, 4, "size = \"512B\"\ninterval = \"200ms\"\nstart = \"5s\"")
    );
    let options = RunOptions { seed: 1, record: true, ..RunOptions::default() };
    let report = run(&parse(&text), &options, &RunControl::new()).expect("a run");
    let at_once =
        link_breaks(&report).into_iter().filter(|(at, (node, _))| *node == 7 && (25.2..25.7).contains(at));
    let given_up: BTreeSet<i64> = at_once.map(|(_, (_, neighbour))| neighbour).collect();
    assert_eq!(given_up, BTreeSet::from([2, 3, 6]));
    let all = losses(&report);
    let lost: Vec<&Loss> =
        all.iter().filter(|l| l.node == 6 && l.died == "no-route" && l.at > 25.69).collect();
    assert!(!lost.is_empty());
    let of_cut = |l: &&&Loss| l.cause == "link-failure" && (l.root_node, l.next_hop) == (6, Some(7));
    assert_eq!(lost.iter().find(|l| !of_cut(l)), None);
}
