use super::*;
use tworay_base::{FlowId, LossCause};
use tworay_wire::Body;

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

fn root(cause: LossCause) -> RootCause {
    RootCause::new(SimTime::ZERO, NodeId(0), cause).towards(NodeId(1))
}

/// The MAC gives up a packet after time lost.
fn gave_up(service: &mut Service, now: SimTime, lost: SimDuration, root: RootCause) {
    service.lose(now, lost, root);
    service.gave_up(now, root);
}

const LIMIT: u32 = 10;
const FULL: Backlog = Backlog { packets: LIMIT, of_tcp: 0 };

/// The MAC sends a packet in 10 ms. Then it sends nothing for `lost` ms, and gives up a packet every 50 ms, while a
/// packet arrives every `gap` ms. What the last one died of, if the queue of 10 rejected it.
fn filled(before: u64, lost: u64, gap: u64) -> Option<LossCause> {
    let mut service = Service::default();
    for packet in 0..before {
        service.offered(at(10 * packet), packet == 0);
        service.served(at(10 * packet));
    }
    let begin = 10 * before;
    let running = |now: u64| Some((SimDuration::from_millis((now - begin) % 50), root(LossCause::Channel)));
    let mut cause = None;
    for ms in begin..=begin + lost {
        if ms > begin && (ms - begin).is_multiple_of(50) {
            gave_up(&mut service, at(ms), SimDuration::from_millis(50), root(LossCause::Channel));
        }
        if (ms - begin).is_multiple_of(gap) {
            service.offered(at(ms), false);
            cause = service.filled_by(at(ms), FULL, running(ms)).and_then(|root| root.cause);
            service.refused(at(ms), LIMIT);
        }
    }
    cause
}

/// A packet every 20 ms is half of what the MAC can send: without the errors the queue would be empty. A packet
/// every 5 ms is twice as much: the queue would be full in any case.
#[test]
fn lost_time_fills_a_queue_that_load_would_not() {
    assert_eq!(filled(100, 1000, 20), Some(LossCause::Channel));
    assert_eq!(filled(100, 1000, 5), None);
}

/// The MAC sends a packet in 10 ms, and one arrives every 2 ms. For 300 ms it tries in vain to send one, in which it could have
/// sent 30, three times the queue: 150 packets arrive meanwhile. The queue would be full all the time, and still is when the MAC
/// goes on.
#[test]
fn load_fills_a_queue_through_a_pause_of_any_length() {
    let mut service = Service::default();
    for ms in (0..1000).step_by(2) {
        service.offered(at(ms), ms == 0);
        service.refused(at(ms), LIMIT);
        if ms % 10 == 8 {
            service.served(at(ms));
        }
    }
    for ms in (1000..1300).step_by(2) {
        service.offered(at(ms), false);
        let running = SimDuration::from_millis(ms - 998);
        assert_eq!(
            service.filled_by(at(ms), FULL, Some((running, root(LossCause::Channel)))),
            None,
            "{ms} ms"
        );
        service.refused(at(ms), LIMIT);
    }
    service.served(at(1300));
    service.lose(at(1300), SimDuration::from_millis(302), root(LossCause::Channel));
    assert!(!service.would_be_short(LIMIT as usize));
    service.offered(at(1300), false);
    assert_eq!(service.filled_by(at(1300), FULL, None), None);
}

/// Without lost time, nothing but load fills a queue.
#[test]
fn load_alone() {
    let mut service = Service::default();
    for packet in 0..30 {
        service.offered(at(0), packet == 0);
        assert_eq!(service.filled_by(at(0), FULL, None), None);
        service.refused(at(0), LIMIT);
    }
}

/// A busy period begins with a packet that finds the MAC free: what was lost before does not count.
#[test]
fn a_new_busy_period_starts_a_new_account() {
    let mut service = Service::default();
    service.offered(at(0), true);
    gave_up(&mut service, at(500), SimDuration::from_millis(500), root(LossCause::NodeDown));
    for packet in 0..12 {
        service.offered(at(1000), packet == 0);
    }
    assert_eq!(service.filled_by(at(1010), FULL, None), None);
    // The packet in progress counts, too.
    let running = Some((SimDuration::from_millis(9), root(LossCause::NodeDown)));
    let by = service.filled_by(at(1010), FULL, running).expect("a root");
    assert_eq!((by.cause, by.at), (Some(LossCause::NodeDown), at(1010)));
}

