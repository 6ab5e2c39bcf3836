//! Point-to-point links: a rate, a delay, a drop-tail queue, drops by list.

use super::{Event, Network};
use std::collections::VecDeque;
use tworay_base::{BitRate, LossCause, NodeId, PacketId, SimDuration};

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
}

impl Wires {
    pub fn new(setups: Vec<WireSetup>) -> Self {
        let wires = setups
            .into_iter()
            .map(|setup| Wire { setup, busy: false, waiting: VecDeque::new(), seen: 0 })
            .collect();
        Self { wires }
    }

    /// The wire from `a` to `b`.
    pub fn between(&self, a: NodeId, b: NodeId) -> Option<u16> {
        self.wires.iter().position(|w| w.setup.from == a && w.setup.to == b).map(|i| i as u16)
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
            self.kill(packet, LossCause::Channel, from);
        } else if !w.busy {
            self.wire_start(wire, packet);
        } else if w.waiting.len() >= w.setup.queue as usize {
            self.tally.queue_drops += 1;
            self.kill(packet, LossCause::Congestion, from);
        } else {
            w.waiting.push_back(packet);
        }
    }

    fn wire_start(&mut self, wire: u16, packet: PacketId) {
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
        let (from, to) = (self.wires.wires[wire as usize].setup.from, self.wires.wires[wire as usize].setup.to);
        let p = self.packets.get_mut(packet);
        p.hops = p.hops.saturating_add(1);
        self.receive_packet(to, packet, from);
    }
}
