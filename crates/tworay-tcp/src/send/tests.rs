use super::*;
use crate::endpoint::{Counters, Ports};
use crate::receive::Receiver;
use crate::variant::Variant;

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
