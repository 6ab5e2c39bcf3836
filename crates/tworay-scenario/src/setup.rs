//! The input from which a network is built.

use crate::costs::Costs;
use crate::event::EventKind;
use crate::flow::FlowSetup;
use crate::scenario::Scenario;
use crate::settings::Settings;
use crate::wire::{LanesConfig, Outages, RedConfig};
use std::path::Path;
use std::sync::Arc;
use tworay_base::{BitRate, FlowId, NodeId, Position, Purpose, RngStream, SimDuration, SimTime, Speed};
use tworay_mobility::{MobilityError, Track};
use tworay_radio::ErrorModelConfig;

/// First stream number of the wires' handoffs, separate from the streams of nodes.
const HANDOFF_STREAMS: u64 = 1 << 32;

/// Input from which a network is built.
pub struct Setup {
    /// Seed of all random streams.
    pub seed: u64,
    /// All settings of the scenario.
    pub settings: Settings,
    /// True if nodes have radios; false in a wired-only network.
    pub has_radio: bool,
    /// Computing costs of the transport.
    pub costs: Arc<Costs>,
    /// Movement of each node.
    pub tracks: Vec<Track>,
    /// The flows.
    pub flows: Vec<FlowSetup>,
    /// Point-to-point connections.
    pub wires: Vec<WireSetup>,
    /// Events that switch nodes off and on: (time, node, on).
    pub switches: Vec<(SimTime, NodeId, bool)>,
    /// Events that set the share of frames that a node loses: (time, node, share).
    pub losses: Vec<(SimTime, NodeId, f64)>,
    /// Links to be cut while they carry a flow.
    pub cuts: Vec<LinkCut>,
    /// True to record time series.
    pub series: bool,
    /// Pairs of nodes between which packets of real stations travel in both directions; `None` in a pure
    /// simulation.
    pub external: Option<Vec<(NodeId, NodeId)>>,
}

/// One direction of a point-to-point connection.
#[derive(Clone, Debug, PartialEq)]
pub struct WireSetup {
    /// Sending end.
    pub from: NodeId,
    /// Receiving end.
    pub to: NodeId,
    /// Rate.
    pub rate: BitRate,
    /// Propagation delay.
    pub delay: SimDuration,
    /// Queue limit in packets, not counting the one being sent.
    pub queue: u32,
    /// Random early detection at its queue.
    pub red: Option<RedConfig>,
    /// Random errors in transit.
    pub errors: ErrorModelConfig,
    /// Periods in which it carries nothing.
    pub outages: Outages,
    /// Schedule of delays and losses.
    pub lanes: Option<Arc<LanesConfig>>,
    /// True if this is the reverse direction of a connection.
    pub back: bool,
    /// Data packets dropped before the queue, numbered per wire from 0.
    pub drops: Vec<u64>,
}

/// An order to cut the link that a flow is using.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct LinkCut {
    /// When the order becomes due. The first data packet to cross a link from then on is the last one over
    /// it.
    pub at: SimTime,
    /// The flow whose packet triggers the cut; any flow if `None`.
    pub flow: Option<FlowId>,
    /// Time for which the link stays cut.
    pub lasts: SimDuration,
}

impl Scenario {
    /// The input for a run with `seed`; `series` says whether to record time series. Fails if the movement
    /// file has changed since the scenario was read.
    pub fn setup(&self, seed: u64, series: bool) -> Result<Setup, MobilityError> {
        let wired_only = self.radio_nodes == 0;
        let mut tracks = if wired_only {
            (0..self.node_count()).map(|_| Track::fixed(Position::new(0.0, 0.0))).collect()
        } else {
            tworay_mobility::build(
                &self.settings.topology,
                &self.settings.mobility,
                seed,
                self.settings.duration,
                Path::new(""),
            )?
            .tracks
        };
        let wires = self.settings.wires.iter().enumerate().flat_map(|(i, wire)| {
            // Both directions of a wire are down at the same times.
            let outages = wire.handoffs.as_ref().map_or_else(Outages::default, |handoffs| {
                let mut rng = RngStream::numbered(seed, HANDOFF_STREAMS + i as u64, Purpose::Events);
                handoffs.outages(self.settings.duration, &mut rng)
            });
            let lanes = wire.lanes.as_ref().map(|lanes| Arc::new(lanes.clone()));
            let way = |from: u16, to: u16, drops: &[u64], errors: ErrorModelConfig| WireSetup {
                from: NodeId(from),
                to: NodeId(to),
                rate: wire.rate,
                delay: wire.delay,
                queue: wire.queue,
                red: wire.red,
                errors,
                outages: outages.clone(),
                lanes: lanes.clone(),
                back: from != wire.from,
                drops: drops.to_vec(),
            };
            [
                way(wire.from, wire.to, &wire.drops, wire.errors),
                way(wire.to, wire.from, &[], wire.errors_back),
            ]
        });
        let mut switches = Vec::new();
        let (mut cuts, mut losses) = (Vec::new(), Vec::new());
        for event in &self.settings.events {
            let at = SimTime::ZERO + event.at;
            match (event.what, event.node) {
                (EventKind::Cut, _) => {
                    let lasts = event.lasts.unwrap_or(SimDuration::MAX);
                    cuts.push(LinkCut { at, flow: event.flow.map(FlowId), lasts });
                }
                (EventKind::Move, Some(node)) => {
                    if let (Some(track), Some([x, y])) = (tracks.get_mut(usize::from(node)), event.to) {
                        track.redirect(at, Position::new(x, y), event.speed.map(Speed::get));
                    }
                }
                (EventKind::Loss, Some(node)) => {
                    losses.extend(event.rate.map(|rate| (at, NodeId(node), rate)))
                }
                (kind, Some(node)) => switches.push((at, NodeId(node), kind == EventKind::Up)),
                // Rejected when the scenario was read.
                (_, None) => {}
            }
        }
        Ok(Setup {
            seed,
            settings: self.settings.clone(),
            has_radio: !wired_only,
            costs: Arc::clone(&self.costs),
            tracks,
            flows: self.flows.clone(),
            wires: wires.collect(),
            switches,
            losses,
            cuts,
            series,
            external: None,
        })
    }
}
