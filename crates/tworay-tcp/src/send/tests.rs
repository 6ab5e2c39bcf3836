use super::*;
use crate::control::PathEvent;

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

/// Papanastasiou 2006, p. 116: over DSR the sender uses the length of its own source route. An arriving
/// acknowledgment may have taken another route.
#[test]
fn the_own_source_route_outweighs_what_arrives() {
    let cfg = TcpConfig::default();
    let variant: Variant = "newreno+adaptive-cwl".parse().expect("a variant");
    let mut sender = Sender::new(&variant, &cfg, SimDuration::ZERO);
    let (mut out, mut counters, rx) =
        (Vec::new(), Counters::default(), Receiver::new(&crate::ReceiverConfig::default()));
    // The event, the hop count known after it, and the limit from table 4.2.
    for (event, hops, limit) in [
        (PathEvent::Hops(3), 3, 1.0),
        (PathEvent::Hops(6), 6, 2.0),
        (PathEvent::SourceRoute(8), 8, 3.0),
        (PathEvent::Hops(3), 8, 3.0),
        (PathEvent::SourceRoute(5), 5, 2.0),
    ] {
        let mut cx = Cx {
            now: SimTime::ZERO,
            cfg: &cfg,
            out: &mut out,
            counters: &mut counters,
            rx: &rx,
            ports: Ports { local: 1, remote: 2 },
            acknowledged: false,
        };
        sender.on_path_event(&mut cx, event);
        assert_eq!((sender.tx.hops, sender.tx.bounded(9.0)), (hops, limit), "{event:?}");
    }
    assert!(out.is_empty(), "news of a route sends nothing by itself");
}
