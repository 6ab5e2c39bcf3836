//! A network used by real stations: run step by step, with packets entering at one node and leaving at
//! another.
//!
//! The caller owns the clock. It asks for the time of the next event ([`Live::next_time`]), runs the
//! network up to a time ([`Live::run_until`]), passes packets in ([`Live::take_in`]) and takes out those
//! that arrived ([`Live::pop_leaving`]). This module is independent of devices and of real time.

use crate::network::Network;
use crate::network::hosts::flow::{Flow, Transport};
pub use crate::network::hosts::gateway::{Entering, Expired, Header, Leaving, RouteBreak};
pub use crate::network::steering::{LossView, NodeView, View};
use crate::results::RunReport;
use crate::run::RunError;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use tworay_base::{FlowId, LossCause, NodeId, Seq32, SimDuration, SimTime};
use tworay_routing::Protocol;
use tworay_scenario::{Application, EventConfig, FlowSetup, Scenario};
use tworay_tcp::{Counters, Phase, Snapshot};

/// Protocol layer at which stations exchange packets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Ethernet frames: the stations route by themselves.
    Two,
    /// IPv4 packets: the scenario's routing forwards them.
    Three,
}

/// Options for a network used by real stations.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveOptions {
    /// Seed of all random streams.
    pub seed: u64,
    /// Layer at which stations exchange packets.
    pub layer: Layer,
    /// Nodes with a station. Static routes connect every pair of them.
    pub stations: Vec<NodeId>,
    /// Maximum run time; movement is defined at least until then.
    pub limit: SimDuration,
    /// Path of a capture file; an existing file is replaced when the new one is complete.
    pub pcap: Option<PathBuf>,
    /// True to record every segment, frame, queue length, route and movement.
    pub record: bool,
}

/// Observations of a flow between real stations, for its row in the report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowLook {
    /// TCP in use, such as `kernel:cubic`; `None` for anything but TCP.
    pub tcp: Option<String>,
    /// Payload that reached the receiving station, each byte once.
    pub delivered_bytes: u64,
    /// When the connection opened.
    pub connected_at: Option<SimTime>,
    /// When the connection was over: closed by both ends with everything acknowledged, or reset.
    pub finished_at: Option<SimTime>,
    /// Counters of the sender, without its timeouts.
    pub counters: Counters,
    /// Number of its timeouts and the time in them; `None` if its kernel doesn't count them.
    pub timeouts: Option<(u64, SimDuration)>,
    /// When its sender saw new data acknowledged last.
    pub acked_at: Option<SimTime>,
    /// Payload that arrived after the receiving program had closed the connection, bytes.
    pub untaken_bytes: u64,
}

/// The state of the network at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveStatus {
    /// Payload delivered so far, all flows, bytes.
    pub delivered_bytes: u64,
    /// Segments lost so far, by cause; causes without losses are left out.
    pub lost: Vec<(LossCause, u64)>,
    /// Number of events processed.
    pub events: u64,
}

