//! A running network: its parts, and the event loop.
//!
//! A segment goes down through transport, routing, interface queue and MAC to the radio, and up through the
//! same layers at each hop. Layers return actions; this module carries them from one layer to the next.
//!
//! Each part owns its state: `common` what all parts use (agenda, packets, observers), `medium` what is on
//! the air, `node` what stands on each node (link layer, routing, power), `hosts` the flows and their
//! transports, `wires` the wired connections. `impl Network` is spread over the files that connect these
//! parts. What happens is reported to [`crate::observe`].

mod agenda;
pub(crate) mod air;
mod common;
mod event;
mod finish;
pub(crate) mod hosts;
pub(crate) mod medium;
pub(crate) mod node;
mod outcome;
pub(crate) mod packets;
pub(crate) mod steering;
#[cfg(test)]
mod testing;
pub(crate) mod wires;

use crate::engine::TimerSlot;
use crate::network::hosts::flow::{Drawn, Flow};
use crate::network::hosts::foresight::Foresight;
use crate::network::medium::Radio;
use crate::network::node::meters::Meters;
use crate::network::node::stations::Stations;
use crate::network::node::{NodeTimer, Nodes};
use crate::observe::loss::scene::World;
use crate::observe::loss::twin::Twin;
use crate::observe::{After, Fact, Film, Frames, Layout, Observers, Obstacle};
use agenda::Agenda;
use air::Air;
use common::Common;
use event::{AppEvent, Event};
use std::io;
use std::path::Path;
use std::sync::Arc;
use tworay_base::{NodeId, PacketId, SimTime};
use tworay_mac::hcf::HcfAction;
use tworay_mac::{MacAction, MacTimer};
use tworay_radio::phy::AccessCategory;
use tworay_routing::RoutingAction;
use tworay_scenario::{Costs, FlowSetup, Settings, Setup};
use tworay_tcp::{TcpAction, TcpTimer};
use wires::Wires;

pub(crate) use crate::network::hosts::gateway::External;
pub(crate) use outcome::Outcome;
pub use wires::red::{Backlog, Red, RedVerdict};

/// Settings of a run that never change.
struct Plan {
    seed: u64,
    settings: Settings,
    /// End of the warm-up, when the flows' figures start.
    warm_at: SimTime,
    switches: Vec<(SimTime, NodeId, bool)>,
    /// When nodes begin to lose this share of frames.
    losses: Vec<(SimTime, NodeId, f64)>,
    /// Computing costs of the transport.
    costs: Arc<Costs>,
}

/// Lists that are kept to reuse their allocations.
#[derive(Default)]
struct Scratch {
    mac: Vec<MacAction>,
    routing: Vec<Vec<RoutingAction>>,
    tcp: Vec<Vec<TcpAction>>,
    air: Vec<Vec<HcfAction>>,
}

/// A network that is ready to run.
pub struct Network {
    common: Common,
    /// `None` in a wired-only network.
    radio: Option<Radio>,
    /// Stations of 802.11a/g/n/ac. Then the MACs of `nodes` are idle.
    air: Option<Box<Air>>,
    nodes: Nodes,
    wires: Wires,
    flows: Vec<Flow>,
    /// Draws the start offsets of the stations.
    stations: Stations,
    plan: Plan,
    /// Interface for packets of real stations, if there are any.
    external: Option<Box<External>>,
    /// Warns receivers of interruptions, if any wants it.
    foresight: Option<Box<Foresight>>,
    scratch: Scratch,
}

