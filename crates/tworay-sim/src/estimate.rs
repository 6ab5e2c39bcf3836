//! Estimates the resources of a run.

mod exchange;
mod rows;
mod time;

pub use rows::memory_of_tables;

use crate::network::medium::on_air as medium;
use crate::run::{RunError, twins_duration};
use tworay_scenario::Scenario;

/// Memory that does not depend on the number of nodes, bytes.
const BASE: u64 = 2 << 20;
/// Memory of a node's radio and MAC, bytes.
const NODE: u64 = 3_000;

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
    let tables = nodes * (NODE + scenario.settings.routing.protocol.bytes(nodes));
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
    // A twin is over before the run begins.
    let twin = twins_duration(scenario).map_or(0.0, |twin| twin.as_secs_f64());
    let runs = 1.0 + twin / scenario.settings.duration.as_secs_f64();
    Ok(Estimate { bytes: memory(scenario, seed)?, seconds: runs * time::seconds(scenario, seed)? })
}
