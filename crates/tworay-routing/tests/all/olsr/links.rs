//! Link sensing, neighbours and relays (RFC 3626 §6 to §8).

use super::desk::{ASYM, Desk, LOST, ME, MPR, SYM, at, ids, punctual};
use tworay_base::{NodeId, SimDuration};
use tworay_routing::RoutingProtocol;
use tworay_routing::{OlsrConfig, RoutingNote};

/// From silence to a link that works in both directions, and back: the neighbour's HELLOs and this node's.
#[test]
fn a_link_comes_and_goes() {
    let mut desk = Desk::new(&punctual());
    desk.run_to(at(2.0));
    assert_eq!(desk.last_hello(), [], "nobody heard yet");

    desk.hear_hello(1, &[]);
    desk.run_to(at(4.0));
    assert_eq!(desk.last_hello(), [(ASYM, ids(&[1]))], "heard one way");
    assert_eq!(desk.olsr.neighbours(), []);

    desk.hear_hello(1, &[(ASYM, &[0])]);
    desk.run_to(at(6.0));
    assert_eq!(desk.last_hello(), [(SYM, ids(&[1]))], "heard back");
    assert_eq!(desk.olsr.neighbours(), ids(&[1]));
    assert_eq!(desk.route(1), Some((1, 1)));

    // Six seconds after its last HELLO the neighbour is lost, and is advertised as lost for six more.
    desk.run_to(at(9.99));
    assert_eq!(desk.olsr.neighbours(), ids(&[1]));
    desk.run_to(at(10.0));
    assert_eq!(desk.olsr.neighbours(), []);
    assert_eq!(desk.notes, [RoutingNote::LinkBroken { neighbour: NodeId(1) }]);
    desk.run_to(at(15.99));
    assert_eq!(desk.last_hello(), [(LOST, ids(&[1]))]);
    desk.run_to(at(18.0));
    assert_eq!(desk.last_hello(), []);
    assert_eq!(desk.olsr.counters().broken_links, 1);
}

#[test]
fn a_neighbour_that_calls_the_link_lost_is_one_no_more() {
    let mut desk = Desk::new(&punctual());
    desk.hear_hello(1, &[(SYM, &[0, 2])]);
    assert_eq!(desk.route(2), Some((1, 2)));
    desk.hear_hello(1, &[(LOST, &[0]), (SYM, &[2])]);
    assert_eq!((desk.olsr.neighbours(), desk.route(1), desk.route(2)), (vec![], None, None));
    desk.run_to(at(2.0));
    assert_eq!(desk.last_hello(), [(ASYM, ids(&[1]))], "it is still heard");
    desk.hear_hello(1, &[(SYM, &[0])]);
    assert_eq!((desk.route(1), desk.route(2)), (Some((1, 1)), None), "what it reached went with the link");
}

/// The string 0 - 1 - 3 with 2 next to 1: of two neighbours, only 1 leads to another node.
#[test]
fn relays_are_chosen_and_told() {
    let mut desk = Desk::new(&punctual());
    desk.hear_hello(1, &[(SYM, &[0, 2, 3])]);
    desk.hear_hello(2, &[(SYM, &[0, 1])]);
    desk.run_to(at(2.0));
    assert_eq!(desk.last_hello(), [(SYM, ids(&[2])), (MPR, ids(&[1]))]);
    assert_eq!(desk.olsr.relays(), ids(&[1]));

    // Node 3 moves from node 1 to node 2.
    desk.hear_hello(1, &[(SYM, &[0, 2]), (LOST, &[3])]);
    desk.hear_hello(2, &[(SYM, &[0, 1, 3])]);
    desk.run_to(at(4.0));
    assert_eq!(desk.last_hello(), [(SYM, ids(&[1])), (MPR, ids(&[2]))]);
}

/// A node that chose this one stays a selector for the HELLO's validity time, or until the link is lost.
#[test]
fn selectors_are_remembered() {
    let mut desk = Desk::new(&punctual());
    desk.hear_hello(1, &[(MPR, &[0])]);
    desk.hear_hello(2, &[(MPR, &[0])]);
    assert_eq!(desk.olsr.selectors(desk.now), ids(&[1, 2]));
    desk.hear_hello(1, &[(LOST, &[0])]);
    assert_eq!(desk.olsr.selectors(desk.now), ids(&[2]));
    desk.run_to(at(4.0));
    desk.hear_hello(2, &[(SYM, &[0])]);
    desk.run_to(at(5.9));
    assert_eq!(desk.olsr.selectors(desk.now), ids(&[2]), "the choice stands for what was said");
    desk.run_to(at(6.0));
    assert_eq!((desk.olsr.selectors(desk.now), desk.olsr.neighbours()), (vec![], ids(&[2])));
}

/// Intervals are shortened by up to the jitter, never lengthened (§3.5).
#[test]
fn hellos_come_early_but_never_late() {
    let config = OlsrConfig::rfc3626();
    let mut desk = Desk::new(&config);
    desk.run_to(at(400.0));
    let times: Vec<_> = desk.sent.iter().map(|(at, _)| *at).collect();
    let gaps: Vec<SimDuration> = times.windows(2).map(|w| w[1].since(w[0])).collect();
    let least = config.hello_interval.saturating_sub(config.max_jitter);
    assert!(gaps.iter().all(|g| (least..=config.hello_interval).contains(g)), "{gaps:?}");
    let mean = gaps.iter().map(|g| g.as_secs_f64()).sum::<f64>() / gaps.len() as f64;
    assert!((1.7..1.8).contains(&mean), "{mean}");
}

/// Neighbours that do not fit into one packet are spread over several; each fits.
#[test]
fn crowds_are_told_in_parts() {
    let mut desk = Desk::new(&punctual());
    for node in 1..=800 {
        desk.hear_hello(node, &[(SYM, &[0])]);
    }
    desk.run_to(at(2.0));
    let hellos = desk.sent.iter().filter(|(at, _)| *at > tworay_base::SimTime::ZERO);
    let mut told = Vec::new();
    for (_, packet) in hellos {
        assert!(packet.ip_bytes() <= 1500);
        for message in &packet.messages {
            let tworay_wire::olsr::OlsrBody::Hello(h) = &message.body else { panic!("no HELLO") };
            told.extend(h.links.iter().flat_map(|g| g.neighbours.iter().map(|n| n.0)));
        }
    }
    told.sort_unstable();
    assert_eq!(told, (1..=800).collect::<Vec<u16>>());
}

/// Nodes start at different times, and never list themselves.
#[test]
fn nobody_is_its_own_neighbour() {
    let mut desk = Desk::new(&punctual());
    desk.hear_hello(1, &[(SYM, &[0])]);
    assert!(!desk.olsr.neighbours().contains(&ME));
    assert_eq!(desk.route(0), None);
}
