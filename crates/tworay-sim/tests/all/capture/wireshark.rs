//! Wireshark dissects every frame without complaints and decodes the intended values.

use super::reader::{Record, read};
use super::{WIRED, captured, strip, tshark};
use crate::common::{load, parse};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use tworay_base::NodeId;
use tworay_sim::scenario::Scenario;
use tworay_wire::aodv::AodvMessage;
use tworay_wire::bytes::{Dot11, ipv4_address};
use tworay_wire::dsr::DsrHeader;
use tworay_wire::olsr::{OlsrBody, OlsrPacket};
use tworay_wire::{Body, Packet, TcpFlags, TcpSegment};

/// Severity "error" of Wireshark's expert information.
const EXPERT_ERROR: u32 = 0x0080_0000;

/// Our decoding of a packet: the values of the fields requested from tshark, in their order.
type Reading = fn(&Packet) -> Option<Vec<String>>;

/// Display filter for complaints about a frame: malformed, an expert error, or a wrong checksum (2: not
/// verified, because payload was omitted).
fn complaints() -> String {
    let bad = ["ip", "tcp", "udp", "wlan.fcs"].map(|p| match p {
        "wlan.fcs" => "wlan.fcs.status == 0".to_owned(),
        _ => format!("{p}.checksum.status == 0"),
    });
    format!("_ws.malformed || _ws.expert.severity >= {EXPERT_ERROR} || {}", bad.join(" || "))
}

/// Runs a scenario and checks with Wireshark: no complaints, the expected dissectors, and the same values
/// as our decoders. `expected` are protocols that must occur.
pub(super) fn check(name: &str, scenario: &Scenario, expected: &[&str]) {
    let (_, path) = captured(name, scenario, 1);
    let records = read(&path);
    assert!(records.len() > 100, "{name}: only {} records", records.len());
    if !tshark::available() {
        return;
    }
    let bad =
        tshark::fields(&path, &complaints(), &["frame.number", "frame.protocols", "_ws.expert.message"]);
    assert!(bad.is_empty(), "{name}: {} complaints, such as {:?}", bad.len(), &bad[..bad.len().min(5)]);
    // One reading for all fields: dissecting is most of what a call costs.
    let fields = HEADERS.iter().flat_map(|header| header.fields);
    let wanted: Vec<&str> = std::iter::once("frame.protocols").chain(fields.copied()).collect();
    let rows = tshark::fields(&path, "frame", &wanted);
    let seen = stacks(name, &rows, &records);
    for protocol in expected {
        assert!(seen.contains_key(*protocol), "{name}: no {protocol} among {seen:?}");
    }
    let mut first = 1;
    for header in HEADERS {
        let columns = first..first + header.fields.len();
        first = columns.end;
        let of_it = rows.iter().filter(|row| row[0].split(':').any(|protocol| protocol == header.protocol));
        compare(name, header, of_it.map(|row| &row[columns.clone()]), &records);
    }
}

/// Compares Wireshark's protocol stack with ours, frame by frame; returns how often each occurs.
fn stacks(name: &str, rows: &[Vec<String>], records: &[Record]) -> BTreeMap<String, u32> {
    assert_eq!(rows.len(), records.len(), "{name}: Wireshark counts other frames");
    let mut seen = BTreeMap::new();
    for (i, (record, row)) in records.iter().zip(rows).enumerate() {
        let ours = stack(record);
        let theirs = row[0].strip_suffix(":data").unwrap_or(&row[0]);
        assert_eq!(theirs, ours, "{name}: frame {} of {}", i + 1, record.interface);
        for protocol in ours.split(':') {
            *seen.entry(protocol.to_owned()).or_default() += 1;
        }
    }
    seen
}

