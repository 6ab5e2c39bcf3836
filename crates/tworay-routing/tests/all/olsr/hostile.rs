//! Packets that no correct neighbour sends are dropped, counted by reason, and do no harm.

use super::desk::{Desk, ME, MPR, SYM, at, hello, ids, punctual};
use proptest::prelude::*;
use tworay_base::{FlowId, NodeId};
use tworay_routing::RoutingProtocol;
use tworay_routing::{DropReason, Malformed, RoutingAction, RoutingNote};
use tworay_wire::aodv::AodvMessage;
use tworay_wire::olsr::{
    HnaNetwork, LinkCode, LinkGroup, OlsrBody, OlsrHello, OlsrMessage, OlsrPacket, OlsrTc, Vtime,
};
use tworay_wire::{Body, Packet};

const ALL: u16 = u16::MAX;

fn tc(list: &[u16]) -> OlsrBody {
    OlsrBody::Tc(OlsrTc { ansn: 1, advertised: ids(list) })
}

/// A fault, and the reason that is counted.
#[test]
fn each_fault_has_its_reason() {
    let plain = |desk: &mut Desk, originator, body| vec![desk.message(originator, body)];
    type Make = fn(&mut Desk) -> Vec<OlsrMessage>;
    let changed: [(&str, u16, Malformed, Make); 5] = [
        ("no message at all", 1, Malformed::EmptyList, |_| vec![]),
        ("no hop left to travel", 1, Malformed::HopCount, |d| {
            vec![OlsrMessage { ttl: 0, ..d.message(1, tc(&[2])) }]
        }),
        ("more hops than there can be", 1, Malformed::HopCount, |d| {
            vec![OlsrMessage { hop_count: 1, ..d.message(1, tc(&[2])) }]
        }),
        ("a relayed HELLO", 1, Malformed::HopCount, |d| {
            vec![OlsrMessage { hop_count: 1, ..d.message(1, hello(3, &[])) }]
        }),
        ("a network's worth of unknown type, twice wrong", 1, Malformed::BroadcastAddress, |d| {
            vec![d.message(ALL, OlsrBody::Other { kind: 9, bytes: vec![] })]
        }),
    ];
    for (what, from, reason, make) in changed {
        check(what, from, reason, make);
    }
    let bodies: [(&str, u16, u16, OlsrBody, Malformed); 9] = [
        ("a HELLO of everybody", 1, ALL, hello(3, &[]), Malformed::BroadcastAddress),
        ("a HELLO of ours", 1, 0, hello(3, &[]), Malformed::OwnAddress),
        ("somebody else's HELLO", 1, 2, hello(3, &[]), Malformed::ForeignSender),
        ("willing beyond always", 1, 1, hello(8, &[]), Malformed::FieldRange),
        ("a symmetric link to no neighbour", 1, 1, hello(3, &[(LinkCode(2), &[5])]), Malformed::FieldRange),
        ("a neighbour of no kind", 1, 1, hello(3, &[(LinkCode(13), &[5])]), Malformed::FieldRange),
        ("everybody as neighbour", 1, 1, hello(3, &[(SYM, &[ALL])]), Malformed::BroadcastAddress),
        ("a TC that reaches everybody", 1, 1, tc(&[3, ALL]), Malformed::BroadcastAddress),
        ("everybody's second address", 1, 1, OlsrBody::Mid(ids(&[ALL])), Malformed::BroadcastAddress),
    ];
    for (what, from, originator, body, reason) in bodies {
        check(what, from, reason, |desk| plain(desk, originator, body.clone()));
    }
    check("from everybody", ALL, Malformed::BroadcastAddress, |d| plain(d, 1, tc(&[2])));
    check("from ourselves", 0, Malformed::OwnAddress, |d| plain(d, 1, tc(&[2])));
}

fn check(what: &str, from: u16, reason: Malformed, make: impl FnOnce(&mut Desk) -> Vec<OlsrMessage>) {
    let mut desk = Desk::new(&punctual());
    desk.hear_hello(1, &[(MPR, &[0])]);
    let before = desk.olsr.destinations(desk.now);
    let messages = make(&mut desk);
    let answer = desk.hear(from, messages);
    assert!(matches!(answer[..], [RoutingAction::Drop { reason: DropReason::Malformed, .. }]), "{what}");
    assert_eq!(desk.olsr.counters().malformed(reason), 1, "{what}");
    assert_eq!(desk.olsr.counters().dropped(DropReason::Malformed), 1, "{what}");
    assert_eq!(desk.notes, [RoutingNote::Malformed { from: NodeId(from), what: reason }], "{what}");
    assert_eq!(desk.olsr.destinations(desk.now), before, "{what}");
    desk.run_to(at(1.9));
    assert_eq!(desk.olsr.counters().relayed, 0, "{what}");
}

