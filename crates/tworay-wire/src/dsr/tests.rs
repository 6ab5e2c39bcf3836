//! Sizes and directions worked out by hand.

use super::*;

fn n(ids: &[u16]) -> Addresses {
    ids.iter().map(|&i| NodeId(i)).collect()
}

#[test]
fn sizes_follow_section_6() {
    let route = |count: u16| SourceRoute {
        salvage: 0,
        segments_left: 0,
        addresses: (0..count).map(NodeId).collect(),
    };
    let request =
        |count: u16| RouteRequest { id: 1, target: NodeId(9), addresses: (0..count).map(NodeId).collect() };
    let reply = |count: u16| RouteReply { addresses: (0..count).map(NodeId).collect() };
    let error = RouteError { salvage: 0, source: NodeId(1), destination: NodeId(2), unreachable: NodeId(3) };
    let ack = Ack { id: 1, source: NodeId(1), destination: NodeId(2) };
    let d = DsrHeader::default;
    let cases = [
        ("nothing", d(), 4),
        ("a neighbour's route", DsrHeader::routed(route(0)), 8),
        ("three relays", DsrHeader::routed(route(3)), 20),
        ("a fresh request", DsrHeader { request: Some(request(0)), ..d() }, 12),
        ("a relayed request", DsrHeader { request: Some(request(2)), ..d() }, 20),
        // 3 + 4 x 3 = 15, padded to 16.
        ("a reply", DsrHeader { replies: vec![reply(3)], ..d() }, 20),
        ("two replies share the padding", DsrHeader { replies: vec![reply(1), reply(1)], ..d() }, 20),
        ("an error", DsrHeader { errors: vec![error], ..d() }, 20),
        ("asking for an acknowledgment", DsrHeader { ack_request: Some(AckRequest { id: 1 }), ..d() }, 8),
        ("an acknowledgment", DsrHeader { acks: vec![ack], ..d() }, 16),
        ("ns-2's second IP header", DsrHeader { extra_bytes: 20, ..DsrHeader::routed(route(3)) }, 40),
    ];
    for (what, header, bytes) in cases {
        assert_eq!(header.wire_bytes(), bytes, "{what}");
        assert_eq!(header.ip_bytes(), bytes + 20, "{what}");
    }
}

#[test]
fn segments_left_tells_where_the_packet_is() {
    // 1 -> 2 -> 3 -> 4: each frame with its sender and receiver.
    for (left, from, to) in [(2, 1, 2), (1, 2, 3), (0, 3, 4)] {
        let route = SourceRoute { salvage: 0, segments_left: left, addresses: n(&[2, 3]) };
        assert_eq!(route.previous_hop(NodeId(1)), Some(NodeId(from)));
        assert_eq!(route.next_hop(NodeId(4)), Some(NodeId(to)));
        assert_eq!(route.author(NodeId(1)), NodeId(1));
    }
    let beyond = SourceRoute { salvage: 0, segments_left: 3, addresses: n(&[2, 3]) };
    assert_eq!((beyond.next_hop(NodeId(4)), beyond.previous_hop(NodeId(1))), (None, None));
    // Salvaged at 2 towards 5: the route begins at 2.
    let salvaged = SourceRoute { salvage: 1, segments_left: 1, addresses: n(&[2, 5]) };
    assert_eq!(salvaged.author(NodeId(1)), NodeId(2));
    assert_eq!(salvaged.previous_hop(NodeId(1)), Some(NodeId(2)));
    assert_eq!(salvaged.next_hop(NodeId(4)), Some(NodeId(5)));
}