/// The protocol stack that Wireshark should report for a record.
fn stack(record: &Record) -> String {
    let contents = record.decode();
    let mut stack = match contents.frame {
        None => "ip".to_owned(),
        Some(Dot11::Data { .. }) => "radiotap:wlan_radio:wlan:llc".to_owned(),
        Some(_) => return "radiotap:wlan_radio:wlan".to_owned(),
    };
    let Some(packet) = contents.packet else { return stack };
    if contents.frame.is_some() {
        stack += if matches!(packet.body, Body::Arp(_)) { ":arp" } else { ":ip" };
    }
    if packet.dsr.is_some() {
        stack += ":dsr";
    }
    stack += match packet.body {
        Body::Tcp(_) => ":tcp",
        Body::Udp(_) => ":udp",
        Body::Aodv(_) => ":udp:aodv",
        Body::Olsr(_) => ":udp:olsr",
        Body::Dsr | Body::Arp(_) | Body::Datagram(_) | Body::Frame(_) => "",
    };
    stack
}

/// A header whose fields are compared.
struct Header {
    protocol: &'static str,
    fields: &'static [&'static str],
    ours: Reading,
}

const HEADERS: &[Header] = &[
    Header { protocol: "tcp", fields: TCP_FIELDS, ours: |p| p.tcp().map(tcp_values) },
    Header {
        protocol: "aodv",
        fields: AODV_FIELDS,
        ours: |p| if let Body::Aodv(message) = &p.body { Some(aodv_values(message)) } else { None },
    },
    Header {
        protocol: "olsr",
        fields: OLSR_FIELDS,
        ours: |p| if let Body::Olsr(packet) = &p.body { Some(olsr_values(packet)) } else { None },
    },
    Header { protocol: "dsr", fields: DSR_FIELDS, ours: |p| p.dsr.as_deref().map(dsr_values) },
];

/// Compares Wireshark's values of a header with those that our decoders read from the same bytes.
fn compare<'a>(name: &str, header: &Header, theirs: impl Iterator<Item = &'a [String]>, records: &[Record]) {
    let Header { protocol, fields, ours } = header;
    let theirs: Vec<_> = theirs.collect();
    let packets = records.iter().filter_map(|r| r.decode().packet);
    let ours: Vec<_> = packets.filter_map(|p| ours(&p)).collect();
    assert_eq!(theirs.len(), ours.len(), "{name}: how many have {protocol}");
    for (i, (theirs, ours)) in theirs.iter().zip(&ours).enumerate() {
        for ((field, theirs), ours) in fields.iter().zip(*theirs).zip(ours) {
            assert_eq!(theirs, ours, "{name}: {field} of the {}. {protocol} packet", i + 1);
        }
    }
}

fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|v| v.to_string()).collect::<Vec<_>>().join(",")
}

fn address(node: NodeId) -> String {
    Ipv4Addr::from(ipv4_address(node)).to_string()
}

fn addresses<'a>(nodes: impl IntoIterator<Item = &'a NodeId>) -> String {
    list(nodes.into_iter().map(|n| address(*n)))
}

const TCP_FIELDS: &[&str] = &[
    "tcp.srcport",
    "tcp.dstport",
    "tcp.seq_raw",
    "tcp.ack_raw",
    "tcp.flags.syn",
    "tcp.flags.fin",
    "tcp.window_size_value",
    "tcp.len",
    "tcp.options.mss_val",
    "tcp.options.wscale.shift",
    "tcp.options.timestamp.tsval",
    "tcp.options.timestamp.tsecr",
    "tcp.options.sack_le",
    "tcp.options.sack_re",
];

fn tcp_values(s: &TcpSegment) -> Vec<String> {
    let bit = |flag| u8::from(s.flags.has(flag)).to_string();
    vec![
        s.src_port.to_string(),
        s.dst_port.to_string(),
        s.seq.to_string(),
        s.ack.to_string(),
        bit(TcpFlags::SYN),
        bit(TcpFlags::FIN),
        s.window.to_string(),
        s.payload.to_string(),
        list(s.options.mss),
        list(s.options.window_scale),
        list(s.options.timestamps.map(|t| t.0)),
        list(s.options.timestamps.map(|t| t.1)),
        list(s.options.sack.iter().map(|b| b.left)),
        list(s.options.sack.iter().map(|b| b.right)),
    ]
}

