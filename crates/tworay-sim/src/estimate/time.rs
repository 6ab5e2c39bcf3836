//! Estimates the processor time of a run: what its flows send, and what routing adds.
//!
//! The costs were fitted by hand to 50 drawn scenarios (`studies/estimates.py`, seed 33) on 2026-11-24, with a dozen
//! processes on two cores: an idle machine is faster.

use super::rows::{Work, work};
use crate::network::medium::on_air as medium;
use crate::paths::flow_paths;
use crate::run::RunError;
use tworay_mobility::facts::PairFacts;
use tworay_radio::Channel;
use tworay_routing::Field;
use tworay_scenario::{Scenario, Setup};

/// Costs, s: of a frame, of each station that hears it, of a packet on each hop over radio and over a wire.
const FRAME: f64 = 0.2e-6;
const HEARER: f64 = 0.015e-6;
const HOP: f64 = 0.8e-6;
/// Of a packet on each hop with 802.11a, g, n and ac.
const AIR_HOP: f64 = 1.6e-6;
const WIRE: f64 = 0.26e-6;

/// The estimated processor time of a run of `scenario` with `seed`, s.
pub(super) fn seconds(scenario: &Scenario, seed: u64) -> Result<f64, RunError> {
    let mut setup = scenario.setup(seed, false).map_err(|e| RunError::Failed(e.to_string()))?;
    let facts: Vec<PairFacts> = flow_paths(&setup).into_iter().map(|path| path.facts).collect();
    let Work { frames, radio_hops, wire_hops } = work(&mut setup, &facts);
    let nodes = f64::from(scenario.node_count());
    let hearers = hearers(&mut setup) / nodes.max(1.0);
    let air = setup.settings.radio.air().ok().flatten().is_some();
    let hop = if air { AIR_HOP } else { HOP };
    let flows = frames * (FRAME + HEARER * hearers) + radio_hops * hop + wire_hops * WIRE;
    Ok(flows + routing(&setup, nodes, hearers) * scenario.settings.duration.as_secs_f64())
}

/// Ordered pairs of stations that hear each other.
fn hearers(setup: &mut Setup) -> f64 {
    if !setup.has_radio {
        return 0.0;
    }
    medium::in_reach(&setup.settings.radio, setup.seed, &mut setup.tracks) as f64
}

/// The cost of routing per simulated second, s.
fn routing(setup: &Setup, nodes: f64, hearers: f64) -> f64 {
    let field = Field { nodes, flows: setup.flows.len() as f64, neighbours: hearers * decodable(setup) };
    setup.settings.routing.protocol.seconds(&field)
}

/// The share of the stations that sense a signal that can decode it, if they are spread evenly.
fn decodable(setup: &Setup) -> f64 {
    let channel = Channel::new(&setup.settings.radio);
    let (near, far) = (channel.range_of(channel.rx_threshold()), channel.range_of(channel.cs_threshold()));
    if far > 0.0 { (near / far).powi(2).min(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests;
