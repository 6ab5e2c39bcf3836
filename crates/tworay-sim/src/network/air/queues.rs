//! Interface queues by flow: one FQ-CoDel for each neighbour, served in turn. And queues of access categories.

use tworay_base::{NodeId, PacketId, SimTime};
use tworay_mac::{Flowing, FqCodel, FqCodelConfig, InterfaceQueue, QueueEntry};
use tworay_radio::phy::AccessCategory;

/// A queue for each neighbour, and within it for each flow. Packets of routing and ARP aren't among them: they wait in
/// the node's first-in first-out queue, which goes first.
#[derive(Debug)]
pub(super) struct FlowQueues {
    config: FqCodelConfig,
    perturbation: u64,
    lists: Vec<(NodeId, FqCodel<QueueEntry>)>,
    /// Index of the neighbour whose turn it is.
    turn: usize,
}

impl FlowQueues {
    /// Empty queues; `perturbation` is a random number. The limit belongs to all of them together.
    pub fn new(perturbation: u64) -> Self {
        let config = FqCodelConfig { limit: u32::MAX, ..FqCodelConfig::default() };
        Self { config, perturbation, lists: Vec::new(), turn: 0 }
    }

    /// Appends a packet of `flow`.
    pub fn push(&mut self, now: SimTime, entry: QueueEntry, flow: u64) {
        let at = match self.lists.iter().position(|(to, _)| *to == entry.next_hop) {
            Some(at) => at,
            None => {
                self.lists.push((entry.next_hop, FqCodel::new(self.config, self.perturbation)));
                self.lists.len() - 1
            }
        };
        self.lists[at].1.push(now, Flowing { packet: entry, flow, bytes: entry.ip_bytes });
    }

    /// Removes the first packet of the flow with most bytes, among all neighbours (RFC 8290 §4.1).
    pub fn drop_from_longest(&mut self) -> Option<QueueEntry> {
        // Of equally long ones the first, so that runs repeat.
        let (_, queue) = self.lists.iter_mut().rev().max_by_key(|(_, queue)| queue.longest())?;
        queue.drop_from_longest()
    }

    /// Removes the next packet, for `to` if given. Those that CoDel drops before it are appended to `dropped`.
    pub fn take(
        &mut self,
        now: SimTime,
        to: Option<NodeId>,
        dropped: &mut Vec<QueueEntry>,
    ) -> Option<QueueEntry> {
        if let Some(to) = to {
            let (_, queue) = self.lists.iter_mut().find(|(next_hop, _)| *next_hop == to)?;
            return queue.pop(now, dropped);
        }
        for _ in 0..self.lists.len() {
            self.turn = (self.turn + 1) % self.lists.len();
            let entry = self.lists[self.turn].1.pop(now, dropped);
            if entry.is_some() {
                return entry;
            }
        }
        None
    }

    /// Packets waiting.
    pub fn len(&self) -> usize {
        self.lists.iter().map(|(_, queue)| queue.len()).sum()
    }

    /// The packets.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> + '_ {
        self.lists.iter().flat_map(|(_, queue)| queue.iter().map(|entry| entry.packet))
    }

    /// Appends the packets.
    pub fn append_to(&self, out: &mut Vec<PacketId>) {
        // Nested iterators are slow one by one, which is how a vector takes them.
        self.packets().for_each(|packet| out.push(packet));
    }

    /// Removes all packets.
    pub fn clear(&mut self) {
        self.lists.clear();
    }

    /// Removes the packets for `next_hop` and appends them to `out`.
    pub fn purge(&mut self, next_hop: NodeId, out: &mut Vec<QueueEntry>) {
        for (_, queue) in self.lists.iter_mut().filter(|(to, _)| *to == next_hop) {
            queue.purge(|_| true, out);
        }
    }
}

/// The queue of one access category.
#[derive(Debug)]
enum Lane {
    Fifo(InterfaceQueue),
    ByFlow(FlowQueues),
}

/// The queues of the categories other than best effort, whose queues are the node's own. Each has the limit of the interface, as
/// each of Linux' hardware queues has a queueing discipline of its own.
#[derive(Debug)]
pub(super) struct Lanes {
    lanes: [Lane; 4],
    limit: usize,
}

impl Lanes {
    /// Empty queues for `limit` packets each; `perturbation`: those by flow have this random number.
    pub fn new(limit: u32, perturbation: Option<u64>) -> Self {
        let lane = |_| match perturbation {
            Some(perturbation) => Lane::ByFlow(FlowQueues::new(perturbation)),
            None => Lane::Fifo(InterfaceQueue::new(limit, false)),
        };
        Self { lanes: AccessCategory::ALL.map(lane), limit: limit as usize }
    }

    /// Appends a packet of `flow`. Returns the packet that is dropped instead.
    pub fn push(
        &mut self,
        now: SimTime,
        category: AccessCategory,
        entry: QueueEntry,
        flow: u64,
    ) -> Option<QueueEntry> {
        match &mut self.lanes[category as usize] {
            Lane::Fifo(queue) => queue.push(entry),
            Lane::ByFlow(flows) => {
                flows.push(now, entry, flow);
                if flows.len() > self.limit { flows.drop_from_longest() } else { None }
            }
        }
    }

    /// As [`FlowQueues::take`].
    pub fn take(
        &mut self,
        now: SimTime,
        category: AccessCategory,
        to: Option<NodeId>,
        dropped: &mut Vec<QueueEntry>,
    ) -> Option<QueueEntry> {
        match (&mut self.lanes[category as usize], to) {
            (Lane::Fifo(queue), Some(to)) => queue.pop_to(to),
            (Lane::Fifo(queue), None) => queue.pop(),
            (Lane::ByFlow(flows), to) => flows.take(now, to, dropped),
        }
    }

    /// Packets of a category that wait.
    pub fn waiting(&self, category: AccessCategory) -> usize {
        match &self.lanes[category as usize] {
            Lane::Fifo(queue) => queue.len(),
            Lane::ByFlow(flows) => flows.len(),
        }
    }

    /// Packets waiting.
    pub fn len(&self) -> usize {
        AccessCategory::ALL.iter().map(|category| self.waiting(*category)).sum()
    }

    /// The first of the packets that [`Self::packets`] appends.
    pub fn first(&self) -> Option<PacketId> {
        self.lanes.iter().find_map(|lane| match lane {
            Lane::Fifo(queue) => queue.iter().next().map(|entry| entry.packet),
            Lane::ByFlow(flows) => flows.packets().next(),
        })
    }

    /// Appends the packets.
    pub fn packets(&self, out: &mut Vec<PacketId>) {
        for lane in &self.lanes {
            match lane {
                Lane::Fifo(queue) => out.extend(queue.iter().map(|entry| entry.packet)),
                Lane::ByFlow(flows) => flows.append_to(out),
            }
        }
    }

    /// Removes all packets.
    pub fn clear(&mut self) {
        for lane in &mut self.lanes {
            match lane {
                Lane::Fifo(queue) => while queue.pop().is_some() {},
                Lane::ByFlow(flows) => flows.clear(),
            }
        }
    }

    /// Removes the packets for `next_hop` and appends them to `out`.
    pub fn purge(&mut self, next_hop: NodeId, out: &mut Vec<QueueEntry>) {
        for lane in &mut self.lanes {
            match lane {
                Lane::Fifo(queue) => queue.purge(next_hop, out),
                Lane::ByFlow(flows) => flows.purge(next_hop, out),
            }
        }
    }
}
