//! TC messages, relaying, other message types (RFC 3626 §3.4, §5, §9, §12).

use super::desk::{Desk, LOST, MPR, SYM, at, ids, punctual};
use tworay_base::{NodeId, SimDuration};
use tworay_routing::RoutingProtocol;
use tworay_routing::{OlsrConfig, TcRedundancy};
use tworay_wire::bytes::ipv4_address;
use tworay_wire::olsr::{HnaNetwork, OlsrBody, OlsrMessage, OlsrTc};

/// Number and contents of each TC message while selectors appear and disappear.
#[test]
fn tc_messages_follow_the_selectors() {
    let mut desk = Desk::new(&punctual());
    desk.run_to(at(5.0));
    assert_eq!(desk.tcs(), [], "nothing to tell");
    for second in 5..40 {
        desk.run_to(at(f64::from(second)));
        if second < 20 {
            desk.hear_hello(1, &[(MPR, &[0])]);
        }
        if (10..20).contains(&second) {
            desk.hear_hello(2, &[(MPR, &[0])]);
        }
    }
    desk.run_to(at(60.0));
    let told: Vec<(u16, Vec<NodeId>)> = desk.tcs().into_iter().map(|(_, ansn, list)| (ansn, list)).collect();
    // Without selectors, an empty one every five seconds until the earlier ones have expired (15 s).
    let ladder = [
        (1, ids(&[1])),
        (2, ids(&[1, 2])),
        (2, ids(&[1, 2])),
        (2, ids(&[1, 2])),
        (3, ids(&[])),
        (3, ids(&[])),
    ];
    assert_eq!(told, ladder);
    let times: Vec<_> = desk.tcs().iter().map(|(at, _, _)| *at).collect();
    assert!(times.windows(2).all(|w| w[1].since(w[0]) == SimDuration::from_secs(5)));
}

/// Contents by degree of redundancy (§15): 1 has chosen this node, this node has chosen 2, 3 is only a
/// neighbour.
#[test]
fn redundancy() {
    let table = [
        (TcRedundancy::Selectors, ids(&[1])),
        (TcRedundancy::SelectorsAndRelays, ids(&[1, 2])),
        (TcRedundancy::Neighbours, ids(&[1, 2, 3])),
    ];
    for (tc_redundancy, told) in table {
        let mut desk = Desk::new(&OlsrConfig { tc_redundancy, ..punctual() });
        for second in 0..12 {
            desk.run_to(at(f64::from(second)));
            desk.hear_hello(1, &[(MPR, &[0])]);
            desk.hear_hello(2, &[(SYM, &[0, 9])]);
            desk.hear_hello(3, &[(SYM, &[0])]);
        }
        assert_eq!(desk.tcs().last().map(|(_, _, list)| list.clone()), Some(told), "{tc_redundancy:?}");
    }
}

/// A new selector and a lost one: at once with immediate TC messages, otherwise at the interval.
#[test]
fn immediate_tc() {
    for (immediate_tc, delay) in [(true, 0.0..=0.0), (false, 0.5..=5.0)] {
        let mut desk = Desk::new(&OlsrConfig { immediate_tc, ..punctual() });
        for second in 0..20 {
            desk.run_to(at(f64::from(second)));
            desk.hear_hello(1, &[(MPR, &[0])]);
        }
        desk.run_to(at(20.0));
        // Not at a multiple of the interval.
        let phase = desk.tcs().last().map(|(at, _, _)| at.as_secs_f64() % 5.0).unwrap();
        let change = 20.0 + phase + 1.0;
        desk.run_to(at(change));
        desk.hear_hello(2, &[(MPR, &[0])]);
        desk.hear_hello(1, &[(LOST, &[0])]);
        desk.run_to(at(change + 6.0));
        let told = desk.tcs().into_iter().find(|(_, _, list)| *list == ids(&[2])).expect("told");
        let after = told.0.as_secs_f64() - change;
        assert!(delay.contains(&after), "immediate {immediate_tc}: {after} s");
    }
}

/// A selector that appears and disappears repeatedly must not cause a flood of messages.
#[test]
fn immediate_tcs_keep_their_distance() {
    let config = OlsrConfig { immediate_tc: true, ..punctual() };
    let mut desk = Desk::new(&config);
    for step in 0..100 {
        desk.run_to(at(f64::from(step) * 0.05));
        let code = if step % 2 == 0 { MPR } else { LOST };
        desk.hear_hello(1, &[(code, &[0])]);
    }
    let times: Vec<_> = desk.tcs().iter().map(|(at, _, _)| *at).collect();
    assert!(times.len() > 5, "{times:?}");
    assert!(times.windows(2).all(|w| w[1].since(w[0]) >= config.immediate_tc_spacing), "{times:?}");
}

