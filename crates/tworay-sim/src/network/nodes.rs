//! What stands on each node: MAC, receiver, interface queue, ARP, router; and its meter.

use super::agenda::Agenda;
use super::meters::Meters;
use crate::engine::TimerSlot;
use crate::provenance::Attempts;
use std::ops::{Index, IndexMut};
use tworay_base::{NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_mac::{ArpTable, Dcf, InterfaceQueue, MacConfig};
use tworay_radio::Receiver;
use tworay_routing::{Router, RoutingConfig};

/// Kinds of timers that every node has. Those of one kind have neighbouring slots, the MACs' come first.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodeTimer {
    /// The next step of a MAC's exchange.
    Exchange,
    Router,
    Arp,
}

impl NodeTimer {
    pub const ALL: [Self; 3] = [NodeTimer::Exchange, NodeTimer::Router, NodeTimer::Arp];
}

/// One node's protocols and what is known of it.
pub(crate) struct Node {
    pub mac: Dcf,
    pub receiver: Receiver,
    pub queue: InterfaceQueue,
    pub arp: ArpTable,
    pub router: Router,
    /// How the MAC's attempts with its present packet fared.
    pub attempts: Attempts,
    pub up: bool,
    /// When it was switched off last, or died.
    pub down_since: SimTime,
}

/// All nodes of a network.
pub(crate) struct Nodes {
    list: Vec<Node>,
    /// What the radios' energy costs; `None` without an energy model.
    pub meters: Option<Box<Meters>>,
    /// Whether any has ever been switched off or died.
    pub any_failed: bool,
    /// EIFS of their MACs.
    pub eifs: SimDuration,
}

impl Index<NodeId> for Nodes {
    type Output = Node;
    #[inline(always)]
    fn index(&self, node: NodeId) -> &Node {
        &self.list[node.index()]
    }
}

impl IndexMut<NodeId> for Nodes {
    #[inline(always)]
    fn index_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.list[node.index()]
    }
}

impl Nodes {
    /// This many nodes that have done nothing yet. Their timers are the agenda's first.
    pub fn new(count: usize, mac: &MacConfig, routing: &RoutingConfig, seed: u64) -> Self {
        let quirks = mac.quirks();
        let list: Vec<Node> = (0..count)
            .map(|i| {
                let id = NodeId(i as u16);
                Node {
                    mac: Dcf::new(mac, id, RngStream::new(seed, id, Purpose::Backoff)),
                    receiver: Receiver::with_luck(RngStream::new(seed, id, Purpose::ChannelError)),
                    queue: InterfaceQueue::new(mac.queue_limit, quirks.queue_one_short),
                    arp: ArpTable::new(mac.arp_retry),
                    router: Router::new(routing, id, RngStream::new(seed, id, Purpose::RoutingJitter)),
                    attempts: Attempts::default(),
                    up: true,
                    down_since: SimTime::NEVER,
                }
            })
            .collect();
        let eifs = list.first().map_or(SimDuration::ZERO, |n| n.mac.timing().eifs);
        Self { list, meters: None, any_failed: false, eifs }
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Every node's number.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.list.len()).map(|i| NodeId(i as u16))
    }

    /// All nodes, by number.
    #[inline(always)]
    pub fn as_mut_slice(&mut self) -> &mut [Node] {
        &mut self.list
    }

    pub fn iter(&self) -> impl Iterator<Item = &Node> {
        self.list.iter()
    }

    /// A node's timer.
    #[inline]
    pub fn timer(&self, node: NodeId, kind: NodeTimer) -> TimerSlot {
        kind as u32 * self.list.len() as u32 + u32::from(node.0)
    }

    /// Whose exchange timer `slot` is, if it is one.
    #[inline(always)]
    pub fn exchange_of(&self, slot: TimerSlot) -> Option<NodeId> {
        ((slot as usize) < self.list.len()).then_some(NodeId(slot as u16))
    }

    /// Whose timer `slot` is, and of which kind, if it is a node's.
    pub fn timer_of(&self, slot: TimerSlot) -> Option<(NodeId, NodeTimer)> {
        let nodes = self.list.len() as u32;
        let kind = NodeTimer::ALL.get(slot.checked_div(nodes)? as usize)?;
        Some((NodeId((slot % nodes) as u16), *kind))
    }

    /// How many timers belong to nodes.
    pub fn timers(&self) -> u32 {
        (NodeTimer::ALL.len() * self.list.len()) as u32
    }

    /// Sets a station's timers to what its MAC wants.
    #[inline(always)]
    pub fn set_mac_timers(&self, node: NodeId, agenda: &mut Agenda) {
        let mac = &self[node].mac;
        let (access, step) = (mac.contention_deadline(), mac.exchange_deadline());
        agenda.set_access(node, access);
        agenda.set_timer(self.timer(node, NodeTimer::Exchange), step);
    }

    /// Which station may send first, and when, if that is not after `limit`.
    #[inline(never)]
    pub fn first_access(&self, agenda: &mut Agenda, limit: SimTime) -> Option<(SimTime, usize)> {
        agenda.first_access(limit, |i| self.list[i].mac.contention_deadline())
    }

    /// Whether anything can happen up to `limit`.
    #[inline(always)]
    pub fn something_until(&self, agenda: &mut Agenda, limit: SimTime) -> bool {
        agenda.next_event() <= limit
            || agenda.next_access() <= limit && self.first_access(agenda, limit).is_some()
    }

    /// Appends the packets that nodes hold.
    pub fn held(&self, out: &mut Vec<PacketId>) {
        for n in &self.list {
            out.extend(n.mac.holds());
            out.extend(n.queue.iter().map(|e| e.packet));
            out.extend(n.arp.held());
            out.extend(n.router.buffered());
        }
    }
}
