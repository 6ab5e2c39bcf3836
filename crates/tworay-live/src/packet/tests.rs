use super::*;
use proptest::prelude::*;
use std::net::Ipv4Addr;

fn datagram(src: [u8; 4], dst: [u8; 4]) -> Vec<u8> {
    let builder = etherparse::PacketBuilder::ipv4(src, dst, 64).udp(1000, 2000);
    let mut out = Vec::new();
    builder.write(&mut out, &[1, 2, 3]).expect("a buffer");
    out
}

#[test]
fn a_datagram_is_read_and_finds_its_node() {
    let bytes = datagram([10, 0, 0, 1], [10, 0, 1, 2]);
    let seen = view(&bytes).expect("a packet");
    assert_eq!((seen.src_port, seen.dst_port, seen.payload, seen.bytes, seen.ttl), (1000, 2000, 3, 31, 64));
    assert_eq!(destination(NodeId(1), &seen), Ok(NodeId(258)));
}

#[test]
fn what_is_not_carried_is_refused_with_its_reason() {
    let to = |from: u16, src, dst| {
        let bytes = datagram(src, dst);
        view(&bytes).and_then(|v| destination(NodeId(from), &v))
    };
    assert_eq!(to(1, [10, 0, 0, 2], [10, 0, 0, 3]), Err(Refused::ForeignSource));
    assert_eq!(to(1, [10, 0, 0, 1], [192, 168, 0, 3]), Err(Refused::NoStation));
    assert_eq!(to(1, [10, 0, 0, 1], [224, 0, 0, 251]), Err(Refused::Multicast));
    assert_eq!(to(1, [10, 0, 0, 1], [10, 0, 255, 255]), Err(Refused::Multicast));
    assert_eq!(view(&[0x45, 0, 0, 20]), Err(Refused::Malformed));
    // Its length field exceeds its real length.
    let mut cut = datagram([10, 0, 0, 1], [10, 0, 0, 2]);
    cut.pop();
    assert_eq!(view(&cut), Err(Refused::Malformed));
}

#[test]
fn the_hop_limit_is_set_and_the_checksum_stays_right() {
    let mut bytes = datagram([10, 0, 0, 1], [10, 0, 0, 2]);
    set_ttl(&mut bytes, 61);
    let header = Ipv4HeaderSlice::from_slice(&bytes).expect("a header").to_header();
    assert_eq!((header.time_to_live, header.header_checksum), (61, header.calc_header_checksum()));
}

#[test]
fn the_airs_acknowledgment_closes_the_window() {
    let bytes = zero_window(&ZeroWindow {
        src: Ipv4Addr::new(10, 0, 0, 4),
        dst: Ipv4Addr::new(10, 0, 0, 0),
        src_port: 80,
        dst_port: 4000,
        seq: Seq32(7),
        ack: Seq32(1000),
        timestamps: Some((5, 6)),
    });
    let seen = view(&bytes).expect("a packet");
    let tcp = seen.tcp.expect("a segment");
    assert_eq!((tcp.seq, tcp.ack, tcp.timestamps, tcp.length()), (Seq32(7), Seq32(1000), Some((5, 6)), 0));
    assert_eq!(TcpHeaderSlice::from_slice(&bytes[20..]).expect("a header").window_size(), 0);
}

/// RFC 792: the answer quotes the packet; RFC 1122 §3.2.2: an error is never answered with an error.
#[test]
fn a_packet_without_hops_left_is_answered_and_the_answer_is_not() {
    let bytes = datagram([10, 0, 0, 1], [10, 0, 0, 2]);
    let seen = view(&bytes).expect("a packet");
    let answer = time_exceeded(Ipv4Addr::new(10, 0, 0, 9), &seen, &bytes).expect("an answer");
    let about = view(&answer).expect("a packet");
    assert_eq!((about.src, about.dst, about.protocol), (Ipv4Addr::new(10, 0, 0, 9).into(), seen.src, 1));
    // Type 11, code 0; the quoted packet behind the header of 8 bytes has one hop left and a right checksum.
    assert_eq!(answer[20..22], [11, 0]);
    assert_eq!(tworay_wire::bytes::internet_checksum(&answer[20..]), 0);
    let quoted = Ipv4HeaderSlice::from_slice(&answer[28..]).expect("a header").to_header();
    assert_eq!((quoted.time_to_live, quoted.header_checksum), (1, quoted.calc_header_checksum()));
    assert_eq!(answer[48..], bytes[20..]);
    assert!(time_exceeded(Ipv4Addr::new(10, 0, 0, 8), &about, &answer).is_none());
    let mut fragment = bytes;
    fragment[7] = 1;
    assert!(time_exceeded(Ipv4Addr::new(10, 0, 0, 9), &seen, &fragment).is_none());
}

/// A frame of a station to a neighbour, with this content.
fn ethernet(kind: u16, content: &[u8]) -> Vec<u8> {
    let mut out = vec![2, 0, 0, 0, 0, 7, 2, 0, 0, 0, 0, 1];
    out.extend(kind.to_be_bytes());
    out.extend(content);
    out
}

/// Linux, include/uapi/linux/batadv_packet.h: a unicast packet has 10 bytes before the frame it carries, with
/// both addresses 18.
#[test]
fn packets_within_batman_adv_are_seen() {
    let within = ethernet(0x0800, &datagram([10, 0, 0, 1], [10, 0, 0, 4]));
    let plain = frame(&within).expect("a frame").1.expect("an IP packet");
    for (kind, header) in [(0x40, 10), (0x42, 18)] {
        let mut packet = vec![0; header];
        packet[0] = kind;
        packet.extend(&within);
        assert_eq!(frame(&ethernet(0x4305, &packet)), Ok((NodeId(7), Some(plain))));
        // Cut off anywhere, it is carried, but nothing is seen in it.
        for length in 0..packet.len() {
            assert_eq!(frame(&ethernet(0x4305, &packet[..length])), Ok((NodeId(7), None)));
        }
    }
    assert_eq!(frame(&ethernet(0x4305, &[0; 60])), Ok((NodeId(7), None)));
}

#[test]
fn addresses_of_stations_tell_their_nodes() {
    assert_eq!(node_of(Ipv4Addr::new(10, 0, 1, 2).into()), Some(NodeId(258)));
    for foreign in ["192.168.0.1", "10.0.255.255", "fe80::1"] {
        assert_eq!(node_of(foreign.parse().expect("an address")), None);
    }
}

proptest! {
    /// Any bytes are parsed or rejected without a panic.
    #[test]
    fn any_bytes_are_survived(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), version in 0u8..16) {
        if let Some(first) = bytes.first_mut() { *first = version << 4 | *first & 15; }
        if let Ok(seen) = view(&bytes) {
            let _ = destination(NodeId(1), &seen);
            let _ = time_exceeded(Ipv4Addr::LOCALHOST, &seen, &bytes);
        }
        let _ = frame(&bytes);
        set_ttl(&mut bytes, 3);
    }
}
