use super::*;

/// Scenarios, their duration in s, routing and radio standard (empty: their own), and the processor time that they took on
/// 2026-11-24 in s (`studies/estimates.py`, seed 33).
const MEASURED: [(&str, u32, &str, &str, f64); 24] = [
    ("square-50-9", 200, "aodv", "", 0.53),
    ("grid-3x4", 200, "dsr", "", 0.11),
    ("grid-4x5", 200, "dsr", "", 0.17),
    ("square-50-8", 100, "static", "", 0.10),
    ("strip-50-4", 50, "aodv", "", 0.10),
    ("strip-50-9", 200, "aodv", "", 0.49),
    ("strip-50-8", 200, "dsr", "", 0.75),
    ("square-50-1", 200, "olsr", "", 0.25),
    ("strip-50-9", 100, "olsr", "", 0.38),
    ("strip-50-6", 100, "olsr", "", 0.24),
    ("bottleneck-2", 200, "", "", 0.09),
    ("bottleneck-5", 100, "", "", 0.05),
    ("grid-4x4", 200, "static", "ac", 1.55),
    ("grid-4x4", 200, "static", "n", 1.57),
    ("grid-4x5", 50, "static", "ac", 0.72),
    ("grid-4x6", 50, "aodv", "ac", 0.60),
    ("grid-2x4", 100, "dsr", "n", 1.25),
    ("grid-4x6", 50, "dsr", "n", 1.68),
    ("grid-2x6", 200, "olsr", "ac", 1.85),
    ("string-3", 100, "olsr", "ac", 0.47),
    ("string-6", 50, "olsr", "ac", 0.30),
    ("string-6", 100, "static", "n", 0.65),
    ("string-5", 100, "aodv", "n", 0.28),
    ("string-2", 100, "dsr", "g", 0.90),
];

/// The settings of a row. With a radio standard of today neighbours stand 60 m apart.
fn settings(duration: u32, protocol: &str, standard: &str) -> Vec<String> {
    let mut sets = vec![format!("duration={duration}s")];
    if !protocol.is_empty() {
        sets.push(format!("routing.protocol={protocol}"));
    }
    if !standard.is_empty() {
        sets.extend([format!("radio.standard={standard}"), "topology.spacing=60m".to_owned()]);
    }
    sets
}

/// Most estimates are within a factor of two of what was measured, and none is off by more than four.
#[test]
fn estimates_are_near_what_runs_took() {
    let ratios: Vec<(String, f64)> = MEASURED
        .iter()
        .map(|&(name, duration, protocol, standard, taken)| {
            let sets = settings(duration, protocol, standard);
            let world = Scenario::load(name, &sets).unwrap();
            (format!("{name} {}", sets.join(" ")), seconds(&world, 1).unwrap() / taken)
        })
        .collect();
    let near = ratios.iter().filter(|(_, ratio)| (0.5..2.0).contains(ratio)).count();
    let far: Vec<_> = ratios.iter().filter(|(_, ratio)| !(0.25..4.0).contains(ratio)).collect();
    assert!(near >= 20 && far.is_empty(), "{near} of {}: {ratios:#?}", ratios.len());
}
