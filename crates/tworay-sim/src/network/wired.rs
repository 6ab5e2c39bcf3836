//! Point-to-point links: a rate, a delay, a drop-tail or RED queue, errors, handoffs, drops by list.

use super::{Event, Network};
use crate::links::{Backlog, Outages, Red, RedConfig, RedVerdict};
use crate::provenance::Setback;
use std::collections::{BTreeMap, VecDeque};
use tworay_base::{BitRate, Died, LossCause, NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_radio::{ErrorModel, ErrorModelConfig};
use tworay_wire::{Body, Packet};

/// Streams of the links' error models begin here, apart from the radios'.
const LINK_ERROR_STREAMS: u64 = 3 << 32;

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
    /// Random early detection in front of it.
    pub red: Option<RedConfig>,
    /// Random errors on the way.
    pub errors: ErrorModelConfig,
    /// When it carries nothing.
    pub outages: Outages,
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
    waiting_bytes: u64,
    red: Option<Red>,
    errors: Option<ErrorModel>,
    /// Packets of flows seen so far.
    seen: u64,
}

impl Wire {
    fn new(setup: WireSetup, number: u64, seed: u64) -> Self {
        let red = setup
            .red
            .map(|config| Red::new(config, setup.rate, RngStream::numbered(seed, number, Purpose::Queue)));
        let errors = (setup.errors != ErrorModelConfig::None).then(|| {
            let stream = RngStream::numbered(seed, LINK_ERROR_STREAMS + number, Purpose::ChannelError);
            ErrorModel::new(setup.errors, stream)
        });
        Self { setup, busy: false, waiting: VecDeque::new(), waiting_bytes: 0, red, errors, seen: 0 }
    }

    /// Whether a packet that arrives now is refused by the queue.
    fn refuses(&mut self, now: SimTime, bytes: u32) -> bool {
        let backlog = Backlog { packets: self.waiting.len(), bytes: self.waiting_bytes };
        if let Some(red) = &mut self.red
            && red.on_arrival(now, backlog, bytes) == RedVerdict::Drop
        {
            return true;
        }
        let full = self.busy && backlog.packets >= self.setup.queue as usize;
        if full && let Some(red) = &mut self.red {
            red.on_overflow();
        }
        full
    }
}

/// All wires of a network.
pub(crate) struct Wires {
    wires: Vec<Wire>,
    by_ends: BTreeMap<(NodeId, NodeId), u16>,
    /// What happened, if it is to be kept.
    pub trace: Option<Vec<WireRecord>>,
}

impl Wires {
    pub fn new(setups: Vec<WireSetup>, trace: bool, seed: u64) -> Self {
        let by_ends = setups.iter().zip(0..).map(|(s, i)| ((s.from, s.to), i)).collect();
        let wires = setups.into_iter().zip(0..).map(|(setup, i)| Wire::new(setup, i, seed)).collect();
        Self { wires, by_ends, trace: trace.then(Vec::new) }
    }

    /// The wire from `a` to `b`.
    #[inline]
    pub fn between(&self, a: NodeId, b: NodeId) -> Option<u16> {
        if self.wires.is_empty() { None } else { self.by_ends.get(&(a, b)).copied() }
    }

    /// Appends the nodes that wires lead to from `node`.
    pub fn from(&self, node: NodeId, out: &mut Vec<NodeId>) {
        out.extend(self.by_ends.range((node, NodeId(0))..=(node, NodeId::BROADCAST)).map(|((_, to), _)| *to));
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
        let bytes = self.packets.get(packet).ip_bytes;
        let now = self.now;
        let w = &mut self.wires.wires[wire as usize];
        let number = w.seen;
        w.seen += 1;
        if w.setup.drops.contains(&number) {
            self.wire_lose(wire, packet, LossCause::Channel, Died::Error);
        } else if w.setup.outages.cut(now, now) {
            self.wire_lose(wire, packet, LossCause::LinkFailure, Died::Handoff);
        } else if w.refuses(now, bytes) {
            self.tally.queue_drops += 1;
            self.wire_lose(wire, packet, LossCause::Congestion, Died::WireQueue);
        } else if !w.busy {
            self.wire_trace(wire, packet, WireEvent::Enqueue);
            self.wire_start(wire, packet);
        } else {
            w.waiting.push_back(packet);
            w.waiting_bytes += u64::from(bytes);
            self.wire_trace(wire, packet, WireEvent::Enqueue);
        }
    }

    /// A packet dies at the link's sending end.
    fn wire_lose(&mut self, wire: u16, packet: PacketId, cause: LossCause, died: Died) {
        self.wire_trace(wire, packet, WireEvent::Drop);
        let WireSetup { from, to, .. } = self.wires.wires[wire as usize].setup;
        self.kill(packet, from, died, Setback::new(self.now, from, cause).towards(to));
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

    #[inline(never)]
    pub(super) fn wire_next(&mut self, wire: u16) {
        loop {
            let w = &mut self.wires.wires[wire as usize];
            let Some(packet) = w.waiting.pop_front() else {
                w.busy = false;
                if let Some(red) = &mut w.red {
                    red.on_idle(self.now);
                }
                return;
            };
            w.waiting_bytes -= u64::from(self.packets.get(packet).ip_bytes);
            if !w.setup.outages.cut(self.now, self.now) {
                return self.wire_start(wire, packet);
            }
            self.wire_lose(wire, packet, LossCause::LinkFailure, Died::Handoff);
        }
    }

    #[inline(never)]
    pub(super) fn on_wire_arrival(&mut self, wire: u16, packet: PacketId) {
        let now = self.now;
        let bytes = self.packets.get(packet).ip_bytes;
        let w = &mut self.wires.wires[wire as usize];
        let (from, to) = (w.setup.from, w.setup.to);
        let took = w.setup.rate.airtime(bytes) + w.setup.delay;
        let left = SimTime::from_nanos(now.as_nanos().saturating_sub(took.as_nanos()));
        // The model advances with every packet that was on the way, whatever becomes of it.
        let broken = w.errors.as_mut().is_some_and(|model| model.corrupts(8 * bytes));
        let cause = match (w.setup.outages.cut(left, now), broken) {
            (true, _) => Some((LossCause::LinkFailure, Died::Handoff)),
            (false, true) => Some((LossCause::Channel, Died::Error)),
            (false, false) => None,
        };
        if let Some((cause, died)) = cause {
            self.wire_trace(wire, packet, WireEvent::Drop);
            self.kill(packet, to, died, Setback::new(now, from, cause).towards(to));
            return;
        }
        self.wire_trace(wire, packet, WireEvent::Receive);
        let p = self.packets.get_mut(packet);
        p.hops = p.hops.saturating_add(1);
        self.packets.hand_on(packet, packet);
        self.receive_packet(to, packet, from);
    }
}
