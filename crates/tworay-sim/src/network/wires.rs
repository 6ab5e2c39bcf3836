//! Wires: point-to-point connections with rate, delay, drop-tail or RED queue, errors, handoffs and listed
//! drops.

use super::common::Common;
use super::event::Event;
use crate::observe::{Fact, WireEvent};
use crate::provenance::Setback;
use crate::wires::{Backlog, Red, RedVerdict};
use std::collections::{BTreeMap, VecDeque};
use tworay_base::{Died, LossCause, NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_radio::{ErrorModel, ErrorModelConfig};
use tworay_scenario::WireSetup;

/// First stream number of the wires' error models, separate from those of the radios.
const WIRE_ERROR_STREAMS: u64 = 3 << 32;
/// First stream number of their loss schedules.
const LANE_STREAMS: u64 = 5 << 32;

struct Wire {
    setup: WireSetup,
    busy: bool,
    waiting: VecDeque<PacketId>,
    waiting_bytes: u64,
    red: Option<Red>,
    errors: Option<ErrorModel>,
    /// Decides which packets the schedule loses.
    luck: Option<RngStream>,
    /// Number of packets of flows seen so far.
    seen: u64,
}

impl Wire {
    fn new(setup: WireSetup, number: u64, seed: u64) -> Self {
        let red = setup
            .red
            .map(|config| Red::new(config, setup.rate, RngStream::numbered(seed, number, Purpose::Queue)));
        let errors = (setup.errors != ErrorModelConfig::None).then(|| {
            let stream = RngStream::numbered(seed, WIRE_ERROR_STREAMS + number, Purpose::ChannelError);
            ErrorModel::new(setup.errors, stream)
        });
        let luck = setup
            .lanes
            .is_some()
            .then(|| RngStream::numbered(seed, LANE_STREAMS + number, Purpose::ChannelError));
        Self { luck, setup, busy: false, waiting: VecDeque::new(), waiting_bytes: 0, red, errors, seen: 0 }
    }

    /// Whether the loss schedule drops a packet now.
    fn lanes_lose(&mut self, now: SimTime) -> bool {
        let Some((lanes, luck)) = self.setup.lanes.as_ref().zip(self.luck.as_mut()) else { return false };
        let lane = lanes.at(now);
        let share = if self.setup.back { lane.loss_back } else { lane.loss };
        luck.chance(share)
    }

    /// Whether the queue rejects a packet that arrives now.
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
}

impl Wires {
    pub fn new(setups: Vec<WireSetup>, seed: u64) -> Self {
        let by_ends = setups.iter().zip(0..).map(|(s, i)| ((s.from, s.to), i)).collect();
        let wires = setups.into_iter().zip(0..).map(|(setup, i)| Wire::new(setup, i, seed)).collect();
        Self { wires, by_ends }
    }

    /// The wire from `a` to `b`.
    #[inline]
    pub fn between(&self, a: NodeId, b: NodeId) -> Option<u16> {
        if self.wires.is_empty() { None } else { self.by_ends.get(&(a, b)).copied() }
    }

    /// Whether a handoff takes a wire down at a time.
    pub fn is_down(&self, wire: u16, at: SimTime) -> bool {
        self.wires[usize::from(wire)].setup.outages.cut(at, at)
    }

    /// Appends the nodes that wires connect to `node`.
    pub fn from(&self, node: NodeId, out: &mut Vec<NodeId>) {
        out.extend(self.by_ends.range((node, NodeId(0))..=(node, NodeId::BROADCAST)).map(|((_, to), _)| *to));
    }

    /// Both ends of each wire, by number.
    pub fn ends(&self) -> Vec<(NodeId, NodeId)> {
        self.wires.iter().map(|w| (w.setup.from, w.setup.to)).collect()
    }

    /// Appends the packets waiting for a wire.
    pub fn held(&self, out: &mut Vec<PacketId>) {
        self.wires.iter().for_each(|w| out.extend(&w.waiting));
    }
}

impl Wires {
    /// Passes a packet to a wire.
    pub fn send(&mut self, common: &mut Common, wire: u16, packet: PacketId) {
        let bytes = common.packets.get(packet).ip_bytes;
        let now = common.now;
        let w = &mut self.wires[wire as usize];
        let number = w.seen;
        w.seen += 1;
        if w.setup.drops.contains(&number) || w.lanes_lose(now) {
            self.lose(common, wire, packet, LossCause::Channel, Died::Error);
        } else if w.setup.outages.cut(now, now) {
            self.lose(common, wire, packet, LossCause::LinkFailure, Died::Handoff);
        } else if w.refuses(now, bytes) {
            common.observe(Fact::Refused);
            self.lose(common, wire, packet, LossCause::Congestion, Died::WireQueue);
        } else if !w.busy {
            self.report(common, wire, packet, WireEvent::Enqueue);
            self.start(common, wire, packet);
        } else {
            w.waiting.push_back(packet);
            w.waiting_bytes += u64::from(bytes);
            self.report(common, wire, packet, WireEvent::Enqueue);
        }
    }

    /// A packet dies at the wire's sending end.
    fn lose(&mut self, common: &mut Common, wire: u16, packet: PacketId, cause: LossCause, died: Died) {
        self.report(common, wire, packet, WireEvent::Drop);
        let WireSetup { from, to, .. } = self.wires[wire as usize].setup;
        common.kill(packet, from, died, Setback::new(common.now, from, cause).towards(to));
    }

    /// Reports an event of a packet on a wire.
    #[inline]
    fn report(&self, common: &mut Common, wire: u16, packet: PacketId, event: WireEvent) {
        let WireSetup { from, to, .. } = self.wires[wire as usize].setup;
        common.observe(Fact::Wired { wire, ends: (from, to), event, packet });
    }

    fn start(&mut self, common: &mut Common, wire: u16, packet: PacketId) {
        self.report(common, wire, packet, WireEvent::Send);
        let bytes = common.packets.get(packet).ip_bytes;
        let w = &mut self.wires[wire as usize];
        w.busy = true;
        let sent = common.now + w.setup.rate.airtime(bytes);
        let lane = w.setup.lanes.as_ref().map_or(SimDuration::ZERO, |lanes| lanes.at(common.now).delay);
        let arrives = sent + w.setup.delay + lane;
        common.agenda.push(arrives, Event::WireArrival { wire, packet });
        common.agenda.push(sent, Event::WireFree(wire));
    }

    /// A wire has sent the last bit of a packet: starts the next one.
    #[inline(never)]
    pub fn on_free(&mut self, common: &mut Common, wire: u16) {
        loop {
            let w = &mut self.wires[wire as usize];
            let Some(packet) = w.waiting.pop_front() else {
                w.busy = false;
                if let Some(red) = &mut w.red {
                    red.on_idle(common.now);
                }
                return;
            };
            w.waiting_bytes -= u64::from(common.packets.get(packet).ip_bytes);
            if !w.setup.outages.cut(common.now, common.now) {
                return self.start(common, wire, packet);
            }
            self.lose(common, wire, packet, LossCause::LinkFailure, Died::Handoff);
        }
    }

    /// A packet arrives at the far end of a wire. Returns the ends `(from, to)`, unless it was lost in
    /// transit.
    #[inline]
    pub fn on_arrival(
        &mut self,
        common: &mut Common,
        wire: u16,
        packet: PacketId,
    ) -> Option<(NodeId, NodeId)> {
        let now = common.now;
        let bytes = common.packets.get(packet).ip_bytes;
        let w = &mut self.wires[wire as usize];
        let (from, to) = (w.setup.from, w.setup.to);
        let took = w.setup.rate.airtime(bytes) + w.setup.delay;
        let left = SimTime::from_nanos(now.as_nanos().saturating_sub(took.as_nanos()));
        // The error model advances with every packet in transit, whatever happens to it.
        let broken = w.errors.as_mut().is_some_and(|model| model.corrupts(8 * bytes));
        let cause = match (w.setup.outages.cut(left, now), broken) {
            (true, _) => Some((LossCause::LinkFailure, Died::Handoff)),
            (false, true) => Some((LossCause::Channel, Died::Error)),
            (false, false) => None,
        };
        if let Some((cause, died)) = cause {
            self.report(common, wire, packet, WireEvent::Drop);
            common.kill(packet, to, died, Setback::new(now, from, cause).towards(to));
            return None;
        }
        self.report(common, wire, packet, WireEvent::Receive);
        let p = common.packets.get_mut(packet);
        p.hops = p.hops.saturating_add(1);
        common.hand_on(packet, packet);
        Some((from, to))
    }
}

#[cfg(test)]
mod tests;
