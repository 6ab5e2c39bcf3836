//! One router by itself: messages in, actions out, as text.

use super::harness::{control, data, describe, n};
use tworay_base::{NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_routing::{AodvConfig, Router, RoutingAction, RoutingConfig, RoutingCounters};
use tworay_wire::aodv::{AodvMessage, Rerr, Rrep, Rreq};
use tworay_wire::{Body, Packet};

pub struct Desk {
    pub router: Router,
    next: u32,
    /// Also report notes and timers.
    pub verbose: bool,
}

impl Desk {
    pub fn new(node: u16, config: AodvConfig) -> Self {
        let config = AodvConfig { broadcast_jitter: SimDuration::ZERO, ..config };
        let routing = RoutingConfig { aodv: config, ..RoutingConfig::default() };
        let router = Router::new(&routing, n(node), RngStream::new(1, n(node), Purpose::RoutingJitter));
        let mut desk = Self { router, next: 0, verbose: false };
        desk.act(|r, _, out| r.start(SimTime::ZERO, out));
        desk
    }

    fn act(&mut self, call: impl FnOnce(&mut Router, PacketId, &mut Vec<RoutingAction>)) -> Vec<String> {
        let mut out = Vec::new();
        call(&mut self.router, PacketId(self.next), &mut out);
        self.next += 1;
        out.iter().filter_map(|a| word(a, self.verbose)).collect()
    }

    pub fn hear(&mut self, t: SimTime, from: u16, to: NodeId, ttl: u8, message: AodvMessage) -> Vec<String> {
        let packet = control(from, to, ttl, message);
        self.act(|r, id, out| r.on_receive(t, id, &packet, n(from), out))
    }
    pub fn rreq(&mut self, t: SimTime, from: u16, ttl: u8, rreq: Rreq) -> Vec<String> {
        self.hear(t, from, NodeId::BROADCAST, ttl, AodvMessage::Rreq(rreq))
    }
    pub fn rrep(&mut self, t: SimTime, from: u16, rrep: Rrep) -> Vec<String> {
        self.hear(t, from, n(0), 30, AodvMessage::Rrep(rrep))
    }
    pub fn rerr(&mut self, t: SimTime, from: u16, rerr: Rerr) -> Vec<String> {
        self.hear(t, from, NodeId::BROADCAST, 1, AodvMessage::Rerr(rerr))
    }
    pub fn send(&mut self, t: SimTime, packet: &Packet) -> Vec<String> {
        self.act(|r, id, out| r.on_send(t, id, packet, out))
    }
    pub fn data(&mut self, t: SimTime, from: u16, packet: &Packet) -> Vec<String> {
        self.act(|r, id, out| r.on_receive(t, id, packet, n(from), out))
    }
    pub fn fail(&mut self, t: SimTime, packet: &Packet, next_hop: u16) -> Vec<String> {
        self.act(|r, id, out| r.on_link_failure(t, id, packet, n(next_hop), out))
    }
    /// The route errors that the node sends after the MAC gave up a packet.
    pub fn errors_of_failure(&mut self, t: SimTime, packet: &Packet, next_hop: u16) -> Vec<Rerr> {
        let mut out = Vec::new();
        self.router.on_link_failure(t, PacketId(self.next), packet, n(next_hop), &mut out);
        let errors = out.into_iter().filter_map(|action| match action {
            RoutingAction::Originate { packet, .. } => match packet.body {
                Body::Aodv(message) => match *message {
                    AodvMessage::Rerr(rerr) => Some(rerr),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        });
        errors.collect()
    }
    pub fn wake(&mut self, t: SimTime) -> Vec<String> {
        self.act(|r, _, out| r.on_timer(t, out))
    }
    pub fn counters(&self) -> &RoutingCounters {
        self.router.counters()
    }

    /// Next hop, sequence number, hops.
    pub fn route(&self, t: SimTime, dst: u16) -> Option<(u16, u32, u8)> {
        let Router::Aodv(aodv) = &self.router else { panic!("not AODV") };
        aodv.route(t, n(dst)).map(|(via, seq, hops)| (via.0, seq.0, hops))
    }
}

/// A packet of `src` in transit that has already travelled `hops` hops.
pub fn transit(src: u16, dst: u16, hops: u8) -> Packet {
    Packet { hops, ..data(src, dst, 1) }
}

fn word(action: &RoutingAction, verbose: bool) -> Option<String> {
    Some(match action {
        RoutingAction::Forward { next_hop, delay, .. } if delay.is_zero() => format!("forward to {next_hop}"),
        RoutingAction::Forward { next_hop, delay, .. } => format!("forward to {next_hop} in {delay}"),
        RoutingAction::Originate { packet, next_hop, .. } => format!("{} to {next_hop}", describe(packet)),
        RoutingAction::Deliver { .. } => "deliver".into(),
        RoutingAction::Consume { .. } => return None,
        RoutingAction::Drop { reason, .. } => format!("drop {}", reason.name()),
        RoutingAction::PurgeQueue { next_hop } => format!("purge {next_hop}"),
        RoutingAction::WakeAt(t) if verbose => format!("wake at {t}"),
        RoutingAction::Note(note) if verbose => format!("{note:?}"),
        RoutingAction::WakeAt(_) | RoutingAction::Note(_) => return None,
        RoutingAction::SetHeader { .. } | RoutingAction::SendCopy { .. } => panic!("DSR's"),
    })
}
