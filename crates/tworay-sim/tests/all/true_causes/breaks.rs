//! Breaks elsewhere, and breaks of the past.

use super::{Loss, causes, losses, parse, run_once};
use std::collections::BTreeSet;
use tworay_sim::{Content, Emission, RunControl, RunOptions, run};

fn flow(from: u32, to: u32, rate: &str, start: &str, more: &str) -> String {
    format!(
        "[[flow]]\nfrom = {from}\nto = {to}\napp = \"cbr\"\nsize = \"512B\"\nrate = \"{rate}\"\nstart = \"{start}\"\n{more}\n"
    )
}

fn world(duration: u32, positions: &str, settings: &str, flows: &[String]) -> Vec<Loss> {
    let text = format!(
        "duration = \"{duration}s\"\ntopology = {{ kind = \"explicit\", positions = {positions} }}\n{settings}\n{}",
        flows.join("\n")
    );
    losses(&run_once(&parse(&text), 1))
}

const TWO_STRINGS: &str =
    "[[0, 0], [200, 0], [400, 0], [600, 0], [5000, 0], [5200, 0], [5400, 0], [5600, 0]]";

/// `0 ── 1 ── 2✗ ── 3` and, 4.4 km away, `4 ── 5 ── 6 ── 7`: no packet between 4 and 7 passes the node that is
/// down. What the second string loses at saturation is its own affair.
#[test]
fn a_dead_node_of_another_string() {
    for protocol in ["olsr", "aodv", "dsr", "static"] {
        for dialect in ["standard", "ns2"] {
            let settings = format!(
                "routing.protocol = \"{protocol}\"\ndialect = \"{dialect}\"\n\
                 event = [{{ node = 2, at = \"20s\", what = \"down\" }}]"
            );
            let flows = [flow(0, 3, "60kbps", "15s", ""), flow(4, 7, "900kbps", "15s", "")];
            let losses = world(60, TWO_STRINGS, &settings, &flows);
            let (here, there): (Vec<Loss>, Vec<Loss>) = losses.into_iter().partition(|l| l.flow == 0);
            assert!(there.len() > 100, "{protocol} {dialect}: {}", there.len());
            let allowed = BTreeSet::from(["congestion", "contention", "no-route"]);
            assert!(causes(&there).is_subset(&allowed), "{protocol} {dialect}: {:?}", causes(&there));
            assert!(there.iter().all(|l| l.root_node >= 4), "{protocol} {dialect}");
            let after: Vec<&Loss> = here.iter().filter(|l| l.at > 20.0).collect();
            assert!(after.len() > 100, "{protocol} {dialect}: {}", after.len());
            assert!(after.iter().all(|l| l.cause == "node-down"), "{protocol} {dialect}: {after:?}");
        }
    }
}

/// `0 ── 1✗ ── 2✗ ── 3`: node 1 is off from 10 to 20 s, node 2 from 80 s on. A flow that starts at 100 s cannot be
/// held up by node 1, which is back: the root is node 2, or the place where the packets find no path.
#[test]
fn a_relay_that_came_back() {
    let events = "event = [{ node = 1, at = \"10s\", what = \"down\" }, { node = 1, at = \"20s\", what = \"up\" }, \
                  { node = 2, at = \"80s\", what = \"down\" }]";
    for protocol in ["aodv", "dsr", "olsr"] {
        for dialect in ["standard", "ns2"] {
            let settings = format!("routing.protocol = \"{protocol}\"\ndialect = \"{dialect}\"\n{events}");
            let flows = [flow(0, 3, "20kbps", "5s", "stop = \"19s\""), flow(0, 3, "20kbps", "100s", "")];
            let losses = world(130, "[[0, 0], [200, 0], [400, 0], [600, 0]]", &settings, &flows);
            let late: Vec<&Loss> = losses.iter().filter(|l| l.flow == 1).collect();
            assert!(late.len() > 30, "{protocol} {dialect}: {}", late.len());
            assert!(late.iter().all(|l| l.cause == "node-down"), "{protocol} {dialect}: {late:?}");
            assert!(late.iter().all(|l| l.next_hop != Some(1)), "{protocol} {dialect}: {late:?}");
        }
    }
}

