//! Converts a scenario to the input from which a network is built.

use super::{EventKind, Scenario};
use crate::network::{LinkCut, Setup, WireSetup};
use crate::wires::Outages;
use std::path::Path;
use std::sync::Arc;
use tworay_base::{FlowId, NodeId, Position, Purpose, RngStream, SimDuration, SimTime};
use tworay_mobility::{MobilityError, Track};
use tworay_radio::ErrorModelConfig;

/// First stream number of the wires' handoffs, separate from the streams of nodes.
const HANDOFF_STREAMS: u64 = 1 << 32;

impl Scenario {
    /// The input for a run with `seed`; `series` says whether to record time series. Fails if the movement
    /// file has changed since the scenario was read.
    pub fn setup(&self, seed: u64, series: bool) -> Result<Setup, MobilityError> {
        let wired_only = self.radio_nodes == 0;
        let tracks = if wired_only {
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
        let mut cuts = Vec::new();
        for event in &self.settings.events {
            let at = SimTime::ZERO + event.at;
            match (event.what, event.node) {
                (EventKind::Cut, _) => {
                    let lasts = event.lasts.unwrap_or(SimDuration::MAX);
                    cuts.push(LinkCut { at, flow: event.flow.map(FlowId), lasts });
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
            cuts,
            series,
            external: None,
        })
    }
}
