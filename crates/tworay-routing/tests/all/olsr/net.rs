//! A network of routers whose links the tests can cut; a broadcast reaches every linked node a little later.

use super::desk::datagram;
use std::collections::{BTreeMap, VecDeque};
use tworay_base::{NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_routing::RoutingProtocol;
use tworay_routing::{DropReason, Olsr, OlsrConfig, RoutingAction};
use tworay_wire::Packet;

const CROSSING: SimDuration = SimDuration::from_millis(1);

enum What {
    Wake(usize),
    Arrive { node: usize, from: usize, packet: Packet },
}

/// Outcome of a datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrived(Vec<u16>),
    Dropped(DropReason),
    /// Sent to an unreachable node.
    Lost,
}

pub struct Net {
    pub nodes: Vec<Olsr>,
    pub now: SimTime,
    links: Vec<Vec<bool>>,
    wakes: Vec<SimTime>,
    queue: BTreeMap<(SimTime, u64), What>,
    count: u64,
    loss: f64,
    rng: RngStream,
}

impl Net {
    pub fn new(n: usize, config: &OlsrConfig, seed: u64) -> Self {
        let router =
            |i| Olsr::new(config, NodeId(i as u16), RngStream::new(seed, NodeId(i as u16), Purpose::Test));
        let mut net = Self {
            nodes: (0..n).map(router).collect(),
            now: SimTime::ZERO,
            links: vec![vec![false; n]; n],
            wakes: vec![SimTime::NEVER; n],
            queue: BTreeMap::new(),
            count: 0,
            loss: 0.0,
            rng: RngStream::numbered(seed, 99, Purpose::Test),
        };
        for i in 0..n {
            let mut out = Vec::new();
            net.nodes[i].start(net.now, &mut out);
            net.apply(i, out);
        }
        net
    }

    pub fn with_loss(mut self, loss: f64) -> Self {
        self.loss = loss;
        self
    }

    pub fn link(&mut self, a: usize, b: usize, up: bool) {
        self.links[a][b] = up;
        self.links[b][a] = up;
    }

    fn push(&mut self, at: SimTime, what: What) {
        self.count += 1;
        self.queue.insert((at, self.count), what);
    }

    fn apply(&mut self, node: usize, out: Vec<RoutingAction>) {
        for action in out {
            match action {
                RoutingAction::WakeAt(at) => {
                    self.wakes[node] = at;
                    if at < SimTime::NEVER {
                        self.push(at, What::Wake(node));
                    }
                }
                RoutingAction::Originate { packet, .. } => {
                    for to in 0..self.nodes.len() {
                        if self.links[node][to] && !self.rng.chance(self.loss) {
                            self.push(
                                self.now + CROSSING,
                                What::Arrive { node: to, from: node, packet: Packet::clone(&packet) },
                            );
                        }
                    }
                }
                RoutingAction::Consume { .. } | RoutingAction::Note(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    pub fn run(&mut self, seconds: u64) {
        let end = self.now + SimDuration::from_secs(seconds);
        while let Some(entry) = self.queue.first_entry() {
            let at = entry.key().0;
            if at > end {
                break;
            }
            self.now = at;
            let mut out = Vec::new();
            match entry.remove() {
                What::Wake(node) if self.wakes[node] == at => {
                    self.wakes[node] = SimTime::NEVER;
                    self.nodes[node].on_timer(at, &mut out);
                    self.apply(node, out);
                }
                What::Wake(_) => {}
                What::Arrive { node, from, packet } => {
                    self.nodes[node].on_receive(at, PacketId(0), &packet, NodeId(from as u16), &mut out);
                    self.apply(node, out);
                }
            }
        }
        self.now = end;
    }

    /// Sends a datagram, which takes no time.
    pub fn send(&mut self, src: usize, dst: usize) -> Fate {
        let mut packet = datagram(src as u16, dst as u16, 64);
        let mut path = vec![src as u16];
        let (mut at, mut from) = (src, None);
        loop {
            let mut out = Vec::new();
            match from {
                None => self.nodes[at].on_send(self.now, PacketId(0), &packet, &mut out),
                Some(f) => self.nodes[at].on_receive(self.now, PacketId(0), &packet, NodeId(f), &mut out),
            }
            out.retain(|a| !matches!(a, RoutingAction::Note(_)));
            match out[..] {
                [RoutingAction::Forward { next_hop, .. }] => {
                    packet.ttl -= u8::from(from.is_some());
                    from = Some(at as u16);
                    if !self.links[at][next_hop.index()] {
                        return Fate::Lost;
                    }
                    at = next_hop.index();
                    path.push(next_hop.0);
                }
                [RoutingAction::Deliver { .. }] => return Fate::Arrived(path),
                [RoutingAction::Drop { reason, .. }] => return Fate::Dropped(reason),
                ref other => panic!("{other:?}"),
            }
        }
    }

    /// True distances from `src` by breadth-first search.
    pub fn distances(&self, src: usize) -> Vec<Option<u8>> {
        let mut distance = vec![None; self.nodes.len()];
        distance[src] = Some(0);
        let mut open = VecDeque::from([src]);
        while let Some(a) = open.pop_front() {
            for b in 0..self.nodes.len() {
                if self.links[a][b] && distance[b].is_none() {
                    distance[b] = distance[a].map(|d| d + 1);
                    open.push_back(b);
                }
            }
        }
        distance
    }

    /// Compares the routes with the links: every connected pair must have a shortest route, and no other pair
    /// may have any. Returns a description of the first difference.
    pub fn fault(&mut self) -> Option<String> {
        for src in 0..self.nodes.len() {
            let distances = self.distances(src);
            for (dst, &truth) in distances.iter().enumerate().filter(|(dst, _)| *dst != src) {
                let told = self.nodes[src].route(self.now, NodeId(dst as u16)).map(|(_, hops)| hops);
                if told != truth {
                    return Some(format!("{src} has {told:?} hops to {dst}, in truth {truth:?}"));
                }
                match (self.send(src, dst), truth) {
                    (Fate::Arrived(path), Some(hops)) if path.len() == usize::from(hops) + 1 => {}
                    (Fate::Dropped(DropReason::NoRoute), None) => {}
                    (fate, truth) => return Some(format!("{src} to {dst} ({truth:?} hops): {fate:?}")),
                }
            }
        }
        None
    }
}
