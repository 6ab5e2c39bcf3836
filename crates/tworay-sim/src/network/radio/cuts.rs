//! Links that are cut while they carry a flow: an obstacle between two nodes, which then sense each other
//! and decode nothing.

use tworay_base::{FlowId, NodeId, SimDuration, SimTime};

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
pub(super) struct Cuts {
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

    /// An order waits for a packet from now on.
    pub fn await_packet(&mut self, order: u16) {
        self.waiting.push(order);
    }

    /// Whether the next packet of some flow is awaited.
    #[inline(always)]
    pub fn await_packets(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether no link is cut now.
    pub fn none(&self) -> bool {
        self.links.is_empty()
    }

    /// Whether the link between two nodes is cut.
    #[inline]
    pub fn between(&self, a: NodeId, b: NodeId) -> bool {
        self.links.iter().any(|(_, ends)| *ends == [a, b] || *ends == [b, a])
    }

    /// A data packet of `flow` crossed the link between `ends`: the order that cuts it, if one waits, and when
    /// the link is mended, if ever.
    #[cold]
    pub fn cut_behind(
        &mut self,
        now: SimTime,
        flow: FlowId,
        ends: [NodeId; 2],
    ) -> Option<(u16, Option<SimTime>)> {
        let order_of = |order: u16| &self.orders[usize::from(order)];
        let at =
            self.waiting.iter().position(|&order| order_of(order).flow.is_none_or(|whose| whose == flow))?;
        let order = self.waiting.remove(at);
        let lasts = self.orders[usize::from(order)].lasts;
        self.links.push((order, ends));
        Some((order, (lasts < SimDuration::MAX).then(|| now + lasts)))
    }

    /// The link that an order cut works again.
    pub fn mend(&mut self, order: u16) {
        self.links.retain(|(o, _)| *o != order);
    }
}

#[cfg(test)]
mod tests;
