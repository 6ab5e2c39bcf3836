//! Estimates the resources of a run.

mod hop;
mod tables;
mod time;

pub use tables::memory_of_tables;

use crate::network::medium::on_air as medium;
use crate::run::{RunError, has_twin};
use tworay_routing::Protocol;
use tworay_scenario::Scenario;

/// Memory that does not depend on the number of nodes, bytes.
const BASE: u64 = 2 << 20;
/// Memory of a node's radio, MAC and routing, bytes.
const NODE_STATIC: u64 = 3_000;
const NODE_ROUTED: u64 = 4_500;
/// With DSR, whose caches fill with overheard paths.
const NODE_DSR: u64 = 60_000;
/// Memory of a node that runs OLSR for each other one: a tuple of topology, its route, and duplicates.
const OLSR_PAIR: u64 = 270;

/// An estimate of a run's resources. Memory was within a factor of two of what a dozen runs of 10 MB to 7.3
/// GB took (`python/tests/test_memory.py` repeats some of them); time is rougher.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Memory of a run: nodes, the lists of stations that hear each other, and tables of routing. Time series
    /// and records, which grow with the traffic, come on top ([`memory_of_tables`]).
    pub bytes: u64,
    /// Processor time, s.
    pub seconds: f64,
}

/// The estimated memory of a run of `scenario` with `seed`, bytes; see [`Estimate::bytes`].
pub fn memory(scenario: &Scenario, seed: u64) -> Result<u64, RunError> {
    let nodes = u64::from(scenario.node_count());
    let tables = match scenario.settings.routing.protocol {
        Protocol::Static => nodes * NODE_STATIC,
        Protocol::Aodv => nodes * NODE_ROUTED,
        Protocol::Dsr => nodes * NODE_DSR,
        Protocol::Olsr => nodes * NODE_ROUTED + nodes * nodes * OLSR_PAIR,
    };
    let mut setup = scenario.setup(seed, false).map_err(|e| RunError::Failed(e.to_string()))?;
    let heard = if setup.has_radio {
        medium::bytes_of_lists(&setup.settings.radio, seed, &mut setup.tracks)
    } else {
        0
    };
    Ok(BASE + tables + heard)
}

/// The estimated resources of a run of `scenario` with `seed`.
pub fn estimate(scenario: &Scenario, seed: u64) -> Result<Estimate, RunError> {
    // A twin takes about as long, and is over before the run begins.
    let runs = if has_twin(scenario) { 2.0 } else { 1.0 };
    Ok(Estimate { bytes: memory(scenario, seed)?, seconds: runs * time::seconds(scenario, seed)? })
}