/// Why a network cannot be used by real stations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The scenario has no radios.
    NoRadio,
    /// A station's node does not exist.
    NoSuchNode(NodeId),
    /// More flows than flow numbers.
    TooManyFlows,
    /// Building the network failed; the text says why.
    Failed(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::NoRadio => {
                f.write_str("layer 2 needs radios, but the scenario is wired only; use layer 3")
            }
            Refusal::NoSuchNode(node) => write!(f, "there is no node {node} in the scenario"),
            Refusal::TooManyFlows => f.write_str("there are more connections than flow numbers"),
            Refusal::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refusal {}

/// Limit of the number of the stations' flows.
const MOST_FLOWS: usize = 60_000;

/// A network used by real stations.
pub struct Live {
    network: Network,
    scenario: String,
    names: BTreeMap<String, u16>,
    /// `None` where the stations route.
    protocol: Option<Protocol>,
    seed: u64,
    pcap: Option<PathBuf>,
    begun: cpu_time::ThreadTime,
    /// Losses that were in a view.
    seen: usize,
}

impl Live {
    /// Builds the network of `scenario`. Its TCP flows are left to the stations; its UDP flows are
    /// simulated.
    pub fn new(scenario: &Scenario, options: &LiveOptions) -> Result<Self, Refusal> {
        let LiveOptions { seed, layer, ref stations, limit, ref pcap, record } = *options;
        let mut scenario = scenario.clone();
        scenario.settings.duration = scenario.settings.duration.max(limit);
        scenario.settings.warmup = SimDuration::ZERO;
        scenario.flows.retain(|flow| flow.application.variant().is_none());
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
            // The order names a flow of the scenario; the stations' flows have other numbers.
            cut.flow = None;
        }
        let megahertz = (setup.settings.radio.frequency.get() * 1e-6) as u16;
        let mut network = Network::new(setup, || true)
            .ok_or_else(|| Refusal::Failed("building the network was cancelled".into()))?;
        if record {
            network.record();
        }
        if let Some(path) = pcap {
            let comment = format!("scenario {}, seed {seed}, live: real payload", scenario.name());
            let failed = |e| Refusal::Failed(format!("can't write {}: {e}", path.display()));
            network.capture_to(path, megahertz, comment).map_err(failed)?;
        }
        Ok(Self {
            network,
            scenario: scenario.name().to_owned(),
            names: scenario.settings.names.clone(),
            protocol: (layer == Layer::Three).then_some(scenario.settings.routing.protocol),
            seed,
            pcap: pcap.clone(),
            begun: cpu_time::ThreadTime::now(),
            seen: 0,
        })
    }

    /// Simulated time: everything up to here has happened.
    pub fn now(&self) -> SimTime {
        self.network.now()
    }

    /// Time of the next event; [`SimTime::NEVER`], or a time after the end, if there is none.
    pub fn next_time(&mut self) -> SimTime {
        self.network.next_time()
    }

    /// Processes everything up to `limit`, which must not be before [`Self::now`].
    pub fn run_until(&mut self, limit: SimTime) {
        self.network.run_until(limit.max(self.network.now()), |_| true);
    }

    /// A packet enters the network at the current time; returns its uid.
    pub fn take_in(&mut self, entry: Entering) -> u64 {
        self.network.take_in(entry)
    }

    /// The next packet that reached its station.
    pub fn pop_leaving(&mut self) -> Option<Leaving> {
        self.network.external_mut()?.pop_leaving()
    }

    /// The next notice of a broken route.
    pub fn pop_break(&mut self) -> Option<RouteBreak> {
        self.network.external_mut()?.pop_break()
    }

    /// The next packet whose hop limit has run out.
    pub fn pop_expired(&mut self) -> Option<Expired> {
        self.network.external_mut()?.pop_expired()
    }

    /// Hops from a node to `dst` on the route that its routing protocol has, if any. The route may be broken
    /// without the protocol's knowledge; static routes always exist.
    pub fn hops_to(&self, node: NodeId, dst: NodeId) -> Option<u8> {
        self.network.hops_to(node, dst)
    }

    /// True if a node's routing protocol buffers a packet for `dst` until it has found a route.
    pub fn keeps_for(&self, node: NodeId, dst: NodeId) -> bool {
        self.network.keeps_for(node, dst)
    }

    /// Adds a flow between two stations that starts now.
    pub fn open_flow(&mut self, from: NodeId, to: NodeId, port: u16, tcp: bool) -> Result<FlowId, Refusal> {
        let index = self.network.flows().len();
        if index >= MOST_FLOWS {
            return Err(Refusal::TooManyFlows);
        }
        let application = Application::External { tcp: tcp.then(|| "kernel".to_owned()) };
        let setup = FlowSetup { from, to, port, start: self.now(), stop: None, category: None, application };
        self.network.add_flow(setup);
        Ok(FlowId(index as u16))
    }

    /// Reverses the direction of the flow's payload. What was measured of the other direction until now counts.
    pub fn turn_flow(&mut self, flow: FlowId) {
        let now = self.network.now();
        if let Some(f) = self.network.flow_mut(flow) {
            f.turn(now);
            self.network.observe_turned(flow);
        }
    }

    /// Records the sender's current state and the payload acknowledged so far.
    pub fn note_state(&mut self, flow: FlowId, state: Snapshot, acked_bytes: u64) {
        let now = self.network.now();
        if let Some(f) = self.network.flow_mut(flow) {
            f.note_state(now, &state, acked_bytes);
            self.network.observe_sender(flow, &state, acked_bytes);
        }
    }

    /// Packet `uid`, sent by the station at `from`, is a retransmission.
    pub fn note_resent(&mut self, flow: FlowId, from: NodeId, seq: Seq32, uid: u64, phase: Phase) {
        self.network.observe_resent(flow, (from, seq, uid), phase);
    }

    /// Replaces the observations of a flow.
    pub fn set_flow(&mut self, flow: FlowId, look: FlowLook) {
        let Some(f) = self.network.flow_mut(flow) else { return };
        let FlowLook {
            tcp,
            delivered_bytes,
            connected_at,
            finished_at,
            counters,
            timeouts,
            acked_at,
            untaken_bytes,
        } = look;
        if let Transport::External(known) = &mut f.transport {
            (known.counters, known.timeouts, known.untaken_bytes) = (counters, timeouts, untaken_bytes);
            f.setup.application = Application::External { tcp };
        }
        // Kernels are asked now and then only, and report an acknowledgment later.
        f.last_acked = acked_at;
        (f.delivered_bytes, f.connected_at, f.finished_at) = (delivered_bytes, connected_at, finished_at);
    }

    /// Changes the network now, as an event of a scenario does.
    pub fn steer(&mut self, event: &EventConfig) {
        self.network.steer(event);
    }

    /// The network as it is now, with the losses since the last view.
    pub fn view(&mut self) -> View {
        let view = self.network.view(self.seen);
        self.seen = self.network.booked();
        view
    }

    /// The current state of the network.
    pub fn status(&self) -> LiveStatus {
        let lost = LossCause::ALL.iter().map(|&cause| {
            let column = self.network.ledger().lost(cause);
            (cause, column.data + column.ack)
        });
        LiveStatus {
            delivered_bytes: self.network.flows().iter().map(Flow::received_bytes).sum(),
            lost: lost.filter(|(_, n)| *n > 0).collect(),
            events: self.network.events(),
        }
    }

    /// Passes what is captured so far on to a reader that waits for it.
    pub fn flush_capture(&mut self) {
        self.network.flush_capture();
    }

    /// Ends the run now. A reader of the capture may have left before.
    pub fn finish(mut self) -> Result<RunReport, RunError> {
        self.network.end_now();
        self.network.check_conservation().map_err(RunError::Failed)?;
        if let Some(path) = &self.pcap {
            match self.network.finish_capture() {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                    return Err(RunError::Failed(format!("can't write {}: {error}", path.display())));
                }
                Err(_) | Ok(()) => {}
            }
        }
        let mut report =
            RunReport::gather(self.network.finish(), &self.scenario, self.seed, self.protocol, &[]);
        report.document.cpu_seconds = self.begun.elapsed().as_secs_f64();
        report.document.names = self.names;
        report.name_senders();
        Ok(report)
    }
}

#[cfg(test)]
mod tests;