/// Contention is load: what the MAC gave up for it counts as served.
#[test]
fn contention_is_not_lost_time() {
    let mut service = Service::default();
    for packet in 0..12 {
        service.offered(at(0), packet == 0);
    }
    service.gave_up(at(100), root(LossCause::Contention));
    assert_eq!(service.filled_by(at(100), FULL, None), None);
}

/// A packet rejected because of load does not lengthen the queue that load would have made; otherwise a
/// blackout after an overload would be called congestion.
#[test]
fn a_blackout_after_an_overload() {
    let mut service = Service::default();
    for packet in 0..1000 {
        service.offered(at(0), packet == 0);
        service.refused(at(0), LIMIT);
    }
    for _ in 0..10 {
        service.served(SimTime::ZERO);
    }
    for _ in 0..10 {
        service.offered(at(100), false);
    }
    gave_up(&mut service, at(1100), SimDuration::from_millis(1000), root(LossCause::Channel));
    assert_eq!(service.filled_by(at(1100), FULL, None).and_then(|root| root.cause), Some(LossCause::Channel));
}

/// A packet that was held up before.
fn late() -> Packet {
    Packet {
        uid: 0,
        src: NodeId(3),
        dst: NodeId(1),
        ttl: 64,
        hops: 0,
        ip_bytes: 40,
        flow: FlowId(0),
        dsr: None,
        body: Body::Dsr,
    }
}

/// The MAC sends a packet in 10 ms. In 250 ms, 15 packets arrive that were held up before, and 20 that were not: of 35,
/// 25 are sent, and 10 fill the queue. The 20 alone would all have been sent. If all 35 come by load, load fills it.
#[test]
fn released_packets_fill_a_queue_that_load_would_not() {
    let by = |released: bool| {
        let mut service = Service::default();
        for packet in 0..35 {
            service.offered(at(7 * packet), packet == 0);
            if released && packet % 7 < 3 {
                service.offered_late(at(7 * packet), (&late(), root(LossCause::LinkFailure)), None);
            }
            if packet % 7 >= 2 {
                service.served(SimTime::ZERO);
            }
        }
        service.filled_by_burst(at(250), LIMIT, SimDuration::ZERO).map(|(of, root)| (of, root.cause))
    };
    assert_eq!(by(true), Some((NodeId(3), Some(LossCause::LinkFailure))));
    assert_eq!(by(false), None);
}

/// The MAC sends a packet in 10 ms. Noise at the hop before releases three packets at once. If that happens every 30 ms, and one more
/// packet comes by itself, four come where three are sent: they overfill the queue whenever they come. Three every 60 ms are half of what
/// is sent. So ten that come at once, after 200 ms without any, fill the queue because noise has held them up.
#[test]
fn what_noise_has_held_up_is_load_if_the_mac_had_no_time_for_it() {
    let by = |period: u64, others: u32| {
        let (mut service, mut waiting) = (Service::default(), 0);
        let held = SimDuration::from_millis(period);
        for ms in (10..6000).step_by(10) {
            if waiting > 0 {
                service.served(at(ms));
                waiting -= 1;
            }
            let (noisy, others) = match ms {
                5990 => (10, 0),
                _ if ms % period > 0 || others == 0 && ms > 5780 => (0, 0),
                _ => (3, others),
            };
            for packet in 0..noisy + others {
                service.offered(at(ms), waiting == 0);
                waiting += 1;
                if packet < noisy {
                    let noise = Noise { together: noisy, time: held, since: None };
                    service.offered_late(at(ms), (&late(), root(LossCause::Channel)), Some(noise));
                }
                if waiting > LIMIT {
                    service.refused(at(ms), LIMIT);
                    waiting -= 1;
                }
            }
        }
        assert_eq!(waiting, LIMIT);
        service.filled_by_burst(at(6000), LIMIT, SimDuration::ZERO).map(|(of, root)| (of, root.cause))
    };
    assert_eq!(by(30, 1), None);
    assert_eq!(by(60, 0), Some((NodeId(3), Some(LossCause::Channel))));
}

/// The MAC sends a packet in 10 ms, and one arrives every 15 ms. From the first second on each one must be sent twice, which
/// costs 10 ms each time: much less than the imagined MAC needs for a packet, but in the end it has sent them all.
#[test]
fn small_losses_of_time_add_up() {
    let filled = |gap: u64| {
        let mut service = Service::default();
        for packet in 0..100 {
            service.offered(at(10 * packet), packet == 0);
            service.served(at(10 * packet + 10));
        }
        let mut cause = None;
        for ms in 1000..3000 {
            if ms % gap == 0 {
                service.offered(at(ms), false);
                cause = service.filled_by(at(ms), FULL, None).and_then(|root| root.cause);
                service.refused(at(ms), LIMIT);
            }
            match ms % 20 {
                4 | 9 => service.lose(at(ms), SimDuration::from_millis(5), root(LossCause::Channel)),
                19 => service.served(at(ms)),
                _ => {}
            }
        }
        cause
    };
    assert_eq!(filled(15), Some(LossCause::Channel));
    assert_eq!(filled(5), None);
}

