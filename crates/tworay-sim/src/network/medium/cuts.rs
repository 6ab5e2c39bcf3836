//! Links that are cut while they carry a flow: an obstacle between two nodes, which then sense each other
//! but decode nothing.

use tworay_base::{FlowId, NodeId, SimDuration, SimTime};
use tworay_scenario::LinkCut;

/// The orders, those that wait for a packet, and the links currently cut.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    orders: Vec<LinkCut>,
    waiting: Vec<u16>,
    /// With the order's number, because two orders may cut the same link.
    links: Vec<(u16, Cut)>,
    /// Cuts that are over, and when they ended.
    mended: Vec<(SimTime, Cut)>,
}

/// A link that is cut, or was.
#[derive(Copy, Clone, Debug)]
struct Cut {
    since: SimTime,
    ends: [NodeId; 2],
}

impl Cut {
    #[inline]
    fn is_between(&self, a: NodeId, b: NodeId) -> bool {
        self.ends == [a, b] || self.ends == [b, a]
    }
}

impl Cuts {
    pub fn new(orders: Vec<LinkCut>) -> Self {
        Self { orders, ..Self::default() }
    }

    pub fn orders(&self) -> &[LinkCut] {
        &self.orders
    }

    /// From now on the order waits for a packet.
    pub fn await_packet(&mut self, order: u16) {
        self.waiting.push(order);
    }

    /// True if an order waits for the next packet of some flow.
    #[inline(always)]
    pub fn await_packets(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// True if a link was cut so far.
    pub fn any_so_far(&self) -> bool {
        !self.links.is_empty() || !self.mended.is_empty()
    }

    /// True if no link is currently cut.
    pub fn none(&self) -> bool {
        self.links.is_empty()
    }

    /// True if the link between two nodes is cut.
    #[inline]
    pub fn between(&self, a: NodeId, b: NodeId) -> bool {
        self.links.iter().any(|(_, cut)| cut.is_between(a, b))
    }

    /// A data packet of `flow` crossed the link between `ends`. Returns the order that cuts it, if one
    /// waits, and when the link is restored, if ever.
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
        self.links.push((order, Cut { since: now, ends }));
        Some((order, (lasts < SimDuration::MAX).then(|| now + lasts)))
    }

    /// The link cut by an order works again from `now` on.
    pub fn mend(&mut self, now: SimTime, order: u16) {
        let of_order = self.links.iter().filter(|(o, _)| *o == order);
        self.mended.extend(of_order.map(|(_, cut)| (now, *cut)));
        self.links.retain(|(o, _)| *o != order);
    }

    /// True if the link between two nodes was restored after `from`.
    pub fn mended_since(&self, from: SimTime, a: NodeId, b: NodeId) -> bool {
        self.mended.iter().any(|(at, cut)| *at > from && cut.is_between(a, b))
    }

    /// True if the link between two nodes was cut at a time that has passed.
    pub fn between_at(&self, at: SimTime, a: NodeId, b: NodeId) -> bool {
        let over = self.mended.iter().map(|(until, cut)| (*until, cut));
        let all = self.links.iter().map(|(_, cut)| (SimTime::NEVER, cut)).chain(over);
        all.into_iter().any(|(until, cut)| cut.since <= at && at < until && cut.is_between(a, b))
    }
}

#[cfg(test)]
mod tests;
