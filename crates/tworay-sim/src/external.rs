//! A network that real stations use: driven step by step, packets in at one node and out at another.
//!
//! The caller owns the clock. It asks when something happens next ([`Live::next_time`]), has everything done
//! up to a time ([`Live::run_until`]), hands packets in ([`Live::take_in`]) and takes out what has arrived
//! ([`Live::pop_leaving`]). Nothing here knows of devices or of real time.

use crate::flow::{Application, Flow, FlowSetup, Resent, Transport};
use crate::ledger::Carries;
use crate::network::Network;
use crate::report::RunReport;
use crate::run::RunError;
use crate::scenario::Scenario;
use std::path::PathBuf;
use std::sync::Arc;
use tworay_base::{FlowId, LossCause, NodeId, Seq32, SimDuration, SimTime};
use tworay_routing::Protocol;
use tworay_tcp::{Counters, Phase, Snapshot};

/// What stations hand over.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Ethernet frames: the stations route themselves.
    Two,
    /// IPv4 packets: the scenario's routing carries them.
    Three,
}

/// How to set up a network for real stations.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveOptions {
    /// Seed of all random streams.
    pub seed: u64,
    /// What stations hand over.
    pub layer: Layer,
    /// Nodes with a station. Static routes lead from each to each.
    pub stations: Vec<NodeId>,
    /// How long it may run: nodes move so long at least.
    pub limit: SimDuration,
    /// Where to write a capture; a file there is replaced when the new one is complete.
    pub pcap: Option<PathBuf>,
}

/// A packet of a station.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Whose.
    pub node: NodeId,
    /// The node it is for; of a frame, the neighbour, or [`NodeId::BROADCAST`].
    pub to: NodeId,
    /// Its hop limit.
    pub ttl: u8,
    /// Length above the link layer, bytes.
    pub ip_bytes: u32,
    /// The packet from its first byte; of a frame with its Ethernet header.
    pub bytes: Arc<[u8]>,
    /// Its flow, or [`FlowId::NONE`].
    pub flow: FlowId,
    /// What it is to its flow; `None` if the ledger doesn't track it.
    pub carries: Option<Carries>,
    /// First sequence number; of an acknowledgment, what it acknowledges.
    pub seq: Seq32,
    /// Whether it is an Ethernet frame.
    pub frame: bool,
}

/// A packet that has reached its station.
#[derive(Clone, Debug)]
pub struct Leaving {
    /// When.
    pub at: SimTime,
    /// Where.
    pub node: NodeId,
    /// Its flow.
    pub flow: FlowId,
    /// Hop limit left: one less for each relay. The bytes still have the sender's.
    pub ttl: u8,
    /// Hops travelled.
    pub hops: u8,
    /// The packet as it was handed in.
    pub bytes: Arc<[u8]>,
}

/// A link on the way from a node to a destination is out of range, cut, or leads to a node that is off. Links
/// that fail because of load are no breaks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RouteBreak {
    /// When.
    pub at: SimTime,
    /// The node that uses the way.
    pub node: NodeId,
    /// Where it led.
    pub dst: NodeId,
}

/// What is known of a flow of real stations, for its row in the report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowLook {
    /// What runs there, such as `kernel:cubic`; `None` for anything but TCP.
    pub tcp: Option<String>,
    /// Payload that reached the receiving station, each byte once.
    pub delivered_bytes: u64,
    /// When the connection opened.
    pub connected_at: Option<SimTime>,
    /// When everything was acknowledged and the connection closed.
    pub finished_at: Option<SimTime>,
    /// What the sender did.
    pub counters: Counters,
}

/// The state of the network at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveStatus {
    /// Payload delivered so far, all flows, bytes.
    pub delivered_bytes: u64,
    /// Segments lost so far, by cause; causes without losses are left out.
    pub lost: Vec<(LossCause, u64)>,
    /// Events worked off.
    pub events: u64,
}