/// The MAC sends a packet in 10 ms, and one arrives whenever one is sent: ten of a window stand in the queue. Each costs 5 ms more
/// because of errors: that slows the link, and TCP would fill a faster one. A blackout of 200 ms stops it. For packets that
/// come whatever happens, both are the reason, and so is a break that lasts 5 ms each time.
#[test]
fn windows_fill_a_queue_at_any_speed() {
    let filled = |of_tcp: u32, blackout: bool, cause: LossCause| {
        let mut service = Service::default();
        service.offered(at(0), true);
        for _ in 1..LIMIT {
            service.offered(at(0), false);
        }
        for packet in 1..=50 {
            service.served(at(15 * packet - 5));
            service.offered(at(15 * packet - 5), false);
            service.lose(at(15 * packet), SimDuration::from_millis(5), root(cause));
        }
        if blackout {
            service.lose(at(950), SimDuration::from_millis(200), root(cause));
        }
        let queue = Backlog { packets: LIMIT, of_tcp };
        service.filled_by(at(950), queue, None).and_then(|root| root.cause)
    };
    use LossCause::{Channel, NodeDown};
    assert_eq!(filled(LIMIT / 2, false, Channel), None);
    assert_eq!(filled(LIMIT / 2, true, Channel), Some(Channel));
    assert_eq!(filled(0, false, Channel), Some(Channel));
    assert_eq!(filled(LIMIT, false, NodeDown), Some(NodeDown));
}

/// CoDel's target is 5 ms, its interval 100 ms. The MAC sends a packet in 10 ms. Without an error the queue was empty 50 ms or
/// 150 ms ago; since then 40 packets stand in it.
#[test]
fn codel_drops_from_a_queue_that_load_keeps_standing() {
    let dropped = |stands: u64| {
        let mut service = Service::of(Some(CodelConfig::default()), false);
        service.offered(at(0), true);
        service.served(at(10));
        service.lose(at(20), SimDuration::from_millis(10), root(LossCause::Channel));
        for _ in 0..40 {
            service.offered(at(20), false);
        }
        for packet in 1..=stands / 10 {
            service.served(at(20 + 10 * packet));
        }
        let queue = Backlog { packets: 40, of_tcp: 0 };
        service.kept_standing_by(at(20 + stands), queue).and_then(|root| root.cause)
    };
    assert_eq!(dropped(50), Some(LossCause::Channel));
    assert_eq!(dropped(150), None);
}

/// Two packets with three retries each because of bit errors, one with four because of collisions.
#[test]
fn most_retries_decide() {
    let mut service = Service::default();
    service.average((0, 3), Some(root(LossCause::Channel)));
    service.average((0, 3), Some(root(LossCause::Channel)));
    service.average((4, 0), None);
    assert_eq!(service.retried_because_of(at(1)).and_then(|root| root.cause), Some(LossCause::Channel));
    service.average((4, 0), None);
    assert_eq!(service.retried_because_of(at(1)), None);
}

/// The MAC sends a packet in 10 ms, and one arrives every 20 ms, so that each is a busy period. Then one waits 40 ms for other
/// stations. For a second after it nothing can be sent: 50 packets arrive, and the MAC could have sent more of them. At the rate of the
/// one that waited it could have sent half. If one arrives every 5 ms, 200 do, and the MAC could have sent half of them.
#[test]
fn earlier_busy_periods_tell_the_rate() {
    let filled = |gap: u64| {
        let mut service = Service::default();
        for packet in 0..100 {
            service.offered(at(20 * packet), true);
            service.served(at(20 * packet + 10));
        }
        service.offered(at(2000), true);
        service.served(at(2040));
        for ms in 2040..3040 {
            if ms % gap == 0 {
                service.offered(at(ms), false);
            }
            if ms % 10 == 9 {
                service.lose(at(ms + 1), SimDuration::from_millis(10), root(LossCause::Channel));
            }
        }
        service.filled_by(at(3040), FULL, None).and_then(|root| root.cause)
    };
    assert_eq!(filled(20), Some(LossCause::Channel));
    assert_eq!(filled(5), None);
}

