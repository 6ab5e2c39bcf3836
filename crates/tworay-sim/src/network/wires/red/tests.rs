use super::*;
use tworay_base::Purpose;

const RATE: BitRate = BitRate::from_bps(4_000_000);

/// A packet of 500 bytes takes 1 ms at this rate.
fn red(config: RedConfig) -> Red {
    assert_eq!(config.validate(), Ok(()));
    Red::new(config, RATE, RngStream::numbered(7, 0, Purpose::Test))
}

fn ms(t: u64) -> SimTime {
    SimTime::from_nanos(t * 1_000_000)
}

fn waiting(packets: usize) -> Backlog {
    Backlog { packets, bytes: 500 * packets as u64 }
}

/// Lets the average settle at a constant queue length, then returns the fraction of drops among `n`
/// arrivals.
fn share(config: RedConfig, packets: usize, bytes: u32, n: u32) -> f64 {
    let mut red = red(RedConfig { weight: 1.0, ..config });
    let drops = (0..n).filter(|_| red.on_arrival(ms(0), waiting(packets), bytes) == RedVerdict::Drop).count();
    drops as f64 / f64::from(n)
}

#[test]
fn the_average_follows_the_queue_slowly() {
    let mut red = red(RedConfig { weight: 0.25, ..RedConfig::default() });
    // Queue length on arrival, average afterwards: avg + 0.25 (q - avg).
    for (queue, average) in [(4, 1.0), (4, 1.75), (0, 1.3125), (8, 2.984_375)] {
        red.on_arrival(ms(0), waiting(queue), 500);
        assert!((red.average() - average).abs() < 1e-12, "{} for {average}", red.average());
    }
}

#[test]
fn an_idle_link_lets_the_average_decay_by_the_packets_it_could_have_sent() {
    let mut red = red(RedConfig { weight: 0.5, ..RedConfig::default() });
    red.on_arrival(ms(0), waiting(4), 500);
    assert_eq!(red.average(), 2.0);
    red.on_idle(ms(10));
    // Three packets of 1 ms: 2 · 0.5³; then the empty queue on arrival: · 0.5.
    red.on_arrival(ms(13), waiting(0), 500);
    assert!((red.average() - 0.125).abs() < 1e-12, "{}", red.average());
    // Without further idle time only the arrival itself changes the average.
    red.on_arrival(ms(99), waiting(0), 500);
    assert!((red.average() - 0.0625).abs() < 1e-12, "{}", red.average());
}

/// The gap between drops is uniform on 1..1/p_b, so 2 p_b of all arrivals are dropped.
#[test]
fn the_chance_follows_the_average() {
    let gentle = RedConfig::default();
    let strict = RedConfig { gentle: false, ..gentle };
    // Queue length, p_b of gentle RED, p_b of the original.
    let table = [
        (4, 0.0, 0.0),
        (5, 0.0, 0.0),
        (10, 0.05, 0.05),
        (14, 0.09, 0.09),
        (15, 0.1, 1.0),
        (18, 0.28, 1.0),
        (30, 1.0, 1.0),
        (40, 1.0, 1.0),
    ];
    for (queue, soft, hard) in table {
        for (config, p) in [(gentle, soft), (strict, hard)] {
            let found = share(config, queue, 500, 40_000);
            let expected = match p {
                p if p <= 0.0 => 0.0,
                p if p >= 1.0 => 1.0,
                // If 1/p is not a whole number, the exact mean gap is a sum.
                p => 1.0 / mean_gap(p),
            };
            assert!((found - expected).abs() < 0.01, "queue {queue}: {found}, expected {expected}");
            if p == 0.05 || p == 0.1 {
                assert!((expected - 2.0 * p).abs() < 1e-9);
            }
        }
    }
}

/// Mean number of arrivals between drops: Σ P(gap ≥ k), where the hazard of the k-th arrival is p / (1 - k
/// p); Floyd and Jacobson 1993, equation for p_a.
fn mean_gap(p: f64) -> f64 {
    let (mut alive, mut mean) = (1.0, 0.0);
    for k in 1.. {
        mean += alive;
        let used = f64::from(k) * p;
        let hazard = if used < 1.0 { (p / (1.0 - used)).min(1.0) } else { 1.0 };
        alive *= 1.0 - hazard;
        if alive <= 0.0 {
            break;
        }
    }
    mean
}

#[test]
fn drops_are_spread_and_never_further_apart_than_one_by_the_chance() {
    let mut red = red(RedConfig { weight: 1.0, ..RedConfig::default() });
    let (mut gap, mut longest, mut drops) = (0, 0, 0);
    for _ in 0..20_000 {
        gap += 1;
        if red.on_arrival(ms(0), waiting(10), 500) == RedVerdict::Drop {
            longest = longest.max(gap);
            gap = 0;
            drops += 1;
        }
    }
    // p_b = 0.05: with independent drops a third of the gaps would exceed 20.
    assert!(drops > 1500 && longest <= 20, "{drops} drops, longest gap {longest}");
}

#[test]
fn byte_mode_measures_the_queue_and_the_packet_in_bytes() {
    let bytes = RedConfig { unit: RedUnit::Byte, ..RedConfig::default() };
    let small = share(bytes, 10, 40, 60_000);
    let mean = share(bytes, 10, 500, 60_000);
    let large = share(bytes, 10, 1500, 60_000);
    assert!((small - 1.0 / mean_gap(0.05 * 40.0 / 500.0)).abs() < 0.003, "{small}");
    assert!((mean - 1.0 / mean_gap(0.05)).abs() < 0.01, "{mean}");
    assert!((large - 1.0 / mean_gap(0.15)).abs() < 0.01, "{large}");
    // Ten packets of 40 bytes are less than one mean packet.
    let mut red = red(RedConfig { weight: 1.0, ..bytes });
    red.on_arrival(ms(0), Backlog { packets: 10, bytes: 400 }, 40);
    assert!((red.average() - 0.8).abs() < 1e-12);
}
