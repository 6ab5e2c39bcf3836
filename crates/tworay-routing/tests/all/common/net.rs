//! A network in which a frame takes one millisecond, each sender has a queue, neighbours overhear frames, and
//! links change by script. It checks that every packet passed to a router is answered exactly once; the
//! protocol's [`Watch`] checks its other properties.

// Each protocol's tests use only part of this.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::{Debug, Write};
use tworay_base::{FlowId, NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_routing::{Router, RoutingAction, RoutingNote};
use tworay_wire::dsr::DsrHeader;
use tworay_wire::{Body, Packet, UdpDatagram};

pub const AIRTIME: SimDuration = SimDuration::from_millis(1);
/// Time after which the MAC gives up.
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

/// The state and checks of one protocol's tests, beyond those of the network.
pub trait Watch: Sized {
    /// Stored with each packet; copies share it.
    type Mark: Clone + Default + Debug;
    /// A packet as short text.
    fn describe(packet: &Packet) -> String;
    /// `router` of `node` forwards the packet.
    fn forwards(&mut self, _at: Place, _packet: &mut Packet, _mark: &mut Self::Mark) {}
    /// The packet has crossed a link from `node`.
    fn crosses(&mut self, _at: Place, _packet: &mut Packet, _mark: &mut Self::Mark) {}
    /// True if the loss of a packet is final: no copy is on its way.
    fn loss_is_final(&self) -> bool {
        true
    }
    /// Called after each event.
    fn after_event(&self, _net: &Net<Self>) {}
}

/// Where an event happens to a packet.
pub struct Place<'a> {
    pub now: SimTime,
    pub node: NodeId,
    pub router: &'a Router,
    /// The log so far, for messages.
    pub ladder: &'a str,
}

/// A scripted event.
#[derive(Clone, Debug)]
pub enum Script {
    Up(u16, u16),
    Down(u16, u16),
    Send {
        from: u16,
        to: u16,
    },
    /// One frame of the link is lost although the link exists.
    Lose(u16, u16),
    /// A node sends a message that its router knows nothing of.
    Forge {
        from: u16,
        packet: Box<Packet>,
        next_hop: NodeId,
    },
}

#[derive(Debug)]
enum Event {
    Enqueue { node: NodeId, id: PacketId, next_hop: NodeId },
    SendDone { node: NodeId, id: PacketId, next_hop: NodeId, works: bool },
    Timer { node: NodeId, armed: u64 },
    Script(Script),
}

struct Entry<M> {
    packet: Packet,
    mark: M,
    alive: bool,
}

struct Station {
    router: Router,
    queue: VecDeque<(PacketId, NodeId)>,
    sending: bool,
    timer: u64,
}

pub struct Net<W: Watch> {
    pub now: SimTime,
    stations: Vec<Station>,
    links: BTreeSet<(u16, u16)>,
    events: BTreeMap<(SimTime, u64), Event>,
    serial: u64,
    packets: Vec<Entry<W::Mark>>,
    /// Packets that a router must still answer.
    open: BTreeMap<PacketId, NodeId>,
    pub ladder: String,
    pub notes: Vec<(SimTime, NodeId, RoutingNote)>,
    pub delivered: Vec<(SimTime, u64)>,
    pub dropped: Vec<(u64, &'static str)>,
    pub sent: u64,
    /// Probability of losing a frame.
    pub loss: f64,
    rng: RngStream,
    to_lose: BTreeSet<(u16, u16)>,
    pub watch: W,
}

impl<W: Watch> Net<W> {
    /// A network of these routers without links; the first is node 0.
    pub fn of(routers: impl Iterator<Item = Router>, seed: u64, watch: W) -> Self {
        let station = |router| Station { router, queue: VecDeque::new(), sending: false, timer: 0 };
        let mut net = Self {
            now: SimTime::ZERO,
            stations: routers.map(station).collect(),
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
            to_lose: BTreeSet::new(),
            watch,
        };
        for i in 0..net.stations.len() {
            let mut out = Vec::new();
            net.stations[i].router.start(SimTime::ZERO, &mut out);
            net.carry_out(n(i as u16), out);
        }
        net
    }

    /// Links the nodes in a line: 0 - 1 - 2 - ...
    pub fn in_line(mut self) -> Self {
        for i in 1..self.stations.len() as u16 {
            self.link(i - 1, i);
        }
        self
    }

    /// Each frame of a link is lost with this probability; the MAC reports lost unicasts only.
    pub fn lossy(mut self, loss: f64) -> Self {
        self.loss = loss;
        self
    }

