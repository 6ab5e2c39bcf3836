use super::*;
use tworay_base::LossCause;

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

fn root(cause: LossCause) -> Setback {
    Setback::new(SimTime::ZERO, NodeId(0), cause).towards(NodeId(1))
}

/// The MAC sends a packet in 10 ms. `lost` of the first `ms` milliseconds are lost to bit errors; the queue of 5
/// is full after `offered` packets.
fn filled(ms: u64, lost: u64, offered: u64) -> Option<LossCause> {
    let mut service = Service::default();
    for packet in 0..offered {
        service.offered(at(0), packet == 0);
    }
    for _ in 0..(ms - lost) / 10 {
        service.served();
    }
    if lost > 0 {
        service.gave_up(SimDuration::from_millis(lost), root(LossCause::Channel));
    }
    service.filled_by(at(ms), 5, None).and_then(|root| root.cause)
}

/// In 1000 ms the MAC could send 100 packets. With 600 ms lost it sends 40, and the queue of 5 overflows at the
/// 46th: load alone, one packet every 20 ms, would not have filled it. 200 packets would have.
#[test]
fn lost_time_fills_a_queue_that_load_would_not() {
    assert_eq!(filled(1000, 600, 46), Some(LossCause::Channel));
    assert_eq!(filled(1000, 600, 200), None);
    assert_eq!(filled(1000, 0, 106), None);
    // Nothing sent yet: most of the time decides.
    assert_eq!(filled(1000, 1000, 6), Some(LossCause::Channel));
}

/// A busy period begins with a packet that finds the MAC free: what was lost before does not count.
#[test]
fn a_new_busy_period_starts_a_new_account() {
    let mut service = Service::default();
    service.offered(at(0), true);
    service.gave_up(SimDuration::from_millis(500), root(LossCause::NodeDown));
    for packet in 0..6 {
        service.offered(at(1000), packet == 0);
    }
    assert_eq!(service.filled_by(at(1010), 5, None), None);
    // The packet in progress counts, too.
    let running = Some((SimDuration::from_millis(9), root(LossCause::NodeDown)));
    let by = service.filled_by(at(1010), 5, running).expect("a root");
    assert_eq!((by.cause, by.at), (Some(LossCause::NodeDown), at(1010)));
}

/// Contention is load: what the MAC gave up for it counts as served.
#[test]
fn contention_is_not_lost_time() {
    let mut service = Service::default();
    for packet in 0..7 {
        service.offered(at(0), packet == 0);
    }
    service.gave_up(SimDuration::from_millis(90), root(LossCause::Contention));
    assert_eq!(service.filled_by(at(100), 5, None), None);
}

/// A packet rejected because of load does not lengthen the queue that load would have made; otherwise a
/// blackout after an overload would be called congestion.
#[test]
fn a_blackout_after_an_overload() {
    let mut service = Service::default();
    for packet in 0..6 {
        service.offered(at(0), packet == 0);
    }
    for _ in 0..1000 {
        service.offered(at(10), false);
        assert_eq!(service.filled_by(at(10), 5, None), None);
        service.refused(at(10), 5);
    }
    // The MAC empties the queue but for one packet, and errors take the next second.
    for _ in 0..5 {
        service.served();
    }
    for _ in 0..5 {
        service.offered(at(60), false);
    }
    service.gave_up(SimDuration::from_millis(1000), root(LossCause::Channel));
    assert_eq!(service.filled_by(at(1060), 5, None).and_then(|root| root.cause), Some(LossCause::Channel));
}
