//! Runs a scenario with a seed and returns a report.

use crate::links::link_rates;
use crate::network::Network;
use crate::observe::loss::twin::{self, Twin};
use crate::paths::{FlowPath, Pair, all_pairs, flow_paths};
use crate::results::RunReport;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use tworay_base::SimDuration;
use tworay_mobility::facts::{PairFacts, PathFacts};
use tworay_routing::Protocol;
use tworay_scenario::{Partings, Scenario, Setup};
use tworay_tcp::VariantInfo;

/// Options of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOptions {
    /// Seed of all random streams.
    pub seed: u64,
    /// True to record time series.
    pub series: bool,
    /// True to record each loss. If not, losses are only counted and guesses are not matched, which
    /// suffices for runs of which only totals matter. A capture and a record require it.
    pub losses: bool,
    /// Path of a capture (pcapng) of all transmissions; an existing file is replaced when the new one is
    /// complete.
    pub pcap: Option<PathBuf>,
    /// Path of an animation (NetAnim XML) of movement and packets; an existing file is replaced when the
    /// new one is complete.
    pub animation: Option<PathBuf>,
    /// True to record every segment, frame, queue length, route and movement.
    pub record: bool,
    /// True to log every frame on the medium and its receptions; see
    /// [`RunReport::medium_log`](crate::RunReport::medium_log).
    pub medium_log: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            series: false,
            losses: true,
            pcap: None,
            animation: None,
            record: false,
            medium_log: false,
        }
    }
}

/// Observes and cancels a run from another thread.
#[derive(Debug, Default)]
pub struct RunControl {
    cancelled: AtomicBool,
    /// Completed fraction, in millionths.
    progress: AtomicU32,
}

impl RunControl {
    /// Creates a control.
    pub fn new() -> Self {
        Self::default()
    }
    /// Requests the run to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
    /// True if the run was requested to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
    /// Completed fraction of the simulated time, 0..=1.
    pub fn progress(&self) -> f64 {
        f64::from(self.progress.load(Ordering::Relaxed)) * 1e-6
    }
    fn note(&self, share: f64) -> bool {
        self.progress.store((share * 1e6) as u32, Ordering::Relaxed);
        !self.is_cancelled()
    }
}

/// Why a run returned no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// It was cancelled.
    Cancelled,
    /// It failed; the text says what failed and where.
    Failed(String),
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunError::Cancelled => f.write_str("the run was stopped"),
            RunError::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for RunError {}

/// Runs `scenario` once.
pub fn run(scenario: &Scenario, options: &RunOptions, control: &RunControl) -> Result<RunReport, RunError> {
    let begun = cpu_time::ThreadTime::now();
    let setup = scenario.setup(options.seed, options.series).map_err(|e| RunError::Failed(e.to_string()))?;
    let frequency = setup.settings.radio.frequency.get();
    let megahertz = if setup.has_radio { (frequency * 1e-6) as u16 } else { 0 };
    let ends: Vec<_> = setup.flows.iter().map(|f| (f.from, f.to)).collect();
    if options.animation.is_some() && !setup.has_radio {
        let why = "a wired-only scenario has no node positions to animate";
        return Err(RunError::Failed(why.into()));
    }
    let paths = flow_paths(&setup);
    let links = link_rates(&setup);
    let twin = twin_of(scenario, &setup, control)?;
    let done = if twin.is_some() { twins_share(scenario) } else { 0.0 };
    let Some(mut network) = Network::new(setup, || control.note(done)) else {
        return Err(RunError::Cancelled);
    };
    if let Some(twin) = twin {
        network.beside(twin);
    }
    if options.record {
        network.record();
    }
    if options.medium_log {
        network.log_medium();
    }
    if !options.losses && options.pcap.is_none() && !options.record {
        network.count_losses_only();
    }
    let uncaptured = |path: &PathBuf, e| RunError::Failed(format!("can't write {}: {e}", path.display()));
    if let Some(path) = &options.pcap {
        let comment = format!("scenario {}, seed {}; payload is left out", scenario.name(), options.seed);
        network.capture_to(path, megahertz, comment).map_err(|e| uncaptured(path, e))?;
    }
    if let Some(path) = &options.animation {
        network.animate_to(path, &ends).map_err(|e| uncaptured(path, e))?;
    }
    if !network.run(|share| control.note(done + share * (1.0 - done))) {
        return Err(RunError::Cancelled);
    }
    network.check_conservation().map_err(RunError::Failed)?;
    if let Some(path) = &options.pcap {
        network.finish_capture().map_err(|e| uncaptured(path, e))?;
    }
    if let Some(path) = &options.animation {
        network.finish_animation().map_err(|e| uncaptured(path, e))?;
    }
    let protocol = Some(scenario.settings.routing.protocol);
    let mut report = RunReport::gather(network.finish(), scenario.name(), options.seed, protocol, &paths);
    if !options.losses && options.pcap.is_none() && !options.record {
        // Without records of losses every guess would seem to have no cause.
        report.document.diagnosis.clear();
        report.document.diagnosis_by_outcome.clear();
    }
    report.document.names = scenario.settings.names.clone();
    report.document.links = links;
    report.document.cpu_seconds = begun.elapsed().as_secs_f64();
    control.note(1.0);
    Ok(report)
}

