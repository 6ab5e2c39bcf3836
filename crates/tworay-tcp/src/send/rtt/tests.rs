use super::*;

fn ms(n: u64) -> SimDuration {
    SimDuration::from_millis(n)
}

fn at(n: u64) -> SimTime {
    SimTime::ZERO + ms(n)
}

/// RFC 6298 §2, worked by hand: alpha = 1/8, beta = 1/4, RTTVAR before SRTT.
#[test]
fn rfc_6298_step_by_step() {
    let config =
        TcpConfig { rto: crate::RtoConfig { min: ms(1), ..Default::default() }, ..Default::default() };
    let mut rtt = RttEstimator::new(&config, SimDuration::ZERO);
    assert_eq!((rtt.rto(), rtt.srtt()), (ms(1000), None), "2.1: one second before the first sample");
    // sample, SRTT, RTTVAR, RTO in microseconds
    let steps = [
        (200, 200_000, 100_000, 600_000),
        (200, 200_000, 75_000, 500_000),
        (300, 212_500, 81_250, 537_500),
        (100, 198_437, 89_062, 554_687),
    ];
    for (sample, srtt, rttvar, rto) in steps {
        rtt.sample(ms(sample));
        let micros = |d: SimDuration| d.as_nanos() / 1000;
        let found = (rtt.srtt().map(micros), rtt.rttvar().map(micros), micros(rtt.rto()));
        assert_eq!(found, (Some(srtt), Some(rttvar), rto), "after a sample of {sample} ms");
    }
}

/// The same in ns-2's ticks of 10 ms, with SRTT scaled by 8 and RTTVAR by 4 as integers.
#[test]
fn ticks_step_by_step() {
    let config =
        TcpConfig { rto: crate::RtoConfig { min: ms(20), ..TcpConfig::ns2().rto }, ..TcpConfig::ns2() };
    let mut rtt = RttEstimator::new(&config, SimDuration::ZERO);
    // ticks, scaled SRTT, scaled RTTVAR, RTO in ticks
    for (m, srtt, rttvar, rto) in [(20, 160, 40, 60), (20, 160, 30, 50), (30, 170, 33, 54), (10, 159, 36, 55)]
    {
        rtt.sample(ms(10 * m));
        assert_eq!((rtt.srtt, rtt.rttvar, rtt.rto()), (srtt, rttvar, ms(10 * rto)), "after {m} ticks");
    }
}

/// ns-2's TCP-Linux: if a round trip is shorter than SRTT, the excess over RTTVAR enters with an eighth of
/// its weight.
#[test]
fn linux_ticks_step_by_step() {
    let rto = crate::RtoConfig { min: ms(20), arithmetic: RttArithmetic::LinuxTicks, ..TcpConfig::ns2().rto };
    let mut rtt = RttEstimator::new(&TcpConfig { rto, ..TcpConfig::ns2() }, SimDuration::ZERO);
    for (m, srtt, rttvar, rto) in [(20, 160, 40, 60), (30, 170, 40, 61), (10, 159, 40, 59), (1, 141, 41, 58)]
    {
        rtt.sample(ms(10 * m));
        assert_eq!((rtt.srtt, rtt.rttvar, rtt.rto()), (srtt, rttvar, ms(10 * rto)), "after {m} ticks");
    }
}

/// An echoed timestamp: ns-2 rounds its age, whatever the phase of the clock.
#[test]
fn ages_are_rounded_to_ticks() {
    let rtt = RttEstimator::new(&TcpConfig::ns2(), ms(7));
    for (age, ticked) in [(1, 10), (14, 10), (15, 20), (204, 200)] {
        assert_eq!(rtt.measure_age(ms(age), at(1000)), ms(ticked), "{age} ms");
    }
    let exact = RttEstimator::new(&TcpConfig::default(), ms(7));
    assert_eq!(exact.measure_age(ms(14), at(1000)), ms(14));
}

#[test]
fn back_off_doubles_up_to_the_bounds() {
    let config =
        TcpConfig { rto: crate::RtoConfig { max: ms(5000), ..Default::default() }, ..Default::default() };
    let mut rtt = RttEstimator::new(&config, SimDuration::ZERO);
    let ladder: Vec<_> = (0..5)
        .map(|_| {
            rtt.back_off();
            rtt.rto()
        })
        .collect();
    assert_eq!(ladder, [ms(2000), ms(4000), ms(5000), ms(5000), ms(5000)], "RFC 6298 5.5 and 2.5");
    rtt.end_backoff();
    assert_eq!(rtt.rto(), ms(1000), "Karn: an ACK of data sent once ends it");

    let capped =
        TcpConfig { rto: crate::RtoConfig { backoff_cap: 2, ..Default::default() }, ..Default::default() };
    let mut rtt = RttEstimator::new(&capped, SimDuration::ZERO);
    (0..9).for_each(|_| rtt.back_off());
    assert_eq!(rtt.rto(), ms(2000), "backoff_cap = 2");
}

#[test]
fn the_minimum_applies_before_the_back_off() {
    let mut rtt = RttEstimator::new(&TcpConfig::default(), SimDuration::ZERO);
    rtt.sample(ms(10));
    assert_eq!(rtt.rto(), ms(200), "2.4, with our minimum of 200 ms");
    rtt.back_off();
    assert_eq!(rtt.rto(), ms(400));
}

#[test]
fn a_long_back_off_makes_ns2_forget_srtt() {
    let mut rtt = RttEstimator::new(&TcpConfig::ns2(), SimDuration::ZERO);
    rtt.sample(ms(200));
    (0..3).for_each(|_| rtt.back_off());
    assert!(rtt.srtt().is_some(), "a factor of 8 is not above 8");
    rtt.back_off();
    assert_eq!(rtt.srtt(), None);
    rtt.sample(ms(100));
    assert_eq!(rtt.srtt(), Some(ms(100)), "the next sample starts anew");
}

#[test]
fn a_clock_with_ticks_counts_tick_boundaries() {
    let measured = |phase, sent, now| {
        RttEstimator::new(&TcpConfig::ns2(), ms(phase)).measure(at(sent), at(now)).as_nanos() / 1_000_000
    };
    // (phase, sent, now, shown)
    for (phase, sent, now, shown) in [
        (0, 0, 205, 200),
        (0, 9, 205, 200),
        (6, 9, 205, 200),
        (5, 9, 215, 210),
        (0, 1, 5, 10),
        (0, 9, 20, 20),
    ] {
        assert_eq!(measured(phase, sent, now), shown, "phase {phase}, {sent} to {now} ms");
    }
    let exact = RttEstimator::new(&TcpConfig::default(), SimDuration::ZERO);
    assert_eq!(exact.measure(at(9), at(205)), ms(196), "no tick: exact");
}

#[test]
fn a_lost_syn_sets_three_seconds_for_data() {
    let mut rtt = RttEstimator::new(&TcpConfig::default(), SimDuration::ZERO);
    rtt.back_off();
    rtt.syn_was_lost();
    assert_eq!(rtt.rto(), ms(3000), "RFC 6298 5.7");
}
