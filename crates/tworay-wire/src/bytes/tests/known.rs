//! Bytes written by hand from the RFCs, and by other implementations.

use super::super::*;
use crate::aodv::{AodvMessage, Rerr, Rrep, Rreq};
use crate::dsr::{DsrHeader, RouteReply, RouteRequest, SourceRoute};
use crate::olsr::{
    LinkCode, LinkGroup, LinkType, NeighbourType, OlsrBody, OlsrHello, OlsrMessage, OlsrPacket, Vtime,
};
use crate::{ArpBody, ProbeKind, ProbeOption, Report, SackBlock, TcpFlags, TcpOptions, TcpSegment};
use tworay_base::{NodeId, Seq32, SimDuration};

fn options(options: TcpOptions) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_tcp_options(&options, &mut bytes).unwrap();
    bytes
}

fn block(left: u32, right: u32) -> SackBlock {
    SackBlock { left: Seq32(left), right: Seq32(right) }
}

/// Each option byte for byte; alone, each has the layout that its RFC recommends and Linux uses.
#[test]
fn tcp_options_byte_for_byte() {
    let none = TcpOptions::default;
    let (b1, b2) = (block(0x01020304, 0x05060708), block(0x0a0b0c0d, 0x0e0f1011));
    let cases: [(&str, TcpOptions, &[u8]); 12] = [
        ("none", none(), &[]),
        ("MSS 1460", TcpOptions { mss: Some(1460), ..none() }, &[2, 4, 0x05, 0xb4]),
        ("SACK permitted", TcpOptions { sack_permitted: true, ..none() }, &[1, 1, 4, 2]),
        ("window scale", TcpOptions { window_scale: Some(7), ..none() }, &[1, 3, 3, 7]),
        (
            "timestamps (RFC 7323 appendix A)",
            TcpOptions { timestamps: Some((0x01020304, 0x05060708)), ..none() },
            &[1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8],
        ),
        (
            "one SACK block",
            TcpOptions { sack: [b1].into_iter().collect(), ..none() },
            &[1, 1, 5, 10, 1, 2, 3, 4, 5, 6, 7, 8],
        ),
        (
            "two SACK blocks",
            TcpOptions { sack: [b1, b2].into_iter().collect(), ..none() },
            &[1, 1, 5, 18, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17],
        ),
        (
            "a SYN of Linux",
            TcpOptions {
                mss: Some(1460),
                sack_permitted: true,
                timestamps: Some((1, 0)),
                window_scale: Some(7),
                ..none()
            },
            &[2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7],
        ),
        (
            "a SYN that knows probes",
            TcpOptions {
                mss: Some(1460),
                sack_permitted: true,
                probe: Some(ProbeOption { kind: ProbeKind::Permitted, id: 0 }),
                ..none()
            },
            &[2, 4, 0x05, 0xb4, 240, 4, 0, 0, 1, 1, 4, 2],
        ),
        (
            "the second question of an exchange",
            TcpOptions { probe: Some(ProbeOption { kind: ProbeKind::Probe2, id: 0x0102 }), ..none() },
            &[243, 4, 1, 2],
        ),
        (
            "a report beside timestamps",
            TcpOptions { timestamps: Some((1, 2)), report: Some(Report::Channel), ..none() },
            &[245, 3, 2, 1, 1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2],
        ),
        (
            "timestamps and SACK share the padding",
            TcpOptions { timestamps: Some((1, 2)), sack: [b1].into_iter().collect(), ..none() },
            &[8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 5, 10, 1, 2, 3, 4, 5, 6, 7, 8],
        ),
    ];
    for (what, value, bytes) in cases {
        assert_eq!(options(value), bytes, "{what}");
        assert_eq!(decode_tcp_options(bytes), Ok(value), "{what}");
    }
}

/// Options are limited to 40 bytes.
#[test]
fn too_many_options_are_refused() {
    let sack = [block(1, 2), block(3, 4), block(5, 6), block(7, 8)];
    let too_many =
        TcpOptions { timestamps: Some((0, 0)), sack: sack.into_iter().collect(), ..TcpOptions::default() };
    let error = encode_tcp_options(&too_many, &mut Vec::new()).unwrap_err();
    assert_eq!((error.value, error.most), (44, 40));
}

/// Options that other implementations may send: unknown options are skipped, the end mark ends, large shifts
/// are treated as 14.
#[test]
fn foreign_options() {
    let bytes = [30, 6, 1, 2, 3, 4, 3, 3, 15, 1, 2, 4, 2, 0, 0, 99, 99];
    let read = decode_tcp_options(&bytes).unwrap();
    assert_eq!(read, TcpOptions { mss: Some(512), window_scale: Some(14), ..TcpOptions::default() });
}

