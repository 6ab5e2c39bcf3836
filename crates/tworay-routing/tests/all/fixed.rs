//! Fixed next hops.

use tworay_base::{FlowId, NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_routing::{DropReason, Protocol, Router, RoutingAction, RoutingConfig};
use tworay_wire::{Body, Packet, UdpDatagram};

fn packet(src: u16, dst: u16, ttl: u8) -> Packet {
    Packet {
        uid: 1,
        src: NodeId(src),
        dst: NodeId(dst),
        ttl,
        hops: 0,
        ip_bytes: 540,
        flow: FlowId(0),
        dsr: None,
        body: Body::Udp(UdpDatagram { src_port: 1, dst_port: 2, payload: 512, number: 0 }),
    }
}

/// Node 1 of the line 0 - 1 - 2 - 3; 4 is unreachable.
fn router() -> Router {
    let config = RoutingConfig { protocol: Protocol::Static, ..RoutingConfig::default() };
    let mut router = Router::new(&config, NodeId(1), RngStream::new(1, NodeId(1), Purpose::RoutingJitter));
    for (dst, next_hop, hops) in [(0, 0, 1), (2, 2, 1), (3, 2, 2)] {
        router.add_static(NodeId(dst), NodeId(next_hop), hops);
    }
    router
}

#[test]
fn packets_take_the_next_hop_of_the_table() {
    let forward = |to| RoutingAction::Forward { packet: PacketId(7), next_hop: to, delay: SimDuration::ZERO };
    let deliver = RoutingAction::Deliver { packet: PacketId(7) };
    let drop = |reason: DropReason| RoutingAction::Drop { packet: PacketId(7), reason };
    let all = NodeId::BROADCAST;
    // (source, destination, hop limit, outcome); packets of node 1 come from its transport
    let cases = [
        (1, 3, 1, forward(NodeId(2))),
        (1, 0, 64, forward(NodeId(0))),
        (1, 1, 64, deliver.clone()),
        (1, 4, 64, drop(DropReason::NoRoute)),
        (1, 99, 64, drop(DropReason::NoRoute)),
        (1, all.0, 64, forward(all)),
        (0, 3, 2, forward(NodeId(2))),
        (0, 3, 1, drop(DropReason::Ttl)),
        (0, 1, 1, deliver.clone()),
        (0, all.0, 1, deliver),
    ];
    for (src, dst, ttl, expected) in cases {
        let (mut router, mut out) = (router(), Vec::new());
        let packet = packet(src, dst, ttl);
        if src == 1 {
            router.on_send(SimTime::ZERO, PacketId(7), &packet, &mut out);
        } else {
            router.on_receive(SimTime::ZERO, PacketId(7), &packet, NodeId(src), &mut out);
        }
        assert_eq!(out, [expected], "{src} to {dst}, ttl {ttl}");
    }
}

#[test]
fn what_the_mac_gives_up_on_is_lost_and_the_route_stays() {
    let (mut router, mut out) = (router(), Vec::new());
    router.on_link_failure(SimTime::ZERO, PacketId(7), &packet(0, 3, 9), NodeId(2), &mut out);
    assert!(matches!(out[..], [RoutingAction::Drop { reason: DropReason::MacCallback, .. }]));
    assert_eq!(router.counters().link_failures, 1);
    out.clear();
    router.on_send(SimTime::ZERO, PacketId(8), &packet(1, 3, 9), &mut out);
    assert!(matches!(out[..], [RoutingAction::Forward { .. }]));
    assert_eq!(router.hop_count(NodeId(2)), Some(1));
    assert_eq!(router.hop_count(NodeId(3)), Some(2));
    assert_eq!(router.hop_count(NodeId(4)), None);
}