/// The same with both relays back and a search that cannot reach the destination: no node that is off matters.
#[test]
fn with_every_relay_back_no_node_is_to_blame() {
    let events =
        "event = [{ node = 1, at = \"10s\", what = \"down\" }, { node = 1, at = \"20s\", what = \"up\" }]";
    let settings = format!("routing = {{ protocol = \"aodv\", aodv.net_diameter = 2 }}\n{events}");
    let flows = [flow(0, 3, "20kbps", "5s", "stop = \"19s\""), flow(0, 3, "20kbps", "40s", "")];
    let losses = world(60, "[[0, 0], [200, 0], [400, 0], [600, 0]]", &settings, &flows);
    let late: Vec<&Loss> = losses.iter().filter(|l| l.flow == 1).collect();
    assert!(late.len() > 30 && late.iter().all(|l| l.cause == "no-route"), "{late:?}");
}

/// `0 ── 1 ── 2` with the only wire `2 ── 3`: node 1 is off from 5 to 8 s, and packets of 0 for 3 wait for a route.
/// Nothing is lost on the wire.
#[test]
fn a_break_before_a_wire() {
    let settings = "routing.protocol = \"static\"\nevent = [{ node = 1, at = \"5s\", what = \"down\" }, \
                    { node = 1, at = \"8s\", what = \"up\" }]\n\
                    [[wire]]\nfrom = 2\nto = 3\nrate = \"1Mbps\"\ndelay = \"10ms\"\n";
    let losses =
        world(20, "[[0, 0], [200, 0], [400, 0], [5000, 0]]", settings, &[flow(0, 3, "60kbps", "1s", "")]);
    assert!(!losses.is_empty() && losses.iter().all(|l| l.at < 9.0 && l.cause == "node-down"), "{losses:?}");
    assert!(
        losses.iter().all(|l| (l.root_node, l.next_hop) == (0, Some(1)) || l.root_node == 1),
        "{losses:?}"
    );
}

/// `0 ── 1` and the wire `1 ── 2` of 400 kb/s with five places: node 0, which sends 250 kb/s, walks away at 10 s and is back
/// after 16 s. Its MAC has kept what came meanwhile, and the wire gets it at once. Without the walk nothing is lost.
#[test]
fn a_wire_that_a_break_before_it_fills() {
    let run = |legs: &str| {
        let settings = format!(
            "routing.protocol = \"static\"\n[[wire]]\nfrom = 1\nto = 2\nrate = \"400kbps\"\ndelay = \"1ms\"\n\
             queue = 5\n{legs}"
        );
        world(30, "[[0, 0], [200, 0], [5000, 0]]", &settings, &[flow(0, 2, "250kbps", "1s", "")])
    };
    assert!(run("").is_empty());
    let losses = run("[mobility]\nkind = \"waypoints\"\nlegs = [\
                      { node = 0, at = \"10s\", to = [-1000, 0], speed = \"200m/s\" },\
                      { node = 0, at = \"15.5s\", to = [0, 0], speed = \"200m/s\" }]\n");
    assert!(losses.iter().any(|l| l.died == "wire-queue"), "{losses:?}");
    let others: Vec<&Loss> = losses.iter().filter(|l| l.cause != "link-failure").collect();
    assert!(others.is_empty(), "{others:?}");
}

/// `0 ── 1 ── 2`, and node 2 walks away from 250 m of node 1 and comes back: only then packets are lost.
#[test]
fn a_node_that_walks_away_and_back() {
    for protocol in ["aodv", "dsr", "olsr", "static"] {
        let text = format!(
            "duration = \"60s\"\nrouting.protocol = \"{protocol}\"\n\
             topology = {{ kind = \"explicit\", positions = [[0, 0], [200, 0], [400, 0]] }}\n\
             event = [{{ what = \"cut\", at = \"20s\", for = \"10s\", flow = 0 }}]\n{}",
            flow(0, 2, "60kbps", "16s", "")
        );
        let losses = losses(&run_once(&parse(&text), 1));
        let cut: Vec<&Loss> = losses.iter().filter(|l| (20.0..30.0).contains(&l.at)).collect();
        assert!(cut.len() > 10, "{protocol}: {losses:?}");
        assert!(cut.iter().all(|l| l.cause == "link-failure"), "{protocol}: {cut:?}");
        let after: Vec<&Loss> = losses.iter().filter(|l| l.since > 43.0).collect();
        assert!(after.iter().all(|l| l.cause != "link-failure"), "{protocol}: {after:?}");
    }
}

