//! Links that are cut while they carry a flow: an obstacle between two nodes, which then sense each other
//! and decode nothing.

use super::{Event, Network};
use tworay_base::{FlowId, NodeId, PacketId, SimDuration, SimTime};

/// An order to cut the link that a flow is using.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct LinkCut {
    /// When it becomes due. The first data packet to cross a link from then on is the last over it.
    pub at: SimTime,
    /// Whose packet decides; any flow's if none is named.
    pub flow: Option<FlowId>,
    /// How long the link stays cut.
    pub lasts: SimDuration,
}

/// The orders, those that wait for a packet, and the links cut now.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    orders: Vec<LinkCut>,
    waiting: Vec<u16>,
    /// By order: two orders may have cut the same link.
    links: Vec<(u16, [NodeId; 2])>,
}

impl Cuts {
    pub fn new(orders: Vec<LinkCut>) -> Self {
        Self { orders, ..Self::default() }
    }

    pub fn orders(&self) -> &[LinkCut] {
        &self.orders
    }

    /// Whether the next packet of some flow is awaited.
    #[inline(always)]
    pub fn await_packets(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether the link between two nodes is cut.
    #[inline]
    pub fn between(&self, a: NodeId, b: NodeId) -> bool {
        self.links.iter().any(|(_, ends)| *ends == [a, b] || *ends == [b, a])
    }
}

impl Network {
    #[inline(never)]
    pub(super) fn on_cut_due(&mut self, order: u16) {
        self.cuts.waiting.push(order);
    }

    /// A packet crossed the link from `from` to `node`, and orders wait.
    #[cold]
    pub(super) fn cut_behind(&mut self, packet: PacketId, from: NodeId, node: NodeId) {
        let p = self.packets.get(packet);
        let (flow, dst) = (p.flow, p.dst);
        if flow == FlowId::NONE || self.flows[flow.index()].setup.to != dst {
            return;
        }
        let (orders, now) = (&self.cuts.orders, self.now);
        let ours = |order: &u16| orders[usize::from(*order)].flow.is_none_or(|whose| whose == flow);
        let Some(at) = self.cuts.waiting.iter().position(ours) else { return };
        let order = self.cuts.waiting.remove(at);
        let lasts = self.cuts.orders[usize::from(order)].lasts;
        self.cuts.links.push((order, [from, node]));
        self.any_damage = true;
        if lasts < SimDuration::MAX {
            self.queue.push(now + lasts, Event::Mend(order));
        }
    }

    #[inline(never)]
    pub(super) fn on_mend(&mut self, order: u16) {
        self.cuts.links.retain(|(o, _)| *o != order);
    }
}