const AODV_FIELDS: &[&str] = &[
    "aodv.type",
    "aodv.hopcount",
    "aodv.rreq_id",
    "aodv.dest_ip",
    "aodv.dest_seqno",
    "aodv.orig_ip",
    "aodv.orig_seqno",
    "aodv.lifetime",
    "aodv.destcount",
    "aodv.unreach_dest_ip",
    "aodv.flags.rreq_gratuitous",
    "aodv.flags.rreq_destinationonly",
    "aodv.flags.rreq_unknown",
    "aodv.flags.rrep_ack",
    "aodv.flags.rerr_nodelete",
];

fn aodv_values(message: &AodvMessage) -> Vec<String> {
    let mut v = vec![String::new(); AODV_FIELDS.len()];
    let bit = |set: bool| u8::from(set).to_string();
    match message {
        AodvMessage::Rreq(m) => {
            (v[0], v[1], v[2]) = ("1".into(), m.hop_count.to_string(), m.id.to_string());
            (v[3], v[4]) = (address(m.dst), m.dst_seq.to_string());
            (v[5], v[6]) = (address(m.orig), m.orig_seq.to_string());
            (v[10], v[11], v[12]) = (bit(m.gratuitous), bit(m.destination_only), bit(m.unknown_seq));
        }
        AodvMessage::Rrep(m) => {
            (v[0], v[1], v[13]) = ("2".into(), m.hop_count.to_string(), bit(m.ack_required));
            (v[3], v[4], v[5]) = (address(m.dst), m.dst_seq.to_string(), address(m.orig));
            v[7] = (m.lifetime.as_nanos() / 1_000_000).to_string();
        }
        AodvMessage::Rerr(m) => {
            (v[0], v[8], v[14]) = ("3".into(), m.unreachable.len().to_string(), bit(m.no_delete));
            v[4] = list(m.unreachable.iter().map(|u| u.1));
            v[9] = addresses(m.unreachable.iter().map(|u| &u.0));
        }
        AodvMessage::RrepAck => v[0] = "4".into(),
    }
    v
}

const OLSR_FIELDS: &[&str] = &[
    "olsr.packet_seq_num",
    "olsr.message_type",
    "olsr.message_size",
    "olsr.message_seq_num",
    "olsr.origin_addr",
    "olsr.ttl",
    "olsr.hop_count",
    "olsr.ansn",
    "olsr.willingness",
    "olsr.neighbor_addr",
];

fn olsr_values(packet: &OlsrPacket) -> Vec<String> {
    let messages = &packet.messages;
    let hellos =
        || messages.iter().filter_map(|m| if let OlsrBody::Hello(h) = &m.body { Some(h) } else { None });
    let neighbours = messages.iter().flat_map(|m| match &m.body {
        OlsrBody::Hello(h) => h.links.iter().flat_map(|g| &g.neighbours).collect::<Vec<_>>(),
        OlsrBody::Tc(t) => t.advertised.iter().collect(),
        _ => Vec::new(),
    });
    vec![
        packet.seq.to_string(),
        list(messages.iter().map(|m| m.body.kind())),
        list(messages.iter().map(|m| m.wire_bytes())),
        list(messages.iter().map(|m| m.seq)),
        addresses(messages.iter().map(|m| &m.originator)),
        list(messages.iter().map(|m| m.ttl)),
        list(messages.iter().map(|m| m.hop_count)),
        list(messages.iter().filter_map(|m| if let OlsrBody::Tc(t) = &m.body { Some(t.ansn) } else { None })),
        list(hellos().map(|h| h.willingness)),
        addresses(neighbours),
    ]
}

const DSR_FIELDS: &[&str] = &[
    "dsr.option.type",
    "dsr.option.rreq.id",
    "dsr.option.rreq.targetaddress",
    "dsr.option.rreq.address",
    "dsr.option.rrep.address",
    "dsr.option.err.src",
    "dsr.option.err.dest",
    "dsr.option.err.unreachablenode",
    "dsr.option.srcrt.segsleft",
    "dsr.option.srcrt.salvage",
];

