//! Breaks elsewhere, and breaks of the past.

use super::{Loss, causes, losses, parse, run_once};
use std::collections::BTreeSet;

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
