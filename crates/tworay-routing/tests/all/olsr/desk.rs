//! One router by itself: inputs and actions.

use tworay_base::{FlowId, NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_routing::RoutingProtocol;
use tworay_routing::{Olsr, OlsrConfig, RoutingAction, RoutingNote};
use tworay_wire::olsr::{
    LinkCode, LinkGroup, LinkType, NeighbourType, OlsrBody, OlsrHello, OlsrMessage, OlsrPacket, OlsrTc, Vtime,
};
use tworay_wire::{Body, Packet, UdpDatagram};

/// The router under test.
pub const ME: NodeId = NodeId(0);
pub const ASYM: LinkCode = LinkCode::new(LinkType::Asymmetric, NeighbourType::Not);
pub const SYM: LinkCode = LinkCode::new(LinkType::Symmetric, NeighbourType::Symmetric);
pub const MPR: LinkCode = LinkCode::new(LinkType::Symmetric, NeighbourType::Mpr);
pub const LOST: LinkCode = LinkCode::new(LinkType::Lost, NeighbourType::Not);

pub fn ids(list: &[u16]) -> Vec<NodeId> {
    list.iter().map(|n| NodeId(*n)).collect()
}

pub fn at(seconds: f64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs_f64(seconds)
}

/// Settings without jitter, so that times are predictable.
pub fn punctual() -> OlsrConfig {
    OlsrConfig { max_jitter: SimDuration::ZERO, ..OlsrConfig::rfc3626() }
}

pub struct Desk {
    pub olsr: Olsr,
    pub now: SimTime,
    wake: SimTime,
    next_packet: u32,
    next_seq: u16,
    /// Packets sent, with their times.
    pub sent: Vec<(SimTime, OlsrPacket)>,
    pub notes: Vec<RoutingNote>,
}

impl Desk {
    pub fn new(config: &OlsrConfig) -> Self {
        let olsr = Olsr::new(config, ME, RngStream::new(1, ME, Purpose::Test));
        let mut desk = Self {
            olsr,
            now: SimTime::ZERO,
            wake: SimTime::NEVER,
            next_packet: 0,
            next_seq: 0,
            sent: Vec::new(),
            notes: Vec::new(),
        };
        let mut out = Vec::new();
        desk.olsr.start(desk.now, &mut out);
        desk.keep(out);
        desk
    }

    /// Stores the router's messages and notes; returns its other actions.
    fn keep(&mut self, out: Vec<RoutingAction>) -> Vec<RoutingAction> {
        let mut rest = Vec::new();
        for action in out {
            match action {
                RoutingAction::WakeAt(at) => self.wake = at,
                RoutingAction::Note(note) => self.notes.push(note),
                RoutingAction::Originate { packet, next_hop, delay } => {
                    assert!(next_hop.is_broadcast() && packet.dst.is_broadcast() && packet.ttl == 1);
                    assert_eq!((packet.src, delay), (ME, SimDuration::ZERO));
                    let Body::Olsr(olsr) = packet.body else { panic!("not OLSR") };
                    assert_eq!(packet.ip_bytes, olsr.ip_bytes());
                    self.sent.push((self.now, *olsr));
                }
                other => rest.push(other),
            }
        }
        rest
    }

    /// Advances time and fires the timer.
    pub fn run_to(&mut self, end: SimTime) {
        while self.wake <= end {
            assert!(self.wake >= self.now, "woken in the past");
            self.now = self.wake;
            self.wake = SimTime::NEVER;
            let mut out = Vec::new();
            self.olsr.on_timer(self.now, &mut out);
            let rest = self.keep(out);
            assert_eq!(rest, []);
        }
        self.now = end;
    }

    pub fn id(&mut self) -> PacketId {
        self.next_packet += 1;
        PacketId(self.next_packet)
    }

    /// A packet of `from` with these messages arrives. Returns the answer to it and all other actions.
    pub fn hear_packet(&mut self, from: NodeId, packet: OlsrPacket) -> Vec<RoutingAction> {
        let packet = Packet {
            uid: 1,
            src: from,
            dst: NodeId::BROADCAST,
            ttl: 1,
            hops: 0,
            ip_bytes: packet.ip_bytes(),
            flow: FlowId::NONE,
            dsr: None,
            body: Body::Olsr(Box::new(packet)),
        };
        let id = self.id();
        let mut out = Vec::new();
        self.olsr.on_receive(self.now, id, &packet, from, &mut out);
        self.keep(out)
    }

    pub fn hear(&mut self, from: u16, messages: Vec<OlsrMessage>) -> Vec<RoutingAction> {
        self.next_seq += 1;
        self.hear_packet(NodeId(from), OlsrPacket { seq: self.next_seq, messages })
    }

    pub fn message(&mut self, originator: u16, body: OlsrBody) -> OlsrMessage {
        self.next_seq += 1;
        let (hold, ttl) = if matches!(body, OlsrBody::Hello(_)) { (6, 1) } else { (15, 255) };
        OlsrMessage {
            vtime: Vtime::covering(SimDuration::from_secs(hold)),
            originator: NodeId(originator),
            ttl,
            hop_count: 0,
            seq: self.next_seq,
            body,
        }
    }

    /// A HELLO of `from`: neighbours by type.
    pub fn hear_hello(&mut self, from: u16, links: &[(LinkCode, &[u16])]) {
        let body = hello(3, links);
        let message = self.message(from, body);
        let answer = self.hear(from, vec![message]);
        assert!(matches!(answer[..], [RoutingAction::Consume { .. }]), "{answer:?}");
    }

    /// A TC message of `originator`, received from `from`.
    pub fn hear_tc(&mut self, from: u16, originator: u16, ansn: u16, advertised: &[u16]) {
        let body = OlsrBody::Tc(OlsrTc { ansn, advertised: ids(advertised) });
        let message = self.message(originator, body);
        let answer = self.hear(from, vec![message]);
        assert!(matches!(answer[..], [RoutingAction::Consume { .. }]), "{answer:?}");
    }

    /// Sends a datagram of this node, or forwards one of `src`.
    pub fn data(&mut self, src: u16, dst: u16, ttl: u8, from: Option<u16>) -> Vec<RoutingAction> {
        let packet = datagram(src, dst, ttl);
        let id = self.id();
        let mut out = Vec::new();
        match from {
            Some(from) => self.olsr.on_receive(self.now, id, &packet, NodeId(from), &mut out),
            None => self.olsr.on_send(self.now, id, &packet, &mut out),
        }
        self.keep(out)
    }

    /// The MAC gives up a datagram to `dst` over `next_hop`.
    pub fn give_up(&mut self, dst: u16, next_hop: u16) -> Vec<RoutingAction> {
        let id = self.id();
        let mut out = Vec::new();
        self.olsr.on_link_failure(self.now, id, &datagram(0, dst, 64), NodeId(next_hop), &mut out);
        self.keep(out)
    }

    /// A datagram is returned from the queue.
    pub fn purged(&mut self, dst: u16, next_hop: u16) -> Vec<RoutingAction> {
        let id = self.id();
        let mut out = Vec::new();
        self.olsr.on_queue_purged(self.now, id, &datagram(0, dst, 64), NodeId(next_hop), &mut out);
        self.keep(out)
    }

    pub fn route(&mut self, dst: u16) -> Option<(u16, u8)> {
        self.olsr.route(self.now, NodeId(dst)).map(|(next, hops)| (next.0, hops))
    }

    /// The last HELLO sent, as (code, neighbours).
    pub fn last_hello(&self) -> Vec<(LinkCode, Vec<NodeId>)> {
        let hello = self.sent.iter().rev().flat_map(|(_, p)| &p.messages).find_map(|m| match &m.body {
            OlsrBody::Hello(h) => Some(h.links.iter().map(|g| (g.code, g.neighbours.clone())).collect()),
            _ => None,
        });
        hello.unwrap_or_default()
    }

    /// Every TC message generated here: time, number, contents.
    pub fn tcs(&self) -> Vec<(SimTime, u16, Vec<NodeId>)> {
        let of = |(at, p): &(SimTime, OlsrPacket)| {
            let at = *at;
            let own = p.messages.iter().filter(|m| m.originator == ME);
            own.filter_map(move |m| match &m.body {
                OlsrBody::Tc(t) => Some((at, t.ansn, t.advertised.clone())),
                _ => None,
            })
            .collect::<Vec<_>>()
        };
        self.sent.iter().flat_map(of).collect()
    }
}

pub fn hello(willingness: u8, links: &[(LinkCode, &[u16])]) -> OlsrBody {
    OlsrBody::Hello(OlsrHello {
        htime: Vtime::covering(SimDuration::from_secs(2)),
        willingness,
        links: links.iter().map(|(code, list)| LinkGroup { code: *code, neighbours: ids(list) }).collect(),
    })
}

pub fn datagram(src: u16, dst: u16, ttl: u8) -> Packet {
    Packet {
        uid: 1,
        src: NodeId(src),
        dst: NodeId(dst),
        ttl,
        hops: 0,
        ip_bytes: 540,
        flow: FlowId(0),
        dsr: None,
        body: Body::Udp(UdpDatagram { src_port: 1, dst_port: 2, payload: 512, number: 0 }),
    }
}
