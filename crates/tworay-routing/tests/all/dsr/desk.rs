//! One router by itself: packets in, actions out, as text.

use super::net::{describe, n, router};
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_routing::{DsrConfig, Router, RoutingAction, RoutingCounters};
use tworay_wire::Packet;
use tworay_wire::dsr::DsrHeader;

pub struct Desk {
    pub router: Router,
    next: u32,
    /// Packets forwarded, in order.
    pub left: Vec<PacketId>,
    /// Also report notes and timers.
    pub verbose: bool,
}

impl Desk {
    pub fn new(node: u16, config: DsrConfig) -> Self {
        let config =
            DsrConfig { broadcast_jitter: SimDuration::ZERO, reply_holdoff: SimDuration::ZERO, ..config };
        Self { router: router(node, &config, 1), next: 0, left: Vec::new(), verbose: false }
    }

    fn act(
        &mut self,
        packet: &Packet,
        call: impl FnOnce(&mut Router, PacketId, &mut Vec<RoutingAction>),
    ) -> Vec<String> {
        let mut out = Vec::new();
        call(&mut self.router, PacketId(self.next), &mut out);
        self.next += 1;
        self.left.extend(out.iter().filter_map(|a| match a {
            RoutingAction::Forward { packet, .. } | RoutingAction::SendCopy { packet, .. } => Some(*packet),
            _ => None,
        }));
        let mut packet = packet.clone();
        out.into_iter().filter_map(|a| word(a, &mut packet, self.verbose)).collect()
    }

    pub fn hear(&mut self, t: SimTime, from: u16, packet: &Packet) -> Vec<String> {
        self.act(packet, |r, id, out| r.on_receive(t, id, packet, n(from), out))
    }
    pub fn overhear(&mut self, t: SimTime, from: u16, to: u16, packet: &Packet) -> Vec<String> {
        self.act(packet, |r, _, out| r.on_tap(t, packet, n(from), n(to), out))
    }
    pub fn send(&mut self, t: SimTime, packet: &Packet) -> Vec<String> {
        self.act(packet, |r, id, out| r.on_send(t, id, packet, out))
    }
    pub fn fail(&mut self, t: SimTime, packet: &Packet, next_hop: u16) -> Vec<String> {
        self.act(packet, |r, id, out| r.on_link_failure(t, id, packet, n(next_hop), out))
    }
    /// The packet is returned from the interface queue, in which it waited for `next_hop`.
    pub fn purged(&mut self, t: SimTime, packet: &Packet, next_hop: u16) -> Vec<String> {
        self.act(packet, |r, id, out| r.on_queue_purged(t, id, packet, n(next_hop), out))
    }
    pub fn wake(&mut self, t: SimTime, waiting: &Packet) -> Vec<String> {
        self.act(waiting, |r, _, out| r.on_timer(t, out))
    }
    pub fn counters(&self) -> &RoutingCounters {
        self.router.counters()
    }
    pub fn route(&self, t: SimTime, dst: u16) -> Option<Vec<u16>> {
        let Router::Dsr(dsr) = &self.router else { panic!("not DSR") };
        dsr.route(t, n(dst)).map(|path: Vec<NodeId>| path.iter().map(|n| n.0).collect())
    }
}

/// Puts a DSR header on a packet.
pub fn with(packet: Packet, header: DsrHeader) -> Packet {
    Packet { ip_bytes: packet.ip_bytes + header.wire_bytes(), dsr: Some(Box::new(header)), ..packet }
}

fn word(action: RoutingAction, packet: &mut Packet, verbose: bool) -> Option<String> {
    Some(match action {
        RoutingAction::SetHeader { header, .. } => {
            packet.dsr = header;
            return None;
        }
        RoutingAction::SendCopy { next_hop, .. } => format!("copy {} to {next_hop}", describe(packet)),
        RoutingAction::Forward { next_hop, delay, .. } if delay.is_zero() => {
            format!("{} to {next_hop}", describe(packet))
        }
        RoutingAction::Forward { next_hop, delay, .. } => {
            format!("{} to {next_hop} in {delay}", describe(packet))
        }
        RoutingAction::Originate { packet, next_hop, .. } => {
            format!("new {} to {next_hop}", describe(&packet))
        }
        RoutingAction::Deliver { .. } => "deliver".into(),
        RoutingAction::Consume { .. } => return None,
        RoutingAction::Drop { reason, .. } => format!("drop {}", reason.name()),
        RoutingAction::PurgeQueue { next_hop } => format!("purge {next_hop}"),
        RoutingAction::WakeAt(t) if verbose => format!("wake at {t}"),
        RoutingAction::Note(note) if verbose => format!("{note:?}"),
        RoutingAction::WakeAt(_) | RoutingAction::Note(_) => return None,
    })
}