/// Why a network can't be used so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The scenario has wires only.
    NoRadio,
    /// A station that is no node.
    NoSuchNode(NodeId),
    /// More flows than there are numbers.
    TooManyFlows,
    /// It couldn't be set up; the text says why.
    Failed(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::NoRadio => {
                f.write_str("layer 2 needs radios, but the scenario has wires only; use layer 3")
            }
            Refusal::NoSuchNode(node) => write!(f, "there is no node {node} in the scenario"),
            Refusal::TooManyFlows => f.write_str("there are more connections than flow numbers"),
            Refusal::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refusal {}

/// At most so many flows of stations.
const MOST_FLOWS: usize = 60_000;

/// A network in use by real stations.
pub struct Live {
    network: Network,
    scenario: String,
    protocol: &'static str,
    seed: u64,
    pcap: Option<PathBuf>,
    begun: cpu_time::ThreadTime,
}

impl Live {
    /// Sets up `scenario`. Its TCP flows are left to the stations; its UDP flows are simulated.
    pub fn new(scenario: &Scenario, options: &LiveOptions) -> Result<Self, Refusal> {
        let LiveOptions { seed, layer, ref stations, limit, ref pcap } = *options;
        let mut scenario = scenario.clone();
        scenario.settings.duration = scenario.settings.duration.max(limit);
        scenario.settings.warmup = SimDuration::ZERO;
        scenario.flows.retain(|flow| !matches!(flow.application, Application::Ftp { .. }));
        if layer == Layer::Two {
            if scenario.radio_node_count() == 0 {
                return Err(Refusal::NoRadio);
            }
            scenario.settings.routing.protocol = Protocol::Static;
        }
        let nodes = scenario.node_count();
        if let Some(&node) = stations.iter().find(|node| u32::from(node.0) >= nodes) {
            return Err(Refusal::NoSuchNode(node));
        }
        let mut setup = scenario.setup(seed, true).map_err(|e| Refusal::Failed(e.to_string()))?;
        let pairs =
            stations.iter().enumerate().flat_map(|(i, &a)| stations[..i].iter().map(move |&b| (b, a)));
        setup.external = Some(if layer == Layer::Three { pairs.collect() } else { Vec::new() });
        for cut in &mut setup.cuts {
            // The flow that an order names is one of the scenario's; the stations' flows have other numbers.
            cut.flow = None;
        }
        let megahertz = (setup.settings.radio.frequency.get() * 1e-6) as u16;
        let mut network =
            Network::new(setup, || true).ok_or_else(|| Refusal::Failed("the set-up was stopped".into()))?;
        if let Some(path) = pcap {
            let comment = format!("scenario {}, seed {seed}, live: real payload", scenario.name());
            let failed = |e| Refusal::Failed(format!("can't write {}: {e}", path.display()));
            network.capture_to(path, megahertz, comment).map_err(failed)?;
        }
        Ok(Self {
            network,
            scenario: scenario.name().to_owned(),
            protocol: if layer == Layer::Two { "none" } else { scenario.settings.routing.protocol.name() },
            seed,
            pcap: pcap.clone(),
            begun: cpu_time::ThreadTime::now(),
        })
    }

    /// Simulated time: everything up to here has happened.
    pub fn now(&self) -> SimTime {
        self.network.now()
    }

    /// When something happens next; never, or later than the end, if nothing does.
    pub fn next_time(&mut self) -> SimTime {
        self.network.next_time()
    }

    /// Does everything up to `limit`, which lies not before [`Self::now`].
    pub fn run_until(&mut self, limit: SimTime) {
        self.network.run_until(limit.max(self.network.now()), |_| true);
    }

    /// Takes in a packet at the present time and gives its number.
    pub fn take_in(&mut self, entry: Entry) -> u64 {
        self.network.take_in(entry)
    }

    /// The next packet that has reached its station.
    pub fn pop_leaving(&mut self) -> Option<Leaving> {
        self.network.external_mut()?.pop_leaving()
    }

    /// The next word of a broken route.
    pub fn pop_break(&mut self) -> Option<RouteBreak> {
        self.network.external_mut()?.pop_break()
    }

    /// Whether a node is switched on and has power.
    pub fn is_up(&self, node: NodeId) -> bool {
        self.network.is_up(node)
    }

    /// A new flow between two stations that begins now.
    pub fn open_flow(&mut self, from: NodeId, to: NodeId, port: u16, tcp: bool) -> Result<FlowId, Refusal> {
        let index = self.network.flows().len();
        if index >= MOST_FLOWS {
            return Err(Refusal::TooManyFlows);
        }
        let application = Application::External { tcp: tcp.then(|| "kernel".to_owned()) };
        let setup = FlowSetup { from, to, port, start: self.now(), stop: None, application };
        self.network.add_flow(setup);
        Ok(FlowId(index as u16))
    }

    /// The flow's payload goes the other way: what was measured of its path so far is forgotten.
    pub fn turn_flow(&mut self, flow: FlowId) {
        if let Some(f) = self.network.flow_mut(flow) {
            std::mem::swap(&mut f.setup.from, &mut f.setup.to);
            f.path = Default::default();
            f.sent_bytes = 0;
            f.first_sent = None;
        }
    }

    /// The sender's state now, and the payload acknowledged so far.
    pub fn note_state(&mut self, flow: FlowId, state: Snapshot, acked_bytes: u64) {
        let now = self.network.now();
        if let Some(f) = self.network.flow_mut(flow) {
            f.note_state(now, state, acked_bytes);
        }
    }

    /// Packet `uid` was sent again.
    pub fn note_resent(&mut self, flow: FlowId, seq: Seq32, uid: u64, phase: Phase) {
        let at = self.network.now();
        if let Some(f) = self.network.flow_mut(flow) {
            f.resent.push(Resent { at, seq, uid, phase });
        }
    }

    /// What is known of a flow, in place of what was known before.
    pub fn set_flow(&mut self, flow: FlowId, look: FlowLook) {
        let Some(f) = self.network.flow_mut(flow) else { return };
        let FlowLook { tcp, delivered_bytes, connected_at, finished_at, counters } = look;
        if let Transport::External(known) = &mut f.transport {
            **known = counters;
            f.setup.application = Application::External { tcp };
        }
        (f.delivered_bytes, f.connected_at, f.finished_at) = (delivered_bytes, connected_at, finished_at);
    }

    /// The state of things.
    pub fn status(&self) -> LiveStatus {
        let lost = LossCause::ALL.into_iter().map(|cause| {
            let column = self.network.ledger().lost(cause);
            (cause, column.data + column.ack)
        });
        LiveStatus {
            delivered_bytes: self.network.flows().iter().map(Flow::received_bytes).sum(),
            lost: lost.filter(|(_, n)| *n > 0).collect(),
            events: self.network.events(),
        }
    }

    /// Ends the run now.
    pub fn finish(mut self) -> Result<RunReport, RunError> {
        self.network.end_now();
        self.network.check_conservation().map_err(RunError::Failed)?;
        if let Some(path) = &self.pcap {
            let failed = |e| RunError::Failed(format!("can't write {}: {e}", path.display()));
            self.network.finish_capture().map_err(failed)?;
        }
        let mut report =
            RunReport::gather(self.network.finish(), &self.scenario, self.seed, self.protocol, &[]);
        report.document.cpu_seconds = self.begun.elapsed().as_secs_f64();
        Ok(report)
    }
}

#[cfg(test)]
mod tests;
