//! Whole scenarios at random, and what must hold in every run.
//!
//! Each number names a scenario: [`draw`] switches features on at random (swarm testing: Groce et al. 2012) and takes
//! the values of keys from the JSON Schema, so that a new key is drawn without being listed here. [`guarded`] runs it
//! twice, in two threads and with different observers; [`checks`] holds what must be true of any run, [`relations`]
//! what must be equal between a scenario and a changed one. A failure is shrunk ([`shrink`]) to a small file for
//! `tworay run`. Those found so far are in `found/` and run first.
//!
//! `TORTURE_RUNS` sets the number of scenarios (200), `TORTURE_FROM` the first one, `TORTURE_THREADS` the threads.
//! `make torture` runs 20,000.

mod checks;
mod checks_record;
mod coverage;
mod draw;
mod guarded;
mod keys;
mod plan;
mod relations;
mod shrink;
mod values;

use checks::Fault;
use plan::Plan;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A number from the environment.
fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// Everything that is checked of one scenario.
fn judge(plan: &Plan) -> Result<u64, Fault> {
    let run = guarded::run(plan)?;
    checks::check(plan, &run)?;
    relations::check(plan, &run)?;
    Ok(run.report.document.events)
}

/// Runs the scenarios of these numbers; returns a text for each failure, and the number of events.
fn torture(numbers: std::ops::Range<u64>, threads: u64) -> (Vec<String>, u64) {
    let (next, events) = (AtomicU64::new(numbers.start), AtomicU64::new(0));
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end {
                        break;
                    }
                    let plan = draw::plan(number);
                    match judge(&plan) {
                        Ok(n) => _ = events.fetch_add(n, Ordering::Relaxed),
                        Err(fault) => {
                            let small = shrink::shrink(&plan, &fault, |plan| judge(plan).err());
                            let fault = judge(&small).err().unwrap_or(fault);
                            let text = format!("scenario {number}: {fault}\n{}", small.toml());
                            eprintln!("{text}");
                            failures.lock().unwrap_or_else(PoisonError::into_inner).push(text);
                        }
                    }
                }
            });
        }
    });
    (failures.into_inner().unwrap_or_else(PoisonError::into_inner), events.into_inner())
}

#[test]
fn every_invariant_holds_in_every_scenario() {
    let (from, runs) = (number("TORTURE_FROM", 0), number("TORTURE_RUNS", 200));
    let (failures, events) = torture(from..from + runs, number("TORTURE_THREADS", 2));
    println!("{runs} scenarios from {from}: {events} events, {} failures", failures.len());
    assert!(failures.is_empty(), "{} of {runs} failed:\n{}", failures.len(), failures.join("\n"));
    // A run that does nothing checks nothing.
    assert!(events > runs * 1000, "only {events} events in {runs} scenarios");
}

/// The smallest scenarios that failed once.
#[test]
fn what_failed_once_holds_now() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/torture/found");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .map(|dir| dir.filter_map(|entry| entry.ok().map(|e| e.path())).collect())
        .unwrap_or_default();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let plan = Plan::from_toml(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        if let Err(fault) = judge(&plan) {
            panic!("{}: {fault}", file.display());
        }
    }
}
