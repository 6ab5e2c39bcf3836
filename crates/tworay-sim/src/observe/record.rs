//! The record of a run (`--record`): every segment, frame, queue length, route and movement, for maps and
//! for explaining a loss.
//!
//! The network reports its actions to the [`Recorder`], which never affects the run. Without a recorder
//! each hook costs one branch that is not taken. The rows are documented in docs/reference/tables.md.

mod frame_tables;
#[cfg(test)]
mod tests;

use super::capture::FrameResult;
use crate::network::hosts::gateway::Header;
use crate::network::medium::on_air::Medium;
use crate::network::packets::UNTRACKED;
use crate::observe::loss::ledger::{Carries, LossRecord};
use std::collections::BTreeMap;
use tworay_base::{Died, FlowId, LossCause, NodeId, Seq32, SimDuration, SimTime};
use tworay_mac::hcf::{AirFrame, AirKind};
use tworay_mac::{Frame, FrameKind};
use tworay_mobility::Leg;
use tworay_radio::phy::Mode;
use tworay_routing::RoutingNote;
use tworay_wire::{Body, Packet};

/// One transmission of a transport protocol: a TCP segment or a datagram.
#[derive(Copy, Clone, Debug)]
struct Segment {
    uid: u64,
    sent: SimTime,
    flow: FlowId,
    from: NodeId,
    to: NodeId,
    carries: Carries,
    again: bool,
    seq: u32,
    payload: u32,
    /// Acknowledgment number and advertised window of a TCP segment.
    ack: Option<(Seq32, u32)>,
    arrived: Option<(SimTime, u8)>,
    lost: Option<(SimTime, LossCause, Died)>,
}

/// Content of a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Carried {
    Data,
    Ack,
    Routing,
    Arp,
    Nothing,
}

/// One transmission of a frame.
#[derive(Copy, Clone, Debug)]
struct OnAir {
    at: SimTime,
    airtime: SimDuration,
    from: NodeId,
    to: NodeId,
    kind: FrameKind,
    /// A BlockAckReq, which the medium treats as an RTS.
    asks: bool,
    retry: bool,
    carried: Carried,
    flow: FlowId,
    uid: Option<u64>,
    /// Result at the station it was addressed to.
    fate: Option<FrameResult>,
    /// Sender of the signal that destroys it there from its start on.
    blocker: Option<NodeId>,
    interferer: Option<NodeId>,
    /// Number of addressed stations that received it.
    readers: u16,
}

/// A frame with packets that a station of 802.11a/g/n/ac sends to a neighbour.
#[derive(Copy, Clone, Debug)]
struct Ppdu {
    at: SimTime,
    from: NodeId,
    to: NodeId,
    mode: Mode,
    packets: usize,
}

/// The record of a run, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    segments: Vec<Segment>,
    /// (uid, first byte, byte after the last) of each selective acknowledgment.
    sacks: Vec<(u64, Seq32, Seq32)>,
    frames: Vec<OnAir>,
    /// The next frame is a BlockAckReq.
    asks: bool,
    ppdus: Vec<Ppdu>,
    /// Frame that each transmission number currently denotes.
    numbers: Vec<usize>,
    queues: Vec<(SimTime, NodeId, usize)>,
    notes: Vec<(SimTime, NodeId, RoutingNote)>,
    /// (time, node, destination, next hop; `None`: the route ended).
    routes: Vec<(SimTime, NodeId, NodeId, Option<NodeId>)>,
    in_use: BTreeMap<(NodeId, NodeId), NodeId>,
    /// Movement of each node; filled in at the end.
    legs: Vec<Vec<Leg>>,
    /// Decoding and carrier sense range, m.
    ranges: Option<(f64, f64)>,
}

impl Recorder {
    /// An empty record; `ranges` are the decoding and carrier sense range in metres, where distance
    /// decides.
    pub fn new(ranges: Option<(f64, f64)>) -> Self {
        Self {
            segments: Vec::new(),
            sacks: Vec::new(),
            frames: Vec::new(),
            asks: false,
            ppdus: Vec::new(),
            numbers: Vec::new(),
            queues: Vec::new(),
            notes: Vec::new(),
            routes: Vec::new(),
            in_use: BTreeMap::new(),
            legs: Vec::new(),
            ranges,
        }
    }

    /// A transport sends a packet that the ledger tracks; `again` marks payload that was sent before.
    pub fn sent(&mut self, now: SimTime, packet: &Packet, carries: Carries, again: bool) {
        let (seq, payload, ack) = match &packet.body {
            Body::Tcp(s) => {
                self.sacks.extend(s.options.sack.iter().map(|b| (packet.uid, b.left, b.right)));
                (s.seq.0, s.payload, Some((s.ack, s.window)))
            }
            Body::Udp(d) => (d.number as u32, d.payload, None),
            _ => return,
        };
        self.add(now, packet, carries, &Header { seq, payload, ack, sacks: [None; 4], again });
    }

    /// A real station sends a packet that the ledger tracks.
    pub fn entered(&mut self, now: SimTime, packet: &Packet, carries: Carries, header: &Header) {
        self.sacks.extend(header.sacks.iter().flatten().map(|&(left, right)| (packet.uid, left, right)));
        self.add(now, packet, carries, header);
    }

