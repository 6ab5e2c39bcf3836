//! Summary of a trace by flow: packets delivered, and where the others were lost.

use super::{TraceEnd, TraceEvent, TraceLayer, TraceRecord, records};
use crate::text_file::ReadError;
use std::collections::{BTreeMap, BTreeSet};
use tworay_base::SimTime;

/// IP and TCP headers, which ns-2 counts in a TCP packet's size.
const TCP_HEADERS: u32 = 40;

/// A packet of a transport agent, counted from the agent's `s` line on.
#[derive(Clone, Debug, PartialEq)]
pub struct TracePacket {
    /// Number of the packet in the simulation.
    pub uid: u64,
    /// Source of the flow.
    pub src: TraceEnd,
    /// Destination of the flow.
    pub dst: TraceEnd,
    /// ns-2's name of its type.
    pub kind: String,
    /// Number within the flow, if it has one.
    pub number: Option<i64>,
    /// Bytes as the sending agent counts them.
    pub bytes: u32,
    /// When it was sent.
    pub sent: SimTime,
    /// Number of nodes that forwarded it.
    pub forwarded: u32,
    /// Its end.
    pub fate: TraceFate,
}

/// End of a packet.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceFate {
    /// The destination's agent received it.
    Received(SimTime),
    /// Its last record is a drop.
    Lost {
        /// Time of the drop.
        at: SimTime,
        /// Node.
        node: u16,
        /// Layer.
        layer: TraceLayer,
        /// ns-2's reason.
        reason: String,
    },
    /// Still in the network when the trace ends.
    UnderWay,
}

/// All packets of one type between two agents.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFlow {
    /// Source.
    pub src: TraceEnd,
    /// Destination.
    pub dst: TraceEnd,
    /// ns-2's name of the packets' type.
    pub kind: String,
    /// Packets sent.
    pub sent: u64,
    /// Packets received, including duplicates of a number.
    pub received: u64,
    /// Payload bytes received, counting each number once.
    pub goodput_bytes: u64,
    /// When the first packet was sent.
    pub first: SimTime,
    /// Sum of the end-to-end delays of the packets received, seconds.
    pub delay_sum: f64,
    /// Losses by layer and reason.
    pub losses: BTreeMap<(TraceLayer, String), u64>,
}

/// Summary of a trace.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TraceSummary {
    /// The agents' packets, in the order of sending.
    pub packets: Vec<TracePacket>,
    /// Flows, ordered by their ends and types.
    pub flows: Vec<TraceFlow>,
    /// All drop lines by layer, reason and packet type, including retried frames and routing packets.
    pub drops: BTreeMap<(TraceLayer, String, String), u64>,
    /// Packets that routing generated, counted at each hop, and their bytes.
    pub routing: (u64, u64),
    /// Records read.
    pub records: u64,
    /// Time of the last record.
    pub end: SimTime,
}

/// Identifies a packet. The number alone does not: AODV messages share 0 with the first data packet.
type Key<'a> = (u64, &'a str, TraceEnd);

impl TraceSummary {
    /// Parses the text of a trace called `file`.
    pub fn parse(file: &str, text: &str) -> Result<Self, ReadError> {
        let mut summary = Self::default();
        let mut places: BTreeMap<Key<'_>, usize> = BTreeMap::new();
        for record in records(file, text) {
            let record = record?;
            summary.records += 1;
            summary.end = summary.end.max(record.at);
            summary.book(&record, &mut places);
        }
        if summary.records == 0 {
            return Err(ReadError::whole(
                file,
                "it contains no record of a wireless trace",
                "give a file written by trace-all of ns-2 for a wireless network",
            ));
        }
        if summary.packets.is_empty() {
            return Err(ReadError::whole(
                file,
                "it contains no packet sent by a transport agent",
                "trace the run with -agentTrace ON in node-config",
            ));
        }
        summary.add_up();
        Ok(summary)
    }

