//! Records of a trace.

use tworay_base::{Position, SimTime};

/// Event of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceEvent {
    /// A layer passed it down (`s`).
    Send,
    /// A layer received it (`r`).
    Receive,
    /// Routing forwarded it (`f`).
    Forward,
    /// It was dropped here (`d`, in old traces `D`).
    Drop,
}

/// Where it happened.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceLayer {
    /// Transport and application (`AGT`).
    Agent,
    /// Routing (`RTR`).
    Router,
    /// Interface queue (`IFQ`).
    Queue,
    /// Link layer with ARP (`LL`).
    Link,
    /// Medium access (`MAC`).
    Mac,
    /// Radio (`PHY`).
    Radio,
}

impl TraceLayer {
    /// ns-2's name.
    pub const fn name(self) -> &'static str {
        match self {
            TraceLayer::Agent => "AGT",
            TraceLayer::Router => "RTR",
            TraceLayer::Queue => "IFQ",
            TraceLayer::Link => "LL",
            TraceLayer::Mac => "MAC",
            TraceLayer::Radio => "PHY",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        use TraceLayer::{Agent, Link, Mac, Queue, Radio, Router};
        [Agent, Router, Queue, Link, Mac, Radio].into_iter().find(|layer| layer.name() == name)
    }
}

/// One end of a flow: node and port; node −1 means all nodes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraceEnd {
    /// Node.
    pub node: i32,
    /// Port.
    pub port: i32,
}

/// The IP header of a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TraceIp {
    /// Source.
    pub src: TraceEnd,
    /// Destination.
    pub dst: TraceEnd,
    /// Hop limit left.
    pub ttl: i32,
}

/// The 802.11 header of a record, as ns-2 prints it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TraceMac {
    /// Duration field, µs.
    pub duration: u32,
    /// Receiver; `u32::MAX` means all stations.
    pub to: u32,
    /// Transmitter, 0 if the frame has none.
    pub from: u32,
    /// EtherType, 0 for frames of the MAC itself.
    pub ethertype: u32,
}

/// A trace line about a packet.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TraceRecord<'a> {
    /// Line, counted from 1.
    pub line: u32,
    /// Time.
    pub at: SimTime,
    /// Event.
    pub event: TraceEvent,
    /// Node.
    pub node: u16,
    /// Layer within the node.
    pub layer: TraceLayer,
    /// The reason, if given: ns-2's abbreviation, such as `COL`, `RET`, `NRTE`, `IFQ`, `CBK`, `TTL`, `END`.
    pub reason: Option<&'a str>,
    /// ns-2's name of the packet type (`tcp`, `ack`, `cbr`, `AODV`, `RTS`, …). Empty for MAC frames in the
    /// new format, which omits it.
    pub kind: &'a str,
    /// Number of the packet in the simulation, if the record has one. MAC frames and AODV messages share 0.
    pub uid: Option<u64>,
    /// Bytes as this layer counts them.
    pub bytes: Option<u32>,
    /// The node's position in metres (new format only).
    pub position: Option<Position>,
    /// 802.11 header.
    pub mac: Option<TraceMac>,
    /// IP header.
    pub ip: Option<TraceIp>,
    /// Number within the flow: TCP's sequence number in packets, or CBR's.
    pub number: Option<i64>,
}
