use super::*;

const NODE: NodeId = NodeId(3);

fn stations(seed: u64) -> Stations {
    Stations::new(&StationConfig::default(), true, seed, 5)
}

/// A node with several packets to process sends them in the order in which they were created.
#[test]
fn delays_are_drawn_anew_but_keep_the_order() {
    let mut stations = stations(1);
    let times: Vec<SimTime> = (0..1000)
        .map(|i| {
            let now = SimTime::ZERO + SimDuration::from_micros(i);
            now + stations.processing(now, NODE)
        })
        .collect();
    assert!(times.is_sorted());
    let most = SimDuration::from_micros(1000) + StationConfig::default().processing_delay;
    assert!(times.iter().all(|&t| t < SimTime::ZERO + most));
    // Widely spaced packets do not affect each other: each has its own delay.
    let apart: Vec<SimDuration> =
        (1..=100).map(|i| stations.processing(SimTime::ZERO + SimDuration::from_secs(i), NODE)).collect();
    assert!(apart.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn nodes_and_seeds_differ_and_a_clock_stays_what_it_is() {
    let s = stations(1);
    assert_eq!(s.clock_offset(NODE), s.clock_offset(NODE));
    assert_ne!(s.clock_offset(NODE), s.clock_offset(NodeId(4)));
    assert_ne!(s.clock_offset(NODE), stations(2).clock_offset(NODE));
    assert!(s.clock_offset(NODE) < StationConfig::default().clock_offset);
}

/// The mean of a uniform delay is half its limit: 25 µs, the delay of ns-2's `LL`.
#[test]
fn the_mean_processing_delay_is_that_of_ns2s_link_layer() {
    let mut stations = stations(1);
    let n = 10_000u64;
    let sum: u64 = (1..=n)
        .map(|i| stations.processing(SimTime::ZERO + SimDuration::from_millis(i), NODE).as_nanos())
        .sum();
    let mean = sum as f64 / n as f64;
    // Standard error: 50 µs / sqrt(12 n) = 0.14 µs.
    assert!((mean - 25_000.0).abs() < 600.0, "{mean} ns");
}

#[test]
fn stations_of_ns2_and_of_wired_networks_are_in_step() {
    for mut s in [
        Stations::new(&StationConfig::ns2(), true, 1, 5),
        Stations::new(&StationConfig::default(), false, 1, 5),
    ] {
        let now = SimTime::ZERO;
        assert_eq!(s.clock_offset(NODE), SimDuration::ZERO);
        assert_eq!(s.processing(now, NODE), SimDuration::ZERO);
        assert_eq!(s.jitter(now, NODE), SimDuration::ZERO);
    }
}