/// The MAC sends a packet in 5 ms, one arrives every millisecond, and the queue has three places. That an attempt fails is
/// known at its end, 15 ms after its beginning: in that time the MAC could have sent three packets, and 15 have come.
#[test]
fn what_arrives_during_a_failed_attempt_takes_the_place_of_what_would_have_been_sent() {
    const PLACES: u32 = 3;
    let mut service = Service::default();
    for ms in 0..100 {
        service.offered(at(ms), ms == 0);
        service.refused(at(ms), PLACES);
        if ms % 5 == 4 {
            service.served(at(ms + 1));
        }
    }
    let queue = Backlog { packets: PLACES, of_tcp: 0 };
    for ms in 100..400 {
        service.offered(at(ms), false);
        let failed = SimDuration::from_millis((ms - 100) / 15 * 15);
        let running = (!failed.is_zero()).then(|| (failed, root(LossCause::Channel)));
        assert_eq!(service.filled_by(at(ms), queue, running), None, "{ms} ms");
        service.refused(at(ms), PLACES);
    }
}

/// The MAC sends a packet in 10 ms, and one arrives every 20 ms. Then the next hop is out of reach for a second, which fills the queue of
/// ten. Afterwards each packet takes 30 ms at first, because the MAC sends at a slower rate: what the queue rejects until the ten are
/// sent is lost to the outage. From then on the MAC is that slow by itself. If a packet arrives every 5 ms, load fills the queue.
#[test]
fn what_an_outage_has_left_is_sent_slowly() {
    let filled = |gap: u64| {
        let mut service = Service::default();
        for packet in 0..=100 {
            service.offered(at(10 * packet), packet == 0);
            service.served(at(10 * packet));
        }
        let mut causes = Vec::new();
        let (mut waiting, mut left) = (0, LIMIT);
        for ms in 1000..4000 {
            if ms % gap == 0 {
                service.offered(at(ms), false);
                waiting += 1;
                if waiting > LIMIT {
                    let by = service.filled_by(at(ms), FULL, None).and_then(|root| root.cause);
                    causes.push((by, left > 0));
                    service.refused(at(ms), LIMIT);
                    waiting = LIMIT;
                }
            }
            if ms < 2000 && ms % 10 == 9 {
                service.lose(at(ms + 1), SimDuration::from_millis(10), root(LossCause::LinkFailure));
            }
            if ms >= 2000 && ms % 30 == 29 && waiting > 0 {
                service.served(at(ms + 1));
                (waiting, left) = (waiting - 1, left.saturating_sub(1));
            }
        }
        causes
    };
    let (after, of_load) = (filled(20), filled(5));
    let early: Vec<_> = after.iter().filter(|(_, left)| *left).map(|(by, _)| *by).collect();
    assert!(early.len() > 20 && early.iter().all(|by| *by == Some(LossCause::LinkFailure)), "{early:?}");
    assert_eq!(after.last(), Some(&(None, false)));
    let late = of_load.iter().skip_while(|(by, _)| by.is_some());
    assert!(late.clone().count() > of_load.len() - 5, "{of_load:?}");
    assert!(late.clone().all(|(by, _)| by.is_none()), "{of_load:?}");
}

/// 100 packets a second before an outage of half a second, in which the imagined MAC sends the ten that wait. Then 14 come at once, of
/// which its queue of ten rejects four. 100 ms after the outage the real MAC sends the first one: the imagined one would have
/// sent ten by then, so that the four would have come in: 14 less 10 are left. 10 ms later it has sent one more, and 30 ms
/// after that three: what it has rejected before comes in only once.
#[test]
fn what_was_rejected_after_an_outage_comes_in_once() {
    let mut service = Service::default();
    for packet in 0..100 {
        service.offered(at(10 * packet), packet == 0);
        service.served(at(10 * packet));
    }
    for _ in 0..10 {
        service.offered(at(1000), false);
    }
    service.lose(at(1500), SimDuration::from_millis(500), root(LossCause::NodeDown));
    for _ in 0..14 {
        service.offered(at(1510), false);
        service.refused(at(1510), LIMIT);
    }
    let lengths = [1600, 1610, 1640].map(|ms| {
        service.served(at(ms));
        service.length
    });
    assert_eq!(lengths, [4, 3, 0]);
}