fn relayed(desk: &Desk) -> Vec<OlsrMessage> {
    let all = desk.sent.iter().flat_map(|(_, p)| &p.messages);
    all.filter(|m| m.originator != NodeId(0)).cloned().collect()
}

/// Which messages are relayed: once, for nodes that have chosen this one, while the hop limit lasts.
#[test]
fn default_forwarding() {
    let tc = || OlsrBody::Tc(OlsrTc { ansn: 1, advertised: ids(&[8]) });
    let table: [(&str, u16, u16, u8, OlsrBody, bool); 9] = [
        ("a selector's own", 1, 1, 255, tc(), true),
        ("come over a selector", 1, 9, 7, tc(), true),
        ("of a type nobody knows", 1, 9, 7, OlsrBody::Other { kind: 200, bytes: vec![0; 4] }, true),
        ("an address declaration", 1, 9, 7, OlsrBody::Mid(ids(&[77])), true),
        ("at the end of its way", 1, 9, 1, tc(), false),
        ("come over a mere neighbour", 2, 9, 7, tc(), false),
        ("come over a stranger", 3, 9, 7, tc(), false),
        ("our own, echoed", 1, 0, 7, tc(), false),
        ("a HELLO, however long it would live", 1, 1, 7, super::desk::hello(3, &[(MPR, &[0])]), false),
    ];
    for (what, from, originator, ttl, body, passed) in table {
        let mut desk = Desk::new(&punctual());
        desk.hear_hello(1, &[(MPR, &[0])]);
        desk.hear_hello(2, &[(SYM, &[0])]);
        let message = OlsrMessage { ttl, ..desk.message(originator, body) };
        desk.hear(from, vec![message.clone()]);
        // A copy over another path is not new.
        desk.hear(2, vec![message.clone()]);
        desk.hear(1, vec![message.clone()]);
        desk.run_to(at(3.0));
        let copy = OlsrMessage { ttl: ttl.wrapping_sub(1), hop_count: 1, ..message };
        assert_eq!(relayed(&desk), if passed { vec![copy] } else { vec![] }, "{what}");
        assert_eq!(desk.olsr.counters().relayed, u64::from(passed));
    }
}

/// The first copy decides: if it comes from a neighbour that has not chosen this node, later ones are not
/// relayed either (§3.4.1 with one interface).
#[test]
fn only_the_first_copy_is_considered() {
    let mut desk = Desk::new(&punctual());
    desk.hear_hello(1, &[(MPR, &[0])]);
    desk.hear_hello(2, &[(SYM, &[0])]);
    let message = desk.message(9, OlsrBody::Tc(OlsrTc { ansn: 1, advertised: ids(&[8]) }));
    desk.hear(2, vec![message.clone()]);
    desk.hear(1, vec![message]);
    desk.run_to(at(3.0));
    assert_eq!(relayed(&desk), []);
}

/// Pending messages are sent together or each on its own.
#[test]
fn bundling() {
    for bundling in [true, false] {
        let config = OlsrConfig { bundling, ..OlsrConfig::rfc3626() };
        let mut desk = Desk::new(&config);
        desk.hear_hello(1, &[(MPR, &[0])]);
        for originator in 10..30 {
            desk.hear_tc(1, originator, 1, &[8]);
        }
        desk.run_to(at(2.0));
        let sizes: Vec<usize> = desk.sent.iter().map(|(_, p)| p.messages.len()).collect();
        assert!(if bundling { sizes[0] >= 20 } else { sizes.iter().all(|n| *n == 1) }, "{sizes:?}");
        assert_eq!(relayed(&desk).len(), 20);
        let late = desk.sent.iter().filter(|(_, p)| p.messages.iter().any(|m| m.originator != NodeId(0)));
        assert!(late.clone().all(|(at, _)| at.since_start() <= config.max_jitter));
        // Numbered in the order of sending.
        assert!(desk.sent.iter().enumerate().all(|(i, (_, p))| usize::from(p.seq) == i));
    }
}

