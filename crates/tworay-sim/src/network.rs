//! A network in motion: nodes, air and wires put together around one event queue.
//!
//! Data goes down the stairs (transport, routing, interface queue, MAC, air) and up the same stairs at
//! each hop. Layers hand on actions; this room alone carries them from one to the next.

mod air;
mod capture;
mod cuts;
mod errors;
mod event;
mod external;
mod fixed_routes;
mod judge;
mod link;
mod power;
mod recording;
mod route;
mod transport;
mod wired;

use crate::animation::Animation;
use crate::capture::Capture;
use crate::engine::{EventQueue, PacketSlab, TimerSlot, TimerTable, Waits};
use crate::flow::{Flow, FlowSetup};
use crate::ledger::{Death, Ledger};
use crate::medium::Medium;
use crate::provenance::{Fates, Setback};
use crate::record::Recorder;
use crate::scenario::Costs;
use crate::stations::{StationConfig, Stations};
use crate::tally::Tally;
use std::sync::Arc;
use tworay_base::{Died, LossCause, NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_mac::{ArpTable, Dcf, InterfaceQueue, MacAction, MacConfig, MacTimer};
use tworay_mobility::Track;
use tworay_radio::{
    BodyRates, Channel, EnergyConfig, ErrorsConfig, Fader, RadioConfig, Receiver, Reception, ReceptionQuirks,
};
use tworay_routing::{Protocol, Router, RoutingAction, RoutingConfig};
use tworay_tcp::{TcpAction, TcpConfig, TcpTimer};
use tworay_wire::{Body, Packet};

pub use cuts::LinkCut;
pub(crate) use event::{AppEvent, Event};
pub(crate) use external::External;
use judge::Occasion;
pub(crate) use power::Energy;
pub use wired::{WireEvent, WireRecord, WireSetup};

/// Everything a network is built from.
pub struct Setup {
    /// Seed of all random streams.
    pub seed: u64,
    /// Length of the run.
    pub duration: SimDuration,
    /// Time at the start that the flows' figures leave out.
    pub warmup: SimDuration,
    /// Movement of each node.
    pub tracks: Vec<Track>,
    /// The radio, `None` for purely wired networks.
    pub radio: Option<RadioConfig>,
    /// What the radios' energy costs.
    pub energy: EnergyConfig,
    /// What the transport's computations cost.
    pub costs: Arc<Costs>,
    /// Random errors.
    pub errors: ErrorsConfig,
    /// How far the stations are out of step.
    pub station: StationConfig,
    /// The MAC.
    pub mac: MacConfig,
    /// Routing.
    pub routing: RoutingConfig,
    /// TCP's settings.
    pub tcp: TcpConfig,
    /// The flows.
    pub flows: Vec<FlowSetup>,
    /// Point-to-point links.
    pub wires: Vec<WireSetup>,
    /// Nodes switched off and on: (when, which, on).
    pub switches: Vec<(SimTime, NodeId, bool)>,
    /// Links cut while they carry a flow.
    pub cuts: Vec<LinkCut>,
    /// Whether to keep time series.
    pub series: bool,
    /// Between which nodes packets of real stations will travel, there and back; `None` for a simulation alone.
    pub external: Option<Vec<(NodeId, NodeId)>>,
}

/// Kinds of timers that every node has. Those of one kind have neighbouring slots, the MACs' come first.
const NODE_TIMERS: usize = 3;
const MAC_EXCHANGE: u32 = 0;
const ROUTER: u32 = 1;
const ARP: u32 = 2;

pub(crate) struct Node {
    pub mac: Dcf,
    pub receiver: Receiver,
    pub queue: InterfaceQueue,
    pub arp: ArpTable,
    pub router: Router,
    pub fates: Fates,
    pub up: bool,
    /// When it was switched off last, or died.
    pub down_since: SimTime,
}

/// A network ready to run.
pub struct Network {
    pub(crate) now: SimTime,
    pub(crate) end: SimTime,
    pub(crate) events: u64,
    pub(crate) queue: EventQueue<Event>,
    pub(crate) timers: TimerTable,
    /// When stations may send, if nothing comes between.
    pub(crate) waits: Waits,
    pub(crate) packets: PacketSlab,
    pub(crate) ledger: Ledger,
    pub(crate) medium: Option<Medium>,
    pub(crate) rules: Option<Reception>,
    pub(crate) tracks: Vec<Track>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) wires: wired::Wires,
    pub(crate) tally: Tally,
    pub(crate) mac_config: MacConfig,
    pub(crate) eifs: SimDuration,
    /// What holds packets up, for the ledger.
    record: judge::Record,
    capture: Option<Box<Capture>>,
    animation: Option<Box<Animation>>,
    recorder: Option<Box<Recorder>>,
    /// Whether there is one of the three.
    watched: bool,
    pub(crate) energy: Option<Box<Energy>>,
    stations: Stations,
    errors: Option<Box<errors::Errors>>,
    /// Whether any node has ever been switched off or died, or any link been cut.
    any_damage: bool,
    seed: u64,
    routing: RoutingConfig,
    /// Energy of a processor instruction, J.
    pub(crate) joules_per_instruction: f64,
    /// What the transport's computations cost.
    pub(crate) costs: Arc<Costs>,
    /// When the flows' figures begin.
    pub(crate) warm_at: SimTime,
    switches: Vec<(SimTime, NodeId, bool)>,
    cuts: cuts::Cuts,
    /// The way out, where packets of real stations travel.
    pub(crate) external: Option<Box<External>>,
    control_uid: u64,
    /// Room for a MAC's orders.
    mac_actions: Vec<MacAction>,
    route_pool: Vec<Vec<RoutingAction>>,
    tcp_pool: Vec<Vec<TcpAction>>,
}