    fn add(&mut self, now: SimTime, packet: &Packet, carries: Carries, header: &Header) {
        let Header { seq, payload, ack, again, .. } = *header;
        self.segments.push(Segment {
            uid: packet.uid,
            sent: now,
            flow: packet.flow,
            from: packet.src,
            to: packet.dst,
            carries,
            again,
            seq,
            payload,
            ack,
            arrived: None,
            lost: None,
        });
    }

    fn segment(&mut self, uid: u64) -> Option<&mut Segment> {
        // Uids increase in the order of sending, so the segments are sorted.
        let place = self.segments.binary_search_by_key(&uid, |s| s.uid).ok()?;
        self.segments.get_mut(place)
    }

    /// A tracked packet reached its destination after `hops` hops; only the first copy counts.
    pub fn arrived(&mut self, now: SimTime, uid: u64, hops: u8) {
        if let Some(segment) = self.segment(uid) {
            segment.arrived.get_or_insert((now, hops));
        }
    }

    /// The ledger recorded a loss.
    pub fn lost(&mut self, loss: &LossRecord) {
        if let Some(segment) = self.segment(loss.uid) {
            segment.lost = Some((loss.at, loss.cause, loss.died));
        }
    }

    /// Transmission `tx` of a frame starts. `packet` is its content, or for an RTS the packet that it
    /// announces.
    pub fn transmitted(
        &mut self,
        now: SimTime,
        tx: u32,
        frame: &Frame,
        packet: Option<&Packet>,
        medium: &Medium,
    ) {
        let carried = packet.map_or(Carried::Nothing, |p| match &p.body {
            Body::Tcp(s) if s.seq_len() == 0 => Carried::Ack,
            Body::Datagram(real) | Body::Frame(real) if real.pure_ack => Carried::Ack,
            Body::Tcp(_) | Body::Udp(_) | Body::Datagram(_) | Body::Frame(_) => Carried::Data,
            Body::Arp(_) => Carried::Arp,
            Body::Aodv(_) | Body::Dsr | Body::Olsr(_) => Carried::Routing,
        });
        let slot = tx as usize;
        if slot >= self.numbers.len() {
            self.numbers.resize(slot + 1, usize::MAX);
        }
        self.numbers[slot] = self.frames.len();
        self.frames.push(OnAir {
            at: now,
            airtime: frame.airtime,
            from: frame.from,
            to: frame.to,
            kind: frame.kind,
            asks: std::mem::take(&mut self.asks),
            retry: frame.retry,
            carried,
            flow: packet.map_or(FlowId::NONE, |p| p.flow),
            uid: packet.map(|p| p.uid).filter(|&uid| uid < UNTRACKED),
            fate: None,
            blocker: medium.blocker(tx, frame.to).filter(|_| !frame.to.is_broadcast()),
            interferer: None,
            readers: 0,
        });
    }

    /// A station of 802.11a/g/n/ac sends a frame, which is recorded next.
    pub fn on_air(&mut self, at: SimTime, frame: &AirFrame) {
        let AirFrame { from, to, mode, .. } = *frame;
        self.asks = matches!(frame.kind, AirKind::BlockAckReq(_));
        if frame.kind.has_packets() && !to.is_broadcast() {
            self.ppdus.push(Ppdu { at, from, to, mode, packets: frame.packets.len() });
        }
    }

    /// Records how transmission `tx` was received at a station it was addressed to. The first result
    /// counts, but a received frame may later count as not answered.
    pub fn fate(&mut self, tx: u32, fate: FrameResult, interferer: Option<NodeId>) {
        let Some(frame) = self.numbers.get(tx as usize).and_then(|&at| self.frames.get_mut(at)) else {
            return;
        };
        frame.readers += u16::from(fate == FrameResult::Received);
        if frame.to.is_broadcast() {
            return;
        }
        if frame.fate.is_none()
            || (frame.fate == Some(FrameResult::Received) && fate == FrameResult::NotAnswered)
        {
            frame.fate = Some(fate);
            // What destroyed it from its start on may be over when it ends.
            frame.interferer = interferer.map(|latest| frame.blocker.unwrap_or(latest));
        }
    }

    /// The number of packets in the interface queue of `node` changed.
    pub fn queued(&mut self, now: SimTime, node: NodeId, packets: usize) {
        self.queues.push((now, node, packets));
    }

    /// Routing at `node` reported a note.
    pub fn noted(&mut self, now: SimTime, node: NodeId, note: RoutingNote) {
        if let RoutingNote::RouteLost { dst } = note
            && self.in_use.remove(&(node, dst)).is_some()
        {
            self.routes.push((now, node, dst, None));
        }
        self.notes.push((now, node, note));
    }

    /// A flow's packet for `dst` leaves `node` for `next_hop`.
    pub fn routed(&mut self, now: SimTime, node: NodeId, dst: NodeId, next_hop: NodeId) {
        if self.in_use.insert((node, dst), next_hop) != Some(next_hop) {
            self.routes.push((now, node, dst, Some(next_hop)));
        }
    }

    /// Adds the movement of the nodes.
    pub fn moved(&mut self, legs: Vec<Vec<Leg>>) {
        self.legs = legs;
    }
}