/// Routes grow hop by hop with the messages received; other messages change nothing.
#[test]
fn routes_from_tc_messages() {
    let mut desk = Desk::new(&punctual());
    desk.hear_hello(1, &[(SYM, &[0, 2])]);
    assert_eq!((desk.route(2), desk.route(3)), (Some((1, 2)), None));
    desk.hear_tc(1, 2, 1, &[1, 3]);
    desk.hear_tc(1, 4, 1, &[5]);
    assert_eq!((desk.route(3), desk.route(5)), (Some((1, 3)), None), "nobody leads to 4 yet");
    desk.hear_tc(1, 3, 1, &[2, 4]);
    assert_eq!((desk.route(4), desk.route(5)), (Some((1, 4)), Some((1, 5))));
    // Node 6 is closer to 4.
    desk.hear_hello(6, &[(SYM, &[0, 4])]);
    assert_eq!((desk.route(4), desk.route(5)), (Some((6, 2)), Some((6, 3))));
    // Node 2 no longer reaches 3. Node 4, which may reach 3, has not advertised it.
    desk.hear_tc(1, 2, 2, &[1]);
    assert_eq!(desk.route(3), None);
    let all: Vec<NodeId> = desk.olsr.destinations(desk.now);
    assert_eq!(all, ids(&[1, 6, 2, 4, 5]), "nearest first");
}

/// The information in a TC message is valid until its validity time ends.
#[test]
fn what_was_told_is_forgotten() {
    let mut desk = Desk::new(&punctual());
    desk.hear_hello(1, &[(SYM, &[0, 2])]);
    desk.hear_tc(1, 2, 1, &[1, 3]);
    for second in 1..15 {
        desk.run_to(at(f64::from(second)));
        desk.hear_hello(1, &[(SYM, &[0, 2])]);
        assert_eq!(desk.route(3), Some((1, 3)), "after {second} s");
    }
    desk.run_to(at(15.0));
    assert_eq!((desk.route(2), desk.route(3)), (Some((1, 2)), None));
}

/// Of two neighbours that lead to the same node, the more willing one is used, then the one that has chosen
/// this node.
#[test]
fn ties_between_neighbours() {
    let mut desk = Desk::new(&punctual());
    for (node, willingness) in [(1, 2), (2, 4)] {
        let message = desk.message(node, super::desk::hello(willingness, &[(SYM, &[0, 9])]));
        desk.hear(node, vec![message]);
    }
    assert_eq!(desk.route(9), Some((2, 2)));
    desk.hear_hello(1, &[(SYM, &[0, 9])]);
    desk.hear_hello(2, &[(SYM, &[0, 9])]);
    assert_eq!(desk.route(9), Some((1, 2)), "the lower address, all else being equal");
    desk.hear_hello(2, &[(MPR, &[0]), (SYM, &[9])]);
    assert_eq!(desk.route(9), Some((2, 2)));
    let message = desk.message(2, super::desk::hello(0, &[(MPR, &[0]), (SYM, &[9])]));
    desk.hear(2, vec![message]);
    assert_eq!((desk.route(9), desk.route(2)), (Some((1, 2)), Some((2, 1))), "never over the unwilling");
}

/// A node's additional addresses lead to it, and networks to their nearest gateway; both expire.
#[test]
fn other_addresses_and_networks() {
    let mut desk = Desk::new(&punctual());
    desk.hear_hello(1, &[(SYM, &[0, 2])]);
    let mid = desk.message(2, OlsrBody::Mid(ids(&[70])));
    let everywhere = HnaNetwork { network: 0, mask: 0 };
    let [a, b, _, _] = ipv4_address(NodeId(0));
    let narrow = HnaNetwork { network: u32::from_be_bytes([a, b, 1, 0]), mask: 0xffff_ff00 };
    let far = desk.message(2, OlsrBody::Hna(vec![narrow]));
    let near = desk.message(1, OlsrBody::Hna(vec![everywhere]));
    desk.hear(1, vec![mid, far, near]);
    assert_eq!(desk.route(70), Some((1, 2)), "2's other address");
    assert_eq!(desk.route(0x0101), Some((1, 2)), "the narrower network counts");
    assert_eq!(desk.route(0x0201), Some((1, 1)), "the rest goes to the nearest gateway");
    // 70 is another address of 2, wherever it appears.
    desk.hear_tc(1, 70, 1, &[71]);
    desk.run_to(at(5.0));
    desk.hear_hello(1, &[(SYM, &[0, 70])]);
    assert_eq!(desk.route(2), Some((1, 2)));
    desk.run_to(at(15.0));
    desk.hear_hello(1, &[(SYM, &[0, 2])]);
    assert_eq!((desk.route(70), desk.route(0x0101)), (None, None));
}