impl Network {
    /// Builds a network; no event has run yet. Returns `None` if `keep_going`, which is called from time to
    /// time, returns false.
    pub fn new(setup: Setup, mut keep_going: impl FnMut() -> bool) -> Option<Self> {
        let Setup { seed, settings, has_radio, costs, tracks, .. } = setup;
        let Setup { flows, wires, switches, losses, cuts, series, external, .. } = setup;
        let count = tracks.len();
        let radio = has_radio.then(|| Radio::new(&settings, tracks, cuts, seed));
        let agenda = Agenda::new(count, SimTime::ZERO + settings.duration);
        let ends: Vec<_> = flows.iter().map(|f| (f.from, f.to)).collect();
        let warm_at = SimTime::ZERO + settings.warmup;
        let mut network = Self {
            common: Common::new(agenda, Observers::new(count, &ends, series)),
            stations: Stations::new(&settings.station, has_radio, seed, count),
            radio,
            air: None,
            nodes: Nodes::new(count, &settings.mac, &settings.routing, seed),
            wires: Wires::new(wires, seed),
            flows: Vec::new(),
            plan: Plan { seed, settings, warm_at, switches, losses, costs },
            external: external.map(|ends| Box::new(External::new(ends))),
            foresight: None,
            scratch: Scratch::default(),
        };
        if series && !network.wires.ends().is_empty() {
            network.common.observers.trace_wires();
        }
        network.common.agenda.add_timers(network.nodes.timers() as usize);
        for flow in flows {
            network.plan_flow(flow);
        }
        network.plan_foresight();
        if !network.fill_static_routes(&mut keep_going) {
            return None;
        }
        network.common.observers.roots.expect(&network.plan.settings, seed);
        for node in network.nodes.ids() {
            network.with_router(node, After::Other, |router, now, out| router.start(now, out));
        }
        let agenda = &mut network.common.agenda;
        let Plan { switches, losses, .. } = &network.plan;
        let times = switches.iter().map(|switch| switch.0).chain(losses.iter().map(|loss| loss.0));
        for (i, at) in times.enumerate() {
            agenda.push(at, Event::Switch(i as u16));
        }
        if let Some(radio) = &network.radio {
            for (i, at) in radio.cut_times().into_iter().enumerate() {
                agenda.push(at, Event::Cut(i as u16));
            }
            let slot = agenda.add_timers(count);
            network.nodes.meters = Meters::new(&network.plan.settings.energy, count, slot, series);
            if network.plan.settings.radio.standard.is_some() {
                let slot = agenda.add_timers(count);
                let other =
                    |flow: &Flow| flow.setup.category.is_some_and(|c| c != AccessCategory::BestEffort);
                let categories = network.flows.iter().any(other);
                network.air = Air::new(&network.plan.settings, seed, count, slot, categories);
            }
        }
        if let Some(meters) = &mut network.nodes.meters {
            meters.start(agenda);
        }
        if network.plan.warm_at > SimTime::ZERO {
            agenda.push(network.plan.warm_at, Event::Warm);
        }
        Some(network)
    }

    /// Adds a flow; its application starts by its node's clock.
    fn plan_flow(&mut self, mut flow: FlowSetup) {
        let i = self.flows.len();
        let offset = self.stations.clock_offset(flow.from);
        flow.start += offset;
        flow.stop = flow.stop.map(|stop| stop + offset);
        let agenda = &mut self.common.agenda;
        let slot = agenda.add_timers(2 * TcpTimer::COUNT);
        agenda.push(flow.start, Event::App { flow: i as u16, what: AppEvent::Start });
        if let Some(stop) = flow.stop {
            agenda.push(stop, Event::App { flow: i as u16, what: AppEvent::Stop });
        }
        let drawn = self.drawn(&flow);
        let mut flow = Flow::new(flow, i, slot, &self.plan.settings.tcp, self.plan.seed);
        flow.drawn = drawn;
        self.flows.push(flow);
    }

    /// The account of what a sender's computations draw from its battery, if they draw anything.
    fn drawn(&self, flow: &FlowSetup) -> Option<Box<Drawn>> {
        let energy = &self.plan.settings.energy;
        let variant = flow.application.variant()?;
        let costs = || self.plan.costs.table.costs_of(variant);
        energy
            .draw_computing
            .then(|| Box::new(Drawn::new(costs().map(|cost| cost.joules(energy.instruction.get())))))
    }

    /// The same run without disturbances has lost this.
    pub(crate) fn beside(&mut self, twin: Twin) {
        self.common.observers.ledger.beside(twin);
    }

    /// From now on counts losses without recording each one.
    pub(crate) fn count_losses_only(&mut self) {
        self.common.observers.ledger.count_only();
    }

    /// Starts recording.
    pub(crate) fn record(&mut self) {
        self.common.observers.record(self.radio.as_ref().and_then(Radio::ranges));
    }