/// Uids of packets that the ledger doesn't track start here.
pub(crate) const UNTRACKED: u64 = 1 << 48;

impl Network {
    /// Puts a network together; nothing has happened yet. `None` if `keep_going`, asked now and then, says no.
    pub fn new(setup: Setup, mut keep_going: impl FnMut() -> bool) -> Option<Self> {
        let Setup {
            seed,
            duration,
            warmup,
            mut tracks,
            radio,
            energy,
            costs,
            errors,
            station,
            mac,
            routing,
            tcp,
            flows,
            wires,
            switches,
            cuts,
            series,
            external,
        } = setup;
        let quirks = mac.quirks();
        let channel = radio.as_ref().map(Channel::new);
        let reception_quirks = match mac.dialect {
            tworay_mac::Dialect::Standard => ReceptionQuirks::CAPTURE,
            tworay_mac::Dialect::Ns2 => ReceptionQuirks::NS2,
        };
        let rates = BodyRates([mac.basic_rate, mac.rate_of_acks(), mac.data_rate]);
        let rules = radio
            .as_ref()
            .zip(channel.as_ref())
            .map(|(r, c)| Reception::new(r, c, reception_quirks, rates, mac.plcp));
        let fader = radio.as_ref().and_then(|r| Fader::new(r, seed));
        let links = radio.as_ref().map_or(Vec::new(), |radio| radio.links.clone());
        let medium = channel.map(|c| match links.as_slice() {
            [] => Medium::new(c, fader, &mut tracks),
            links => Medium::measured(c, links, tracks.len()),
        });
        let stations = Stations::new(&station, medium.is_some(), seed, tracks.len());
        let mut timers = TimerTable::default();
        timers.add(NODE_TIMERS * tracks.len());
        let nodes: Vec<Node> = (0..tracks.len())
            .map(|i| {
                let id = NodeId(i as u16);
                Node {
                    mac: Dcf::new(&mac, id, RngStream::new(seed, id, Purpose::Backoff)),
                    receiver: Receiver::with_luck(RngStream::new(seed, id, Purpose::ChannelError)),
                    queue: InterfaceQueue::new(mac.queue_limit, quirks.queue_one_short),
                    arp: ArpTable::new(mac.arp_retry),
                    router: Router::new(&routing, id, RngStream::new(seed, id, Purpose::RoutingJitter)),
                    fates: Fates::default(),
                    up: true,
                    down_since: SimTime::NEVER,
                }
            })
            .collect();
        let eifs = nodes.first().map_or(SimDuration::ZERO, |n| n.mac.timing().eifs);
        let mut network = Self {
            now: SimTime::ZERO,
            end: SimTime::ZERO + duration,
            events: 0,
            queue: EventQueue::default(),
            timers,
            waits: Waits::new(tracks.len()),
            packets: PacketSlab::default(),
            ledger: Ledger::new(flows.iter().map(|f| f.from), series),
            medium,
            rules,
            tracks,
            record: judge::Record::new(nodes.len()),
            nodes,
            flows: Vec::new(),
            wires: wired::Wires::new(wires, series, seed),
            tally: Tally::default(),
            mac_config: mac,
            eifs,
            capture: None,
            animation: None,
            recorder: None,
            watched: false,
            energy: None,
            stations,
            errors: None,
            any_damage: false,
            seed,
            routing,
            joules_per_instruction: energy.instruction.get(),
            costs,
            warm_at: SimTime::ZERO + warmup,
            switches,
            cuts: cuts::Cuts::new(cuts),
            external: external.map(|ends| Box::new(External::new(ends))),
            control_uid: UNTRACKED,
            mac_actions: Vec::new(),
            route_pool: Vec::new(),
            tcp_pool: Vec::new(),
        };
        for (i, mut flow) in flows.into_iter().enumerate() {
            let offset = network.stations.clock_offset(flow.from);
            flow.start += offset;
            flow.stop = flow.stop.map(|stop| stop + offset);
            let slot = network.timers.add(2 * TcpTimer::COUNT);
            network.queue.push(flow.start, Event::App { flow: i as u16, what: AppEvent::Start });
            if let Some(stop) = flow.stop {
                network.queue.push(stop, Event::App { flow: i as u16, what: AppEvent::Stop });
            }
            network.flows.push(Flow::new(flow, i, slot, &tcp, seed, series));
        }
        if network.routing.protocol == Protocol::Static && !network.fill_static_routes(&mut keep_going) {
            return None;
        }
        for i in 0..network.nodes.len() {
            network.with_router(NodeId(i as u16), Occasion::Other, |router, now, out| router.start(now, out));
        }
        for (i, s) in network.switches.iter().enumerate() {
            network.queue.push(s.0, Event::Switch(i as u16));
        }
        for (i, order) in network.cuts.orders().iter().enumerate() {
            network.queue.push(order.at, Event::Cut(i as u16));
        }
        network.errors = errors::Errors::new(&errors, &links, seed, network.nodes.len());
        if network.medium.is_some() {
            let slot = network.timers.add(network.nodes.len());
            network.energy = Energy::new(&energy, network.nodes.len(), slot, series);
            network.start_energy();
        }
        if !warmup.is_zero() {
            network.queue.push(network.warm_at, Event::Warm);
        }
        Some(network)
    }

