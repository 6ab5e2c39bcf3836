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

/// A string of 4 hops that loses node `lost` from `down` to `up` (seconds), without an alternative route, run until
/// `end`. A flat radio, ns-2's rule for overlapping signals and a small window keep other link failures rare. No
/// timeout precedes the notice of the break.
pub fn string_with_outage(
    (routing, tcp): (&str, &str),
    lost: u16,
    (down, up): (f64, f64),
    end: f64,
) -> Scenario {
    parse(&format!(
        r#"
        duration = "{end}s"
        topology = {{ kind = "string", hops = 4 }}
        radio = {{ propagation = "range", range = "250m", reception = "capture" }}
        {routing}
        tcp = {{ variant = "{tcp}", window = 2, rto.min = "1s" }}
        [[flow]]
        from = 0
        to = 4
        [[event]]
        node = {lost}
        at = "{down}s"
        what = "down"
        [[event]]
        node = {lost}
        at = "{up}s"
        what = "up"
        "#
    ))
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