    /// Starts a log of the medium.
    pub(crate) fn log_medium(&mut self) {
        self.common.observers.log_medium();
    }

    /// Starts a capture of transmissions in a file at `path`, with a comment in its header.
    pub(crate) fn capture_to(&mut self, path: &Path, megahertz: u16, comment: String) -> io::Result<()> {
        let radios = if self.radio.is_some() { self.nodes.len() } else { 0 };
        let names = self.plan.settings.node_names();
        let frames = self.air.as_ref().map_or(Frames::Dsss, |air| air.frames());
        let layout = Layout { radios, wires: self.wires.ends(), megahertz, frames, comment, names };
        self.common.observers.capture_to(path, &layout, &self.plan.settings.mac)
    }

    /// Starts an animation of transmissions at `path`; `flows` are the end nodes of each flow.
    pub(crate) fn animate_to(&mut self, path: &Path, flows: &[(NodeId, NodeId)]) -> io::Result<()> {
        let tracks = self.radio.as_ref().map_or_else(Vec::new, |radio| radio.tracks().to_vec());
        let names = self.plan.settings.node_names();
        let film = Film { tracks, end: self.common.agenda.end, names };
        self.common.observers.animate_to(path, film, flows)
    }

    /// Passes what is captured so far on to its reader, if there is a capture.
    pub(crate) fn flush_capture(&mut self) {
        self.common.observers.flush_capture();
    }

    /// Completes the capture, if there is one.
    pub(crate) fn finish_capture(&mut self) -> io::Result<()> {
        self.common.observers.finish_capture()
    }

    /// Completes the animation, if there is one.
    pub(crate) fn finish_animation(&mut self) -> io::Result<()> {
        self.common.observers.finish_animation()
    }

    /// Processes events until the end, or until `keep_going` returns false; it is called from time to time
    /// with the fraction of simulated time completed. Returns whether the end was reached.
    pub fn run(&mut self, keep_going: impl FnMut(f64) -> bool) -> bool {
        self.run_until(self.common.agenda.end, keep_going)
    }

    /// As [`Self::run`], but until `limit`, inclusive.
    pub(crate) fn run_until(&mut self, limit: SimTime, mut keep_going: impl FnMut(f64) -> bool) -> bool {
        const ASK_EVERY: u64 = 1 << 13;
        let mut ask_at = self.common.agenda.events + ASK_EVERY;
        let end = self.common.agenda.end;
        loop {
            let agenda = &mut self.common.agenda;
            let event = agenda.next_event();
            let next = event.min(limit);
            // Stations whose access is due at the time of an event transmit before it. What ends the run, or hands over to somebody else,
            // decides no tie.
            if agenda.next_access() <= next
                && let Some((now, who)) = self.nodes.first_access(agenda, next, event)
            {
                self.common.now = self.common.now.max(now);
                agenda.advance(self.common.now);
                agenda.events += 1;
                self.with_mac(NodeId(who as u16), |mac, now, out| {
                    mac.on_timer(now, MacTimer::Contention, out)
                });
            } else if self.common.agenda.next_event() <= limit
                && let Some((now, event)) = self.common.agenda.pop()
            {
                self.common.now = now;
                self.handle(event);
            } else {
                break;
            }
            if self.common.agenda.events >= ask_at {
                ask_at = self.common.agenda.events + ASK_EVERY;
                if !keep_going(self.common.now.as_secs_f64() / end.as_secs_f64()) {
                    return false;
                }
            }
        }
        self.common.now = limit;
        true
    }

