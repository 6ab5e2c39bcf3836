//! Wires: point-to-point connections with rate, delay, drop-tail or RED queue, errors, handoffs and listed
//! drops.

pub(crate) mod red;
mod transit;

use red::{Backlog, Red, RedVerdict};
use std::collections::{BTreeMap, VecDeque};
use tworay_base::{NodeId, PacketId, Purpose, RngStream, SimTime};
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

    /// True if the loss schedule drops a packet now.
    fn lanes_lose(&mut self, now: SimTime) -> bool {
        let Some((lanes, luck)) = self.setup.lanes.as_ref().zip(self.luck.as_mut()) else { return false };
        let lane = lanes.at(now);
        let share = if self.setup.back { lane.loss_back } else { lane.loss };
        luck.chance(share)
    }

    /// True if the queue rejects a packet that arrives now.
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

    /// True if a handoff takes a wire down at a time.
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

#[cfg(test)]
mod tests;