/// 30 ms lost at one hop, 20 ms at another and 20 ms at the first again, with the packet in progress 15 ms more at the second: most at
/// the first, whichever came last. 40 ms of a break are more than either, but less than what noise has cost in all.
#[test]
fn the_hop_that_took_most_of_the_time_is_named() {
    let mut service = Service::default();
    service.offered(at(0), true);
    let noise = |to: u16| RootCause::new(at(0), NodeId(0), LossCause::Channel).towards(NodeId(to));
    for (time, root) in
        [(30, noise(1)), (20, noise(2)), (20, noise(1)), (40, root(LossCause::LinkFailure)), (1, noise(2))]
    {
        service.lose(at(500), SimDuration::from_millis(time), root);
    }
    let main = |ms: u64| service.main_reason(Some((SimDuration::from_millis(ms), noise(2)))).expect("a root");
    assert_eq!((main(15).cause, main(15).next_hop), (Some(LossCause::Channel), Some(NodeId(1))));
    assert_eq!(main(30).next_hop, Some(NodeId(2)));
}

/// The MAC sends a packet in 10 ms, and one arrives as often. Then nothing is acknowledged for a second, and twice as many arrive. If
/// the station before has sent them, it did so in the time of this MAC, which would have sent one in turn with each of them. If they were
/// made here, they overfill the queue.
#[test]
fn the_imagined_mac_takes_turns_with_the_station_before_it() {
    for (others, filled_by) in [(20, Some(LossCause::LinkFailure)), (0, None)] {
        let mut service = Service::default();
        for packet in 0..100 {
            service.offered(at(10 * packet), packet == 0);
            service.served(at(10 * packet));
        }
        for ms in (1005..=2000).step_by(5) {
            service.offered(at(ms), false);
            service.refused(at(ms), LIMIT);
            if ms % 100 == 0 {
                let time = SimDuration::from_millis(100);
                let before_it = (others, 100 + others * (ms as usize - 1000) / 100);
                service.lose_beside((at(ms), time), before_it, root(LossCause::LinkFailure));
            }
        }
        assert_eq!(service.filled_by(at(2000), FULL, None).and_then(|root| root.cause), filled_by);
    }
}

/// A MAC that needs 10 ms for a packet sends one of 20 and loses 100 ms, in which it could send ten. What waits behind eight others would be
/// gone, what waits behind ten or more would not, though the queue is less than half as long without that time.
#[test]
fn a_packet_waits_for_lost_time_if_that_was_enough_for_those_before_it() {
    let mut service = Service::default();
    (0..20).for_each(|packet| {
        service.offered(at(0), packet == 0);
    });
    (1..=5).for_each(|packet| service.served(at(10 * packet)));
    service.lose(at(150), SimDuration::from_millis(100), root(LossCause::Channel));
    let queue = Backlog { packets: 15, of_tcp: 0 };
    let cause = |ahead| service.kept_by(at(150), (queue, ahead), None).and_then(|root| root.cause);
    assert_eq!((cause(8), cause(9)), (Some(LossCause::Channel), Some(LossCause::Channel)));
    assert_eq!((cause(10), cause(14)), (None, None));
    assert!(service.filled_by(at(150), queue, None).is_some());
}

/// A packet every 20 ms, which the MAC sends in 10 ms: 50 each second. The load fits as long as the MAC is idle between them, at least once in
/// 500 ms, and the queue has rejected nothing for a second.
#[test]
fn a_load_that_fits_leaves_the_mac_idle() {
    let mut service = Service::default();
    for packet in 0..150 {
        service.offered(at(20 * packet), true);
        service.served(at(20 * packet + 10));
    }
    assert_eq!(service.carried(at(3000)), Some(50.0));
    assert!(service.carried(at(3480)).is_some() && service.carried(at(3481)).is_none());
    service.refused(at(1999), LIMIT);
    assert!(service.carried(at(3000)).is_some());
    service.refused(at(2000), LIMIT);
    assert!(service.carried(at(3000)).is_none());
    assert_eq!(service.done(), 152);
}

/// An outage of 2 s has cost the MAC more time than noise of 50 ms since, and ten packets wait. Once they are sent, only the noise slows
/// the MAC down.
#[test]
fn an_outage_slows_a_mac_down_until_its_packets_are_sent() {
    let mut service = Service::default();
    for packet in 0..10 {
        service.offered(at(10 * packet), packet == 0);
    }
    let outage = RootCause { at: at(2000), ..root(LossCause::NodeDown) };
    service.lose(at(2100), SimDuration::from_secs(2), outage);
    service.lose(
        at(2200),
        SimDuration::from_millis(50),
        RootCause { at: at(2200), ..root(LossCause::Channel) },
    );
    for packet in 0..9 {
        assert_eq!(service.slowed_by().and_then(|root| root.cause), Some(LossCause::NodeDown), "{packet}");
        service.served(at(2210 + 10 * packet));
    }
    assert_eq!(service.slowed_by().and_then(|root| root.cause), Some(LossCause::Channel));
}
