//! Routes that are not found although a path exists.

use super::{FIVE, Loss, causes, datagrams, deaths, losses};
use std::collections::BTreeSet;

fn string(hops: u32) -> String {
    let positions: Vec<String> = (0..=hops).map(|i| format!("[{}, 0]", 200 * i)).collect();
    format!("[{}]", positions.join(", "))
}

/// 40 hops: AODV's requests carry a hop limit of 35 at most (NET_DIAMETER, RFC 3561 §10; 30 in ns-2), so they never
/// reach the destination, collisions or not.
#[test]
fn a_string_beyond_the_diameter_of_aodv() {
    for dialect in ["standard", "ns2"] {
        let more = format!("routing.protocol = \"aodv\"\ndialect = \"{dialect}\"\n");
        let losses = losses(&datagrams(&string(40), 40, "40kbps", &more));
        assert!(losses.len() > 10, "{dialect}: {losses:?}");
        assert_eq!(causes(&losses), BTreeSet::from(["no-route"]), "{dialect}");
    }
}

/// The same with DSR, whose routes may have three hops here and would need four.
#[test]
fn a_string_longer_than_a_source_route() {
    let more = "routing = { protocol = \"dsr\", dsr.max_route_hops = 3 }";
    let losses = losses(&datagrams(FIVE, 4, "40kbps", more));
    assert!(losses.len() > 100, "{losses:?}");
    assert_eq!(causes(&losses), BTreeSet::from(["no-route"]));
}

/// `0 ── 1 ── 2 ── 3 ── 4`: datagrams start at 1 s, before OLSR's nodes have exchanged the three HELLOs and the TC
/// messages that a route needs.
#[test]
fn olsr_before_it_has_converged() {
    for dialect in ["standard", "ns2"] {
        let more = format!("routing.protocol = \"olsr\"\ndialect = \"{dialect}\"");
        let losses = losses(&datagrams(FIVE, 4, "4kbps", &more));
        let early: Vec<&Loss> = losses.iter().filter(|l| l.at < 4.0).collect();
        assert!(early.len() >= 2, "{dialect}: {losses:?}");
        assert!(
            early.iter().all(|l| (l.cause.as_str(), l.died.as_str()) == ("no-route", "no-route")),
            "{early:?}"
        );
        assert_eq!(deaths(&losses), BTreeSet::from(["no-route"]), "{dialect}");
    }
}

/// `0 ── 1 ── 2`, 60 % of frames with bit errors: the messages of AODV's searches are lost on the path.
#[test]
fn a_search_whose_messages_bit_errors_corrupt() {
    for dialect in ["standard", "ns2"] {
        let more = format!(
            "routing.protocol = \"aodv\"\ndialect = \"{dialect}\"\nerrors.frame_err = {{ bernoulli = {{ rate = 0.6 }} }}"
        );
        let losses = losses(&datagrams(super::THREE, 2, "40kbps", &more));
        assert!(losses.len() > 50, "{dialect}: {losses:?}");
        assert_eq!(causes(&losses), BTreeSet::from(["channel"]), "{dialect}");
    }
}

/// `0 ── 1 ── 2` without bit errors, and `3 ── 4` elsewhere, where nine of ten frames have some. OLSR of the first
/// three has not converged in the first seconds: that is the cause, not the messages that 3 and 4 lose.
#[test]
fn messages_lost_elsewhere_explain_nothing() {
    let links = |a: u32, b: u32, loss: f64| {
        format!("{{ from = {a}, to = {b}, loss = {loss} }}, {{ from = {b}, to = {a}, loss = {loss} }}")
    };
    let more = format!(
        "routing.protocol = \"olsr\"\nradio = {{ propagation = \"measured\", link = [{}, {}, {}] }}",
        links(0, 1, 0.0),
        links(1, 2, 0.0),
        links(3, 4, 0.9),
    );
    let positions = "[[0, 0], [200, 0], [400, 0], [3000, 0], [3200, 0]]";
    let losses = losses(&datagrams(positions, 2, "4kbps", &more));
    let early: Vec<&Loss> = losses.iter().filter(|l| l.at < 15.0).collect();
    assert!(!early.is_empty() && early.iter().all(|l| l.cause == "no-route"), "{losses:?}");
}

