//! Headers that no correct neighbour sends.

use super::desk::{Desk, with};
use super::net::{control, data, list, n, router};
use proptest::prelude::*;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_routing::{DsrConfig, DsrPaper, Malformed, RoutingAction, Rules};
use tworay_wire::Packet;
use tworay_wire::aodv::AodvMessage;
use tworay_wire::dsr::{Ack, AckRequest, DsrHeader, RouteError, RouteReply, RouteRequest, SourceRoute};

const ALL: u16 = u16::MAX;

fn route(addresses: &[u16], left: u8, salvage: u8) -> DsrHeader {
    DsrHeader::routed(SourceRoute { salvage, segments_left: left, addresses: list(addresses) })
}
fn request(target: u16, addresses: &[u16]) -> DsrHeader {
    let request = RouteRequest { id: 1, target: n(target), addresses: list(addresses) };
    DsrHeader { request: Some(request), ..DsrHeader::default() }
}
fn reply(addresses: &[u16]) -> DsrHeader {
    let replies = vec![RouteReply { addresses: list(addresses) }];
    DsrHeader { replies, ..route(&[2], 0, 0) }
}
fn error(source: u16, unreachable: u16) -> DsrHeader {
    let error = RouteError { salvage: 0, source: n(source), destination: n(5), unreachable: n(unreachable) };
    DsrHeader { errors: vec![error], ..route(&[2], 0, 0) }
}

/// All of them are sent by node 2 to node 5.
#[test]
fn impossible_headers_are_dropped_and_counted() {
    let many: Vec<u16> = (100..164).collect();
    let everyone = NodeId::BROADCAST;
    let bare = data(1, 9, 1);
    let aodv = Packet { body: tworay_wire::Body::Aodv(Box::new(AodvMessage::RrepAck)), ..data(2, 5, 1) };
    let cases = [
        ("AODV", aodv, Malformed::ForeignProtocol),
        ("no route, no destination", bare, Malformed::MissingHeader),
        (
            "nothing at all",
            Packet { dsr: None, ..control(2, n(5), 9, DsrHeader::default()) },
            Malformed::MissingHeader,
        ),
        ("transit without a route", with(data(1, 9, 1), DsrHeader::default()), Malformed::NotOnRoute),
        ("more left than there is", with(data(1, 9, 1), route(&[2, 5], 3, 0)), Malformed::SegmentsLeft),
        ("meant for another node", with(data(1, 9, 1), route(&[2, 6], 1, 0)), Malformed::NotOnRoute),
        ("sent by another node", with(data(1, 9, 1), route(&[3, 5], 1, 0)), Malformed::NotOnRoute),
        ("a node twice", with(data(1, 9, 1), route(&[2, 5, 2], 2, 0)), Malformed::RepeatedAddress),
        ("through its destination", with(data(1, 9, 1), route(&[2, 5, 9], 2, 0)), Malformed::RepeatedAddress),
        ("through its source", with(data(1, 9, 1), route(&[2, 5, 1], 2, 0)), Malformed::RepeatedAddress),
        ("through everyone", with(data(1, 9, 1), route(&[2, 5, ALL], 2, 0)), Malformed::BroadcastAddress),
        ("salvaged by nobody", with(data(1, 5, 1), route(&[], 0, 1)), Malformed::EmptyList),
        ("salvaged before it left", with(data(1, 9, 1), route(&[5], 1, 1)), Malformed::SegmentsLeft),
        ("a request to one node", control(2, n(5), 9, request(9, &[])), Malformed::NotOnRoute),
        ("for everyone", control(2, everyone, 9, request(ALL, &[])), Malformed::BroadcastAddress),
        ("for its own initiator", control(2, everyone, 9, request(2, &[])), Malformed::SameEnds),
        ("relayed by another node", control(1, everyone, 9, request(9, &[3])), Malformed::NotOnRoute),
        (
            "relayed by its initiator",
            control(1, everyone, 9, request(9, &[1, 2])),
            Malformed::RepeatedAddress,
        ),
        ("relayed too often", control(1, everyone, 9, request(9, &many)), Malformed::TooLong),
        ("an empty reply", control(1, n(5), 9, reply(&[])), Malformed::EmptyList),
        ("a reply through its initiator", control(1, n(5), 9, reply(&[2, 5, 9])), Malformed::RepeatedAddress),
        ("a reply to everyone", control(2, everyone, 9, reply(&[2, 9])), Malformed::BroadcastAddress),
        ("a link to itself", control(1, n(5), 9, error(3, 3)), Malformed::SameEnds),
        ("a link to everyone", control(1, n(5), 9, error(3, ALL)), Malformed::BroadcastAddress),
    ];
    for (what, packet, reason) in cases {
        let mut desk = Desk::new(5, DsrConfig::rfc4728());
        assert_eq!(desk.hear(SimTime::ZERO, 2, &packet), ["drop BAD"], "{what}");
        assert_eq!(desk.counters().malformed(reason), 1, "{what}: {:?}", desk.counters().malformed);
        assert_eq!(desk.counters().malformed.iter().sum::<u64>(), 1, "{what}");
        for dst in [1, 2, 3, 9] {
            assert_eq!(desk.route(SimTime::ZERO, dst), None, "{what}: nothing is learned from it");
        }
    }
}