/// A bad message does not invalidate the good ones in its packet.
#[test]
fn good_messages_beside_bad_ones_count() {
    let mut desk = Desk::new(&punctual());
    let good = desk.message(1, hello(3, &[(SYM, &[0])]));
    let bad = desk.message(1, hello(9, &[]));
    let answer = desk.hear(1, vec![bad, good]);
    assert!(matches!(answer[..], [RoutingAction::Consume { .. }]));
    assert_eq!(desk.olsr.neighbours(), ids(&[1]));
    assert_eq!(desk.olsr.counters().malformed(Malformed::FieldRange), 1);
}

/// Link codes of a later version of the protocol are skipped (§6.1.1).
#[test]
fn unknown_link_codes_are_passed_over() {
    let mut desk = Desk::new(&punctual());
    desk.hear_hello(1, &[(LinkCode(16), &[7]), (SYM, &[0, 2])]);
    assert_eq!(desk.olsr.destinations(desk.now), ids(&[1, 2]));
}

#[test]
fn messages_of_other_protocols_are_refused() {
    let mut desk = Desk::new(&punctual());
    let packet = Packet {
        uid: 1,
        src: NodeId(1),
        dst: NodeId::BROADCAST,
        ttl: 1,
        hops: 0,
        ip_bytes: 30,
        flow: FlowId::NONE,
        dsr: None,
        body: Body::Aodv(Box::new(AodvMessage::RrepAck)),
    };
    let id = desk.id();
    let mut out = Vec::new();
    desk.olsr.on_receive(desk.now, id, &packet, NodeId(1), &mut out);
    assert_eq!(desk.olsr.counters().malformed(Malformed::ForeignProtocol), 1);
    assert_eq!(out.iter().filter(|a| matches!(a, RoutingAction::Drop { .. })).count(), 1);
}

fn nodes() -> impl Strategy<Value = Vec<NodeId>> {
    let one = prop_oneof![4 => 0u16..8, 1 => any::<u16>()];
    proptest::collection::vec(one.prop_map(NodeId), 0..6)
}

fn messages() -> impl Strategy<Value = Vec<OlsrMessage>> {
    let code = prop_oneof![3 => 0u8..16, 1 => any::<u8>()].prop_map(LinkCode);
    let groups = (code, nodes()).prop_map(|(code, neighbours)| LinkGroup { code, neighbours });
    let body = prop_oneof![
        4 => (any::<u8>(), 0u8..9, proptest::collection::vec(groups, 0..4)).prop_map(|(h, willingness, links)| {
            OlsrBody::Hello(OlsrHello { htime: Vtime(h), willingness, links })
        }),
        3 => (any::<u16>(), nodes()).prop_map(|(ansn, advertised)| OlsrBody::Tc(OlsrTc { ansn, advertised })),
        1 => nodes().prop_map(OlsrBody::Mid),
        1 => proptest::collection::vec((any::<u32>(), any::<u32>()), 0..3).prop_map(|list| {
            OlsrBody::Hna(list.into_iter().map(|(network, mask)| HnaNetwork { network, mask }).collect())
        }),
        1 => (any::<u8>(), 0usize..3).prop_map(|(kind, n)| OlsrBody::Other { kind, bytes: vec![0; 4 * n] }),
    ];
    let ttl = prop_oneof![Just(1), Just(255), any::<u8>()];
    let one = (any::<u8>(), 0u16..8, ttl, prop_oneof![4 => Just(0), 1 => any::<u8>()], any::<u16>(), body);
    let message = one.prop_map(|(v, originator, ttl, hop_count, seq, body)| OlsrMessage {
        vtime: Vtime(v),
        originator: NodeId(originator),
        ttl,
        hop_count,
        seq,
        body,
    });
    proptest::collection::vec(message, 0..4)
}

proptest! {
    /// For any input, each packet gets one answer, packets sent are valid and fit into a frame, and the
    /// router has no route to itself.
    #[test]
    fn any_messages_do_no_harm(
        script in proptest::collection::vec((1u64..3000, 0u16..8, any::<u16>(), messages()), 1..40),
        hysteresis: bool,
        immediate_tc: bool,
    ) {
        let mut desk =
            Desk::new(&tworay_routing::OlsrConfig { hysteresis, immediate_tc, ..Default::default() });
        for (wait, from, seq, messages) in script {
            desk.run_to(desk.now + tworay_base::SimDuration::from_millis(wait));
            let answer = desk.hear_packet(NodeId(from), OlsrPacket { seq, messages });
            let answered = matches!(answer[..], [RoutingAction::Consume { .. } | RoutingAction::Drop { .. }]);
            prop_assert!(answered, "{answer:?}");
            for dst in 0..8 {
                let Some((next, hops)) = desk.olsr.route(desk.now, NodeId(dst)) else { continue };
                prop_assert!(next != ME && hops > 0);
            }
        }
        let end = desk.now + tworay_base::SimDuration::from_secs(60);
        desk.run_to(end);
        for (_, packet) in &desk.sent {
            prop_assert!(packet.ip_bytes() <= 1500 && !packet.messages.is_empty());
            for m in &packet.messages {
                prop_assert!(m.ttl > 0);
                let OlsrBody::Hello(h) = &m.body else { continue };
                prop_assert!(h.links.iter().all(|g| g.code.parts().is_some() && !g.neighbours.is_empty()));
            }
        }
    }
}