/// A ring of five: 0 reaches 2 over 1 in two hops, and the other way round, over 4 and 3, in three. A link of the
/// longer way loses nearly everything in one direction. OLSR uses the shorter way, and converges no later because of
/// it: what is lost until then has the cause and the root that it has without those losses.
#[test]
fn messages_lost_on_a_longer_way_explain_nothing() {
    let links = |loss: f64| {
        let ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)];
        let both = ring.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
        let all: Vec<String> = both
            .map(|(a, b)| {
                let loss = if (a, b) == (3, 4) { loss } else { 0.0 };
                format!("{{ from = {a}, to = {b}, loss = {loss} }}")
            })
            .collect();
        all.join(", ")
    };
    let early = |loss: f64| {
        let more = format!(
            "routing.protocol = \"olsr\"\nradio = {{ propagation = \"measured\", link = [{}] }}",
            links(loss)
        );
        let positions = "[[0, 0], [200, 0], [400, 0], [300, 200], [100, 200]]";
        losses(&datagrams(positions, 2, "4kbps", &more))
    };
    let (with, without) = (early(0.99), early(0.0));
    assert!(!without.is_empty() && causes(&without) == BTreeSet::from(["no-route"]), "{without:?}");
    assert_eq!(with, without);
}

/// `0 ── 1`, AODV with HELLOs, one datagram every 273 ms, and bursts of bit errors. Node 1 needs node 0's address for
/// its reply, and its request is corrupted; 0.27 s later node 0 learns the route from a HELLO instead. Two datagrams are
/// waiting by then, and one replaces the other in ARP's hold slot. Without bit errors nothing is lost.
#[test]
fn packets_that_a_reply_without_an_address_made_meet() {
    let errors = "errors.frame_err = { gilbert-elliott = { good_to_bad = 0.0194, bad_to_good = 0.0498 } }";
    let run = |errors: &str| {
        let text = format!(
            "duration = \"20s\"\ndialect = \"ns2\"\n{errors}\n\
             topology = {{ kind = \"explicit\", positions = [[0, 0], [120, 0]] }}\nmac.rts = \"full\"\n\
             routing = {{ protocol = \"aodv\", aodv.dialect = \"thesis-trace\" }}\n\
             [[flow]]\nfrom = 0\nto = 1\nstart = \"1s\"\napp = \"cbr\"\nsize = \"512B\"\nrate = \"15kbps\"\n"
        );
        losses(&super::run_once(&super::parse(&text), 766))
    };
    assert_eq!(run(""), []);
    let lost = run(errors);
    assert!(lost.iter().any(|l| l.died == "arp"), "{lost:?}");
    assert_eq!(causes(&lost), BTreeSet::from(["channel"]), "{lost:?}");
}

/// A ring of seven, and node 3 is off from 5.2 to 8.5 s: the search of node 0 goes on until 16.8 s. The messages of its
/// last request do collide with others, but that request is answered. A flow of 5.4 datagrams a second does not fill 50
/// places: what a search of 9 s held up does, and what made the search late was there before.
#[test]
fn a_collision_in_the_answered_round_made_no_search_late() {
    let ring: Vec<String> = [
        (230.5, 0.0),
        (143.7, 180.2),
        (-51.3, 224.7),
        (-207.7, 100.0),
        (-207.7, -100.0),
        (-51.3, -224.7),
        (143.7, -180.2),
    ]
    .iter()
    .map(|(x, y)| format!("[{x}, {y}]"))
    .collect();
    let text = format!(
        "duration = \"20s\"\ntopology = {{ kind = \"explicit\", positions = [{}] }}\nmac = {{ rts = \"full\", arp = false }}\n\
         routing = {{ protocol = \"aodv\", aodv.dialect = \"thesis-trace\" }}\n\
         event = [{{ node = 3, at = \"5.2s\", what = \"down\" }}, {{ node = 3, at = \"8.5s\", what = \"up\" }}]\n\
         [[flow]]\nfrom = 0\nto = 3\nstart = \"1s\"\napp = \"cbr\"\nsize = \"512B\"\nrate = \"22kbps\"\n",
        ring.join(", ")
    );
    let lost = losses(&super::run_once(&super::parse(&text), 316));
    let full: Vec<&Loss> = lost.iter().filter(|l| l.died == "ifq").collect();
    assert!(!full.is_empty(), "{lost:?}");
    assert!(full.iter().all(|l| l.cause == "node-down"), "{full:?}");
}