/// A walk of 3 km at 1000 m/s away from a string along the x axis, and back. Its neighbours, 200 m away, are out of
/// range from 0.15 s after the first time to 2.85 s after the second.
fn away_and_back(node: u32, x: u32, away: &str, back: &str) -> String {
    format!(
        "{{ node = {node}, at = \"{away}s\", to = [{x}, 3000], speed = \"1000m/s\" }}, \
         {{ node = {node}, at = \"{back}s\", to = [{x}, 0], speed = \"1000m/s\" }}, "
    )
}

const SEARCHING: [(&str, &str); 4] =
    [("aodv", "standard"), ("aodv", "ns2"), ("dsr", "standard"), ("dsr", "ns2")];

/// `0 ── 1 ── 2` at 20 packets/s, and node 1 is away for half a minute. Nothing else is wrong. Packets wait for a
/// search that node 0 began because of the walk. It cannot have found anything before its first request after the
/// return, so all packets until then were lost to the walk, on the hop from 0 to 1: no matter which node lost its
/// route first, and what happened before.
#[test]
fn the_tail_after_a_return_was_lost_to_the_break() {
    let earlier = away_and_back(1, 200, "5", "9");
    let mut tails = 0;
    for (away, before) in [("17.5", ""), ("10.01", ""), ("37.5", earlier.as_str())] {
        for (protocol, dialect) in SEARCHING {
            let legs = format!("{before}{}", away_and_back(1, 200, away, "52.5"));
            let text = format!(
                "duration = \"80s\"\nrouting.protocol = \"{protocol}\"\ndialect = \"{dialect}\"\n\
                 topology = {{ kind = \"explicit\", positions = [[0, 0], [200, 0], [400, 0]] }}\n\
                 mobility = {{ kind = \"waypoints\", legs = [{legs}] }}\n{}",
                flow(0, 2, "81920bps", "1s", "")
            );
            let options = RunOptions { seed: 1, medium_log: true, ..RunOptions::default() };
            let report = run(&parse(&text), &options, &RunControl::new()).expect("a run");
            let log = report.medium_log().expect("a log of the medium").emissions();
            let back = 52.5 + 2.85;
            let own =
                |e: &&Emission| matches!(e.content, Content::Request { searcher, .. } if searcher.0 == 0);
            let asked = |e: &&Emission| e.from.0 == 0 && own(e);
            let asked = log.iter().filter(asked).map(|e| e.at.as_secs_f64()).find(|at| *at > back);
            let asked = asked.expect("a request after the return");
            let losses = losses(&report);
            let away: f64 = away.parse().expect("a number");
            let of_walk: Vec<&Loss> = losses.iter().filter(|l| l.since > away && l.since < asked).collect();
            assert!(of_walk.len() > 200, "{protocol} {dialect}: {}", of_walk.len());
            tails += of_walk.iter().filter(|l| l.since > back).count();
            for loss in of_walk {
                let root = (loss.cause.as_str(), loss.root_node, loss.next_hop);
                assert_eq!(root, ("link-failure", 0, Some(1)), "{protocol} {dialect} {away}: {loss:?}");
            }
        }
    }
    assert!(tails > 100, "{tails} losses between a return and the next request");
}

