//! AODV in the common network: packets move towards newer sequence numbers or fewer hops, and routes never
//! loop.

pub use super::network::{Script, data, ms, n};

use super::network::{self, Place, Watch};
use tworay_base::{FlowId, NodeId, Purpose, RngStream, Seq32, SimDuration, SimTime};
use tworay_routing::{AodvConfig, Router, RoutingConfig};
use tworay_wire::aodv::{AodvMessage, Rerr, Rrep, Rreq};
use tworay_wire::{Body, Packet};

pub type Net = network::Net<NextHops>;

pub fn control(src: u16, dst: NodeId, ttl: u8, message: AodvMessage) -> Packet {
    let ip_bytes = message.ip_bytes();
    Packet {
        uid: 0,
        src: n(src),
        dst,
        ttl,
        hops: 0,
        ip_bytes,
        flow: FlowId::NONE,
        dsr: None,
        body: Body::Aodv(Box::new(message)),
    }
}

pub fn rreq(orig: u16, orig_seq: u32, dst: u16, dst_seq: Option<u32>, hop_count: u8, id: u32) -> Rreq {
    Rreq {
        gratuitous: false,
        destination_only: false,
        unknown_seq: dst_seq.is_none(),
        hop_count,
        id,
        dst: n(dst),
        dst_seq: Seq32(dst_seq.unwrap_or(0)),
        orig: n(orig),
        orig_seq: Seq32(orig_seq),
    }
}

pub fn rrep(dst: u16, dst_seq: u32, orig: u16, hop_count: u8) -> Rrep {
    Rrep {
        ack_required: false,
        hop_count,
        dst: n(dst),
        dst_seq: Seq32(dst_seq),
        orig: n(orig),
        lifetime: SimDuration::from_secs(6),
    }
}

pub fn rerr(unreachable: &[(u16, u32)]) -> Rerr {
    Rerr { no_delete: false, unreachable: unreachable.iter().map(|&(d, s)| (n(d), Seq32(s))).collect() }
}

/// Checks routes from hop to hop.
#[derive(Default)]
pub struct NextHops {
    check_loops: bool,
}

/// The nodes that a packet visited.
#[derive(Clone, Debug, Default)]
pub struct Path {
    charged_at: Option<NodeId>,
    /// Nodes that forwarded it, with their route's number and hops.
    nodes: Vec<(NodeId, Seq32, u8)>,
}

impl Path {
    /// Number of times that it returned to a node whose sequence number was no newer than at the first visit.
    fn returns(&self) -> usize {
        let again = |i: usize| {
            let (node, seq, _) = self.nodes[i];
            self.nodes[i + 1..].iter().any(|&(n, later, _)| n == node && !later.gt(seq))
        };
        (0..self.nodes.len()).filter(|&i| again(i)).count()
    }
}

impl Watch for NextHops {
    type Mark = Path;

    fn describe(packet: &Packet) -> String {
        describe(packet)
    }

    /// Counts the hop, once per node, and checks the condition for loop freedom: a packet never moves to an
    /// older sequence number, and with the same one only to fewer hops.
    fn forwards(&mut self, at: Place, packet: &mut Packet, path: &mut Path) {
        if path.charged_at == Some(at.node) {
            // Sent again from the same node over another route.
            path.nodes.pop();
        } else if packet.src != at.node {
            assert!(packet.ttl > 1, "forwarded without hops left");
            packet.ttl -= 1;
            packet.hops += 1;
        }
        path.charged_at = Some(at.node);
        let Some((_, seq, hops)) = route(at.router, at.now, packet.dst) else { return };
        if self.check_loops {
            for &(before, old_seq, old_hops) in &path.nodes {
                let nearer = seq.gt(old_seq) || seq == old_seq && hops < old_hops;
                let direct = hops == 1;
                assert!(
                    nearer || direct,
                    "packet {} went from {before} ({old_seq}, {old_hops}) to {} ({seq}, {hops})\n{}",
                    packet.uid,
                    at.node,
                    at.ladder
                );
            }
        }
        path.nodes.push((at.node, seq, hops));
    }

    /// The next-hop graph must have no cycle.
    fn after_event(&self, net: &Net) {
        if !self.check_loops {
            return;
        }
        for dst in 0..net.nodes() {
            for start in 0..net.nodes() {
                let mut at = start;
                for _ in 0..=net.nodes() {
                    match net.route(at, dst) {
                        Some((via, ..)) if at != dst => at = via,
                        _ => break,
                    }
                }
                let ended = at == dst || net.route(at, dst).is_none();
                assert!(ended, "{:?}: a loop of routes to {dst} from {start}\n{}", net.now, net.ladder);
            }
        }
    }
}

/// Next hop, sequence number and hops of a valid route.
fn route(router: &Router, now: SimTime, dst: NodeId) -> Option<(NodeId, Seq32, u8)> {
    let Router::Aodv(aodv) = router else { panic!("not AODV") };
    aodv.route(now, dst)
}

impl Net {
    pub fn new(nodes: u16, config: &AodvConfig, seed: u64) -> Self {
        let routing = RoutingConfig { aodv: config.clone(), ..RoutingConfig::default() };
        let router = |i| Router::new(&routing, n(i), RngStream::new(seed, n(i), Purpose::RoutingJitter));
        Self::of((0..nodes).map(router), seed, NextHops::default())
    }

    /// 0 - 1 - 2 - ... in a line.
    pub fn chain(nodes: u16, config: &AodvConfig) -> Self {
        Self::new(nodes, config, 1).in_line()
    }

    /// Checks after each event that no next-hop graph has a cycle.
    pub fn checking_loops(mut self) -> Self {
        self.watch.check_loops = true;
        self
    }

    /// Next hop, sequence number and hops of `node`'s valid route to `dst`.
    pub fn route(&self, node: u16, dst: u16) -> Option<(u16, u32, u8)> {
        route(self.router(node), self.now, n(dst)).map(|(via, seq, hops)| (via.0, seq.0, hops))
    }

    /// Number of times that a packet returned to a node whose sequence number was no newer than at the first
    /// visit. With a newer one a return is legitimate: the next hop was lost, or the destination moved while
    /// the packet was in transit.
    pub fn returns(&self) -> usize {
        self.marks().map(Path::returns).sum()
    }
}

/// A message as short text.
pub fn describe(packet: &Packet) -> String {
    let Body::Aodv(message) = &packet.body else { return format!("data {}", packet.uid) };
    match &**message {
        AodvMessage::Rreq(r) => format!(
            "RREQ {}#{} seq {} for {} {} hops {} ttl {}",
            r.orig,
            r.id,
            r.orig_seq,
            r.dst,
            if r.unknown_seq { "seq ?".to_string() } else { format!("seq {}", r.dst_seq) },
            r.hop_count,
            packet.ttl
        ),
        AodvMessage::Rrep(r) if packet.dst.is_broadcast() => format!("HELLO seq {}", r.dst_seq),
        AodvMessage::Rrep(r) => {
            format!(
                "RREP {} seq {} hops {} for {} life {}",
                r.dst, r.dst_seq, r.hop_count, r.orig, r.lifetime
            )
        }
        AodvMessage::Rerr(r) => {
            let list: Vec<String> = r.unreachable.iter().map(|(d, s)| format!("{d} seq {s}")).collect();
            format!("RERR{} {}", if r.no_delete { " N" } else { "" }, list.join(", "))
        }
        AodvMessage::RrepAck => "RREP-ACK".to_string(),
    }
}