    /// Works off events up to the end, or until `keep_going` (asked now and then, with the share of
    /// simulated time done) says no. Returns whether the end was reached.
    pub fn run(&mut self, keep_going: impl FnMut(f64) -> bool) -> bool {
        self.run_until(self.end, keep_going)
    }

    /// As [`Self::run`], up to `limit`: everything of that time and before has then happened.
    pub(crate) fn run_until(&mut self, limit: SimTime, mut keep_going: impl FnMut(f64) -> bool) -> bool {
        const ASK_EVERY: u64 = 1 << 13;
        let mut ask_at = self.events + ASK_EVERY;
        loop {
            let next = self.queue.peek_time().min(limit);
            // Stations that may send at the time of an event do so before it.
            if self.waits.next() <= next
                && let Some((now, who)) = Self::first_access(next, &mut self.waits, &self.nodes)
            {
                self.now = self.now.max(now);
                self.queue.advance(self.now);
                self.events += 1;
                self.with_mac(NodeId(who as u16), |mac, now, out| {
                    mac.on_timer(now, MacTimer::Contention, out)
                });
            } else if self.queue.peek_time() <= limit
                && let Some((now, event)) = self.queue.pop()
            {
                self.now = now;
                self.handle(event);
            } else {
                break;
            }
            let now = self.now;
            if self.events >= ask_at {
                ask_at = self.events + ASK_EVERY;
                if !keep_going(now.as_secs_f64() / self.end.as_secs_f64()) {
                    return false;
                }
            }
        }
        self.now = limit;
        true
    }

