use super::describe;
use tworay_base::{FlowId, NodeId, Seq32};
use tworay_wire::{Body, Packet, TcpFlags, TcpOptions, TcpSegment, UdpDatagram};

fn packet(body: Body) -> Packet {
    let (src, dst) = (NodeId(0), NodeId(1));
    Packet { uid: 0, src, dst, ttl: 64, hops: 0, ip_bytes: 40, flow: FlowId(0), dsr: None, body }
}

/// The segments of a connection: sequence number 1000, acknowledgment 2000. What has a number of its own shows that, but for
/// the answer to a SYN, which shows what it acknowledges.
#[test]
fn every_kind_of_packet_has_its_word_and_number() {
    let [syn, ack, fin] = [TcpFlags::SYN, TcpFlags::ACK, TcpFlags::FIN];
    for (flags, payload, expected) in [
        (syn, 0, ("data", 1000)),
        (syn.with(ack), 0, ("ack", 2000)),
        (ack, 0, ("ack", 2000)),
        (ack, 512, ("data", 1000)),
        (ack.with(fin), 0, ("data", 1000)),
        (ack.with(fin), 512, ("data", 1000)),
    ] {
        let segment = TcpSegment {
            src_port: 1,
            dst_port: 2,
            seq: Seq32(1000),
            ack: Seq32(2000),
            flags,
            window: 9,
            payload,
            options: TcpOptions::default(),
        };
        assert_eq!(describe(&packet(Body::Tcp(segment))), expected, "{flags:?}, {payload} bytes");
    }
    let datagram = UdpDatagram { src_port: 1, dst_port: 2, payload: 12, number: 7 };
    assert_eq!(describe(&packet(Body::Udp(datagram))), ("udp", 7));
}
