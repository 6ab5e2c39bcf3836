use super::*;

/// Scenarios, their settings, and the processor time that they took on 2026-11-24, s (`studies/estimates.py`, seed 33).
const MEASURED: [(&str, &[&str], f64); 24] = [
    ("square-50-9", &["duration=200s", "routing.protocol=aodv"], 0.53),
    ("grid-3x4", &["duration=200s", "routing.protocol=dsr"], 0.11),
    ("grid-4x5", &["duration=200s", "routing.protocol=dsr"], 0.17),
    ("square-50-8", &["duration=100s", "routing.protocol=static"], 0.10),
    ("strip-50-4", &["duration=50s", "routing.protocol=aodv"], 0.10),
    ("strip-50-9", &["duration=200s", "routing.protocol=aodv"], 0.49),
    ("strip-50-8", &["duration=200s", "routing.protocol=dsr"], 0.75),
    ("square-50-1", &["duration=200s", "routing.protocol=olsr"], 0.25),
    ("strip-50-9", &["duration=100s", "routing.protocol=olsr"], 0.38),
    ("strip-50-6", &["duration=100s", "routing.protocol=olsr"], 0.24),
    ("bottleneck-2", &["duration=200s"], 0.09),
    ("bottleneck-5", &["duration=100s"], 0.05),
    (
        "grid-4x4",
        &["duration=200s", "routing.protocol=static", "radio.standard=ac", "topology.spacing=60m"],
        1.55,
    ),
    (
        "grid-4x4",
        &["duration=200s", "routing.protocol=static", "radio.standard=n", "topology.spacing=60m"],
        1.57,
    ),
    (
        "grid-4x5",
        &["duration=50s", "routing.protocol=static", "radio.standard=ac", "topology.spacing=60m"],
        0.72,
    ),
    (
        "grid-4x6",
        &["duration=50s", "routing.protocol=aodv", "radio.standard=ac", "topology.spacing=60m"],
        0.60,
    ),
    (
        "grid-2x4",
        &["duration=100s", "routing.protocol=dsr", "radio.standard=n", "topology.spacing=60m"],
        1.25,
    ),
    ("grid-4x6", &["duration=50s", "routing.protocol=dsr", "radio.standard=n", "topology.spacing=60m"], 1.68),
    (
        "grid-2x6",
        &["duration=200s", "routing.protocol=olsr", "radio.standard=ac", "topology.spacing=60m"],
        1.85,
    ),
    (
        "string-3",
        &["duration=100s", "routing.protocol=olsr", "radio.standard=ac", "topology.spacing=60m"],
        0.47,
    ),
    (
        "string-6",
        &["duration=50s", "routing.protocol=olsr", "radio.standard=ac", "topology.spacing=60m"],
        0.30,
    ),
    (
        "string-6",
        &["duration=100s", "routing.protocol=static", "radio.standard=n", "topology.spacing=60m"],
        0.65,
    ),
    (
        "string-5",
        &["duration=100s", "routing.protocol=aodv", "radio.standard=n", "topology.spacing=60m"],
        0.28,
    ),
    (
        "string-2",
        &["duration=100s", "routing.protocol=dsr", "radio.standard=g", "topology.spacing=60m"],
        0.90,
    ),
];

/// Most estimates are within a factor of two of what was measured, and none is off by more than four.
#[test]
fn estimates_are_near_what_runs_took() {
    let ratios: Vec<(String, f64)> = MEASURED
        .iter()
        .map(|(name, sets, taken)| {
            let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
            let world = Scenario::load(name, &sets).unwrap();
            (format!("{name} {}", sets.join(" ")), seconds(&world, 1).unwrap() / taken)
        })
        .collect();
    let near = ratios.iter().filter(|(_, ratio)| (0.5..2.0).contains(ratio)).count();
    let far: Vec<_> = ratios.iter().filter(|(_, ratio)| !(0.25..4.0).contains(ratio)).collect();
    assert!(near >= 20 && far.is_empty(), "{near} of {}: {ratios:#?}", ratios.len());
}