/// `0 ── 1 ── 2 ── 3`: a relay or the destination is away, or off, and comes back. The break is where the path of
/// the packets reaches it, in their direction, also while routing has not noticed the return.
#[test]
fn a_break_is_named_in_the_direction_of_the_packet() {
    let walk = |node: u32| {
        format!(
            "mobility = {{ kind = \"waypoints\", legs = [{}] }}",
            away_and_back(node, 200 * node, "20", "40")
        )
    };
    let off =
        "event = [{ node = 1, at = \"20s\", what = \"down\" }, { node = 1, at = \"40s\", what = \"up\" }]";
    let rows = [
        (walk(2), (0, 3), "link-failure", (1, 2)),
        (walk(2), (3, 0), "link-failure", (3, 2)),
        (walk(3), (0, 3), "link-failure", (2, 3)),
        (off.to_owned(), (0, 3), "node-down", (0, 1)),
        (off.to_owned(), (3, 0), "node-down", (2, 1)),
    ];
    for (protocol, dialect) in SEARCHING.into_iter().chain([("olsr", "standard"), ("olsr", "ns2")]) {
        for (what, (from, to), cause, (a, b)) in &rows {
            let settings = format!("routing.protocol = \"{protocol}\"\ndialect = \"{dialect}\"\n{what}");
            let flows = [flow(*from, *to, "81920bps", "16s", "")];
            let losses = world(70, "[[0, 0], [200, 0], [400, 0], [600, 0]]", &settings, &flows);
            let broken: Vec<&Loss> = losses.iter().filter(|l| l.since > 20.0).collect();
            assert!(broken.len() > 200, "{protocol} {dialect} {what}: {}", broken.len());
            let wrong = |l: &&&Loss| {
                let root = (l.cause.as_str(), l.root_node, l.next_hop);
                // The packet that the relay held when it was switched off.
                let held = l.died == "node-down" && (l.cause.as_str(), l.root_node) == ("node-down", 1);
                root != (*cause, *a, Some(*b)) && !held
            };
            assert_eq!(broken.iter().find(wrong), None, "{protocol} {dialect} {from}>{to} {what}");
        }
    }
}

/// `0 ── 1`, node 1 is off until 10 s. At 9.95 s datagrams start; node 0 asks for the address once before the return,
/// and again 100 ms later. Until then nothing can be resolved because node 1 was off.
#[test]
fn a_request_for_the_address_of_a_node_that_is_off() {
    let settings = "routing.protocol = \"static\"\nevent = [{ node = 1, at = \"5s\", what = \"down\" }, \
                    { node = 1, at = \"10s\", what = \"up\" }]";
    let losses = world(20, "[[0, 0], [200, 0]]", settings, &[flow(0, 1, "400kbps", "9.95s", "")]);
    assert!(losses.iter().any(|l| l.at > 10.01 && l.died == "arp"), "{losses:?}");
    for loss in &losses {
        let root = (loss.cause.as_str(), loss.root_node, loss.next_hop);
        assert_eq!(root, ("node-down", 0, Some(1)), "{loss:?}");
    }
}

/// The same, with datagrams from 12 s on: all requests are sent when node 1 is back, and nine of ten frames have bit
/// errors. The outage is over.
#[test]
fn an_outage_before_the_first_request_for_an_address() {
    let settings = "routing.protocol = \"static\"\nerrors.frame_err = { bernoulli = { rate = 0.9 } }\n\
                    event = [{ node = 1, at = \"5s\", what = \"down\" }, { node = 1, at = \"10s\", what = \"up\" }]";
    let losses = world(20, "[[0, 0], [200, 0]]", settings, &[flow(0, 1, "80kbps", "12s", "")]);
    let unresolved = losses.iter().filter(|l| l.at < 16.0 && l.died.starts_with("arp")).count();
    assert!(unresolved > 5, "{losses:?}");
    assert_eq!(causes(&losses), BTreeSet::from(["channel"]));
}

/// `0 ── 1 ── 2 ── 3 ── 4`, and routing that reaches three hops. Node 2 is off for two seconds. That changes nothing: without
/// it, every packet is lost for want of a route as well.
#[test]
fn an_outage_on_a_path_that_routing_cannot_find_is_no_cause() {
    let off = "event = [{ node = 2, at = \"10.3s\", what = \"down\" }, { node = 2, at = \"12.3s\", what = \"up\" }]";
    for routing in
        ["protocol = \"dsr\", dsr.max_route_hops = 3", "protocol = \"aodv\", aodv.net_diameter = 3"]
    {
        for dialect in ["standard", "ns2"] {
            let settings = format!("routing = {{ {routing} }}\ndialect = \"{dialect}\"\n{off}");
            let flows = [flow(0, 4, "20kbps", "1s", "")];
            let losses = world(60, super::FIVE, &settings, &flows);
            let without: Vec<&Loss> = losses.iter().filter(|l| (10.3..12.3).contains(&l.since)).collect();
            assert!(without.len() > 5, "{routing} {dialect}: {losses:?}");
            let twin = world(60, super::FIVE, &settings.replace(off, ""), &flows);
            assert_eq!(
                (causes(&losses), causes(&twin)),
                (BTreeSet::from(["no-route"]), BTreeSet::from(["no-route"]))
            );
        }
    }
}

