//! The example of docs/guide/add-a-routing-protocol.md does what the page says.

use crate::line::Line;
use crate::{DropReason, RoutingAction, RoutingProtocol};
use tworay_base::{FlowId, NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::{Body, Packet, UdpDatagram};

fn to(dst: u16, ttl: u8) -> Packet {
    Packet {
        uid: 1,
        src: NodeId(0),
        dst: NodeId(dst),
        ttl,
        hops: 0,
        ip_bytes: 540,
        flow: FlowId(0),
        dsr: None,
        body: Body::Udp(UdpDatagram { src_port: 1, dst_port: 2, payload: 512, number: 0 }),
    }
}

#[test]
fn packets_move_one_number_closer() {
    let packet = PacketId(7);
    let forward = |next_hop| RoutingAction::Forward { packet, next_hop, delay: SimDuration::ZERO };
    for (dst, ttl, expected) in [
        (4, 9, forward(NodeId(3))),
        (0, 9, forward(NodeId(1))),
        (2, 1, RoutingAction::Deliver { packet }),
        (4, 1, RoutingAction::Drop { packet, reason: DropReason::Ttl }),
    ] {
        let (mut line, mut out) = (Line::new(NodeId(2)), Vec::new());
        line.on_receive(SimTime::ZERO, packet, &to(dst, ttl), NodeId(1), &mut out);
        assert_eq!(out, [expected], "to {dst}, ttl {ttl}");
        assert_eq!(line.hop_count(NodeId(dst)), Some(dst.abs_diff(2) as u8));
    }
}

#[test]
fn a_packet_that_the_mac_gave_up_is_counted() {
    let (mut line, mut out) = (Line::new(NodeId(2)), Vec::new());
    line.on_link_failure(SimTime::ZERO, PacketId(7), &to(4, 9), NodeId(3), &mut out);
    let reason = DropReason::MacCallback;
    assert_eq!(out, [RoutingAction::Drop { packet: PacketId(7), reason }]);
    assert_eq!((line.counters().link_failures, line.counters().dropped(reason)), (1, 1));
}

#[test]
fn the_guide_shows_the_code_that_is_compiled() {
    let guide = include_str!("../../../docs/guide/add-a-routing-protocol.md");
    assert!(guide.contains(include_str!("../../../docs/examples/line.rs").trim_end()));
}
