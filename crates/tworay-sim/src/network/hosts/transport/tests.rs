use super::*;
use tworay_wire::dsr::{DsrHeader, SourceRoute};

/// An acknowledgment from node 5 to node 0, salvaged `salvage` times; every relay decremented its hop
/// limit.
fn acknowledgment(salvage: u8, addresses: &[u16]) -> Packet {
    let addresses = addresses.iter().map(|n| NodeId(*n)).collect();
    let source_route = Some(SourceRoute { salvage, segments_left: 0, addresses });
    Packet {
        uid: 0,
        src: NodeId(5),
        dst: NodeId(0),
        ttl: INITIAL_TTL - 4,
        hops: 5,
        ip_bytes: 40,
        flow: FlowId(0),
        dsr: Some(Box::new(DsrHeader { source_route, ..DsrHeader::default() })),
        body: Body::Udp(UdpDatagram { src_port: 1, dst_port: 2, payload: 0, number: 0 }),
    }
}

#[test]
fn a_salvaged_packet_doesnt_shorten_the_path() {
    assert_eq!(arrival_of(&acknowledgment(0, &[4, 3, 2, 1])).path_hops(), Some(5));
    // Node 2 salvaged it: its own route has one relay left, the path still has five hops.
    let salvaged = arrival_of(&acknowledgment(1, &[2, 1]));
    assert_eq!((salvaged.hops, salvaged.path_hops()), (0, Some(5)));
}
