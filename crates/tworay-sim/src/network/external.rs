//! Packets of real stations: they come in at a node, travel like those of the network's own flows, and leave
//! at their destination. Without [`External`] nothing of this runs.

use super::{Event, Network};
use crate::external::{Entry, Leaving, RouteBreak};
use crate::flow::{Flow, FlowSetup};
use crate::ledger::Carries;
use std::collections::VecDeque;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_tcp::TcpConfig;
use tworay_wire::{Body, Packet, RealPacket};

/// How long a packet takes from its station into the network, at least: longer than any signal is on its way,
/// since what happens to signals on their way may have been worked off a little ahead of the clock.
const ENTRY_DELAY: SimDuration = SimDuration::from_micros(20);

/// What leaves the simulation, and what its edge is told.
#[derive(Debug)]
pub(crate) struct External {
    ends: Vec<(NodeId, NodeId)>,
    leaving: VecDeque<Leaving>,
    breaks: VecDeque<RouteBreak>,
}

impl External {
    /// The way out for packets between these pairs.
    pub fn new(ends: Vec<(NodeId, NodeId)>) -> Self {
        Self { ends, leaving: VecDeque::new(), breaks: VecDeque::new() }
    }

    /// Between whom packets travel.
    pub fn ends(&self) -> &[(NodeId, NodeId)] {
        &self.ends
    }

    /// The next packet that has reached its station.
    pub fn pop_leaving(&mut self) -> Option<Leaving> {
        self.leaving.pop_front()
    }

    /// The next word of a broken route.
    pub fn pop_break(&mut self) -> Option<RouteBreak> {
        self.breaks.pop_front()
    }

    /// A link on the way of a packet from `node` to `dst` is out of range, cut or without a node.
    pub fn note_break(&mut self, at: SimTime, node: NodeId, dst: NodeId) {
        self.breaks.push_back(RouteBreak { at, node, dst });
    }
}

impl Network {
    /// A packet comes in. Gives its uid.
    pub(crate) fn take_in(&mut self, entry: Entry) -> u64 {
        let Entry { node, to, ttl, ip_bytes, bytes, flow, carries, seq, frame } = entry;
        let uid = match carries {
            Some(carries) => self.ledger.ship(flow, carries, seq, self.now),
            None => self.control_uid(),
        };
        if carries.is_some()
            && let Some(f) = self.flows.get_mut(flow.index())
            && f.setup.from == node
        {
            f.sent_bytes += u64::from(ip_bytes);
            f.first_sent.get_or_insert(self.now);
        }
        let real = RealPacket { bytes, pure_ack: carries == Some(Carries::Ack) };
        let body = if frame { Body::Frame(real) } else { Body::Datagram(real) };
        let packet = Packet { uid, src: node, dst: to, ttl, hops: 0, ip_bytes, flow, dsr: None, body };
        let packet = self.packets.insert(packet);
        let reach = self.medium.as_ref().map_or(SimDuration::ZERO, |medium| medium.longest_delay());
        let processing = self.stations.processing(self.now, node);
        self.queue.push(self.now + ENTRY_DELAY.max(reach) + processing, Event::Launch { packet, node });
        uid
    }

    /// A flow that begins now.
    pub(crate) fn add_flow(&mut self, setup: FlowSetup) {
        self.ledger.add_flow(setup.from, self.now);
        // Its timers are never set: what would set them is outside.
        let mut flow = Flow::new(setup, self.flows.len(), 0, &TcpConfig::default(), self.seed, true);
        flow.window_limit = f64::INFINITY;
        self.flows.push(flow);
    }

    /// A packet of the node's own station goes down: through routing, or if it is a frame past it.
    pub(super) fn launched(&mut self, node: NodeId, packet: PacketId) {
        let p = self.packets.get(packet);
        match (&p.body, p.dst) {
            (Body::Frame(_), next_hop) if self.medium.is_some() => self.enqueue(node, packet, next_hop),
            _ => self.send_packet(node, packet),
        }
    }

    /// A packet of a real station has reached its destination: `shipped` tells when it was sent, if this is its
    /// first copy to arrive.
    pub(super) fn deliver_outside(&mut self, node: NodeId, p: Packet, shipped: Option<SimTime>) {
        if let Some(at) = shipped
            && let Some(f) = self.flows.get_mut(p.flow.index())
            && f.setup.to == node
        {
            f.path.arrived(self.now.since(at), p.hops);
        }
        if let (Some(external), Body::Datagram(real) | Body::Frame(real)) = (&mut self.external, p.body) {
            let Packet { flow, ttl, hops, .. } = p;
            external.leaving.push_back(Leaving { at: self.now, node, flow, ttl, hops, bytes: real.bytes });
        }
    }

    /// A frame of a real station has arrived at the other end of its hop.
    #[cold]
    pub(super) fn deliver_frame(&mut self, node: NodeId, packet: PacketId) {
        let sent = self.packets.get(packet);
        let p = Packet { hops: 1, ..sent.clone() };
        let mut shipped = None;
        if p.uid < super::UNTRACKED {
            self.ledger.copied(p.uid);
            shipped = self.ledger.delivered(p.uid, self.now);
        }
        self.deliver_outside(node, p, shipped);
    }
}