    #[inline]
    fn handle(&mut self, event: Event) {
        match event {
            Event::Timer(firing) => {
                if self.common.agenda.fires(self.common.now, firing) {
                    self.common.agenda.events += 1;
                    if let Some(node) = self.nodes.exchange_of(firing.slot) {
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

    /// Events that are rarer than ends of frames and timers.
    #[inline(never)]
    fn handle_other(&mut self, event: Event) {
        // Signals and timers are counted by station, where they take effect.
        match event {
            Event::Timer(_) | Event::End(_) => unreachable!("handled before"),
            Event::Begin(tx) => {
                if self.air.is_some() {
                    self.air_begin(tx);
                } else if let Some(radio) = &mut self.radio {
                    radio.begin(&mut self.nodes, &mut self.common, tx);
                }
            }
            Event::Up { packet, node, from } => {
                self.common.agenda.events += 1;
                self.receive_packet(node, packet, from);
            }
            Event::Down { packet, node, next_hop } => {
                self.common.agenda.events += 1;
                self.enqueue(node, packet, next_hop);
            }
            Event::Forward { packet, node, next_hop } => {
                self.common.agenda.events += 1;
                self.send_to_link(node, packet, next_hop);
            }
            Event::Launch { packet, node } => {
                self.common.agenda.events += 1;
                self.launched(node, packet);
            }
            Event::App { flow, what } => {
                self.common.agenda.events += 1;
                self.on_app(flow as usize, what);
            }
            Event::WireFree(wire) => {
                self.common.agenda.events += 1;
                self.wires.on_free(&mut self.common, wire);
            }
            Event::WireArrival { wire, packet } => self.on_wire_arrival(wire, packet),
            Event::Switch(order) => self.ordered(order),
            Event::Cut(order) => self.radio.iter_mut().for_each(|radio| radio.cut_due(order)),
            Event::Mend(order) => self.radio.iter_mut().for_each(|radio| radio.mend(self.common.now, order)),
            Event::Foresee(flow) => self.foresee(flow),
            Event::Warm => self.on_warm(),
        }
    }

    #[inline(never)]
    fn on_wire_arrival(&mut self, wire: u16, packet: PacketId) {
        self.common.agenda.events += 1;
        if let Some((from, to)) = self.wires.on_arrival(&mut self.common, wire, packet) {
            self.receive_packet(to, packet, from);
        }
    }

    #[inline(never)]
    fn on_timer(&mut self, slot: TimerSlot) {
        if let Some((node, kind)) = self.nodes.timer_of(slot) {
            match kind {
                NodeTimer::Router => {
                    self.with_router(node, After::Other, |router, now, out| router.on_timer(now, out))
                }
                NodeTimer::Arp | NodeTimer::Exchange => self.on_arp_timer(node),
            }
        } else if let Some(node) = self.nodes.meters.as_ref().and_then(|meters| meters.node_of(slot)) {
            self.on_energy_timer(node);
        } else if let Some(node) = self.air.as_ref().and_then(|air| air.node_of(slot)) {
            self.air_timer(node);
        } else {
            self.on_tcp_timer(slot - self.nodes.timers());
        }
    }

    /// Passes a fact to the observers that look at the network to understand it.
    #[inline(never)]
    fn report(&mut self, fact: Fact<'_>) {
        let Common { now, packets, observers, .. } = &mut self.common;
        let radio = self.radio.as_mut();
        let (nodes, wires, air) = (&self.nodes, &self.wires, self.air.as_deref());
        observers.report(fact, World { now: *now, packets, nodes, wires, radio, air });
    }

    /// A copy of a packet dies at `node`, because it cannot go on.
    fn stop(&mut self, packet: PacketId, node: NodeId, by: Obstacle) {
        self.report(Fact::Stopped { packet, node, by });
        self.common.packets.discard(packet);
    }

    /// Checks that every live packet is held exactly once, and that the ledger balances.
    pub fn check_conservation(&self) -> Result<(), String> {
        let Common { agenda, packets, observers, .. } = &self.common;
        observers.ledger.check()?;
        let mut holders: Vec<PacketId> = Vec::new();
        self.nodes.held(&mut holders);
        self.air.iter().for_each(|air| air.held(&mut holders));
        self.wires.held(&mut holders);
        holders.extend(agenda.events().filter_map(|event| event.packet()));
        holders.sort_unstable();
        let live: Vec<PacketId> = packets.iter().map(|(id, _)| id).collect();
        if holders != live {
            return Err(format!("{} packets are alive but {} are held somewhere", live.len(), holders.len()));
        }
        let copies = packets.iter().filter(|(_, p)| p.uid < packets::UNTRACKED).count() as u64;
        if copies != observers.ledger.live_copies() {
            return Err(format!(
                "{copies} tracked copies are alive, the ledger counts {}",
                observers.ledger.live_copies()
            ));
        }
        Ok(())
    }
}
