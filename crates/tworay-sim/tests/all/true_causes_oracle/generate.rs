//! Random scenarios, and what all tests share.

use super::medium::Loss;
use super::rules::Case;
use super::world::{BitErrors, Cut, Flow, Outage, PROTOCOLS, Radio, Scene, Traffic, Walk};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};
use std::cell::Cell;

/// Runs a test's scenarios: 100, or PROPTEST_CASES. They must lose at least `least` packets per scenario on
/// average; otherwise the test shows little.
///
/// `file` and `name` are those of the test: the seeds of its failures are stored beside the file.
pub fn oracle(
    file: &'static str,
    name: &'static str,
    scenes: impl Strategy<Value = Scene>,
    least: usize,
    allowed: impl Fn(&Loss, &Case) -> bool,
) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(100);
    let persistence = FileFailurePersistence::WithSource("proptest-regressions");
    let config = Config {
        cases,
        max_shrink_iters: 200,
        failure_persistence: Some(Box::new(persistence)),
        source_file: Some(file),
        test_name: Some(name),
        ..Config::default()
    };
    let (scenarios, lost) = (Cell::new(0), Cell::new(0));
    let result = TestRunner::new(config).run(&scenes, |scene| {
        let case = judge(&scene, &allowed)?;
        scenarios.set(scenarios.get() + 1);
        lost.set(lost.get() + case.losses.len());
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let (scenarios, lost) = (scenarios.get(), lost.get());
    assert!(lost >= least * scenarios, "only {lost} losses in {scenarios} scenarios");
}

/// Stations in a line.
pub fn string(hops: usize, spacing: f64) -> Vec<(f64, f64)> {
    (0..=hops).map(|i| (i as f64 * spacing, 0.0)).collect()
}

/// Stations in a circle, neighbours 200 m apart: with more than five, only neighbours are in range.
pub fn ring(nodes: usize) -> Vec<(f64, f64)> {
    let angle = std::f64::consts::TAU / nodes as f64;
    let radius = 100.0 / (angle / 2.0).sin();
    (0..nodes).map(|i| (radius * (i as f64 * angle).cos(), radius * (i as f64 * angle).sin())).collect()
}

/// Settings that disturb nothing: protocol, dialect, RTS strategy, ARP, seed.
#[derive(Copy, Clone, Debug)]
pub struct Ground {
    pub protocol: usize,
    pub ns2: bool,
    pub rts: usize,
    pub arp: bool,
    pub seed: u64,
}

pub fn grounds() -> impl Strategy<Value = Ground> {
    (0..PROTOCOLS.len(), any::<bool>(), 0usize..3, any::<bool>(), 1u64..1000)
        .prop_map(|(protocol, ns2, rts, arp, seed)| Ground { protocol, ns2, rts, arp, seed })
}

impl Ground {
    /// A scene without disturbance and without flows. OLSR has 30 s to converge before anything happens.
    pub fn scene(self, positions: Vec<(f64, f64)>) -> Scene {
        let Ground { protocol, ns2, rts, arp, seed } = self;
        Scene {
            positions,
            flows: Vec::new(),
            walks: Vec::new(),
            outages: Vec::new(),
            cuts: Vec::new(),
            errors: BitErrors::None,
            protocol,
            reach: None,
            ns2,
            rts: ["full", "partial", "none"][rts],
            queue: 50,
            arp,
            radio: Radio::Wavelan,
            duration: 200,
            seed,
        }
    }
}

impl Scene {
    /// Moves everything that happens to after OLSR's convergence.
    pub fn after_convergence(self) -> Self {
        if self.routing() == "olsr" { self.later(300) } else { self }
    }

    /// Moves everything by this many tenths of a second.
    pub fn later(mut self, tenths: u32) -> Self {
        self.duration += tenths;
        self.walks.iter_mut().for_each(|w| w.at += tenths);
        self.cuts.iter_mut().for_each(|c| c.at += tenths);
        for f in &mut self.flows {
            f.start += tenths;
            f.stop = f.stop.map(|stop| stop + tenths);
        }
        for o in &mut self.outages {
            o.from += tenths;
            o.until = o.until.map(|until| until + tenths);
        }
        self
    }

    pub fn with_flow(mut self, from: usize, to: usize, traffic: Traffic) -> Self {
        self.flows.push(Flow { from, to, traffic, start: 10, stop: None });
        self
    }

    pub fn with_walk(mut self, node: usize, at: u32, to: (f64, f64), speed: f64) -> Self {
        self.walks.push(Walk { node, at, to, speed });
        self
    }

    pub fn with_outage(mut self, node: usize, from: u32, lasts: Option<u32>) -> Self {
        self.outages.push(Outage { node, from, until: lasts.map(|lasts| from + lasts) });
        self
    }

    pub fn with_cut(mut self, at: u32, lasts: Option<u32>) -> Self {
        self.cuts.push(Cut { flow: 0, at, lasts });
        self
    }
}

/// Fails with the scenario and what is wrong, if the invariant is violated or a loss has a cause for which
/// `allowed` does not hold. Contention is also allowed in a run in which the medium log shows any.
fn judge(scene: &Scene, allowed: impl Fn(&Loss, &Case) -> bool) -> Result<Case, TestCaseError> {
    let case = Case::run(scene);
    let mut wrong = case.violations();
    for loss in &case.losses {
        if !(allowed(loss, &case) || loss.cause == "contention" && case.collides()) {
            wrong.push(format!("{} is not disturbed here: {loss:?}", loss.cause));
        }
    }
    if let Some(first) = wrong.first() {
        let text = format!(
            "{} of {} losses: {first}\nseed {}\n{}",
            wrong.len(),
            case.losses.len(),
            scene.seed,
            scene.toml()
        );
        return Err(TestCaseError::fail(text));
    }
    Ok(case)
}

/// Bit errors from rare to a blackout.
pub fn bit_errors() -> impl Strategy<Value = BitErrors> {
    prop_oneof![
        (0.05f64..0.6).prop_map(BitErrors::PerFrame),
        (1e-5f64..2e-4).prop_map(BitErrors::PerBit),
        (0.001f64..0.02, 0.001f64..0.05).prop_map(|(start, end)| BitErrors::Bursts(start, end)),
    ]
}

/// Light traffic that fills nothing.
pub fn light() -> impl Strategy<Value = Traffic> {
    prop_oneof![
        (8u32..40).prop_map(|kbps| Traffic::Datagrams { kbps }),
        (1u32..6).prop_map(|window| Traffic::Transfer { window }),
    ]
}