fn node() -> impl Strategy<Value = NodeId> {
    prop_oneof![12 => (0u16..6).prop_map(NodeId), 1 => any::<u16>().prop_map(NodeId), 1 => Just(NodeId::BROADCAST)]
}
fn nodes() -> impl Strategy<Value = Vec<NodeId>> {
    prop_oneof![8 => prop::collection::vec(node(), 0..5), 1 => prop::collection::vec(any::<u16>().prop_map(NodeId), 0..80)]
}
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![4 => 0u8..4, 1 => any::<u8>()]
}

prop_compose! {
    fn any_header()(
        request in prop::option::weighted(0.3, (0u16..4, node(), nodes())),
        replies in prop::collection::vec(nodes(), 0..2),
        errors in prop::collection::vec((byte(), node(), node(), node()), 0..2),
        ack_request in prop::option::weighted(0.2, 0u16..4),
        acks in prop::collection::vec((0u16..4, node(), node()), 0..2),
        source_route in prop::option::weighted(0.8, (byte(), byte(), nodes())),
        extra_bytes in 0u16..30,
    ) -> DsrHeader {
        DsrHeader {
            request: request.map(|(id, target, a)| RouteRequest { id, target, addresses: a.into() }),
            replies: replies.into_iter().map(|a| RouteReply { addresses: a.into() }).collect(),
            errors: errors.into_iter().map(|(salvage, source, destination, unreachable)| RouteError {
                salvage, source, destination, unreachable,
            }).collect(),
            ack_request: ack_request.map(|id| AckRequest { id }),
            acks: acks.into_iter().map(|(id, source, destination)| Ack { id, source, destination }).collect(),
            source_route: source_route.map(|(salvage, segments_left, a)| SourceRoute {
                salvage, segments_left, addresses: a.into(),
            }),
            extra_bytes,
        }
    }
}

/// A header as a correct node `from` sends it to node 0, so that more code than the checks is reached.
fn honest() -> impl Strategy<Value = (NodeId, NodeId, NodeId, DsrHeader)> {
    (
        prop::sample::subsequence((1u16..9).collect::<Vec<_>>(), 3..6).prop_shuffle(),
        any::<bool>(),
        any_header(),
    )
        .prop_map(|(others, ends_here, any)| {
            let others: Vec<NodeId> = others.into_iter().map(NodeId).collect();
            let (src, from, beyond) = (others[0], others[1], &others[2..]);
            let (dst, rest) = if ends_here { (NodeId(0), &[][..]) } else { (beyond[0], &beyond[1..]) };
            let mut addresses = vec![from];
            if !ends_here {
                addresses.push(NodeId(0));
                addresses.extend_from_slice(rest);
            }
            let segments_left = addresses.len() as u8 - 1;
            let source_route = Some(SourceRoute { salvage: 0, segments_left, addresses: addresses.into() });
            let header =
                DsrHeader { request: None, replies: Vec::new(), errors: Vec::new(), source_route, ..any };
            (src, dst, from, header)
        })
}

