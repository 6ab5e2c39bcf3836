use super::*;

#[test]
fn a_heartbeat_delays_timers_to_its_next_beat() {
    let ms = SimDuration::from_millis;
    let at = |n| SimTime::ZERO + ms(n);
    for (deadline, period, phase, fires) in
        [(730, 0, 0, 730), (730, 500, 0, 1000), (730, 100, 30, 730), (731, 100, 30, 830), (10, 500, 300, 300)]
    {
        assert_eq!(
            heartbeat(at(deadline), ms(period), ms(phase)),
            at(fires),
            "{deadline} ms, every {period} ms from {phase} ms"
        );
    }
}
