//! From a scenario to what a network is built from.

use super::{EventKind, Scenario};
use crate::network::{Setup, WireSetup};
use std::path::Path;
use tworay_base::{NodeId, Position, SimTime};
use tworay_mobility::{MobilityError, Track};

impl Scenario {
    /// Everything that a run with `seed` is built from; `series`: whether to keep time series. Fails if
    /// the movement file is no longer what it was when the scenario was read.
    pub fn setup(&self, seed: u64, series: bool) -> Result<Setup, MobilityError> {
        let wired_only = self.radio_nodes == 0;
        let tracks = if wired_only {
            (0..self.node_count()).map(|_| Track::fixed(Position::new(0.0, 0.0))).collect()
        } else {
            tworay_mobility::build(&self.topology, &self.mobility, seed, self.duration, Path::new(""))?.tracks
        };
        let wires = self.links.iter().flat_map(|link| {
            let way = |from: u16, to: u16, drops: &[u64]| WireSetup {
                from: NodeId(from),
                to: NodeId(to),
                rate: link.rate,
                delay: link.delay,
                queue: link.queue,
                drops: drops.to_vec(),
            };
            [way(link.from, link.to, &link.drops), way(link.to, link.from, &[])]
        });
        let switches = self
            .events
            .iter()
            .map(|event| (SimTime::ZERO + event.at, NodeId(event.node), event.what == EventKind::Up));
        Ok(Setup {
            seed,
            duration: self.duration,
            warmup: self.warmup,
            tracks,
            radio: (!wired_only).then(|| self.radio.clone()),
            energy: self.energy.clone(),
            errors: self.errors.clone(),
            mac: self.mac.clone(),
            routing: self.routing.clone(),
            tcp: self.tcp.clone(),
            flows: self.flows.clone(),
            wires: wires.collect(),
            switches: switches.collect(),
            series,
        })
    }
}
