//! Packets that nodes send to each other in circles, because their tables are out of date: what they crowd out was lost to
//! what made the tables wrong.

use super::{Loss, losses, parse, run_once};

/// Eight stations in a circle, neighbours 200 m apart: 0 reaches 4 over 1, 2 and 3, or over 7, 6 and 5.
fn ring() -> String {
    let angle = std::f64::consts::TAU / 8.0;
    let radius = 100.0 / (angle / 2.0).sin();
    let at = |i: i32| {
        let angle = f64::from(i) * angle;
        format!("[{:.1}, {:.1}]", radius * angle.cos(), radius * angle.sin())
    };
    (0..8).map(at).collect::<Vec<_>>().join(", ")
}

/// Datagrams of 512 bytes from 0 to 4, 9.5 in a second, from 31.0 s on.
fn stream(seed: u64, more: &str) -> Vec<Loss> {
    let scenario = format!(
        r#"
        duration = "44s"
        dialect = "ns2"
        topology = {{ kind = "explicit", positions = [{}] }}
        mac = {{ rts = "full" }}
        routing.protocol = "olsr"
        {more}
        [[flow]]
        from = 0
        to = 4
        start = "31s"
        stop = "43.4s"
        app = "cbr"
        size = "512B"
        rate = "39kbps"
        "#,
        ring()
    );
    losses(&run_once(&parse(&scenario), seed))
}

/// Node 4 is off from 32.0 to 41.3 s. By the tables that are left, neighbours send packets for it to and fro, again and again, in
/// some runs until a queue of 50 is full. 9.5 datagrams in a second and four hops are 38 frames in a second, of which a link
/// carries some 300: without the outage no queue has more than a few packets, and whatever finds a queue full was lost to the
/// outage.
#[test]
fn a_queue_full_of_packets_that_circle_was_filled_by_the_break() {
    let full = |losses: Vec<Loss>| losses.into_iter().filter(|l| l.died == "ifq").collect::<Vec<_>>();
    let blink =
        "event = [{ node = 4, at = \"32s\", what = \"down\" }, { node = 4, at = \"41.3s\", what = \"up\" }]";
    let mut astray = 0;
    for seed in 655..=670 {
        assert_eq!(full(stream(seed, "")), [], "seed {seed}");
        // While the node is off, its neighbours' queues fill for want of it as well.
        let losses = full(stream(seed, blink));
        astray += losses.iter().filter(|l| ![3, 5].contains(&l.node)).count();
        for loss in losses {
            assert_eq!(loss.cause, "node-down", "seed {seed}: {loss:?}");
            // On either way round node 4 is behind one of its neighbours.
            assert!([3, 5].contains(&loss.root_node) && loss.next_hop == Some(4), "seed {seed}: {loss:?}");
        }
    }
    assert!(astray > 0);
}
