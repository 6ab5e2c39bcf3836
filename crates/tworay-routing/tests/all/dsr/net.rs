//! DSR in the common network: no packet visits a node twice on one source route.

pub use super::network::{Script, data, ms, n};

use super::network::{self, Place, Watch};
use tworay_base::{FlowId, NodeId, Purpose, RngStream};
use tworay_routing::{DsrConfig, Protocol, Router, RoutingConfig};
use tworay_wire::dsr::{Addresses, DsrHeader};
use tworay_wire::{Body, Packet};

pub type Net = network::Net<SourceRoutes>;

pub fn list(ids: &[u16]) -> Addresses {
    ids.iter().map(|&i| NodeId(i)).collect()
}

/// A DSR packet without data.
pub fn control(src: u16, dst: NodeId, ttl: u8, header: DsrHeader) -> Packet {
    let ip_bytes = header.ip_bytes();
    let dsr = Some(Box::new(header));
    Packet { ttl, flow: FlowId::NONE, ip_bytes, dsr, body: Body::Dsr, ..data(src, dst.0, 0) }
}

pub fn router(node: u16, config: &DsrConfig, seed: u64) -> Router {
    let routing = RoutingConfig { protocol: Protocol::Dsr, dsr: config.clone(), ..RoutingConfig::default() };
    Router::new(&routing, n(node), RngStream::new(seed, n(node), Purpose::RoutingJitter))
}

/// Checks source routes.
pub struct SourceRoutes {
    pub most_salvages: u8,
    /// True if the MAC reports frames it gave up; if not, senders keep a copy of each packet.
    feedback: bool,
}

/// The nodes that a packet visited since it got its source route.
#[derive(Clone, Debug, Default)]
pub struct Visits {
    nodes: Vec<NodeId>,
    salvage: u8,
}

impl Watch for SourceRoutes {
    type Mark = Visits;

    fn describe(packet: &Packet) -> String {
        describe(packet)
    }

    fn loss_is_final(&self) -> bool {
        self.feedback
    }

    /// No node is visited twice on one source route; salvaging begins a new one.
    fn crosses(&mut self, at: Place, packet: &mut Packet, visits: &mut Visits) {
        packet.hops += 1;
        if packet.is_routing() {
            assert_eq!(packet.ip_bytes, packet.dsr.as_ref().expect("DSR's own").ip_bytes());
        }
        let Some(route) = packet.dsr.as_ref().and_then(|h| h.source_route.as_ref()) else { return };
        self.most_salvages = self.most_salvages.max(route.salvage);
        if route.salvage != visits.salvage {
            visits.salvage = route.salvage;
            visits.nodes.clear();
        }
        assert!(!visits.nodes.contains(&at.node), "{} twice on a route\n{}", at.node, at.ladder);
        visits.nodes.push(at.node);
    }
}

impl Net {
    pub fn new(nodes: u16, config: &DsrConfig, seed: u64) -> Self {
        let watch = SourceRoutes { most_salvages: 0, feedback: config.link_layer_feedback };
        Self::of((0..nodes).map(|i| router(i, config, seed)), seed, watch)
    }

    /// 0 - 1 - 2 - ... in a line.
    pub fn chain(nodes: u16, config: &DsrConfig) -> Self {
        Self::new(nodes, config, 1).in_line()
    }
}

fn names(nodes: &[NodeId]) -> String {
    nodes.iter().map(|n| n.to_string()).collect::<Vec<_>>().join("-")
}

/// A packet as short text.
pub fn describe(packet: &Packet) -> String {
    let mut words: Vec<String> = Vec::new();
    if !packet.is_routing() {
        words.push(format!("data {}", packet.uid));
    }
    let header = packet.dsr.as_deref().cloned().unwrap_or_default();
    if let Some(r) = &header.request {
        let way: Vec<NodeId> = std::iter::once(packet.src).chain(r.addresses.iter().copied()).collect();
        words.push(format!("RREQ #{} {}..{} ttl {}", r.id, names(&way), r.target, packet.ttl));
    }
    for r in &header.replies {
        words.push(format!("RREP {}-{}", packet.dst, names(&r.addresses)));
    }
    for e in &header.errors {
        words.push(format!("RERR {}-{} to {}", e.source, e.unreachable, e.destination));
    }
    if let Some(r) = header.ack_request {
        words.push(format!("ack? {}", r.id));
    }
    words.extend(header.acks.iter().map(|a| format!("ACK {}", a.id)));
    if let Some(r) = &header.source_route {
        let again = if r.salvage > 0 { format!(" salvaged {}", r.salvage) } else { String::new() };
        words.push(format!("via [{}] left {}{again}", names(&r.addresses), r.segments_left));
    }
    words.join(" ")
}
