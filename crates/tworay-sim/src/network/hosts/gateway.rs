//! Gateway for packets of real stations: they enter at a node, travel like packets of the network's own flows, and
//! leave at their destination. Without [`External`] none of this runs.

mod entry;

use crate::observe::loss::ledger::Carries;
use std::collections::VecDeque;
use std::sync::Arc;
use tworay_base::{FlowId, NodeId, Seq32, SimTime};

/// A packet that a station sends into the network.
#[derive(Clone, Debug)]
pub struct Entering {
    /// The station's node.
    pub node: NodeId,
    /// Destination node; for a frame the neighbour, or [`NodeId::BROADCAST`].
    pub to: NodeId,
    /// Its hop limit.
    pub ttl: u8,
    /// Length above the link layer, bytes.
    pub ip_bytes: u32,
    /// The packet from its first byte; a frame includes its Ethernet header.
    pub bytes: Arc<[u8]>,
    /// Its flow, or [`FlowId::NONE`].
    pub flow: FlowId,
    /// Role of the packet in its flow; `None` if the ledger does not track it.
    pub carries: Option<Carries>,
    /// First sequence number; for an acknowledgment the acknowledgment number.
    pub seq: Seq32,
    /// True if it is an Ethernet frame.
    pub frame: bool,
    /// Its transport header, for the record.
    pub header: Header,
}

/// A transport header as the record of a run keeps it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// First sequence number, also of a pure acknowledgment.
    pub seq: u32,
    /// Bytes after the header.
    pub payload: u32,
    /// Acknowledgment number and window in bytes of a TCP segment.
    pub ack: Option<(Seq32, u32)>,
    /// First number and number after the last of each selective acknowledgment.
    pub sacks: [Option<(Seq32, Seq32)>; 4],
    /// True if the payload was sent before.
    pub again: bool,
}

/// A packet that reached its station.
#[derive(Clone, Debug)]
pub struct Leaving {
    /// Time of arrival.
    pub at: SimTime,
    /// Node of the station.
    pub node: NodeId,
    /// Its flow.
    pub flow: FlowId,
    /// Remaining hop limit: decremented by each relay. The bytes still contain the sender's value.
    pub ttl: u8,
    /// Hops travelled.
    pub hops: u8,
    /// The packet as it entered the network.
    pub bytes: Arc<[u8]>,
}

/// A link on the route from a node to a destination is out of range, cut, or leads to a node that is off.
/// Link failures caused by load are not breaks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RouteBreak {
    /// Time of the break.
    pub at: SimTime,
    /// Node that uses the route.
    pub node: NodeId,
    /// Destination of the route.
    pub dst: NodeId,
}

/// A packet whose hop limit has run out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expired {
    /// When.
    pub at: SimTime,
    /// The node that dropped it.
    pub node: NodeId,
    /// The node that sent it.
    pub src: NodeId,
    /// The packet as it was injected.
    pub bytes: Arc<[u8]>,
}

/// Packets that leave the simulation, and notices for the live engine.
#[derive(Debug)]
pub(crate) struct External {
    ends: Vec<(NodeId, NodeId)>,
    leaving: VecDeque<Leaving>,
    breaks: VecDeque<RouteBreak>,
    expired: VecDeque<Expired>,
}

impl External {
    /// Creates the interface for packets between these pairs.
    pub fn new(ends: Vec<(NodeId, NodeId)>) -> Self {
        Self { ends, leaving: VecDeque::new(), breaks: VecDeque::new(), expired: VecDeque::new() }
    }

    /// The pairs between which packets travel.
    pub fn ends(&self) -> &[(NodeId, NodeId)] {
        &self.ends
    }

    /// The next packet that reached its station.
    pub fn pop_leaving(&mut self) -> Option<Leaving> {
        self.leaving.pop_front()
    }

    /// The next notice of a broken route.
    pub fn pop_break(&mut self) -> Option<RouteBreak> {
        self.breaks.pop_front()
    }

    /// A link on the route of a packet from `node` to `dst` is out of range, cut, or leads to a node that
    /// is down.
    pub fn note_break(&mut self, at: SimTime, node: NodeId, dst: NodeId) {
        self.breaks.push_back(RouteBreak { at, node, dst });
    }

    /// The next packet whose hop limit has run out.
    pub fn pop_expired(&mut self) -> Option<Expired> {
        self.expired.pop_front()
    }
}
