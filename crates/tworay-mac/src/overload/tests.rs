use super::*;
use tworay_base::{NodeId, Purpose};

fn overload(config: OverloadConfig) -> Overload {
    *Overload::new(&config, RngStream::new(1, NodeId(0), Purpose::LinkRed)).expect("switched on")
}

/// A station whose packets have long needed `retries` retries each.
fn after(retries: u32, config: OverloadConfig) -> Overload {
    let mut overload = overload(config);
    for _ in 0..200 {
        (0..retries).for_each(|_| overload.retried());
        overload.finished();
    }
    overload
}

#[test]
fn the_share_of_drops_rises_with_the_retries() {
    let config = OverloadConfig {
        link_red: true,
        min_retries: 1.0,
        max_retries: 5.0,
        max_drop: 0.6,
        ..OverloadConfig::default()
    };
    // Retries per packet; share dropped: 0 below the minimum, (n - 1) / 4 above it, 0.6 at most.
    for (retries, share) in [(0, 0.0), (1, 0.0), (2, 0.25), (3, 0.5), (4, 0.6), (9, 0.6)] {
        // One station per packet, so that no drop changes the average.
        let mut station = after(retries, config.clone());
        let drops =
            (0..10_000).filter(|_| Overload { rng: fork(&mut station.rng), ..station.clone() }.drops());
        let found = drops.count() as f64 / 10_000.0;
        assert!((found - share).abs() < 0.02, "{retries} retries: {found} of {share}");
    }
}

fn fork(rng: &mut RngStream) -> RngStream {
    rng.bits();
    rng.clone()
}

#[test]
fn pacing_goes_on_and_off_with_the_average() {
    let config = OverloadConfig { pacing: true, min_retries: 1.0, ..OverloadConfig::default() };
    let mut station = after(2, config);
    assert!(station.paces());
    (0..10).for_each(|_| station.finished());
    assert!(!station.paces(), "ten packets at the first try: 2 x 0.875^10 = 0.53");
    assert!(!station.drops(), "link-RED is off");
}

#[test]
fn off_by_default_and_checked() {
    let rng = || RngStream::new(1, NodeId(0), Purpose::LinkRed);
    assert!(Overload::new(&OverloadConfig::default(), rng()).is_none());
    let wrong = OverloadConfig { min_retries: 3.0, max_retries: 3.0, ..OverloadConfig::default() };
    assert_eq!(&*wrong.validate().expect_err("equal thresholds").key, "overload.max_retries");
}
