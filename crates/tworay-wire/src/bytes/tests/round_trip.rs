//! Decoding gives back what was encoded, and lengths match those that the simulation counts.

use super::super::*;
use super::samples;
use proptest::prelude::*;
use tworay_base::{BitRate, NodeId, SimDuration};

fn whole(shift: u8) -> Encoding {
    Encoding { payload: PayloadBytes::Zeros, window_shift: shift }
}

/// Every way to send a frame that the header can tell.
fn sent() -> impl Strategy<Value = radiotap::Sent> {
    use radiotap::Sent;
    let rate = |half_megabits: u64| BitRate::from_bps(half_megabits * 500_000);
    prop_oneof![
        (0..=255u64).prop_map(move |n| Sent::Dsss((n > 0).then(|| rate(n)))),
        (1..=255u64).prop_map(move |n| Sent::Ofdm(rate(n))),
        (0..32u8, prop::sample::select(vec![20u8, 40]), any::<bool>())
            .prop_map(|(mcs, width, short_guard)| Sent::Ht { mcs, width, short_guard }),
        (0..10u8, 1..=8u8, prop::sample::select(vec![20u8, 40, 80]), any::<bool>())
            .prop_map(|(mcs, streams, width, short_guard)| Sent::Vht { mcs, streams, width, short_guard }),
    ]
}

proptest! {
    #[test]
    fn aodv(message in samples::aodv()) {
        let mut bytes = Vec::new();
        encode_aodv(&message, &mut bytes).unwrap();
        prop_assert_eq!(bytes.len() as u32, message.wire_bytes());
        prop_assert_eq!(decode_aodv(&bytes), Ok(message));
    }

    #[test]
    fn olsr(packet in samples::olsr()) {
        let mut bytes = Vec::new();
        encode_olsr(&packet, &mut bytes).unwrap();
        prop_assert_eq!(bytes.len() as u32, packet.wire_bytes());
        prop_assert_eq!(decode_olsr(&bytes), Ok(packet));
    }

    /// The header ends where it says, whatever follows.
    #[test]
    fn dsr(header in samples::dsr(), next: u8, behind: Vec<u8>) {
        let mut bytes = Vec::new();
        encode_dsr(&header, next, &mut bytes).unwrap();
        prop_assert_eq!(bytes.len() as u32, header.wire_bytes());
        bytes.extend_from_slice(&behind);
        prop_assert_eq!(decode_dsr(&bytes), Ok((header, next, &behind[..])));
    }

    #[test]
    fn tcp_options(options in samples::options()) {
        let mut bytes = Vec::new();
        encode_tcp_options(&options, &mut bytes).unwrap();
        prop_assert_eq!(bytes.len() as u32, options.wire_bytes());
        prop_assert_eq!(decode_tcp_options(&bytes), Ok(options));
    }

    #[test]
    fn packets((packet, shift) in samples::packet()) {
        let mut bytes = Vec::new();
        let length = encode_packet(&packet, whole(shift), &mut bytes).unwrap();
        prop_assert_eq!(length, packet.ip_bytes);
        prop_assert_eq!(bytes.len() as u32, packet.ip_bytes);
        prop_assert_eq!(decode_packet(ethertype(&packet), &bytes, shift), Ok(packet));
    }

    /// Without payload bytes, an encoded packet is a prefix of the one with payload bytes.
    #[test]
    fn counted_payload((packet, shift) in samples::packet()) {
        let (mut zeros, mut counted) = (Vec::new(), Vec::new());
        let length = encode_packet(&packet, whole(shift), &mut zeros).unwrap();
        let encoding = Encoding { payload: PayloadBytes::Counted, window_shift: shift };
        prop_assert_eq!(encode_packet(&packet, encoding, &mut counted), Ok(length));
        prop_assert!(zeros.starts_with(&counted));
        prop_assert!(zeros[counted.len()..].iter().all(|b| *b == 0));
    }

    #[test]
    fn frames(
        kind in 0..7u8,
        micros in 0..32_768u64,
        receiver in samples::node(),
        transmitter in samples::node(),
        number in 0..4096u16,
        retry: bool,
        priority in 0..8u8,
        bitmap: u64,
        body: Vec<u8>,
    ) {
        let duration = SimDuration::from_micros(micros);
        let frame = match kind {
            0 => Dot11::Rts { duration, receiver, transmitter },
            1 => Dot11::Cts { duration, receiver },
            2 => Dot11::Ack { duration, receiver },
            3 => Dot11::Data { duration, receiver, transmitter, number, retry, priority: None },
            4 => Dot11::Data { duration, receiver, transmitter, number, retry, priority: Some(priority) },
            5 => Dot11::BlockAckReq { duration, receiver, transmitter, priority, start: number },
            _ => Dot11::BlockAck { duration, receiver, transmitter, priority, start: number, bitmap },
        };
        let mut bytes = Vec::new();
        encode_dot11(&frame, &mut bytes);
        prop_assert_eq!(bytes.len(), [16, 10, 10, 24, 26, 20, 28][usize::from(kind)]);
        bytes.extend_from_slice(&body);
        append_fcs(0, &mut bytes);
        let bare = without_fcs(&bytes).unwrap();
        prop_assert_eq!(decode_dot11(bare), Ok((frame, &body[..])));
    }

    #[test]
    fn llc(arp: bool, body: Vec<u8>) {
        let ethertype = if arp { EtherType::Arp } else { EtherType::Ipv4 };
        let mut bytes = Vec::new();
        encode_llc(ethertype, &mut bytes);
        bytes.extend_from_slice(&body);
        prop_assert_eq!(decode_llc(&bytes), Ok((ethertype, &body[..])));
    }

    #[test]
    fn udp(src_port: u16, dst_port: u16, a in samples::node(), b in samples::node(), payload: Vec<u8>) {
        let header = UdpHeader { src_port, dst_port };
        let mut bytes = Vec::new();
        encode_udp(header, (a, b), &payload, 0, &mut bytes).unwrap();
        prop_assert_eq!(decode_udp(&bytes, (a, b)), Ok((header, &payload[..])));
    }

    #[test]
    fn radiotaps(
        sent in sent(),
        megahertz: u16,
        fcs: bool,
        aggregate in proptest::option::of((any::<u32>(), any::<bool>())),
        before: Vec<u8>,
        frame: Vec<u8>,
    ) {
        let aggregate = aggregate.map(|(reference, last)| radiotap::InAggregate { reference, last });
        let header = radiotap::Radiotap { sent, megahertz, fcs, aggregate };
        let mut bytes = before.clone();
        radiotap::encode(&header, &mut bytes);
        bytes.extend_from_slice(&frame);
        prop_assert_eq!(radiotap::decode(&bytes[before.len()..]), Ok((header, &frame[..])));
    }

    #[test]
    fn addresses(id in 0..=u16::MAX) {
        let node = NodeId(id);
        prop_assert_eq!(node_of_ipv4("", ipv4_address(node)), Ok(node));
        prop_assert_eq!(node_of_mac("", mac_address(node)), Ok(node));
    }
}