    #[inline]
    fn handle(&mut self, event: Event) {
        match event {
            Event::Timer(firing) => {
                if self.timers.fires(self.now, firing, &mut self.queue) {
                    self.events += 1;
                    if (firing.slot as usize) < self.nodes.len() {
                        let node = NodeId(firing.slot as u16);
                        self.with_mac(node, |mac, now, out| mac.on_timer(now, MacTimer::Exchange, out));
                    } else {
                        self.on_timer(firing.slot);
                    }
                }
            }
            Event::End(tx) => self.on_end(tx),
            other => self.handle_other(other),
        }
    }

    /// What happens less often than ends of frames and timers.
    #[inline(never)]
    fn handle_other(&mut self, event: Event) {
        match event {
            Event::Timer(_) | Event::End(_) => unreachable!("handled before"),
            Event::Begin(tx) => self.on_begin(tx),
            Event::Up { packet, node, from } => {
                self.events += 1;
                self.receive_packet(node, packet, from);
            }
            Event::Down { packet, node, next_hop } => {
                self.events += 1;
                self.enqueue(node, packet, next_hop);
            }
            Event::Forward { packet, node, next_hop } => {
                self.events += 1;
                self.send_to_link(node, packet, next_hop);
            }
            Event::Launch { packet, node } => {
                self.events += 1;
                self.launched(node, packet);
            }
            Event::App { flow, what } => {
                self.events += 1;
                self.on_app(flow as usize, what);
            }
            Event::WireFree(wire) => {
                self.events += 1;
                self.wire_next(wire);
            }
            Event::WireArrival { wire, packet } => {
                self.events += 1;
                self.on_wire_arrival(wire, packet);
            }
            Event::Switch(i) => {
                let (_, node, on) = self.switches[i as usize];
                self.switch(node, on);
            }
            Event::Cut(order) => self.on_cut_due(order),
            Event::Mend(order) => self.on_mend(order),
            Event::Warm => self.on_warm(),
            Event::Sample => self.on_sample(),
        }
    }

    #[inline(never)]
    fn on_timer(&mut self, slot: TimerSlot) {
        let nodes = self.nodes.len() as u32;
        let node_slots = NODE_TIMERS as u32 * nodes;
        if slot < node_slots {
            let node = NodeId((slot % nodes) as u16);
            match slot / nodes {
                ROUTER => {
                    self.with_router(node, Occasion::Other, |router, now, out| router.on_timer(now, out))
                }
                _ => self.on_arp_timer(node),
            }
        } else if let Some(node) = self.energy.as_ref().and_then(|e| e.node_of(slot)) {
            self.on_energy_timer(node);
        } else {
            self.on_tcp_timer(slot - node_slots);
        }
    }

    #[inline]
    pub(crate) fn node_timer(&self, node: NodeId, kind: u32) -> TimerSlot {
        kind * self.nodes.len() as u32 + u32::from(node.0)
    }

    /// Runs a router's input and carries out what it wants.
    fn with_router(
        &mut self,
        node: NodeId,
        occasion: Occasion,
        input: impl FnOnce(&mut Router, SimTime, &mut Vec<RoutingAction>),
    ) {
        let mut out = self.route_pool.pop().unwrap_or_default();
        input(&mut self.nodes[node.index()].router, self.now, &mut out);
        self.apply_routing(node, &mut out, occasion);
        out.clear();
        self.route_pool.push(out);
    }