#[derive(Clone, Debug)]
enum Input {
    Packet { src: NodeId, dst: NodeId, from: NodeId, ttl: u8, data: bool, header: DsrHeader },
    Tap { src: NodeId, dst: NodeId, from: NodeId, to: NodeId, header: DsrHeader },
    Send(NodeId),
    Failure { src: NodeId, dst: NodeId, next_hop: NodeId, purged: bool, header: DsrHeader },
    Timer,
    Pass(u64),
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        4 => (node(), node(), node(), any::<u8>(), any::<bool>(), any_header())
            .prop_map(|(src, dst, from, ttl, data, header)| Input::Packet { src, dst, from, ttl, data, header }),
        4 => (honest(), any::<u8>(), any::<bool>())
            .prop_map(|((src, dst, from, header), ttl, data)| Input::Packet { src, dst, from, ttl, data, header }),
        2 => (node(), node(), node(), node(), any_header())
            .prop_map(|(src, dst, from, to, header)| Input::Tap { src, dst, from, to, header }),
        2 => node().prop_map(Input::Send),
        2 => (node(), node(), node(), any::<bool>(), any_header())
            .prop_map(|(src, dst, next_hop, purged, header)| Input::Failure { src, dst, next_hop, purged, header }),
        2 => Just(Input::Timer),
        1 => (0u64..5_000).prop_map(Input::Pass),
    ]
}

fn any_config() -> impl Strategy<Value = DsrConfig> {
    (prop::sample::select(Rules::<DsrPaper>::all().collect::<Vec<_>>()), any::<bool>(), any::<bool>())
        .prop_map(|(dialect, tight, network_acks)| {
            let mut config = DsrConfig { network_acks, ..DsrConfig::by(dialect) };
            if tight {
                config.send_buffer_packets = 2;
                config.rexmt_buffer_packets = 2;
                config.max_route_hops = 2;
            }
            config
        })
}

proptest! {
    /// For any input: no panic, each packet gets exactly one answer or is held, and only valid packets are
    /// sent.
    #[test]
    fn anything_goes_in_and_one_answer_comes_out(config in any_config(), inputs in prop::collection::vec(input(), 1..60)) {
        let mut router = router(0, &config, 7);
        let mut now = SimTime::ZERO;
        let mut out = Vec::new();
        let mut open = std::collections::BTreeSet::new();
        let mut wake = SimTime::NEVER;
        for (i, input) in inputs.into_iter().enumerate() {
            let id = PacketId(i as u32);
            let uid = i as u64 % 7;
            match input {
                Input::Packet { src, dst, from, ttl, data: carries, header } => {
                    open.insert(id);
                    let packet = if carries { with(data(src.0, dst.0, uid), header) } else { control(src.0, dst, ttl, header) };
                    router.on_receive(now, id, &Packet { ttl, ..packet }, from, &mut out);
                }
                Input::Tap { src, dst, from, to, header } => {
                    router.on_tap(now, &with(data(src.0, dst.0, uid), header), from, to, &mut out);
                }
                Input::Send(dst) => {
                    open.insert(id);
                    router.on_send(now, id, &data(0, dst.0, uid), &mut out);
                }
                Input::Failure { src, dst, next_hop, purged, header } => {
                    open.insert(id);
                    let packet = with(data(src.0, dst.0, uid), header);
                    if purged {
                        router.on_queue_purged(now, id, &packet, next_hop, &mut out);
                    } else {
                        router.on_link_failure(now, id, &packet, next_hop, &mut out);
                    }
                }
                Input::Timer if wake < SimTime::NEVER => {
                    now = now.max(wake);
                    wake = SimTime::NEVER;
                    router.on_timer(now, &mut out);
                }
                Input::Timer => {}
                Input::Pass(millis) => now += SimDuration::from_millis(millis),
            }
            let held = router.buffered();
            for action in out.drain(..) {
                match action {
                    RoutingAction::Forward { packet, .. }
                    | RoutingAction::Deliver { packet }
                    | RoutingAction::Consume { packet }
                    | RoutingAction::Drop { packet, .. } => prop_assert!(open.remove(&packet), "{packet:?} was answered twice"),
                    RoutingAction::SetHeader { packet, .. } => prop_assert!(open.contains(&packet)),
                    RoutingAction::SendCopy { packet, .. } => prop_assert!(open.contains(&packet)),
                    RoutingAction::WakeAt(t) => wake = t,
                    RoutingAction::Originate { packet, .. } => {
                        prop_assert!(packet.ttl > 0);
                        prop_assert_eq!(packet.ip_bytes, packet.dsr.as_ref().map_or(0, |h| h.ip_bytes()));
                    }
                    RoutingAction::PurgeQueue { .. } | RoutingAction::Note(_) => {}
                }
            }
            let mut waiting = held;
            waiting.sort_unstable();
            prop_assert_eq!(open.iter().copied().collect::<Vec<_>>(), waiting);
        }
    }
}
