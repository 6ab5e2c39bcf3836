//! Arbitrary values of every format, within its limits.

use crate::aodv::{AodvMessage, Rerr, Rrep, Rreq};
use crate::dsr::{Ack, AckRequest, Addresses, DsrHeader, RouteError, RouteReply, RouteRequest, SourceRoute};
use crate::olsr::{
    HnaNetwork, LinkCode, LinkGroup, OlsrBody, OlsrHello, OlsrMessage, OlsrPacket, OlsrTc, Vtime,
};
use crate::{
    ArpBody, Body, Packet, ProbeKind, ProbeOption, Report, SackBlock, TcpFlags, TcpOptions, TcpSegment,
    UdpDatagram,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use tworay_base::{FlowId, NodeId, Seq32, SimDuration};

pub fn node() -> impl Strategy<Value = NodeId> {
    (0..u16::MAX).prop_map(NodeId)
}

fn seq() -> impl Strategy<Value = Seq32> {
    any::<u32>().prop_map(Seq32)
}

pub fn aodv() -> impl Strategy<Value = AodvMessage> {
    let rreq = (any::<[bool; 3]>(), any::<u8>(), any::<u32>(), (node(), seq()), (node(), seq())).prop_map(
        |([gratuitous, destination_only, unknown_seq], hop_count, id, (dst, dst_seq), (orig, orig_seq))| {
            AodvMessage::Rreq(Rreq {
                gratuitous,
                destination_only,
                unknown_seq,
                hop_count,
                id,
                dst,
                dst_seq,
                orig,
                orig_seq,
            })
        },
    );
    let rrep = (any::<bool>(), any::<u8>(), node(), seq(), node(), any::<u32>()).prop_map(
        |(ack_required, hop_count, dst, dst_seq, orig, millis)| {
            let lifetime = SimDuration::from_millis(millis.into());
            AodvMessage::Rrep(Rrep { ack_required, hop_count, dst, dst_seq, orig, lifetime })
        },
    );
    let rerr = (any::<bool>(), vec((node(), seq()), 1..=255))
        .prop_map(|(no_delete, unreachable)| AodvMessage::Rerr(Rerr { no_delete, unreachable }));
    prop_oneof![rreq, rrep, rerr, Just(AodvMessage::RrepAck)]
}

fn olsr_body() -> impl Strategy<Value = OlsrBody> {
    let nodes = || vec(node(), 0..20);
    let group =
        (any::<u8>(), nodes()).prop_map(|(code, neighbours)| LinkGroup { code: LinkCode(code), neighbours });
    let hello = (any::<u8>(), 0..=7u8, vec(group, 0..6)).prop_map(|(htime, willingness, links)| {
        OlsrBody::Hello(OlsrHello { htime: Vtime(htime), willingness, links })
    });
    let tc = (any::<u16>(), nodes()).prop_map(|(ansn, advertised)| OlsrBody::Tc(OlsrTc { ansn, advertised }));
    let network = any::<(u32, u32)>().prop_map(|(network, mask)| HnaNetwork { network, mask });
    let other = (5..=255u8, vec(any::<[u8; 4]>(), 0..6))
        .prop_map(|(kind, words)| OlsrBody::Other { kind, bytes: words.concat() });
    prop_oneof![hello, tc, nodes().prop_map(OlsrBody::Mid), vec(network, 0..6).prop_map(OlsrBody::Hna), other]
}

pub fn olsr() -> impl Strategy<Value = OlsrPacket> {
    let message = (any::<u8>(), node(), any::<u8>(), any::<u8>(), any::<u16>(), olsr_body()).prop_map(
        |(vtime, originator, ttl, hop_count, seq, body)| OlsrMessage {
            vtime: Vtime(vtime),
            originator,
            ttl,
            hop_count,
            seq,
            body,
        },
    );
    (any::<u16>(), vec(message, 1..6)).prop_map(|(seq, messages)| OlsrPacket { seq, messages })
}

fn addresses(most: usize) -> impl Strategy<Value = Addresses> {
    vec(node(), 0..=most).prop_map(Addresses::from_vec)
}

pub fn dsr() -> impl Strategy<Value = DsrHeader> {
    let request = (any::<u16>(), node(), addresses(62)).prop_map(|(id, target, addresses)| RouteRequest {
        id,
        target,
        addresses,
    });
    let reply = vec(node(), 1..=63).prop_map(|list| RouteReply { addresses: Addresses::from_vec(list) });
    let error = (0..16u8, node(), node(), node()).prop_map(|(salvage, source, destination, unreachable)| {
        RouteError { salvage, source, destination, unreachable }
    });
    let ack =
        (any::<u16>(), node(), node()).prop_map(|(id, source, destination)| Ack { id, source, destination });
    let route =
        (0..16u8, addresses(63), any::<prop::sample::Index>()).prop_map(|(salvage, addresses, left)| {
            let segments_left = left.index(addresses.len() + 1) as u8;
            SourceRoute { salvage, segments_left, addresses }
        });
    let asked = option::of(any::<u16>().prop_map(|id| AckRequest { id }));
    (option::of(request), vec(reply, 0..3), vec(error, 0..3), asked, vec(ack, 0..3), option::of(route))
        .prop_map(|(request, replies, errors, ack_request, acks, source_route)| DsrHeader {
            request,
            replies,
            errors,
            ack_request,
            acks,
            source_route,
            extra_bytes: 0,
        })
}

pub fn options() -> impl Strategy<Value = TcpOptions> {
    let block = any::<(u32, u32)>().prop_map(|(l, r)| SackBlock { left: Seq32(l), right: Seq32(r) });
    let stamps = option::of(any::<(u32, u32)>());
    let mss = option::of(any::<u16>());
    let probe = option::of((prop::sample::select(&ProbeKind::ALL[..]), any::<u16>()));
    let report = option::of(prop::sample::select(&Report::ALL[..]));
    (mss, any::<bool>(), option::of(0..=14u8), stamps, vec(block, 0..=4), probe, report)
        .prop_map(|(mss, sack_permitted, window_scale, timestamps, sack, probe, report)| TcpOptions {
            report,
            mss,
            sack_permitted,
            window_scale,
            timestamps,
            sack: sack.into_iter().collect(),
            probe: probe.map(|(kind, id)| ProbeOption { kind, id }),
        })
        .prop_filter("options fit into 40 bytes", |o| o.wire_bytes() <= 40)
}

/// A segment, with the window scale shift that its window needs.
pub fn segment() -> impl Strategy<Value = (TcpSegment, u8)> {
    let ports = any::<(u16, u16)>();
    (ports, seq(), seq(), any::<u8>(), (any::<u16>(), 0..=14u8), 0..3000u32, options()).prop_map(
        |((src_port, dst_port), seq, ack, flags, (window, shift), payload, options)| {
            let flags = TcpFlags(flags);
            let scaled = if flags.has(TcpFlags::SYN) { 0 } else { shift };
            let window = u32::from(window) << scaled;
            (TcpSegment { src_port, dst_port, seq, ack, flags, window, payload, options }, shift)
        },
    )
}

/// An IPv4 packet without DSR as decoded (only fields that are transmitted), with the shift its window needs.
pub fn ip_packet() -> impl Strategy<Value = (Packet, u8)> {
    let udp = (any::<u16>(), 1024..u16::MAX, 0..3000u32).prop_map(|(src_port, dst_port, payload)| {
        Body::Udp(UdpDatagram { src_port, dst_port, payload, number: 0 })
    });
    let body = prop_oneof![
        segment().prop_map(|(s, shift)| (s.ip_bytes(), Body::Tcp(s), shift)),
        udp.prop_map(|b| (if let Body::Udp(d) = &b { 28 + d.payload } else { 0 }, b, 0)),
        aodv().prop_map(|m| (m.ip_bytes(), Body::Aodv(Box::new(m)), 0)),
        olsr().prop_map(|p| (p.ip_bytes(), Body::Olsr(Box::new(p)), 0)),
    ];
    let dst = prop_oneof![9 => node(), 1 => Just(NodeId::BROADCAST)];
    (node(), dst, any::<u8>(), body).prop_map(|(src, dst, ttl, (ip_bytes, body, shift))| {
        (Packet { uid: 0, src, dst, ttl, hops: 0, ip_bytes, flow: FlowId::NONE, dsr: None, body }, shift)
    })
}

/// Any packet: plain, with DSR, DSR alone, ARP.
pub fn packet() -> impl Strategy<Value = (Packet, u8)> {
    let routed = (ip_packet(), dsr(), any::<bool>()).prop_map(|((mut packet, shift), dsr, alone)| {
        if alone {
            (packet.ip_bytes, packet.body) = (20, Body::Dsr);
        }
        packet.ip_bytes += dsr.wire_bytes();
        packet.dsr = Some(Box::new(dsr));
        (packet, if alone { 0 } else { shift })
    });
    let arp = (any::<bool>(), node(), node()).prop_map(|(request, sender, target)| {
        let dst = if request { NodeId::BROADCAST } else { target };
        let body = Body::Arp(ArpBody { request, sender, target });
        (
            Packet {
                uid: 0,
                src: sender,
                dst,
                ttl: 1,
                hops: 0,
                ip_bytes: 28,
                flow: FlowId::NONE,
                dsr: None,
                body,
            },
            0,
        )
    });
    prop_oneof![4 => ip_packet(), 4 => routed, 1 => arp]
}
