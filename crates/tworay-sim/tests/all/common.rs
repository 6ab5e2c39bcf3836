//! Helpers of the simulation tests.

use tworay_sim::scenario::Scenario;
use tworay_sim::{RunControl, RunOptions, RunReport, run};

/// Loads a scenario; panics with its error.
pub fn load(source: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
    Scenario::load(source, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

/// A scenario from TOML text.
pub fn parse(text: &str) -> Scenario {
    Scenario::from_toml(text, "test.toml", std::path::Path::new("."), &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// One run, which checks conservation internally.
pub fn run_once(scenario: &Scenario, seed: u64) -> RunReport {
    let options = RunOptions { seed, ..RunOptions::default() };
    run(scenario, &options, &RunControl::new()).unwrap_or_else(|e| panic!("seed {seed}: {e}"))
}

/// Mean of a figure over seeds 1..=n.
pub fn mean_over(scenario: &Scenario, seeds: u64, figure: impl Fn(&RunReport) -> f64) -> f64 {
    (1..=seeds).map(|s| figure(&run_once(scenario, s))).sum::<f64>() / seeds as f64
}