fn dsr_values(header: &DsrHeader) -> Vec<String> {
    let request = header.request.as_ref();
    let route = header.source_route.as_ref();
    let mut kinds = Vec::new();
    kinds.extend(request.map(|_| 1));
    kinds.extend(header.replies.iter().map(|_| 2));
    kinds.extend(header.errors.iter().map(|_| 3));
    kinds.extend(header.ack_request.map(|_| 160));
    kinds.extend(header.acks.iter().map(|_| 32));
    kinds.extend(route.map(|_| 96));
    // Only replies break the alignment to four bytes, by one byte less each: 224 pads one byte, 0 more.
    kinds.extend([None, Some(224), Some(0), Some(0)][header.replies.len() % 4]);
    vec![
        list(kinds),
        list(request.map(|r| format!("{:#06x}", r.id))),
        addresses(request.map(|r| &r.target)),
        addresses(request.iter().flat_map(|r| &r.addresses)),
        addresses(header.replies.iter().flat_map(|r| &r.addresses)),
        addresses(header.errors.iter().map(|e| &e.source)),
        addresses(header.errors.iter().map(|e| &e.destination)),
        addresses(header.errors.iter().map(|e| &e.unreachable)),
        list(route.map(|r| r.segments_left)),
        list(route.map(|r| format!("{:#04x}", r.salvage))),
    ]
}

#[test]
fn fixed_routes() {
    let scenario = load("string-4", &["duration=10s", "routing.protocol=static", "tcp.variant=sack"]);
    check("wireshark-static", &scenario, &["tcp", "wlan"]);
}

#[test]
fn aodv() {
    check("wireshark-aodv-string", &load("string-4", &["duration=10s"]), &["aodv", "tcp"]);
    check("wireshark-aodv-strip", &strip(&["duration=10s", "tcp.variant=sack"]), &["aodv", "tcp"]);
}

#[test]
fn dsr() {
    check(
        "wireshark-dsr-string",
        &load("string-4", &["duration=10s", "routing.protocol=dsr"]),
        &["dsr", "tcp"],
    );
    check("wireshark-dsr-strip", &strip(&["duration=10s", "routing.protocol=dsr"]), &["dsr", "tcp"]);
}

#[test]
fn olsr() {
    check(
        "wireshark-olsr-string",
        &load("string-4", &["duration=20s", "routing.protocol=olsr"]),
        &["olsr", "tcp"],
    );
    check("wireshark-olsr-strip", &strip(&["duration=10s", "routing.protocol=olsr"]), &["olsr", "tcp"]);
}

/// ns-2's dialect: ARP, other sizes, other numbers.
#[test]
fn in_ns2s_manner() {
    let scenario = load("string-4", &["duration=10s", "dialect=ns2"]);
    check("wireshark-ns2", &scenario, &["aodv", "arp", "tcp"]);
}

#[test]
fn datagrams() {
    let scenario =
        load("string-2", &["duration=10s", "flow.0.app=cbr", "flow.0.rate=50kbps", "flow.0.size=200B"]);
    check("wireshark-udp", &scenario, &["udp", "aodv"]);
}

#[test]
fn wires() {
    check("wireshark-wires", &parse(WIRED), &["tcp"]);
}

/// The default window of 64 segments needs the window scale option, which Wireshark applies.
#[test]
fn windows_are_what_their_ends_meant() {
    let (_, path) = captured("wireshark-windows", &load("string-1", &["duration=5s"]), 1);
    if !tshark::available() {
        return;
    }
    let windows = |filter| {
        let rows = tshark::fields(&path, filter, &["tcp.window_size"]);
        let mut seen: Vec<String> = rows.into_iter().flatten().collect();
        seen.sort();
        seen.dedup();
        seen
    };
    assert_eq!(windows("tcp.flags.syn == 1"), ["65535"], "never scaled on a SYN");
    assert_eq!(windows("tcp.flags.syn == 0"), ["93440"]);
}
