//! Point-to-point links: a rate, a delay, a drop-tail queue, drops by list.

use super::{Event, Network};
use std::collections::VecDeque;
use tworay_base::{BitRate, LossCause, NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::{Body, Packet};

/// One direction of a point-to-point link.
#[derive(Clone, Debug, PartialEq)]
pub struct WireSetup {
    /// Sending end.
    pub from: NodeId,
    /// Receiving end.
    pub to: NodeId,
    /// Rate.
    pub rate: BitRate,
    /// Propagation delay.
    pub delay: SimDuration,
    /// Packets that may wait, the one in transmission not counted.
    pub queue: u32,
    /// Data packets dropped in front of the queue, counted per link from 0.
    pub drops: Vec<u64>,
}

/// What happened to a packet on a wire (ns-2's trace letters in brackets).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WireEvent {
    /// It was handed to the wire (+).
    Enqueue,
    /// Its transmission began (-).
    Send,
    /// It reached the far end (r).
    Receive,
    /// It was lost here (d).
    Drop,
}

/// A line of the trace of wires.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct WireRecord {
    /// When.
    pub at: SimTime,
    /// Sending end.
    pub from: NodeId,
    /// Receiving end.
    pub to: NodeId,
    /// What happened.
    pub event: WireEvent,
    /// Flow of the packet.
    pub flow: u16,
    /// `data`, `ack` or `udp`.
    pub kind: &'static str,
    /// Sequence number; of an ACK, the number it acknowledges; of a datagram, its count.
    pub seq: u32,
    /// IP length, bytes.
    pub bytes: u32,
}

fn describe(p: &Packet) -> (&'static str, u32) {
    match &p.body {
        Body::Tcp(s) if s.seq_len() == 0 => ("ack", s.ack.0),
        Body::Tcp(s)
            if s.flags.has(tworay_wire::TcpFlags::SYN) && s.flags.has(tworay_wire::TcpFlags::ACK) =>
        {
            ("ack", s.ack.0)
        }
        Body::Tcp(s) => ("data", s.seq.0),
        Body::Udp(d) => ("udp", d.number as u32),
        _ => ("other", 0),
    }
}

struct Wire {
    setup: WireSetup,
    busy: bool,
    waiting: VecDeque<PacketId>,
    /// Packets of flows seen so far.
    seen: u64,
}

/// All wires of a network.
pub(crate) struct Wires {
    wires: Vec<Wire>,
    /// What happened, if it is to be kept.
    pub trace: Option<Vec<WireRecord>>,
}

impl Wires {
    pub fn new(setups: Vec<WireSetup>, trace: bool) -> Self {
        let wires = setups
            .into_iter()
            .map(|setup| Wire { setup, busy: false, waiting: VecDeque::new(), seen: 0 })
            .collect();
        Self { wires, trace: trace.then(Vec::new) }
    }

    /// The wire from `a` to `b`.
    pub fn between(&self, a: NodeId, b: NodeId) -> Option<u16> {
        self.wires.iter().position(|w| w.setup.from == a && w.setup.to == b).map(|i| i as u16)
    }

    /// Both ends of each wire, by its number.
    pub fn ends(&self) -> Vec<(NodeId, NodeId)> {
        self.wires.iter().map(|w| (w.setup.from, w.setup.to)).collect()
    }

    pub fn held(&self, out: &mut Vec<PacketId>) {
        self.wires.iter().for_each(|w| out.extend(&w.waiting));
    }
}

impl Network {
    pub(super) fn wire_send(&mut self, wire: u16, packet: PacketId) {
        let w = &mut self.wires.wires[wire as usize];
        let from = w.setup.from;
        let number = w.seen;
        w.seen += 1;
        if w.setup.drops.contains(&number) {
            self.wire_trace(wire, packet, WireEvent::Drop);
            self.kill(packet, LossCause::Channel, from);
        } else if !w.busy {
            self.wire_trace(wire, packet, WireEvent::Enqueue);
            self.wire_start(wire, packet);
        } else if w.waiting.len() >= w.setup.queue as usize {
            self.tally.queue_drops += 1;
            self.wire_trace(wire, packet, WireEvent::Drop);
            self.kill(packet, LossCause::Congestion, from);
        } else {
            w.waiting.push_back(packet);
            self.wire_trace(wire, packet, WireEvent::Enqueue);
        }
    }

    fn wire_trace(&mut self, wire: u16, packet: PacketId, event: WireEvent) {
        let Some(trace) = &mut self.wires.trace else { return };
        let p = self.packets.get(packet);
        let (kind, seq) = describe(p);
        let WireSetup { from, to, .. } = self.wires.wires[wire as usize].setup;
        trace.push(WireRecord {
            at: self.now,
            from,
            to,
            event,
            flow: p.flow.0,
            kind,
            seq,
            bytes: p.ip_bytes,
        });
    }

    fn wire_start(&mut self, wire: u16, packet: PacketId) {
        self.wire_trace(wire, packet, WireEvent::Send);
        self.capture_wire(wire, packet);
        let bytes = self.packets.get(packet).ip_bytes;
        let w = &mut self.wires.wires[wire as usize];
        w.busy = true;
        let sent = self.now + w.setup.rate.airtime(bytes);
        let arrives = sent + w.setup.delay;
        self.queue.push(arrives, Event::WireArrival { wire, packet });
        self.queue.push(sent, Event::WireFree(wire));
    }

    pub(super) fn wire_next(&mut self, wire: u16) {
        let w = &mut self.wires.wires[wire as usize];
        match w.waiting.pop_front() {
            Some(packet) => self.wire_start(wire, packet),
            None => w.busy = false,
        }
    }

    pub(super) fn on_wire_arrival(&mut self, wire: u16, packet: PacketId) {
        self.wire_trace(wire, packet, WireEvent::Receive);
        let (from, to) =
            (self.wires.wires[wire as usize].setup.from, self.wires.wires[wire as usize].setup.to);
        let p = self.packets.get_mut(packet);
        p.hops = p.hops.saturating_add(1);
        self.receive_packet(to, packet, from);
    }
}
