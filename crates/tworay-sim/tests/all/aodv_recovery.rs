//! AODV after an outage from 20.1 s to 28.1 s on a string of nodes 200 m apart, all of which a flow crosses.

use crate::common::{parse, run_once};

/// Causes of the losses of five runs. `outage` disturbs a string of `nodes` nodes.
fn causes(dialect: &str, nodes: u32, outage: &str) -> Vec<&'static str> {
    let positions: Vec<String> = (0..nodes).map(|i| format!("[{}, 0]", 200 * i)).collect();
    let scenario = parse(&format!(
        r#"
        duration = "60s"
        topology = {{ kind = "explicit", positions = [{}] }}
        routing.aodv.dialect = "{dialect}"
        event = [{outage}]
        [[flow]]
        from = 0
        to = {}
        app = "cbr"
        size = "512B"
        rate = "40960bps"
        start = "12.9s"
        "#,
        positions.join(", "),
        nodes - 1
    ));
    let mut causes = Vec::new();
    for seed in 1..=5 {
        let ledger = run_once(&scenario, seed).document.ledger;
        causes.extend(ledger.into_iter().filter(|(_, n)| n.data + n.ack > 0).map(|(cause, _)| cause));
    }
    causes.sort_unstable();
    causes.dedup();
    causes
}

/// The first request that can reach the destination again finds a route: the destination's reply counts on
/// all hops, also where the destination itself, heard again, has already renewed a route (RFC 3561 §6.7). A
/// reply that one node ignored would cost the packets of the next wait, up to 11.2 s.
#[test]
fn only_the_outage_costs_packets() {
    let off = |node| {
        format!(
            "{{ node = {node}, at = \"20.1s\", what = \"down\" }}, {{ node = {node}, at = \"28.1s\", what = \"up\" }}"
        )
    };
    let cut = r#"{ flow = 0, at = "20.1s", for = "8s", what = "cut" }"#;
    for dialect in ["standard", "thesis", "thesis-trace"] {
        for (nodes, outage, cause) in [
            (4, off(1), "node-down"),
            (4, off(2), "node-down"),
            (3, off(2), "node-down"),
            (3, cut.into(), "link-failure"),
            (4, cut.into(), "link-failure"),
        ] {
            assert_eq!(causes(dialect, nodes, &outage), [cause], "{dialect}, {nodes} nodes, {outage}");
        }
    }
}