    fn book<'a>(&mut self, r: &TraceRecord<'a>, places: &mut BTreeMap<Key<'a>, usize>) {
        let (Some(uid), Some(ip)) = (r.uid, r.ip) else { return self.book_drop(r) };
        let key = (uid, r.kind, ip.src);
        if r.layer == TraceLayer::Agent && r.event == TraceEvent::Send && i32::from(r.node) == ip.src.node {
            // If the packet is already in the network, its number has been reused for a new one.
            places.insert(key, self.packets.len());
            self.packets.push(TracePacket {
                uid,
                src: ip.src,
                dst: ip.dst,
                kind: r.kind.to_owned(),
                number: r.number,
                bytes: r.bytes.unwrap_or(0),
                sent: r.at,
                forwarded: 0,
                fate: TraceFate::UnderWay,
            });
            return;
        }
        let Some(packet) = places.get(&key).and_then(|&at| self.packets.get_mut(at)) else {
            if r.layer == TraceLayer::Router && matches!(r.event, TraceEvent::Send | TraceEvent::Forward) {
                self.routing.0 += 1;
                self.routing.1 += u64::from(r.bytes.unwrap_or(0));
            }
            return self.book_drop(r);
        };
        let received = matches!(packet.fate, TraceFate::Received(_));
        let arrived = r.layer == TraceLayer::Agent && i32::from(r.node) == ip.dst.node;
        match r.event {
            TraceEvent::Receive if !received && arrived => packet.fate = TraceFate::Received(r.at),
            TraceEvent::Forward => packet.forwarded += 1,
            TraceEvent::Drop if !received => {
                packet.fate = TraceFate::Lost {
                    at: r.at,
                    node: r.node,
                    layer: r.layer,
                    reason: r.reason.unwrap_or("---").to_owned(),
                };
            }
            // A frame lost at one receiver, or given up by one node, may continue from another.
            _ if !received && matches!(packet.fate, TraceFate::Lost { at, .. } if at < r.at) => {
                packet.fate = TraceFate::UnderWay;
            }
            _ => {}
        }
        self.book_drop(r);
    }

    fn book_drop(&mut self, r: &TraceRecord<'_>) {
        if r.event == TraceEvent::Drop {
            let key = (r.layer, r.reason.unwrap_or("---").to_owned(), r.kind.to_owned());
            *self.drops.entry(key).or_default() += 1;
        }
    }

    fn add_up(&mut self) {
        let mut flows: BTreeMap<(TraceEnd, TraceEnd, &str), (TraceFlow, BTreeSet<i64>)> = BTreeMap::new();
        for p in &self.packets {
            let (flow, numbers) = flows.entry((p.src, p.dst, &p.kind)).or_insert_with(|| {
                let flow = TraceFlow {
                    src: p.src,
                    dst: p.dst,
                    kind: p.kind.clone(),
                    sent: 0,
                    received: 0,
                    goodput_bytes: 0,
                    first: p.sent,
                    delay_sum: 0.0,
                    losses: BTreeMap::new(),
                };
                (flow, BTreeSet::new())
            });
            flow.sent += 1;
            match &p.fate {
                TraceFate::Received(at) => {
                    flow.received += 1;
                    flow.delay_sum += at.since(p.sent).as_secs_f64();
                    if p.number.is_none_or(|n| numbers.insert(n)) {
                        flow.goodput_bytes += u64::from(payload(p));
                    }
                }
                TraceFate::Lost { layer, reason, .. } => {
                    *flow.losses.entry((*layer, reason.clone())).or_default() += 1;
                }
                TraceFate::UnderWay => {}
            }
        }
        self.flows = flows.into_values().map(|(flow, _)| flow).collect();
    }
}

/// Application payload of a packet, bytes.
fn payload(packet: &TracePacket) -> u32 {
    match packet.kind.as_str() {
        "tcp" => packet.bytes.saturating_sub(TCP_HEADERS),
        "ack" => 0,
        _ => packet.bytes,
    }
}