    /// Runs a MAC's input and carries out what it wants.
    #[inline]
    pub(crate) fn with_mac(
        &mut self,
        node: NodeId,
        input: impl FnOnce(&mut Dcf, SimTime, &mut Vec<MacAction>),
    ) {
        let mut out = std::mem::take(&mut self.mac_actions);
        input(&mut self.nodes[node.index()].mac, self.now, &mut out);
        // Timers first: what follows can come back to this MAC, which then wants them otherwise.
        self.set_mac_timers(node);
        if !out.is_empty() {
            self.apply_mac(node, &out);
            out.clear();
        }
        self.mac_actions = out;
    }

    pub(crate) fn control_uid(&mut self) -> u64 {
        self.control_uid += 1;
        self.control_uid
    }

    /// A copy of a packet dies at `node`. The root is `of`, unless something held it up before.
    #[inline(never)]
    fn kill(&mut self, packet: PacketId, node: NodeId, died: Died, of: Setback) {
        let (uid, hops) = (self.packets.get(packet).uid, self.packets.get(packet).hops);
        if uid < UNTRACKED {
            let mut root = self.packets.setback(packet).unwrap_or(of);
            let (cause, interferer) = self.final_cause(&root, died);
            root.interferer = interferer;
            let booked = self.ledger.records().len();
            self.ledger.died(uid, Death { root, cause, died, node, hops }, self.now);
            self.capture_loss(packet, booked);
        }
        self.packets.discard(packet);
    }

    /// A packet is at a node that is switched off.
    fn kill_at_dead_node(&mut self, packet: PacketId, node: NodeId) {
        self.kill(packet, node, Died::NodeDown, Setback::new(self.now, node, LossCause::NodeDown));
    }

    /// A copy of a packet isn't needed any more.
    pub(crate) fn release(&mut self, packet: PacketId) {
        let p = self.packets.get(packet);
        let uid = p.uid;
        if uid < UNTRACKED {
            let booked = self.ledger.records().len();
            self.ledger.handed_on(uid, self.now);
            self.capture_loss(packet, booked);
        } else if let Body::Arp(arp) = p.body
            && arp.request
        {
            self.record.note_asked(arp.sender, arp.target, self.now);
        }
        self.packets.discard(packet);
    }

    /// Checks that every live packet is held exactly once, and that the ledger's books balance.
    pub fn check_conservation(&self) -> Result<(), String> {
        self.ledger.check()?;
        let mut holders: Vec<PacketId> = Vec::new();
        for n in &self.nodes {
            holders.extend(n.mac.holds());
            holders.extend(n.queue.iter().map(|e| e.packet));
            holders.extend(n.arp.held());
            holders.extend(n.router.buffered());
        }
        self.wires.held(&mut holders);
        for e in self.queue.iter() {
            match e {
                Event::Up { packet, .. }
                | Event::Down { packet, .. }
                | Event::Forward { packet, .. }
                | Event::Launch { packet, .. }
                | Event::WireArrival { packet, .. } => holders.push(packet),
                _ => {}
            }
        }
        holders.sort_unstable();
        let live: Vec<PacketId> = self.packets.iter().map(|(id, _)| id).collect();
        if holders != live {
            return Err(format!("{} packets are alive but {} are held somewhere", live.len(), holders.len()));
        }
        let copies = self.packets.iter().filter(|(_, p)| p.uid < UNTRACKED).count() as u64;
        if copies != self.ledger.live_copies() {
            return Err(format!(
                "{copies} tracked copies are alive, the ledger counts {}",
                self.ledger.live_copies()
            ));
        }
        Ok(())
    }
}

/// Whether a packet belongs to the search for a route or an address.
fn is_message(packet: &Packet) -> bool {
    packet.is_routing() || matches!(packet.body, Body::Arp(_))
}