    pub fn link(&mut self, a: u16, b: u16) {
        self.links.insert((a, b));
        self.links.insert((b, a));
    }

    pub fn one_way(&mut self, from: u16, to: u16) {
        self.links.insert((from, to));
    }

    pub fn unlink(&mut self, a: u16, b: u16) {
        self.links.remove(&(a, b));
        self.links.remove(&(b, a));
    }

    /// Removes all links.
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

    pub fn router_mut(&mut self, node: u16) -> &mut Router {
        &mut self.stations[node as usize].router
    }

    /// The value stored with the datagram that was sent as this one in order, counting from 1.
    pub fn mark_of(&self, number: u64) -> &W::Mark {
        let datagram = |e: &&Entry<W::Mark>| !e.packet.is_routing() && e.packet.uid == number;
        &self.packets.iter().rfind(datagram).expect("it was sent").mark
    }

    /// The values stored with all packets so far.
    pub fn marks(&self) -> impl Iterator<Item = &W::Mark> {
        self.packets.iter().map(|e| &e.mark)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u16 {
        self.stations.len() as u16
    }

    pub fn run_until(&mut self, end: SimTime) {
        while let Some((&(t, serial), _)) = self.events.first_key_value()
            && t <= end
        {
            let event = self.events.remove(&(t, serial)).expect("it was there");
            self.now = t;
            self.happen(event);
            self.watch.after_event(self);
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
        self.packets.push(Entry { packet, mark: W::Mark::default(), alive: true });
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
                self.unlink(a, b);
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
            Event::Script(Script::Forge { from, packet, next_hop }) => {
                let id = self.new_packet(*packet);
                self.post(now, Event::Enqueue { node: n(from), id, next_hop });
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
                    self.crosses(node, id);
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
        let message = W::describe(&self.packets[id.index()].packet);
        let _ = writeln!(self.ladder, "{:?} {node}>{next_hop} {message}", self.now);
        let link = (node.0, next_hop.0);
        let works = next_hop.is_broadcast()
            || self.links.contains(&link) && !self.to_lose.remove(&link) && !self.rng.chance(self.loss);
        let time = if works { AIRTIME } else { GIVING_UP };
        self.post(self.now + time, Event::SendDone { node, id, next_hop, works });
    }

    pub fn hearers(&self, node: NodeId) -> Vec<u16> {
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

    fn crosses(&mut self, node: NodeId, id: PacketId) {
        let (router, ladder) = (&self.stations[node.index()].router, self.ladder.as_str());
        let entry = &mut self.packets[id.index()];
        let at = Place { now: self.now, node, router, ladder };
        self.watch.crosses(at, &mut entry.packet, &mut entry.mark);
    }

    fn forwards(&mut self, node: NodeId, id: PacketId) {
        let (router, ladder) = (&self.stations[node.index()].router, self.ladder.as_str());
        let entry = &mut self.packets[id.index()];
        let at = Place { now: self.now, node, router, ladder };
        self.watch.forwards(at, &mut entry.packet, &mut entry.mark);
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
                RoutingAction::SetHeader { packet: id, header } => {
                    let held = self.stations[node.index()].router.buffered().contains(&id);
                    assert!(held || self.open.get(&id) == Some(&node), "a header for a packet elsewhere");
                    let packet = &mut self.packets[id.index()].packet;
                    let length = |h: &Option<Box<DsrHeader>>| h.as_ref().map_or(0, |h| h.wire_bytes());
                    packet.ip_bytes = packet.ip_bytes - length(&packet.dsr) + length(&header);
                    packet.dsr = header;
                }
                RoutingAction::SendCopy { packet: id, next_hop } => {
                    let mark = self.packets[id.index()].mark.clone();
                    let copy = self.new_packet(self.packets[id.index()].packet.clone());
                    self.packets[copy.index()].mark = mark;
                    self.post(now, Event::Enqueue { node, id: copy, next_hop });
                }
                RoutingAction::Forward { packet: id, next_hop, delay } => {
                    self.answered(node, id);
                    self.forwards(node, id);
                    self.post(now + delay, Event::Enqueue { node, id, next_hop });
                }
                RoutingAction::Originate { packet, next_hop, delay } => {
                    assert!(packet.is_routing());
                    let id = self.new_packet(*packet);
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
                    if !entry.packet.is_routing() && self.watch.loss_is_final() {
                        self.dropped.push((entry.packet.uid, reason.name()));
                    }
                    let what = W::describe(&entry.packet);
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
