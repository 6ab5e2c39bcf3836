use super::*;

const SOURCE: NodeId = NodeId(0);
const RELAY: NodeId = NodeId(1);

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

fn ms(ms: u64) -> SimDuration {
    SimDuration::from_millis(ms)
}

/// A source and its relay; an exchange takes 2 ms. The source has sent `sent` packets before, the relay as many, and more at `times`.
fn pair(sent: u64, times: &[u64]) -> Vec<Service> {
    let mut services = vec![Service::default(), Service::default()];
    for n in 0..sent {
        services.iter_mut().for_each(|service| service.path.sent(at(n)));
    }
    times.iter().for_each(|time| services[RELAY.index()].path.sent(at(*time)));
    services[SOURCE.index()].path.sharing.relays.push(RELAY);
    services[RELAY.index()].path.sharing.before.push(SOURCE);
    services.iter_mut().for_each(|service| service.path.exchange = ms(2));
    services
}

/// From 100 to 120 ms the source fails. Meanwhile the relay sends three of its packets, which take 6 ms: those were not lost.
#[test]
fn what_a_relay_sends_is_not_lost() {
    let mut services = pair(50, &[104, 110, 118, 121]);
    // Of 54 packets of the relay, 50 are the source's.
    let lost = book(&mut services, SOURCE, SOURCE, (at(100), at(120)));
    assert_eq!(lost, ms(20) - ms(6).mul_f64(50.0 / 54.0));
    // A relay with 50 packets of others as well carries the source's in half of its time.
    let others: Vec<u64> = (50..100).chain([104, 110]).collect();
    let lost = book(&mut pair(50, &others), SOURCE, SOURCE, (at(100), at(120)));
    assert_eq!(lost, ms(20) - ms(4).mul_f64(50.0 / 102.0));
}

/// The relay fails from 100 to 120 ms, while the source sends two packets: 16 ms are lost for the source's queue. The source itself
/// fails from 110 to 130 ms: half of that is booked already. A span within both costs nothing more.
#[test]
fn a_time_is_lost_once() {
    let mut services = pair(1, &[]);
    [103, 106].into_iter().for_each(|time| services[SOURCE.index()].path.sent(at(time)));
    assert_eq!(book(&mut services, SOURCE, RELAY, (at(100), at(120))), ms(16));
    assert_eq!(book(&mut services, SOURCE, SOURCE, (at(110), at(130))), ms(10));
    assert_eq!(book(&mut services, SOURCE, RELAY, (at(105), at(125))), ms(0));
    assert_eq!(book(&mut services, SOURCE, SOURCE, (at(90), at(140))), ms(20));
}

/// Packets sent before the span, or after it, don't count for it; of very many packets the latest are known.
#[test]
fn only_what_is_sent_in_a_span_counts() {
    let services = pair(600, &[]);
    let path = &services[SOURCE.index()].path;
    assert_eq!(
        [(480, 490), (598, 700), (0, 700)].map(|(a, b)| path.sent_in((at(a), at(b)))),
        [10, 1, LATEST]
    );
}

/// The station before has sent 100 packets; 80 of them were sent on, and 10 are waiting. Of 30 that come during an outage it would have
/// sent 27, and of 30 in another one as well. One that has sent more than it got sends one for each.
#[test]
fn a_station_takes_as_many_turns_as_at_other_times() {
    let mut service = pair(80, &[]).remove(RELAY.index());
    assert_eq!(service.path.in_turn((30, 130), 10), 27.0);
    assert_eq!(service.path.in_turn((30, 160), 13), 27.0);
    assert_eq!(pair(80, &[])[RELAY.index()].path.in_turn((30, 70), 0), 30.0);
}