/// The length of the twin of a run: the same run without disturbances, which tells what of its datagrams load loses. It goes on for as long as its
/// losses count for those at the end of the run. `None`: the run needs none.
pub(crate) fn twins_duration(scenario: &Scenario) -> Option<SimDuration> {
    let datagrams = scenario.flows.iter().any(|flow| flow.application.is_datagrams());
    let needed = datagrams && !scenario.disturbances().is_empty();
    needed.then(|| scenario.settings.duration + twin::looks_ahead(has_set_routes(scenario)))
}

/// Part of the progress that a run's twin makes.
fn twins_share(scenario: &Scenario) -> f64 {
    let (run, twin) = (scenario.settings.duration, twins_duration(scenario).unwrap_or(SimDuration::ZERO));
    twin.as_secs_f64() / (run + twin).as_secs_f64()
}

fn has_set_routes(scenario: &Scenario) -> bool {
    scenario.settings.routing.protocol == Protocol::Static
}

/// The twin of a run. `None`: it needs none.
fn twin_of(scenario: &Scenario, of_run: &Setup, control: &RunControl) -> Result<Option<Twin>, RunError> {
    let Some(duration) = twins_duration(scenario) else { return Ok(None) };
    let datagrams: Vec<bool> = scenario.flows.iter().map(|flow| flow.application.is_datagrams()).collect();
    let partings = Partings::of(of_run);
    let disturbances = scenario.disturbances_by(&partings);
    if disturbances.is_empty() && of_run.cuts.is_empty() {
        return Ok(None);
    }
    let mut calm = scenario.undisturbed_by(&partings);
    calm.settings.duration = duration;
    let setup = calm.setup(of_run.seed, false).map_err(|e| RunError::Failed(e.to_string()))?;
    let Some(mut network) = Network::new(setup, || control.note(0.0)) else {
        return Err(RunError::Cancelled);
    };
    let part = twins_share(scenario);
    if !network.run(|share| control.note(part * share)) {
        return Err(RunError::Cancelled);
    }
    let losses = network.finish().ledger.take_records();
    let set_routes = has_set_routes(scenario);
    let ends = scenario.flows.iter().map(|flow| [flow.from, flow.to]);
    Ok(Some(Twin::of(disturbances, datagrams, losses).with_set_routes(set_routes).with_ends(ends)))
}

/// Mean shortest path and partitioning of a scenario's flows, overall and by flow, from positions and wires
/// alone.
pub fn facts(scenario: &Scenario, seed: u64) -> Result<(PathFacts, Vec<FlowPath>), RunError> {
    let setup = scenario.setup(seed, false).map_err(|e| RunError::Failed(e.to_string()))?;
    let paths = flow_paths(&setup);
    let pairs: Vec<PairFacts> = paths.iter().map(|path| path.facts).collect();
    Ok((PathFacts::of(&pairs), paths))
}

/// Connectivity of every two nodes over a run, from positions and wires alone; each pair once.
///
/// # Errors
///
/// If no network can be set up from the scenario and `seed`.
pub fn pair_paths(scenario: &Scenario, seed: u64) -> Result<Vec<(Pair, PairFacts)>, RunError> {
    let setup = scenario.setup(seed, false).map_err(|e| RunError::Failed(e.to_string()))?;
    Ok(all_pairs(&setup))
}

/// All TCP variants.
pub fn variants() -> &'static [VariantInfo] {
    tworay_tcp::registry()
}

#[cfg(test)]
mod tests;
