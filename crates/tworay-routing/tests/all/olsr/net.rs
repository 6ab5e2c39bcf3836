//! OLSR in the common network: routes are compared with the links.

use super::network::{self, Place, Watch, n};
use std::collections::VecDeque;
use tworay_base::{NodeId, Purpose, RngStream, SimDuration};
use tworay_routing::{DropReason, Olsr, OlsrConfig, Protocol, Router, RoutingConfig};
use tworay_wire::Packet;

pub type Net = network::Net<Paths>;

/// Outcome of a datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrived(Vec<u16>),
    Dropped(DropReason),
    /// Sent to an unreachable node.
    Lost,
}

/// Notes the path of each datagram.
pub struct Paths;

impl Watch for Paths {
    /// Nodes that the datagram left.
    type Mark = Vec<u16>;

    fn describe(packet: &Packet) -> String {
        if packet.is_routing() { "OLSR".into() } else { format!("data {}", packet.uid) }
    }

    fn forwards(&mut self, at: Place, packet: &mut Packet, _path: &mut Vec<u16>) {
        packet.ttl -= u8::from(packet.src != at.node);
    }

    fn crosses(&mut self, at: Place, _packet: &mut Packet, path: &mut Vec<u16>) {
        path.push(at.node.0);
    }
}

impl Net {
    pub fn new(nodes: u16, config: &OlsrConfig, seed: u64) -> Self {
        let routing =
            RoutingConfig { protocol: Protocol::Olsr, olsr: config.clone(), ..RoutingConfig::default() };
        let router = |i| Router::new(&routing, n(i), RngStream::new(seed, n(i), Purpose::RoutingJitter));
        Self::of((0..nodes).map(router), seed, Paths)
    }

    pub fn olsr(&self, node: u16) -> &Olsr {
        let Router::Olsr(olsr) = self.router(node) else { panic!("not OLSR") };
        olsr
    }

    pub fn run(&mut self, seconds: u64) {
        self.run_until(self.now + SimDuration::from_secs(seconds));
    }

    /// Sends a datagram and waits for its outcome. No frame is lost meanwhile on the links that exist.
    pub fn send(&mut self, src: u16, dst: u16) -> Fate {
        let loss = std::mem::take(&mut self.loss);
        let (arrived, dropped) = (self.delivered.len(), self.dropped.len());
        self.send_at(self.now, src, dst);
        while self.delivered.len() == arrived && self.dropped.len() == dropped {
            self.run_until(self.now + network::AIRTIME);
        }
        self.loss = loss;
        let Some((_, reason)) = self.dropped.get(dropped) else {
            let mut path = self.mark_of(self.sent).clone();
            path.push(dst);
            return Fate::Arrived(path);
        };
        match DropReason::ALL.iter().find(|r| r.name() == *reason) {
            Some(DropReason::MacCallback) => Fate::Lost,
            Some(reason) => Fate::Dropped(*reason),
            None => panic!("{reason} is no reason"),
        }
    }

    /// True distances from `src` by breadth-first search.
    pub fn distances(&self, src: u16) -> Vec<Option<u8>> {
        let mut distance = vec![None; usize::from(self.nodes())];
        distance[usize::from(src)] = Some(0);
        let mut open = VecDeque::from([src]);
        while let Some(a) = open.pop_front() {
            for b in self.hearers(n(a)) {
                if distance[usize::from(b)].is_none() {
                    distance[usize::from(b)] = distance[usize::from(a)].map(|d| d + 1);
                    open.push_back(b);
                }
            }
        }
        distance
    }

    /// Compares the routes with the links: every connected pair must have a shortest route, and no other pair
    /// may have any. Returns a description of the first difference.
    pub fn fault(&mut self) -> Option<String> {
        for src in 0..self.nodes() {
            let distances = self.distances(src);
            for (dst, &truth) in (0..self.nodes()).zip(&distances).filter(|(dst, _)| *dst != src) {
                let told = self.route(src, dst);
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

    /// Hops of the current route, if any.
    fn route(&mut self, src: u16, dst: u16) -> Option<u8> {
        let now = self.now;
        let Router::Olsr(olsr) = self.router_mut(src) else { panic!("not OLSR") };
        olsr.route(now, NodeId(dst)).map(|(_, hops)| hops)
    }
}
