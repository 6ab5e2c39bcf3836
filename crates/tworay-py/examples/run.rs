//! Runs a scenario once and prints the document of `tworay run --json`.
//!
//! `cargo run --release -p tworay-py --example run -- string-4 3 routing.protocol=static`

use tworay_sim::scenario::Scenario;
use tworay_sim::{RunControl, RunOptions, run};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(source) = args.first() else {
        eprintln!("usage: run SCENARIO [SEED] [KEY=VALUE]...");
        std::process::exit(2);
    };
    let seed = args.get(1).and_then(|s| s.parse().ok()).unwrap_or(1);
    let overrides = args.get(2..).unwrap_or_default();
    let scenario = Scenario::load(source, overrides).unwrap_or_else(|e| {
        eprintln!("{e}");
        std::process::exit(2);
    });
    match run(&scenario, &RunOptions { seed, ..RunOptions::default() }, &RunControl::new()) {
        Ok(report) => println!("{}", report.json()),
        Err(e) => {
            eprintln!("{e}");
            std::process::exit(1);
        }
    }
}
