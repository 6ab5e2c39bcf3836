//! Data packets, and link-layer feedback (RFC 3626 §13).

use super::desk::{Desk, LOST, SYM, at, ids, punctual};
use tworay_base::{NodeId, PacketId, SimDuration};
use tworay_routing::RoutingProtocol;
use tworay_routing::{DropReason, OlsrConfig, RoutingAction, RoutingNote};

fn sent(answer: &[RoutingAction]) -> Option<NodeId> {
    match answer {
        [RoutingAction::Forward { next_hop, delay: SimDuration::ZERO, .. }] => Some(*next_hop),
        _ => None,
    }
}

fn dropped(answer: &[RoutingAction]) -> Option<DropReason> {
    match answer {
        [RoutingAction::Drop { reason, .. }] => Some(*reason),
        _ => None,
    }
}

/// Every packet is answered at once: OLSR does not buffer.
#[test]
fn each_packet_is_answered() {
    let mut desk = Desk::new(&punctual());
    assert_eq!(dropped(&desk.data(0, 2, 64, None)), Some(DropReason::NoRoute), "before any HELLO");
    desk.hear_hello(1, &[(SYM, &[0, 2])]);
    assert_eq!(sent(&desk.data(0, 2, 64, None)), Some(NodeId(1)));
    assert_eq!(sent(&desk.data(5, 2, 64, Some(1))), Some(NodeId(1)), "in transit");
    assert_eq!(dropped(&desk.data(5, 9, 64, Some(1))), Some(DropReason::NoRoute));
    assert_eq!(dropped(&desk.data(5, 2, 1, Some(1))), Some(DropReason::Ttl));
    assert_eq!(dropped(&desk.data(0, 2, 60, Some(1))), Some(DropReason::Loop), "come back");
    assert!(matches!(desk.data(5, 0, 1, Some(1))[..], [RoutingAction::Deliver { .. }]));
    assert!(matches!(desk.data(5, u16::MAX, 1, Some(1))[..], [RoutingAction::Deliver { .. }]));
    assert!(matches!(desk.data(0, 0, 64, None)[..], [RoutingAction::Deliver { .. }]));
    assert_eq!(sent(&desk.data(0, u16::MAX, 1, None)), Some(NodeId::BROADCAST));
    let counters = desk.olsr.counters();
    let drops = [DropReason::NoRoute, DropReason::Ttl, DropReason::Loop].map(|r| counters.dropped(r));
    assert_eq!(drops, [2, 1, 1]);
}

/// A node with traffic of its own reports every route change when it happens.
#[test]
fn sources_hear_of_changes_at_once() {
    let mut desk = Desk::new(&punctual());
    desk.data(0, 9, 64, None);
    desk.hear_hello(1, &[(SYM, &[0, 2])]);
    desk.hear_tc(1, 2, 1, &[9]);
    desk.hear_hello(3, &[(SYM, &[0, 9])]);
    desk.hear_hello(3, &[(SYM, &[0]), (LOST, &[9])]);
    desk.hear_tc(1, 2, 2, &[]);
    let dst = NodeId(9);
    let ladder = [
        RoutingNote::RouteChanged { dst, hops: 3 },
        RoutingNote::RouteChanged { dst, hops: 2 },
        RoutingNote::RouteChanged { dst, hops: 3 },
        RoutingNote::RouteLost { dst },
    ];
    assert_eq!(desk.notes, ladder);
    assert_eq!(desk.olsr.counters().route_changes, 3);
    assert_eq!(desk.olsr.hop_count(dst), None);
}

/// Without feedback the packet is lost and the link stays. With it the neighbour is lost at once, for
/// NEIGHB_HOLD_TIME, and packets take another route if there is one.
#[test]
fn link_layer_feedback() {
    for link_layer_feedback in [false, true] {
        let mut desk = Desk::new(&OlsrConfig { link_layer_feedback, ..punctual() });
        let both = |desk: &mut Desk| {
            desk.hear_hello(1, &[(SYM, &[0, 9])]);
            desk.hear_hello(2, &[(SYM, &[0, 9])]);
        };
        both(&mut desk);
        assert_eq!(sent(&desk.data(0, 9, 64, None)), Some(NodeId(1)));
        let answer = desk.give_up(9, 1);
        if !link_layer_feedback {
            assert_eq!(dropped(&answer), Some(DropReason::MacCallback));
            assert_eq!(desk.route(9), Some((1, 2)));
            continue;
        }
        let [purge, again] = &answer[..] else { panic!("{answer:?}") };
        assert_eq!(*purge, RoutingAction::PurgeQueue { next_hop: NodeId(1) });
        assert_eq!(sent(std::slice::from_ref(again)), Some(NodeId(2)));
        assert_eq!(sent(&desk.purged(9, 1)), Some(NodeId(2)));
        assert_eq!(dropped(&desk.purged(1, 1)), Some(DropReason::MacCallback), "no other way");
        assert!(desk.notes.contains(&RoutingNote::LinkBroken { neighbour: NodeId(1) }));
        desk.run_to(at(2.0));
        assert_eq!(desk.last_hello()[0], (LOST, ids(&[1])));
        // HELLOs alone do not restore the link before that time.
        for second in 2..6 {
            desk.run_to(at(f64::from(second)));
            both(&mut desk);
            assert_eq!(desk.olsr.neighbours(), ids(&[2]));
        }
        desk.run_to(at(6.0));
        assert_eq!(desk.olsr.neighbours(), ids(&[1, 2]));
    }
}

/// OLSR does not buffer: without a route it drops the packet and reports where. The simulation determines
/// why.
#[test]
fn without_a_route_a_packet_is_dropped_at_once() {
    let mut desk = Desk::new(&punctual());
    let answer = desk.data(0, 2, 64, None);
    assert_eq!(answer, [RoutingAction::Drop { packet: PacketId(1), reason: DropReason::NoRoute }]);
}
