//! Per-node state: MAC, receiver, interface queue, ARP, router and energy meter.

pub(crate) mod fixed_routes;
pub(crate) mod link_layer;
mod mac;
pub(crate) mod meters;
pub(crate) mod power;
pub(crate) mod routing;
pub(crate) mod stations;

use super::agenda::Agenda;
use crate::engine::TimerSlot;
use crate::network::node::meters::Meters;
use crate::observe::Awaited;
use std::ops::{Index, IndexMut};
use tworay_base::{NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_mac::{ArpTable, Dcf, InterfaceQueue, MacConfig};
use tworay_radio::Receiver;
use tworay_routing::{Router, RoutingConfig};

/// Timers of every node. Timers of one kind have adjacent slots; those of the MACs come first.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodeTimer {
    /// Next step of a MAC's frame exchange.
    Exchange,
    Router,
    Arp,
}

impl NodeTimer {
    pub const ALL: [Self; 3] = [NodeTimer::Exchange, NodeTimer::Router, NodeTimer::Arp];
}

/// Protocols and state of one node.
pub(crate) struct Node {
    pub mac: Dcf,
    pub receiver: Receiver,
    pub queue: InterfaceQueue,
    pub arp: ArpTable,
    pub router: Router,
    pub up: bool,
    /// When it was last switched off, or died.
    pub down_since: SimTime,
    /// When it was last switched on again; time zero if it never was off.
    pub up_since: SimTime,
}

/// All nodes of a network.
pub(crate) struct Nodes {
    list: Vec<Node>,
    /// Energy meters of the radios; `None` without an energy model.
    pub meters: Option<Box<Meters>>,
    /// True if any node has ever been switched off or died.
    pub any_failed: bool,
    /// Number of times that nodes with a routing protocol were switched off.
    pub power_offs: u32,
    /// EIFS of the MACs.
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
    /// Creates `count` idle nodes. Their timers must be the first of the agenda.
    pub fn new(count: usize, mac: &MacConfig, routing: &RoutingConfig, seed: u64) -> Self {
        let quirks = mac.quirks();
        let list: Vec<Node> = (0..count)
            .map(|i| {
                let id = NodeId(i as u16);
                Node {
                    mac: Dcf::new(mac, id, RngStream::new(seed, id, Purpose::Backoff))
                        .with_overload(mac, RngStream::new(seed, id, Purpose::LinkRed)),
                    receiver: Receiver::with_luck(RngStream::new(seed, id, Purpose::ChannelError)),
                    queue: InterfaceQueue::new(mac.queue_limit, quirks.queue_one_short),
                    arp: ArpTable::new(mac.arp_retry),
                    router: Router::new(routing, id, RngStream::new(seed, id, Purpose::RoutingJitter)),
                    up: true,
                    down_since: SimTime::NEVER,
                    up_since: SimTime::ZERO,
                }
            })
            .collect();
        let eifs = list.first().map_or(SimDuration::ZERO, |n| n.mac.timing().eifs);
        Self { list, meters: None, any_failed: false, power_offs: 0, eifs }
    }

    /// Number of nodes.
    #[inline]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All node numbers.
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

    /// State of a station that does not answer; `in_range`: as seen from the one that waits.
    pub fn awaited(&self, node: NodeId, in_range: bool) -> Awaited {
        Awaited { up: self[node].up, down_since: self[node].down_since, in_range }
    }

    /// A node's timer.
    #[inline]
    pub fn timer(&self, node: NodeId, kind: NodeTimer) -> TimerSlot {
        kind as u32 * self.list.len() as u32 + u32::from(node.0)
    }

    /// The node whose exchange timer is `slot`, if any.
    #[inline(always)]
    pub fn exchange_of(&self, slot: TimerSlot) -> Option<NodeId> {
        ((slot as usize) < self.list.len()).then_some(NodeId(slot as u16))
    }

    /// The node and kind of timer `slot`, if it belongs to a node.
    pub fn timer_of(&self, slot: TimerSlot) -> Option<(NodeId, NodeTimer)> {
        let nodes = self.list.len() as u32;
        let kind = NodeTimer::ALL.get(slot.checked_div(nodes)? as usize)?;
        Some((NodeId((slot % nodes) as u16), *kind))
    }

    /// Number of timers that belong to nodes.
    pub fn timers(&self) -> u32 {
        (NodeTimer::ALL.len() * self.list.len()) as u32
    }

    /// Sets a station's timers to the deadlines of its MAC.
    #[inline(always)]
    pub fn set_mac_timers(&self, node: NodeId, agenda: &mut Agenda) {
        let mac = &self[node].mac;
        let (access, step) = (mac.contention_deadline(), mac.exchange_deadline());
        agenda.set_access(node, access);
        agenda.set_timer(self.timer(node, NodeTimer::Exchange), step);
    }

    /// The station that may transmit first, and when, if that is not after `limit`; `tie` decides between equal times.
    #[inline(never)]
    pub fn first_access(
        &self,
        agenda: &mut Agenda,
        limit: SimTime,
        tie: SimTime,
    ) -> Option<(SimTime, usize)> {
        agenda.first_access(limit, tie, |i| self.list[i].mac.contention_deadline())
    }

    /// True if anything can happen up to `limit`.
    #[inline(always)]
    pub fn something_until(&self, agenda: &mut Agenda, limit: SimTime) -> bool {
        agenda.next_event() <= limit
            || agenda.next_access() <= limit && self.first_access(agenda, limit, limit).is_some()
    }

    /// Appends the packets that nodes hold.
    pub fn held(&self, out: &mut Vec<PacketId>) {
        for n in &self.list {
            out.extend(n.mac.holds());
            out.extend(n.queue.iter().map(|e| e.packet));
            out.extend(n.arp.held().map(|(_, packet)| packet));
            out.extend(n.router.buffered());
        }
    }
}
