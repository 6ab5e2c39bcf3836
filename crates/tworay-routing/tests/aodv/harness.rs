//! A network in which a frame takes one millisecond, a queue stands before each sender, and links
//! come and go by script. It checks that every packet handed to a router is answered exactly once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;
use tworay_base::{FlowId, NodeId, PacketId, Purpose, RngStream, Seq32, SimDuration, SimTime};
use tworay_routing::{AodvConfig, Router, RoutingAction, RoutingConfig, RoutingNote};
use tworay_wire::aodv::{AodvMessage, Rerr, Rrep, Rreq};
use tworay_wire::{Body, Packet, UdpDatagram};

pub const AIRTIME: SimDuration = SimDuration::from_millis(1);
/// How long the MAC tries before it gives up.
pub const GIVING_UP: SimDuration = SimDuration::from_millis(5);

pub fn n(i: u16) -> NodeId {
    NodeId(i)
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

/// What happens by script.
#[derive(Clone, Debug)]
pub enum Script {
    Up(u16, u16),
    Down(u16, u16),
    Send {
        from: u16,
        to: u16,
    },
    /// One frame of the link is given up by the MAC although the link stands.
    FalseFailure(u16, u16),
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
    charged_at: Option<NodeId>,
    /// Nodes that forwarded it, with their route's number and hops.
    path: Vec<(NodeId, Seq32, u8)>,
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
    loss: f64,
    rng: RngStream,
    false_failures: BTreeSet<(u16, u16)>,
    check_loops: bool,
}

impl Net {
    pub fn new(nodes: u16, config: &AodvConfig, seed: u64) -> Self {
        let routing = RoutingConfig { aodv: config.clone(), ..RoutingConfig::default() };
        let station = |i| Station {
            router: Router::new(&routing, n(i), RngStream::new(seed, n(i), Purpose::RoutingJitter)),
            queue: VecDeque::new(),
            sending: false,
            timer: 0,
        };
        let mut net = Self {
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
            loss: 0.0,
            rng: RngStream::new(seed, n(0), Purpose::Test),
            false_failures: BTreeSet::new(),
            check_loops: false,
        };
        for i in 0..nodes {
            let mut out = Vec::new();
            net.stations[i as usize].router.start(SimTime::ZERO, &mut out);
            net.carry_out(n(i), out);
        }
        net
    }

    /// 0 - 1 - 2 - ... in a line.
    pub fn chain(nodes: u16, config: &AodvConfig) -> Self {
        let mut net = Self::new(nodes, config, 1);
        for i in 1..nodes {
            net.link(i - 1, i);
        }
        net
    }

    /// Each frame of a link is lost with this probability: broadcasts silently, unicasts with a
    /// report of the MAC.
    pub fn lossy(mut self, loss: f64) -> Self {
        self.loss = loss;
        self
    }

    /// After each event, no next-hop graph may have a cycle.
    pub fn checking_loops(mut self) -> Self {
        self.check_loops = true;
        self
    }

    pub fn link(&mut self, a: u16, b: u16) {
        self.links.insert((a, b));
        self.links.insert((b, a));
    }

    pub fn one_way(&mut self, from: u16, to: u16) {
        self.links.insert((from, to));
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

    /// Next hop, sequence number and hops of `node`'s valid route to `dst`.
    pub fn route(&self, node: u16, dst: u16) -> Option<(u16, u32, u8)> {
        let Router::Aodv(aodv) = self.router(node) else { panic!("not AODV") };
        aodv.route(self.now, n(dst)).map(|(via, seq, hops)| (via.0, seq.0, hops))
    }

    pub fn run_until(&mut self, end: SimTime) {
        while let Some((&(t, serial), _)) = self.events.first_key_value()
            && t <= end
        {
            let event = self.events.remove(&(t, serial)).expect("it was there");
            self.now = t;
            self.happen(event);
            if self.check_loops {
                self.assert_no_loop();
            }
        }
        self.now = end;
        self.assert_all_answered();
    }

    fn post(&mut self, t: SimTime, event: Event) {
        self.serial += 1;
        self.events.insert((t, self.serial), event);
    }

    fn new_packet(&mut self, packet: Packet) -> PacketId {
        self.packets.push(Entry { packet, charged_at: None, path: Vec::new(), alive: true });
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
            Event::Script(Script::FalseFailure(a, b)) => {
                self.false_failures.insert((a, b));
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
            || self.links.contains(&link)
                && !self.false_failures.remove(&link)
                && !self.rng.chance(self.loss);
        let time = if works { AIRTIME } else { GIVING_UP };
        self.post(self.now + time, Event::SendDone { node, id, next_hop, works });
    }

    fn broadcast(&mut self, node: NodeId, id: PacketId) {
        let packet = self.packets[id.index()].packet.clone();
        self.packets[id.index()].alive = false;
        let receivers: Vec<u16> =
            self.links.iter().filter(|(from, _)| *from == node.0).map(|(_, to)| *to).collect();
        for to in receivers {
            if !self.rng.chance(self.loss) {
                let copy = self.new_packet(packet.clone());
                self.arrive(n(to), copy, node);
            }
        }
    }

    fn arrive(&mut self, node: NodeId, id: PacketId, from: NodeId) {
        let now = self.now;
        self.hand_over(node, id);
        self.stations[node.index()].router.on_heard(now, from);
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
                RoutingAction::Forward { packet: id, next_hop, delay } => {
                    self.answered(node, id);
                    self.charge(node, id);
                    self.post(now + delay, Event::Enqueue { node, id, next_hop });
                }
                RoutingAction::Originate { packet, next_hop, delay } => {
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
                    assert!(
                        self.packets[id.index()].packet.is_routing(),
                        "only control packets are consumed"
                    );
                    self.packets[id.index()].alive = false;
                }
                RoutingAction::Drop { packet: id, reason, .. } => {
                    self.answered(node, id);
                    let entry = &mut self.packets[id.index()];
                    entry.alive = false;
                    if !entry.packet.is_routing() {
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
                RoutingAction::SetHeader { .. } | RoutingAction::SendCopy { .. } => panic!("DSR's"),
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

    /// Counts the hop, once at each node, and checks that the packet gets nearer by the measure of
    /// loop freedom: never to an older sequence number, and with the same one only to fewer hops.
    fn charge(&mut self, node: NodeId, id: PacketId) {
        let route = {
            let dst = self.packets[id.index()].packet.dst;
            self.route(node.0, dst.0)
        };
        let entry = &mut self.packets[id.index()];
        if entry.charged_at == Some(node) {
            // Sent again from the same place, over another route.
            entry.path.pop();
        } else if entry.packet.src != node {
            assert!(entry.packet.ttl > 1, "forwarded without hops left");
            entry.packet.ttl -= 1;
            entry.packet.hops += 1;
        }
        entry.charged_at = Some(node);
        if let Some((_, seq, hops)) = route {
            if self.check_loops {
                for &(before, old_seq, old_hops) in &entry.path {
                    let nearer = Seq32(seq).gt(old_seq) || Seq32(seq) == old_seq && hops < old_hops;
                    let direct = hops == 1;
                    assert!(
                        nearer || direct,
                        "packet {} went from {before} ({old_seq}, {old_hops}) to {node} ({seq}, {hops})\n{}",
                        entry.packet.uid,
                        self.ladder
                    );
                }
            }
            entry.path.push((node, Seq32(seq), hops));
        }
    }

    fn assert_no_loop(&self) {
        let nodes = self.stations.len() as u16;
        for dst in 0..nodes {
            for start in 0..nodes {
                let mut at = start;
                for _ in 0..=nodes {
                    match self.route(at, dst) {
                        Some((via, ..)) if at != dst => at = via,
                        _ => break,
                    }
                }
                let ended = at == dst || self.route(at, dst).is_none();
                assert!(ended, "{:?}: a loop of routes to {dst} from {start}\n{}", self.now, self.ladder);
            }
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

    /// How often a packet came back to a node that had no newer sequence number than the first time. With
    /// a newer one it may: its next hop was lost, or it was under way, while the destination moved behind.
    pub fn returns(&self) -> usize {
        let back = |e: &Entry| {
            let again = |i: usize| {
                let (node, seq, _) = e.path[i];
                e.path[i + 1..].iter().any(|&(n, later, _)| n == node && !later.gt(seq))
            };
            (0..e.path.len()).filter(|&i| again(i)).count()
        };
        self.packets.iter().map(back).sum()
    }
}

/// A message in a few words.
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