/// `0 ── 1✗ ── 2`: what is lost to node 1 is held up since it went off, not since an earlier attempt that failed while
/// it was busy, nor since an attempt that node 1 left halfway began.
#[test]
fn a_loss_to_a_dead_node_begins_with_its_death() {
    let mut seen = 0;
    for seed in 1..=8 {
        for down in [2.1077, 2.5301, 3.1233, 3.3562, 3.7419, 4.2003] {
            let text = format!(
                "duration = \"5s\"\ntopology = {{ kind = \"string\", hops = 2 }}\nrouting.protocol = \"static\"\n\
                 event = [{{ node = 1, at = \"{down}s\", what = \"down\" }}]\n\
                 [[flow]]\nfrom = 0\nto = 2\nstart = \"1s\"\n"
            );
            for loss in losses(&run_once(&parse(&text), seed)).iter().filter(|l| l.cause == "node-down") {
                assert!(loss.since >= down, "seed {seed}, down at {down} s: {loss:?}");
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen} losses");
}

/// A ring of six, a transfer from 0 to 3 over 1 and 2 from 31 s on, and OLSR. From 35.6 s on node 4, on the other way
/// round, walks away and back. Without the walk nothing is lost. With it, node 0 takes the other way for a moment, over
/// node 5, whose address it has never needed: segments that replace each other in ARP's hold slot, and those that go
/// astray, are lost to the walk.
#[test]
fn a_transfer_that_stale_tables_reroute_was_lost_to_the_break() {
    let run = |mobility: &str| {
        let text = format!(
            "duration = \"50s\"\ndialect = \"ns2\"\n{mobility}\n\
             topology = {{ kind = \"explicit\", positions = [[200, 0], [100, 173.2], [-100, 173.2], [-200, 0], \
             [-100, -173.2], [100, -173.2]] }}\nmac.rts = \"full\"\nrouting.protocol = \"olsr\"\n\
             tcp = {{ mss = \"512B\", window = 5 }}\n[[flow]]\nfrom = 0\nto = 3\nstart = \"31s\"\n"
        );
        losses(&run_once(&parse(&text), 901))
    };
    assert_eq!(run(""), []);
    let lost = run("mobility = { kind = \"waypoints\", legs = [\
                    { node = 4, at = \"35.6s\", to = [-100, 2826.8], speed = \"200m/s\" }, \
                    { node = 4, at = \"41.6s\", to = [-100, -173.2], speed = \"200m/s\" }] }");
    assert!(lost.iter().any(|l| l.died == "arp"), "{lost:?}");
    assert_eq!(causes(&lost), BTreeSet::from(["link-failure"]), "{lost:?}");
}

/// `0 ── 1 ── 2`, and node 1 is off from 2 to 6 s. Segments of 0 then fill ARP's hold slot at node 1 and push out the
/// reply for the search of node 2. What waits at node 2 was lost to the outage of node 1, but not on the hop from 0 to 1,
/// which leads away from its destination.
#[test]
fn a_reply_that_a_burst_pushed_out_is_named_in_the_direction_of_the_packet() {
    let text = "duration = \"30s\"\ntopology = { kind = \"explicit\", positions = [[0, 0], [150, 0], [300, 0]] }\n\
                mac.rts = \"partial\"\nrouting = { protocol = \"aodv\", aodv.dialect = \"thesis\" }\n\
                tcp = { mss = \"512B\", window = 2 }\n\
                event = [{ node = 1, at = \"2s\", what = \"down\" }, { node = 1, at = \"6s\", what = \"up\" }]\n\
                [[flow]]\nfrom = 0\nto = 2\nstart = \"1s\"\nstop = \"3s\"\n";
    let losses = losses(&run_once(&parse(text), 180));
    let acks: Vec<&Loss> = losses.iter().filter(|l| l.node == 2 && l.died == "no-route").collect();
    assert!(acks.iter().any(|l| l.since > 6.0), "{losses:?}");
    assert!(
        acks.iter().all(|l| l.cause == "node-down" && (l.root_node, l.next_hop) != (0, Some(1))),
        "{acks:?}"
    );
}

/// A hexagon with a station in its middle, through which three transfers cross; a link of the first is cut. OLSR without
/// reports of the link layer: a packet that the MAC gives up stays without consequences for any route, so that no route is
/// missing because of attempts that failed while the next hop was in reach.
#[test]
fn attempts_that_no_router_heeds_cost_no_route() {
    let positions = "[[-194, 0], [-97, 168], [97, 168], [194, 0], [97, -168], [-97, -168], [0, 0]]";
    let transfer = |from: u32, to: u32, start: u32| {
        format!("[[flow]]\nfrom = {from}\nto = {to}\napp = \"ftp\"\nstart = \"{start}s\"\n")
    };
    let text = format!(
        "duration = \"30s\"\ntopology = {{ kind = \"explicit\", positions = {positions} }}\nradio.preset = \"g\"\n\
         routing = {{ protocol = \"olsr\", olsr = {{ dialect = \"thesis\" }} }}\n{}{}{}\
         [[event]]\nwhat = \"cut\"\nflow = 0\nat = \"20s\"\nfor = \"12s\"\n",
        transfer(0, 3, 1),
        transfer(1, 4, 14),
        transfer(5, 2, 16)
    );
    let mut missing = 0;
    for seed in [471, 472] {
        let losses = losses(&run_once(&parse(&text), seed));
        let without_route: Vec<&Loss> = losses.iter().filter(|loss| loss.died == "no-route").collect();
        missing += without_route.len();
        let in_reach = |loss: &Loss| !["link-failure", "node-down"].contains(&loss.cause.as_str());
        let blamed: Vec<&&Loss> =
            without_route.iter().filter(|loss| loss.attempts > 0 && in_reach(loss)).collect();
        assert_eq!(blamed, Vec::<&&Loss>::new(), "seed {seed}");
    }
    assert!(missing > 3, "{missing} packets without a route");
}

/// `0 ── 1 ── 2`, 240 m apart: 0 and 2 do not hear each other, and collide at node 1, whose link AODV gives up by mistake now and
/// then. Node 1 leaves at 1,000 m/s at 6 s: (250² − 240²)^½ = 70 m further on, at 6.07 s, nobody can reach it. A packet that
/// is held up later than that, and the longest series of attempts, 0.1 s, was not lost to collisions.
#[test]
fn a_route_that_collisions_have_cost_is_lost_to_the_break_once_the_last_path_has_gone() {
    let flow = |from: u32, size: u32, rate: &str, start: &str| {
        format!(
            "[[flow]]\nfrom = {from}\nto = 1\napp = \"cbr\"\nsize = \"{size}B\"\nrate = \"{rate}\"\nstart = \"{start}\"\n"
        )
    };
    for seed in 1..=6 {
        let text = format!(
            "duration = \"14s\"\ntopology = {{ kind = \"explicit\", positions = [[0, 0], [240, 0], [480, 0]] }}\n\
             routing.protocol = \"aodv\"\nradio = {{ profile = \"custom\", cs_threshold = \"3.652e-10W\" }}\n\
             mobility = {{ kind = \"waypoints\", legs = [\
             {{ node = 1, at = \"6s\", to = [240, 4000], speed = \"1000m/s\" }}] }}\n{}{}",
            flow(0, 512, "200kbps", "1s"),
            flow(2, 1000, "1600kbps", "2s")
        );
        let losses = losses(&run_once(&parse(&text), seed));
        let late: Vec<&Loss> = losses.iter().filter(|l| l.since > 6.2).collect();
        assert!(late.len() > 1000, "{seed}: {}", late.len());
        assert_eq!(late.iter().find(|l| l.cause != "link-failure"), None, "{seed}");
    }
}

/// `0 ── 1✗ ── 2`: node 1 goes off at 5 s, and nobody has tried to reach it before the flow begins, 50 ms later. The datagrams stop at the hop to
/// it, from the first one on.
#[test]
fn a_break_that_nobody_can_have_noticed_yet_has_its_hop() {
    let event = "event = [{ node = 1, at = \"5s\", what = \"down\" }]";
    for protocol in ["aodv", "dsr"] {
        for dialect in ["standard", "ns2"] {
            let settings = format!("routing.protocol = \"{protocol}\"\ndialect = \"{dialect}\"\n{event}");
            let losses =
                world(40, "[[0, 0], [200, 0], [400, 0]]", &settings, &[flow(0, 2, "100kbps", "5.05s", "")]);
            assert!(losses.len() > 500, "{protocol} {dialect}: {}", losses.len());
            let wrong = losses
                .iter()
                .find(|l| (l.cause.as_str(), l.root_node, l.next_hop) != ("node-down", 0, Some(1)));
            assert_eq!(wrong, None, "{protocol} {dialect}");
        }
    }
}

/// `0 ── 1 ── 2 ── 3`, DSR, which names the broken link in its errors. Node 1 is away for a while at 3 s, and node 2 gives up the hop to
/// it. Then packets go the other way only. At 10 s node 2 hears nothing for 60 ms, and node 1 gives up the hop to it: of that node 0 is
/// told. What node 0 loses before it has a route again is lost to the break from 1 to 2, not to that from 2 to 1.
#[test]
fn an_error_names_a_break_in_its_direction() {
    let text = "duration = \"11s\"\ntopology = { kind = \"string\", hops = 3 }\nmac.arp = false\n\
         routing = { protocol = \"dsr\", dsr.send_buffer_packets = 1 }\n\
         event = [{ at = \"3s\", node = 1, what = \"move\", to = [200, 5000] }, \
                  { at = \"4s\", node = 1, what = \"move\", to = [200, 0] }, \
                  { at = \"10s\", node = 2, what = \"loss\", rate = 1.0 }, \
                  { at = \"10.06s\", node = 2, what = \"loss\", rate = 0.0 }]\n\
         [[flow]]\nfrom = 3\nto = 0\napp = \"cbr\"\nsize = \"64B\"\ninterval = \"50ms\"\nstart = \"1s\"\nstop = \"8s\"\n\
         [[flow]]\nfrom = 0\nto = 3\napp = \"cbr\"\nsize = \"64B\"\ninterval = \"10ms\"\nstart = \"9s\"";
    let mut seen = 0;
    for seed in 1..=5 {
        let losses = losses(&run_once(&parse(text), seed));
        let back: Vec<&Loss> = losses.iter().filter(|l| l.flow == 0 && l.root_node == 2).collect();
        assert!(back.iter().any(|l| l.cause == "link-failure"), "{seed}: {losses:?}");
        for loss in losses.iter().filter(|l| l.flow == 1) {
            let place = (loss.cause.as_str(), loss.root_node, loss.next_hop);
            assert_eq!(place, ("channel", 1, Some(2)), "{seed}: {loss:?}");
            seen += usize::from(loss.node == 0);
        }
    }
    assert!(seen >= 5, "{seen}");
}

/// `0 ── 1`, 700 m apart and heard with a hundred times the power: light needs 2.3 µs, and the answer as much. ns-2's stations wait for 4 µs longer than an answer lasts, so
/// that each one comes too late; the standard's wait for a slot, which is enough for 3 km.
#[test]
fn a_hop_too_long_for_its_timeouts_is_link_failure() {
    for (dialect, lost) in [("ns2", BTreeSet::from(["link-failure"])), ("standard", BTreeSet::new())] {
        let text = format!(
            "duration = \"10s\"\ndialect = \"{dialect}\"\nrouting.protocol = \"static\"\nmac.arp = false\nradio = {{ profile = \"custom\", tx_power = \"28W\" }}\n\
             topology = {{ kind = \"explicit\", positions = [[0, 0], [700, 0]] }}\n\
             [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nsize = \"512B\"\nrate = \"50kbps\"\nstart = \"1s\"\n"
        );
        assert_eq!(causes(&losses(&run_once(&parse(&text), 1))), lost, "{dialect}");
    }
}

/// `0 ── 1`, OLSR that hears from its MAC: node 1 is away for half a second, long enough for the MAC to give the hop up. OLSR takes seconds to
/// find it again, and all of them are the absence's.
#[test]
fn a_short_absence_is_the_reason_until_the_route_is_back() {
    for seed in [1, 2] {
        let text = "duration = \"24s\"\ntopology = { kind = \"string\", hops = 1, spacing = \"150m\" }\nradio.preset = \"b-11\"\n\
                    routing = { protocol = \"olsr\", olsr = { link_layer_feedback = true } }\n\
                    event = [{ node = 1, at = \"16200ms\", what = \"move\", to = [150, 3000] }, { node = 1, at = \"16700ms\", what = \"move\", to = [150, 0] }]\n\
                    [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\ninterval = \"10ms\"\nsize = \"200B\"\nstart = \"12s\"\n";
        let losses = losses(&run_once(&parse(text), seed));
        let after: Vec<Loss> = losses.into_iter().filter(|l| l.at > 16.2).collect();
        assert!(after.len() > 400, "{}", after.len());
        assert_eq!(causes(&after), BTreeSet::from(["link-failure"]), "{seed}");
    }
}

/// `0 ── 1✗ ── 2 ── 3`, TCP, node 1 off from 7 to 7.5 s. Node 0 may still use its route over node 1, which had one until then, when its
/// timer expires: up to the path's first 20 s, no run without the outage loses a segment for want of a route.
#[test]
fn a_route_that_a_node_forgot_is_lost_to_its_outage() {
    let run = |events: &str, seed: u64| {
        let text = format!(
            "duration = \"12s\"\ntopology = {{ kind = \"string\", hops = 3 }}\n{events}\n\
             [[flow]]\nfrom = 0\nto = 3\napp = \"ftp\"\nstart = \"1s\"\n"
        );
        let mut lost = losses(&run_once(&parse(&text), seed));
        lost.retain(|loss| loss.died == "no-route");
        lost
    };
    let outage =
        "event = [{ node = 1, at = \"7s\", what = \"down\" }, { node = 1, at = \"7.5s\", what = \"up\" }]";
    let mut routes = 0;
    for seed in [4, 9, 18] {
        assert_eq!(run("", seed), [], "{seed}");
        for loss in run(outage, seed) {
            assert_eq!((loss.cause.as_str(), loss.root_node), ("node-down", 1), "{seed}: {loss:?}");
            routes += 1;
        }
    }
    assert!(routes > 0, "no segment arrived at a node that had forgotten its route");
}

/// Five nodes 60 m apart, DSR, a TCP connection between neighbours, and bit errors in three of ten frames. When the MAC gives up, a route error enters the full
/// queue, and a segment that has been waiting there is rejected in that instant: it is lost to the errors, not to load.
#[test]
fn what_a_route_error_pushes_out_of_a_queue_is_lost_to_the_break() {
    let text = "duration = \"20s\"\ntopology = { kind = \"string\", hops = 4, spacing = \"60m\" }\nrouting.protocol = \"dsr\"\n\
        mac.queue_limit = 5\nradio.preset = \"b-11\"\nerrors.frame_err = { bernoulli = { rate = 0.3 } }\n\
        [[flow]]\nfrom = 3\nto = 4\napp = \"ftp\"\ntcp = \"sack\"\nstart = \"2s\"\n";
    let mut count = 0;
    for seed in 1..=4 {
        let options = RunOptions { seed, record: true, ..RunOptions::default() };
        let report = run(&parse(text), &options, &RunControl::new()).expect("a run");
        let breaks = super::tables::link_breaks(&report);
        let all = losses(&report);
        let in_break = |l: &&Loss| {
            let at_once = |(at, (node, _)): &(f64, (i64, i64))| (at - l.at).abs() < 1e-9 && *node == l.node;
            l.died == "ifq" && breaks.iter().any(at_once)
        };
        let lost: Vec<&Loss> = all.iter().filter(in_break).collect();
        assert_eq!(lost.iter().find(|l| l.cause != "channel"), None, "{seed}");
        count += lost.len();
    }
    assert!(count > 5, "{count}");
}