/// The example of RFC 1071 §3 and a widely published IPv4 header.
#[test]
fn internet_checksums() {
    assert_eq!(internet_checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
    let header = [
        0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0,
        0xa8, 0x00, 0xc7,
    ];
    assert_eq!(internet_checksum(&header), 0);
    // An odd byte is the high one of its pair.
    assert_eq!(internet_checksum(&[0x12]), !0x1200);
}

/// CRC-32's check value.
#[test]
fn frame_check_sequence() {
    assert_eq!(frame_check(b"123456789"), 0xcbf4_3926);
}

#[test]
fn an_rts_and_a_data_header() {
    let (receiver, transmitter) = (NodeId(0x0102), NodeId(3));
    let mut rts = Vec::new();
    // 1.2 us are rounded up to 2.
    encode_dot11(
        &Dot11::Rts { duration: SimDuration::from_nanos(0x1233 * 1000 + 200), receiver, transmitter },
        &mut rts,
    );
    assert_eq!(rts, [0xb4, 0, 0x34, 0x12, 2, 0, 0, 0, 1, 2, 2, 0, 0, 0, 0, 3]);
    let mut data = Vec::new();
    let duration = SimDuration::ZERO;
    encode_dot11(
        &Dot11::Data {
            duration,
            receiver: NodeId::BROADCAST,
            transmitter,
            number: 0xabc,
            retry: true,
            priority: None,
        },
        &mut data,
    );
    assert_eq!(data[..10], [0x08, 0x08, 0, 0, 255, 255, 255, 255, 255, 255]);
    assert_eq!(data[22..], [0xc0, 0xab], "the sequence number stands above four bits of fragment number");
}

/// IEEE 802.11-2016 §9.3.1.9, §9.3.2.1 and Figure 9-34: the QoS field follows the sequence number; a compressed BlockAck has
/// its bit 2 set, the category above.
#[test]
fn a_qos_header_and_a_block_ack() {
    let (receiver, transmitter, duration) = (NodeId(2), NodeId(3), SimDuration::from_micros(44));
    let mut data = Vec::new();
    let frame = Dot11::Data { duration, receiver, transmitter, number: 1, retry: false, priority: Some(6) };
    encode_dot11(&frame, &mut data);
    assert_eq!((data[0], data.len()), (0x88, 26));
    assert_eq!(data[22..], [0x10, 0, 6, 0]);
    let mut ack = Vec::new();
    let frame =
        Dot11::BlockAck { duration, receiver, transmitter, priority: 5, start: 0x123, bitmap: 0x8001 };
    encode_dot11(&frame, &mut ack);
    assert_eq!(ack[..4], [0x94, 0, 44, 0]);
    assert_eq!(ack[16..], [0x04, 0x50, 0x30, 0x12, 0x01, 0x80, 0, 0, 0, 0, 0, 0]);
}

/// radiotap.org: MCS (bit 19) has three bytes, A-MPDU status (20) begins at a multiple of four, VHT (21) of two.
#[test]
fn radio_headers_of_ht_and_vht() {
    use radiotap::{InAggregate, Radiotap, Sent};
    let header = |sent, aggregate| {
        let mut bytes = Vec::new();
        radiotap::encode(&Radiotap { sent, megahertz: 5180, fcs: true, aggregate }, &mut bytes);
        bytes
    };
    // Flags, padding, 5180 MHz with OFDM at 5 GHz.
    let common = [0x10, 0, 0x3c, 0x14, 0x40, 0x01];
    let ht = header(Sent::Ht { mcs: 15, width: 40, short_guard: true }, None);
    assert_eq!(ht, [&[0, 0, 17, 0, 0x0a, 0, 0x08, 0][..], &common, &[0x0f, 0x05, 15]].concat());
    let last = Some(InAggregate { reference: 0x0102, last: true });
    let vht = header(Sent::Vht { mcs: 9, streams: 2, width: 80, short_guard: false }, last);
    let status = [2, 1, 0, 0, 0x0c, 0, 0, 0];
    let body = [0x44, 0, 0, 4, 0x92, 0, 0, 0, 0, 0, 0, 0];
    let head = [0, 0, 36, 0, 0x0a, 0, 0x30, 0];
    assert_eq!(vht, [&head[..], &common, &[0, 0], &status, &body].concat());
}

#[test]
fn an_arp_request() {
    let mut bytes = Vec::new();
    encode_arp(&ArpBody { request: true, sender: NodeId(1), target: NodeId(2) }, &mut bytes);
    #[rustfmt::skip]
    let expected = [
        0, 1, 8, 0, 6, 4, 0, 1,
        2, 0, 0, 0, 0, 1, 10, 0, 0, 1,
        0, 0, 0, 0, 0, 0, 10, 0, 0, 2,
    ];
    assert_eq!(bytes, expected);
}

/// RFC 3561 §5.1 to §5.4.
#[test]
fn aodv_messages() {
    let encode = |m: AodvMessage| {
        let mut bytes = Vec::new();
        encode_aodv(&m, &mut bytes).unwrap();
        bytes
    };
    let rreq = Rreq {
        gratuitous: true,
        destination_only: false,
        unknown_seq: true,
        hop_count: 3,
        id: 0x01020304,
        dst: NodeId(2),
        dst_seq: Seq32(5),
        orig: NodeId(1),
        orig_seq: Seq32(6),
    };
    #[rustfmt::skip]
    let expected = [1, 0x28, 0, 3, 1, 2, 3, 4, 10, 0, 0, 2, 0, 0, 0, 5, 10, 0, 0, 1, 0, 0, 0, 6];
    assert_eq!(encode(AodvMessage::Rreq(rreq)), expected);
    let rrep = Rrep {
        ack_required: true,
        hop_count: 1,
        dst: NodeId(2),
        dst_seq: Seq32(5),
        orig: NodeId(1),
        lifetime: SimDuration::from_secs(3),
    };
    let expected = [2, 0x40, 0, 1, 10, 0, 0, 2, 0, 0, 0, 5, 10, 0, 0, 1, 0, 0, 0x0b, 0xb8];
    assert_eq!(encode(AodvMessage::Rrep(rrep)), expected);
    let rerr = Rerr { no_delete: true, unreachable: vec![(NodeId(9), Seq32(7))] };
    assert_eq!(encode(AodvMessage::Rerr(rerr)), [3, 0x80, 0, 1, 10, 0, 0, 9, 0, 0, 0, 7]);
    assert_eq!(encode(AodvMessage::RrepAck), [4, 0]);
}

/// A HELLO may carry its interval (RFC 3561 §6.9). The extension is skipped; a truncated one is an error.
#[test]
fn aodv_extensions() {
    let mut bytes = vec![4, 0, 1, 4, 0, 0, 3, 0xe8];
    assert_eq!(decode_aodv(&bytes), Ok(AodvMessage::RrepAck));
    bytes.pop();
    assert_eq!(decode_aodv(&bytes).unwrap_err().reason(), "truncated");
}

/// An RERR counts its destinations in one byte.
#[test]
fn too_long_an_rerr_is_refused() {
    let unreachable = (0..256).map(|i| (NodeId(i), Seq32(1))).collect();
    let error =
        encode_aodv(&AodvMessage::Rerr(Rerr { no_delete: false, unreachable }), &mut Vec::new()).unwrap_err();
    assert_eq!((error.value, error.most), (256, 255));
}

/// RFC 3626 §3.3 and §6.1.
#[test]
fn an_olsr_hello() {
    let code = LinkCode::new(LinkType::Symmetric, NeighbourType::Mpr);
    let links = vec![LinkGroup { code, neighbours: vec![NodeId(2)] }];
    let hello = OlsrHello { htime: Vtime(0x05), willingness: 3, links };
    let message = OlsrMessage {
        vtime: Vtime(0x86),
        originator: NodeId(1),
        ttl: 1,
        hop_count: 0,
        seq: 0x0102,
        body: OlsrBody::Hello(hello),
    };
    let mut bytes = Vec::new();
    encode_olsr(&OlsrPacket { seq: 0x0304, messages: vec![message] }, &mut bytes).unwrap();
    #[rustfmt::skip]
    let expected = [
        0, 28, 3, 4,
        1, 0x86, 0, 24, 10, 0, 0, 1, 1, 0, 1, 2,
        0, 0, 0x05, 3,
        0x0a, 0, 0, 8, 10, 0, 0, 2,
    ];
    assert_eq!(bytes, expected);
}

/// RFC 4728 §6.1, §6.2, §6.3, §6.7.
#[test]
fn dsr_options() {
    let encode = |header: DsrHeader, next: u8| {
        let mut bytes = Vec::new();
        encode_dsr(&header, next, &mut bytes).unwrap();
        bytes
    };
    let addresses = [NodeId(2), NodeId(3)].into_iter().collect();
    let request = RouteRequest { id: 0x0102, target: NodeId(9), addresses };
    let header = DsrHeader { request: Some(request), ..DsrHeader::default() };
    #[rustfmt::skip]
    let expected = [59, 0, 0, 16, 1, 14, 1, 2, 10, 0, 0, 9, 10, 0, 0, 2, 10, 0, 0, 3];
    assert_eq!(encode(header, NO_NEXT_HEADER), expected);
    // A reply of seven bytes and one byte of padding; bit L and seven reserved bits after the length.
    let reply = RouteReply { addresses: [NodeId(9)].into_iter().collect() };
    let header = DsrHeader { replies: vec![reply], ..DsrHeader::default() };
    assert_eq!(encode(header, 59), [59, 0, 0, 8, 2, 5, 0, 10, 0, 0, 9, 224]);
    // Salvage 1 in bits 6 to 9, segments left 2 in bits 0 to 5.
    let addresses = [NodeId(2), NodeId(3)].into_iter().collect();
    let route = SourceRoute { salvage: 1, segments_left: 2, addresses };
    let expected = [6, 0, 0, 12, 96, 10, 0, 0x42, 10, 0, 0, 2, 10, 0, 0, 3];
    assert_eq!(encode(DsrHeader::routed(route), 6), expected);
}

/// More segments left than addresses, two source routes, unknown options.
#[test]
fn dsr_refuses_and_skips() {
    let with = |options: &[u8]| {
        let mut bytes = vec![6, 0, 0, options.len() as u8];
        bytes.extend_from_slice(options);
        decode_dsr(&bytes).map(|(header, _, _)| header).map_err(|e| e.reason())
    };
    let routed = |left: u8| {
        DsrHeader::routed(SourceRoute {
            salvage: 0,
            segments_left: left,
            addresses: [NodeId(2)].into_iter().collect(),
        })
    };
    assert_eq!(with(&[96, 6, 0, 1, 10, 0, 0, 2]), Ok(routed(1)));
    assert_eq!(with(&[96, 6, 0, 2, 10, 0, 0, 2]), Err("bad-value"));
    assert_eq!(with(&[96, 6, 0, 1, 10, 0, 0, 2, 96, 6, 0, 1, 10, 0, 0, 2]), Err("bad-value"));
    assert_eq!(with(&[50, 2, 1, 2, 96, 6, 0, 1, 10, 0, 0, 2]), Ok(routed(1)), "unknown, may be skipped");
    assert_eq!(with(&[200, 2, 1, 2]), Err("bad-value"), "unknown, the packet must be dropped");
    assert_eq!(with(&[96, 60]), Err("truncated"));
}

/// The window is shifted, except that of a SYN; one that is too large is written as the maximum.
#[test]
fn windows() {
    let ends = (NodeId(1), NodeId(2));
    let written = |flags: TcpFlags, window: u32, shift: u8| {
        let (src_port, dst_port, seq, ack) = (1, 2, Seq32(3), Seq32(4));
        let options = TcpOptions::default();
        let segment = TcpSegment { src_port, dst_port, seq, ack, flags, window, payload: 0, options };
        let mut bytes = Vec::new();
        encode_tcp(&segment, ends, shift, &mut bytes).unwrap();
        u16::from_be_bytes([bytes[14], bytes[15]])
    };
    assert_eq!(written(TcpFlags::ACK, 65_536, 1), 32_768);
    assert_eq!(written(TcpFlags::ACK, 65_536, 0), 65_535);
    assert_eq!(written(TcpFlags::SYN, 1000, 3), 1000);
}

/// Nodes and their addresses.
#[test]
fn addresses() {
    assert_eq!(ipv4_address(NodeId(0x0102)), [10, 0, 1, 2]);
    assert_eq!(mac_address(NodeId(0x0102)), [2, 0, 0, 0, 1, 2]);
    assert_eq!(ipv4_address(NodeId::BROADCAST), [255; 4]);
    assert_eq!(node_of_ipv4("x", [10, 0, 255, 255]), Ok(NodeId::BROADCAST));
    let error = node_of_ipv4("the source", [192, 168, 0, 1]).unwrap_err();
    assert_eq!(error.to_string(), "the source is 192.168.0.1, which is not the address of a node");
    assert_eq!(node_of_mac("x", [2, 0, 0, 0, 255, 255]).unwrap_err().reason(), "foreign-address");
}
