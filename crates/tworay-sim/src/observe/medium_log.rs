//! Log of the medium: every frame, where it could be decoded, and how its reception ended there.
//!
//! It holds physical facts only and knows nothing of causes of losses. The oracle tests check the loss
//! ledger against it.

use std::collections::BTreeMap;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mac::{Frame, FrameKind};
use tworay_radio::Verdict;
use tworay_wire::aodv::AodvMessage;
use tworay_wire::dsr::DsrHeader;
use tworay_wire::{Body, Packet};

/// Content of a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A segment or datagram that the ledger tracks under this uid. For an RTS, the packet that it announces.
    Segment(u64),
    /// A request for a route (RREQ of AODV, Route Request of DSR): the node that searches, and the destination.
    Request {
        /// The node that searches.
        searcher: NodeId,
        /// The destination.
        target: NodeId,
    },
    /// Another message of the routing protocol.
    Routing,
    /// An ARP request or reply.
    Arp,
    /// Nothing: CTS and ACK.
    Nothing,
}

/// End of a frame at a station that it was addressed to, alone or among others, and that was close enough to
/// decode it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reception {
    /// The station.
    pub node: NodeId,
    /// True if it was switched on.
    pub up: bool,
    /// End of the reception.
    pub verdict: Verdict,
    /// True if random errors above the MAC destroyed the packet, which the MAC had received.
    pub destroyed: bool,
}

/// One frame on the medium.
#[derive(Clone, Debug)]
pub struct Emission {
    /// When its first bit left the sender.
    pub at: SimTime,
    /// Time on the medium, preamble included.
    pub airtime: SimDuration,
    /// Transmitting station.
    pub from: NodeId,
    /// Addressed station, or [`NodeId::BROADCAST`].
    pub to: NodeId,
    /// Type.
    pub kind: FrameKind,
    /// Content.
    pub content: Content,
    /// Receptions at stations that it was addressed to. A station out of range has none.
    pub receptions: Vec<Reception>,
}

/// Every frame of a run in order of transmission.
#[derive(Clone, Debug, Default)]
pub struct MediumLog {
    emissions: Vec<Emission>,
    /// Place in the log of each transmission on the medium, by its number.
    current: BTreeMap<u32, usize>,
}

fn content(packet: &Packet) -> Content {
    match (&packet.body, packet.dsr.as_deref()) {
        (Body::Arp(_), _) => Content::Arp,
        (Body::Aodv(message), _) => match &**message {
            AodvMessage::Rreq(request) => Content::Request { searcher: request.orig, target: request.dst },
            AodvMessage::Rrep(_) | AodvMessage::Rerr(_) | AodvMessage::RrepAck => Content::Routing,
        },
        (_, Some(DsrHeader { request: Some(request), .. })) => {
            Content::Request { searcher: packet.src, target: request.target }
        }
        _ if packet.is_routing() => Content::Routing,
        _ => Content::Segment(packet.uid),
    }
}

impl MediumLog {
    /// Every frame in order of transmission.
    pub fn emissions(&self) -> &[Emission] {
        &self.emissions
    }

    /// Transmission `tx` starts. `packet` is its content, or for an RTS the packet that it announces.
    pub(crate) fn transmitted(&mut self, at: SimTime, tx: u32, frame: &Frame, packet: Option<&Packet>) {
        let content = packet.map_or(Content::Nothing, content);
        self.current.insert(tx, self.emissions.len());
        let Frame { from, to, kind, airtime, .. } = *frame;
        self.emissions.push(Emission { at, airtime, from, to, kind, content, receptions: Vec::new() });
    }

    /// Transmission `tx` ended at a station. Only its first end there counts.
    pub(crate) fn ended(&mut self, tx: u32, reception: Reception) {
        let Some(emission) = self.current.get(&tx).and_then(|&place| self.emissions.get_mut(place)) else {
            return;
        };
        if !emission.receptions.iter().any(|known| known.node == reception.node) {
            emission.receptions.push(reception);
        }
    }

    /// Random errors above the MAC destroy at `node` the packet in a frame of `from` that has just been received.
    pub(crate) fn destroyed(&mut self, node: NodeId, from: NodeId) {
        let latest = self.emissions.iter_mut().rev().filter(|e| e.from == from);
        let mut receptions = latest.flat_map(|e| &mut e.receptions).filter(|r| r.node == node);
        if let Some(reception) = receptions.next() {
            reception.destroyed = true;
        }
    }
}

#[cfg(test)]
mod tests;
