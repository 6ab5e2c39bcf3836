//! A small version of the Freeze-Probing paper's field; `tworay reproduce freeze-probing` runs all of it.

use crate::common::{load, mean_over, run_once};

const FAST: [&str; 2] = ["mobility.min_speed=30m/s", "mobility.max_speed=30m/s"];

fn goodput(scenario: &str, tcp: &str, more: &[&str]) -> f64 {
    let tcp = format!("tcp.variant={tcp}");
    let sets: Vec<&str> = FAST.iter().chain(more).copied().chain([tcp.as_str()]).collect();
    mean_over(&load(scenario, &sets), 2, |r| r.document.flows[0].goodput_bps)
}

/// Sender and receiver are in opposite corners, 894 m apart: at least four hops of 250 m. The paper states
/// six on average.
#[test]
fn the_ends_stand_in_the_corners() {
    let report = run_once(&load("freeze-probing-field", &[]), 1);
    let flow = &report.document.flows[0];
    assert_eq!((flow.from, flow.to), (0, 1));
    let hops = flow.mean_hops.expect("something arrived");
    assert!((4.0..7.0).contains(&hops), "{hops} hops");
    let (shortest, _) = tworay_sim::facts(&load("freeze-probing-field", &[]), 1).expect("facts");
    assert!(shortest.mean_shortest_path_hops >= 4.0, "{shortest:?}");
}

/// Fast nodes that reply from caches: Reno starves on stale routes, variants that probe every 2 s do not.
/// This also holds with UDP flows and with channel errors.
#[test]
fn stale_routes_starve_reno_only() {
    let stale = "routing.dsr.dialect=ns2";
    let situations: [(&str, &[&str]); 3] = [
        ("freeze-probing-field", &[stale]),
        ("freeze-probing-field-udp", &[stale]),
        ("freeze-probing-field", &[stale, "errors.frame_err.bernoulli.rate=0.1"]),
    ];
    for (scenario, more) in situations {
        let [reno, probing, elfn] =
            ["reno", "freeze-probing", "elfn"].map(|tcp| goodput(scenario, tcp, more));
        assert!(probing > 2.0 * reno, "{scenario} {more:?}: {probing} against {reno}");
        assert!(elfn > 1.5 * reno, "{scenario} {more:?}: ELFN {elfn} against {reno}");
    }
}

/// The paper's setting, with fresh routes only: no variant starves, and there is little to gain (the paper
/// states six times Reno's goodput; docs/studies/freeze-probing-2005.md explains the difference).
#[test]
fn on_fresh_routes_nobody_starves() {
    let [reno, probing, elfn] =
        ["reno", "freeze-probing", "elfn"].map(|tcp| goodput("freeze-probing-field", tcp, &[]));
    assert!(reno > 40_000.0, "{reno}");
    for other in [probing, elfn] {
        // Means of four seeds: 0.96 and 0.88.
        assert!((0.8..1.1).contains(&(other / reno)), "{other} against {reno}");
    }
}
