//! A network in which a frame takes one millisecond, a queue stands before each sender, neighbours
//! overhear, and links come and go by script. It checks that every packet handed to a router is answered
//! exactly once, and that no packet visits a node twice on one source route.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;
use tworay_base::{FlowId, NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_routing::{DsrConfig, Protocol, Router, RoutingAction, RoutingConfig, RoutingNote};
use tworay_wire::dsr::{Addresses, DsrHeader};
use tworay_wire::{Body, Packet, UdpDatagram};

pub const AIRTIME: SimDuration = SimDuration::from_millis(1);
/// How long the MAC tries before it gives up.
pub const GIVING_UP: SimDuration = SimDuration::from_millis(5);

pub fn n(i: u16) -> NodeId {
    NodeId(i)
}
pub fn list(ids: &[u16]) -> Addresses {
    ids.iter().map(|&i| NodeId(i)).collect()
}
pub fn ms(t: u64) -> SimTime {
    SimTime::from_nanos(t * 1_000_000)
}

pub fn data(src: u16, dst: u16, number: u64) -> Packet {
    Packet {
        uid: number,
        src: n(src),
        dst: n(dst),
        ttl: 64,
        hops: 0,
        ip_bytes: 540,
        flow: FlowId(0),
        dsr: None,
        body: Body::Udp(UdpDatagram { src_port: 1, dst_port: 2, payload: 512, number }),
    }
}

/// A packet of DSR's own.
pub fn control(src: u16, dst: NodeId, ttl: u8, header: DsrHeader) -> Packet {
    let ip_bytes = header.ip_bytes();
    let dsr = Some(Box::new(header));
    Packet { ttl, flow: FlowId::NONE, ip_bytes, dsr, body: Body::Dsr, ..data(src, dst.0, 0) }
}

pub fn router(node: u16, config: &DsrConfig, seed: u64) -> Router {
    let routing = RoutingConfig { protocol: Protocol::Dsr, dsr: config.clone(), ..RoutingConfig::default() };
    Router::new(&routing, n(node), RngStream::new(seed, n(node), Purpose::RoutingJitter))
}

/// What happens by script.
#[derive(Clone, Debug)]
pub enum Script {
    Up(u16, u16),
    Down(u16, u16),
    Send {
        from: u16,
        to: u16,
    },
    /// One frame of the link is lost although the link stands.
    Lose(u16, u16),
}

#[derive(Debug)]
enum Event {
    Enqueue { node: NodeId, id: PacketId, next_hop: NodeId },
    SendDone { node: NodeId, id: PacketId, next_hop: NodeId, works: bool },
    Timer { node: NodeId, armed: u64 },
    Script(Script),
}

struct Entry {
    packet: Packet,
    /// Nodes it was at since it got its source route.
    visits: Vec<NodeId>,
    salvage: u8,
    alive: bool,
}

struct Station {
    router: Router,
    queue: VecDeque<(PacketId, NodeId)>,
    sending: bool,
    timer: u64,
}

pub struct Net {
    pub now: SimTime,
    stations: Vec<Station>,
    links: BTreeSet<(u16, u16)>,
    events: BTreeMap<(SimTime, u64), Event>,
    serial: u64,
    packets: Vec<Entry>,
    /// Packets that a router must still answer.
    open: BTreeMap<PacketId, NodeId>,
    pub ladder: String,
    pub notes: Vec<(SimTime, NodeId, RoutingNote)>,
    pub delivered: Vec<(SimTime, u64)>,
    pub dropped: Vec<(u64, &'static str)>,
    pub sent: u64,
    pub most_salvages: u8,
    loss: f64,
    rng: RngStream,
    to_lose: BTreeSet<(u16, u16)>,
    /// The MAC tells of frames it gives up.
    feedback: bool,
}

impl Net {
    pub fn new(nodes: u16, config: &DsrConfig, seed: u64) -> Self {
        let station =
            |i| Station { router: router(i, config, seed), queue: VecDeque::new(), sending: false, timer: 0 };
        Self {
            now: SimTime::ZERO,
            stations: (0..nodes).map(station).collect(),
            links: BTreeSet::new(),
            events: BTreeMap::new(),
            serial: 0,
            packets: Vec::new(),
            open: BTreeMap::new(),
            ladder: String::new(),
            notes: Vec::new(),
            delivered: Vec::new(),
            dropped: Vec::new(),
            sent: 0,
            most_salvages: 0,
            loss: 0.0,
            rng: RngStream::new(seed, n(0), Purpose::Test),
            to_lose: BTreeSet::new(),
            feedback: config.link_layer_feedback,
        }
    }

    /// 0 - 1 - 2 - ... in a line.
    pub fn chain(nodes: u16, config: &DsrConfig) -> Self {
        let mut net = Self::new(nodes, config, 1);
        for i in 1..nodes {
            net.link(i - 1, i);
        }
        net
    }

    /// Each frame is lost with this probability.
    pub fn lossy(mut self, loss: f64) -> Self {
        self.loss = loss;
        self
    }

    pub fn link(&mut self, a: u16, b: u16) {
        self.links.insert((a, b));
        self.links.insert((b, a));
    }

    /// Nobody hears anybody any more.
    pub fn silence(&mut self) {
        self.links.clear();
    }

    pub fn at(&mut self, t: SimTime, script: Script) {
        self.post(t, Event::Script(script));
    }

    pub fn send_at(&mut self, t: SimTime, from: u16, to: u16) {
        self.at(t, Script::Send { from, to });
    }

    pub fn router(&self, node: u16) -> &Router {
        &self.stations[node as usize].router
    }

    pub fn run_until(&mut self, end: SimTime) {
        while let Some((&(t, serial), _)) = self.events.first_key_value()
            && t <= end
        {
            let event = self.events.remove(&(t, serial)).expect("it was there");
            self.now = t;
            self.happen(event);
        }
        self.now = end;
        self.assert_all_answered();
    }

    pub fn assert_ladder(&self, expected: &str) {
        let clean =
            |s: &str| s.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
        let (is, should) = (clean(&self.ladder), clean(expected));
        assert!(is == should, "the ladder is\n{is}\n\nand should be\n{should}");
    }

    fn post(&mut self, t: SimTime, event: Event) {
        self.serial += 1;
        self.events.insert((t, self.serial), event);
    }

    fn new_packet(&mut self, packet: Packet) -> PacketId {
        self.packets.push(Entry { packet, visits: Vec::new(), salvage: 0, alive: true });
        PacketId(self.packets.len() as u32 - 1)
    }

    fn hand_over(&mut self, node: NodeId, id: PacketId) {
        assert!(self.packets[id.index()].alive, "a dead packet came up at {node}");
        let before = self.open.insert(id, node);
        assert!(before.is_none(), "packet {id:?} was handed to two routers");
    }

    fn answered(&mut self, node: NodeId, id: PacketId) {
        assert_eq!(self.open.remove(&id), Some(node), "packet {id:?} was answered twice, or by a stranger");
    }

    fn happen(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Script(Script::Up(a, b)) => self.link(a, b),
            Event::Script(Script::Down(a, b)) => {
                self.links.remove(&(a, b));
                self.links.remove(&(b, a));
                let _ = writeln!(self.ladder, "{now:?} -- link {a}-{b} breaks");
            }
            Event::Script(Script::Lose(a, b)) => {
                self.to_lose.insert((a, b));
            }
            Event::Script(Script::Send { from, to }) => {
                self.sent += 1;
                let id = self.new_packet(data(from, to, self.sent));
                self.hand_over(n(from), id);
                self.with_router(n(from), id, |r, p, out| r.on_send(now, id, p, out));
            }
            Event::Timer { node, armed } => {
                if self.stations[node.index()].timer == armed {
                    let mut out = Vec::new();
                    self.stations[node.index()].router.on_timer(now, &mut out);
                    self.carry_out(node, out);
                }
            }
            Event::Enqueue { node, id, next_hop } => {
                self.stations[node.index()].queue.push_back((id, next_hop));
                self.next_frame(node);
            }
            Event::SendDone { node, id, next_hop, works } => {
                self.stations[node.index()].sending = false;
                if next_hop.is_broadcast() {
                    self.broadcast(node, id);
                } else if works {
                    self.overhear(node, id, next_hop);
                    self.visit(node, id);
                    self.arrive(next_hop, id, node);
                } else {
                    self.hand_over(node, id);
                    self.with_router(node, id, |r, p, out| r.on_link_failure(now, id, p, next_hop, out));
                }
                self.next_frame(node);
            }
        }
    }

    fn next_frame(&mut self, node: NodeId) {
        if self.stations[node.index()].sending {
            return;
        }
        let Some((id, next_hop)) = self.stations[node.index()].queue.pop_front() else { return };
        self.stations[node.index()].sending = true;
        let message = describe(&self.packets[id.index()].packet);
        let _ = writeln!(self.ladder, "{:?} {node}>{next_hop} {message}", self.now);
        let link = (node.0, next_hop.0);
        let works = next_hop.is_broadcast()
            || self.links.contains(&link) && !self.to_lose.remove(&link) && !self.rng.chance(self.loss);
        let time = if works { AIRTIME } else { GIVING_UP };
        self.post(self.now + time, Event::SendDone { node, id, next_hop, works });
    }

    fn hearers(&self, node: NodeId) -> Vec<u16> {
        self.links.iter().filter(|(from, _)| *from == node.0).map(|(_, to)| *to).collect()
    }

    fn broadcast(&mut self, node: NodeId, id: PacketId) {
        let packet = self.packets[id.index()].packet.clone();
        self.packets[id.index()].alive = false;
        for to in self.hearers(node) {
            if !self.rng.chance(self.loss) {
                let copy = self.new_packet(packet.clone());
                self.arrive(n(to), copy, node);
            }
        }
    }

    fn overhear(&mut self, node: NodeId, id: PacketId, next_hop: NodeId) {
        let now = self.now;
        let packet = self.packets[id.index()].packet.clone();
        for other in self.hearers(node) {
            let router = &mut self.stations[other as usize].router;
            if n(other) != next_hop && router.wants_tap() && !self.rng.chance(self.loss) {
                let mut out = Vec::new();
                router.on_tap(now, &packet, node, next_hop, &mut out);
                self.carry_out(n(other), out);
            }
        }
    }

    /// Nobody is visited twice on one source route; salvaging begins a new one.
    fn visit(&mut self, node: NodeId, id: PacketId) {
        let entry = &mut self.packets[id.index()];
        let Some(route) = entry.packet.dsr.as_ref().and_then(|h| h.source_route.as_ref()) else { return };
        self.most_salvages = self.most_salvages.max(route.salvage);
        if route.salvage != entry.salvage {
            entry.salvage = route.salvage;
            entry.visits.clear();
        }
        assert!(!entry.visits.contains(&node), "{node} twice on a route\n{}", self.ladder);
        entry.visits.push(node);
    }

    fn arrive(&mut self, node: NodeId, id: PacketId, from: NodeId) {
        let now = self.now;
        let entry = &mut self.packets[id.index()].packet;
        entry.hops += 1;
        self.hand_over(node, id);
        self.with_router(node, id, |r, p, out| r.on_receive(now, id, p, from, out));
    }

    fn with_router(
        &mut self,
        node: NodeId,
        id: PacketId,
        call: impl FnOnce(&mut Router, &Packet, &mut Vec<RoutingAction>),
    ) {
        let mut out = Vec::new();
        let packet = self.packets[id.index()].packet.clone();
        call(&mut self.stations[node.index()].router, &packet, &mut out);
        self.carry_out(node, out);
    }

    fn carry_out(&mut self, node: NodeId, actions: Vec<RoutingAction>) {
        let now = self.now;
        for action in actions {
            match action {
                RoutingAction::SetHeader { packet: id, header } => {
                    let held = self.stations[node.index()].router.buffered().contains(&id);
                    assert!(held || self.open.get(&id) == Some(&node), "a header for a packet elsewhere");
                    let packet = &mut self.packets[id.index()].packet;
                    let length = |h: &Option<Box<DsrHeader>>| h.as_ref().map_or(0, |h| h.wire_bytes());
                    packet.ip_bytes = packet.ip_bytes - length(&packet.dsr) + length(&header);
                    packet.dsr = header;
                }
                RoutingAction::SendCopy { packet: id, next_hop } => {
                    let copy = self.new_packet(self.packets[id.index()].packet.clone());
                    self.packets[copy.index()].visits = self.packets[id.index()].visits.clone();
                    self.packets[copy.index()].salvage = self.packets[id.index()].salvage;
                    self.post(now, Event::Enqueue { node, id: copy, next_hop });
                }
                RoutingAction::Forward { packet: id, next_hop, delay } => {
                    self.answered(node, id);
                    self.post(now + delay, Event::Enqueue { node, id, next_hop });
                }
                RoutingAction::Originate { packet, next_hop, delay } => {
                    assert_eq!(packet.ip_bytes, packet.dsr.as_ref().expect("DSR's own").ip_bytes());
                    let id = self.new_packet(packet);
                    self.post(now + delay, Event::Enqueue { node, id, next_hop });
                }
                RoutingAction::Deliver { packet: id } => {
                    self.answered(node, id);
                    let entry = &mut self.packets[id.index()];
                    entry.alive = false;
                    assert_eq!(entry.packet.dst, node);
                    self.delivered.push((now, entry.packet.uid));
                    let _ = writeln!(self.ladder, "{now:?} {node} gets data {}", entry.packet.uid);
                }
                RoutingAction::Consume { packet: id } => {
                    self.answered(node, id);
                    self.packets[id.index()].alive = false;
                }
                RoutingAction::Drop { packet: id, reason, .. } => {
                    self.answered(node, id);
                    let entry = &mut self.packets[id.index()];
                    entry.alive = false;
                    if !entry.packet.is_routing() && self.feedback {
                        self.dropped.push((entry.packet.uid, reason.name()));
                    }
                    let what = describe(&entry.packet);
                    let _ = writeln!(self.ladder, "{now:?} {node} drops {what} ({})", reason.name());
                }
                RoutingAction::PurgeQueue { next_hop } => self.purge(node, next_hop),
                RoutingAction::WakeAt(at) => {
                    self.serial += 1;
                    let armed = self.serial;
                    self.stations[node.index()].timer = armed;
                    if at < SimTime::NEVER {
                        self.post(at.max(now), Event::Timer { node, armed });
                    }
                }
                RoutingAction::Note(note) => self.notes.push((now, node, note)),
            }
        }
    }

    fn purge(&mut self, node: NodeId, next_hop: NodeId) {
        let now = self.now;
        let queue = std::mem::take(&mut self.stations[node.index()].queue);
        let (gone, stay): (Vec<_>, Vec<_>) = queue.into_iter().partition(|(_, hop)| *hop == next_hop);
        self.stations[node.index()].queue = stay.into();
        for (id, _) in gone {
            self.hand_over(node, id);
            self.with_router(node, id, |r, p, out| r.on_queue_purged(now, id, p, next_hop, out));
        }
    }

    fn assert_all_answered(&self) {
        let mut waiting: Vec<(PacketId, NodeId)> = Vec::new();
        for (i, s) in self.stations.iter().enumerate() {
            waiting.extend(s.router.buffered().into_iter().map(|id| (id, n(i as u16))));
        }
        waiting.sort_unstable();
        let open: Vec<_> = self.open.iter().map(|(id, node)| (*id, *node)).collect();
        assert_eq!(open, waiting, "packets without an answer must be those in the buffers");
    }
}

fn names(nodes: &[NodeId]) -> String {
    nodes.iter().map(|n| n.to_string()).collect::<Vec<_>>().join("-")
}

/// A packet in a few words.
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
