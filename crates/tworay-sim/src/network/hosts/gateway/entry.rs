//! Packets of real stations enter the network and leave it.

use super::{Entering, Expired, External, Leaving};
use crate::network::Network;
use crate::network::event::Event;
use crate::network::hosts::flow::Flow;
use crate::network::packets::UNTRACKED;
use crate::observe::Fact;
use crate::observe::loss::ledger::{Carries, Ledger};
use tworay_base::{FlowId, NodeId, PacketId, Seq32, SimDuration, SimTime};
use tworay_scenario::FlowSetup;
use tworay_tcp::{Phase, Snapshot, TcpConfig};
use tworay_wire::{Body, Packet, RealPacket};

/// Shortest time from a station into the network. It exceeds any propagation delay, because arrivals of
/// signals may be processed slightly ahead of the clock.
const ENTRY_DELAY: SimDuration = SimDuration::from_micros(20);

impl Network {
    /// Everything up to this time has happened.
    pub(crate) fn now(&self) -> SimTime {
        self.common.now
    }

    /// Time of the next event; [`SimTime::NEVER`], or a time after the end, if there is none.
    pub(crate) fn next_time(&mut self) -> SimTime {
        // Deadlines that are never due are not among those up to a time.
        const LAST: SimTime = SimTime::from_nanos(SimTime::NEVER.as_nanos() - 1);
        let queued = self.common.agenda.next_event();
        self.nodes
            .first_access(&mut self.common.agenda, queued.min(LAST), queued)
            .map_or(queued, |(at, _)| at)
    }

    /// Hops from a node to `dst` on the route that its routing protocol has, if any.
    pub(crate) fn hops_to(&self, node: NodeId, dst: NodeId) -> Option<u8> {
        self.nodes[node].router.hop_count(dst)
    }

    /// True if a node's routing protocol buffers a packet for `dst` until it has found a route.
    pub(crate) fn keeps_for(&self, node: NodeId, dst: NodeId) -> bool {
        self.nodes[node].router.buffered().iter().any(|&id| self.common.packets.get(id).dst == dst)
    }

    /// A node drops a packet whose hop limit has run out. If a real station sent it, the sender is told.
    pub(crate) fn note_expired(&mut self, node: NodeId, packet: PacketId) {
        let p = self.common.packets.get(packet);
        if let (Some(external), Body::Datagram(real)) = (&mut self.external, &p.body) {
            let (at, src, bytes) = (self.common.now, p.src, real.bytes.clone());
            external.expired.push_back(Expired { at, node, src, bytes });
        }
    }

    /// All flows.
    pub(crate) fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// A flow, for recording what was observed at its ends.
    pub(crate) fn flow_mut(&mut self, flow: FlowId) -> Option<&mut Flow> {
        self.flows.get_mut(flow.index())
    }

    /// Every segment so far, and its outcome.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.common.observers.ledger
    }

    /// Number of events processed.
    pub(crate) fn events(&self) -> u64 {
        self.common.agenda.events
    }

    /// The interface for packets of real stations.
    pub(crate) fn external_mut(&mut self) -> Option<&mut External> {
        self.external.as_deref_mut()
    }

    /// Ends the run now.
    pub(crate) fn end_now(&mut self) {
        self.common.agenda.end = self.common.now;
    }

    /// A packet enters the network. Returns its uid.
    pub(crate) fn take_in(&mut self, entry: Entering) -> u64 {
        let Entering { node, to, ttl, ip_bytes, bytes, flow, carries, seq, frame, header } = entry;
        let uid = match carries {
            Some(carries) => self.common.take(flow, carries, seq),
            None => self.common.control_uid(),
        };
        if carries.is_some()
            && let Some(f) = self.flows.get_mut(flow.index())
            && let Some((bytes, first)) = f.sent_by(node)
        {
            *bytes += u64::from(ip_bytes);
            first.get_or_insert(self.common.now);
        }
        let real = RealPacket { bytes, pure_ack: carries == Some(Carries::Ack) };
        let body = if frame { Body::Frame(real) } else { Body::Datagram(real) };
        let packet = Packet { uid, src: node, dst: to, ttl, hops: 0, ip_bytes, flow, dsr: None, body };
        let packet = self.common.insert(packet);
        self.common.observe(Fact::Entered { packet, header: &header });
        let reach = self.radio.as_ref().map_or(SimDuration::ZERO, |radio| radio.medium().longest_delay());
        let processing = self.stations.processing(self.common.now, node);
        let at = self.common.now + ENTRY_DELAY.max(reach) + processing;
        self.common.agenda.push(at, Event::Launch { packet, node });
        uid
    }

    /// Adds a flow that starts now.
    pub(crate) fn add_flow(&mut self, setup: FlowSetup) {
        self.common.observe(Fact::FlowAdded { from: setup.from, to: setup.to });
        // Its timers are never armed: its transport runs outside the simulation.
        let mut flow = Flow::new(setup, self.flows.len(), 0, &TcpConfig::default(), self.plan.seed);
        flow.window_limit = f64::INFINITY;
        self.flows.push(flow);
    }

    /// The payload of a flow turns out to go the other way.
    pub(crate) fn observe_turned(&mut self, flow: FlowId) {
        self.common.observe(Fact::FlowTurned { flow });
    }

    /// Packet `uid`, which a sender outside is about to send from this node, repeats a segment.
    pub(crate) fn observe_resent(
        &mut self,
        flow: FlowId,
        (from, seq, uid): (NodeId, Seq32, u64),
        phase: Phase,
    ) {
        self.common.observe(Fact::Resent { flow, from, seq, uid, phase });
    }

    /// The state of a sender outside, with the payload acknowledged so far.
    pub(crate) fn observe_sender(&mut self, flow: FlowId, state: &Snapshot, acked: u64) {
        self.common.observe(Fact::Sender { flow, state, acked });
    }

    /// Sends a packet of the node's own station: IP packets through routing, other frames directly to the
    /// link.
    pub(crate) fn launched(&mut self, node: NodeId, packet: PacketId) {
        let p = self.common.packets.get(packet);
        match (&p.body, p.dst) {
            (Body::Frame(_), next_hop) if self.radio.is_some() => self.enqueue(node, packet, next_hop),
            _ => self.send_packet(node, packet),
        }
    }

    /// A packet of a real station has reached its destination.
    pub(crate) fn deliver_outside(&mut self, node: NodeId, p: Packet) {
        if let (Some(external), Body::Datagram(real) | Body::Frame(real)) = (&mut self.external, p.body) {
            let Packet { flow, ttl, hops, .. } = p;
            external.leaving.push_back(Leaving {
                at: self.common.now,
                node,
                flow,
                ttl,
                hops,
                bytes: real.bytes,
            });
        }
    }

    /// A frame of a real station has arrived at the next hop.
    #[cold]
    pub(crate) fn deliver_frame(&mut self, node: NodeId, packet: PacketId) {
        let sent = self.common.packets.get(packet);
        let p = Packet { hops: 1, ..sent.clone() };
        if p.uid < UNTRACKED {
            self.common.observe(Fact::Copied { uid: p.uid });
            self.common.observe(Fact::Delivered { packet: &p, node });
        }
        self.deliver_outside(node, p);
    }
}
