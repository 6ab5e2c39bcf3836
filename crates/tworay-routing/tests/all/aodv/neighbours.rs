//! Routes to neighbours that were heard without a sequence number (RFC 3561 §6.2, §6.5, §6.7, §6.9).

use super::desk::{Desk, transit};
use super::harness::{Net, Script, ms, n, rrep, rreq};
use tworay_base::{NodeId, SimDuration};
use tworay_routing::AodvConfig;
use tworay_routing::aodv::Hello;
use tworay_wire::aodv::{AodvMessage, Rrep};

const NOTHING: [&str; 0] = [];

fn rfc() -> AodvConfig {
    AodvConfig { broadcast_jitter: SimDuration::ZERO, ..AodvConfig::rfc3561() }
}

/// 0-1-2 with a pause of 8 s, longer than MY_ROUTE_TIMEOUT: the routes to 2 expire, and nodes 0 and 1 keep
/// 2's number increased to 1 (§6.11). When 1 hears 2's reply, it first renews the route to 2 without a
/// number; then it accepts number 1, because the number that it has is invalid (§6.7 i), and passes the reply
/// on.
#[test]
fn a_neighbours_reply_is_passed_on_after_its_route_has_expired() {
    let mut net = Net::chain(3, &rfc()).checking_loops();
    net.send_at(ms(1000), 0, 2);
    net.send_at(ms(9000), 0, 2);
    net.run_until(ms(20_000));
    net.assert_ladder(
        "
        1s 0>* RREQ 0#1 seq 1 for 2 seq ? hops 0 ttl 1
        1.24s 0>* RREQ 0#2 seq 2 for 2 seq ? hops 0 ttl 3
        1.241s 1>* RREQ 0#2 seq 2 for 2 seq ? hops 1 ttl 2
        1.242s 2>1 RREP 2 seq 0 hops 0 for 0 life 6s
        1.243s 1>0 RREP 2 seq 0 hops 1 for 0 life 6s
        1.244s 0>1 data 1
        1.245s 1>2 data 1
        1.246s 2 gets data 1
        9s 0>* RREQ 0#3 seq 3 for 2 seq 1 hops 0 ttl 4
        9.001s 1>* RREQ 0#3 seq 3 for 2 seq 1 hops 1 ttl 3
        9.002s 2>1 RREP 2 seq 1 hops 0 for 0 life 6s
        9.003s 1>0 RREP 2 seq 1 hops 1 for 0 life 6s
        9.004s 0>1 data 2
        9.005s 1>2 data 2
        9.006s 2 gets data 2
        ",
    );
}

/// 0-1-2 with node 1 away for 8 s. The last request is sent after its return, and the reply to it must
/// arrive: the next would follow 11.2 s later (2.8 s, doubled twice, §6.3).
#[test]
fn the_first_reply_after_a_long_absence_arrives() {
    let mut net = Net::chain(3, &rfc()).checking_loops();
    for t in (12_900..35_000).step_by(100) {
        net.send_at(ms(t), 0, 2);
    }
    for other in [0, 2] {
        net.at(ms(20_100), Script::Down(other, 1));
        net.at(ms(28_100), Script::Up(other, 1));
    }
    net.run_until(ms(60_000));
    let requests: Vec<&str> = net.ladder.lines().filter(|l| l.contains(" 0>* RREQ")).collect();
    assert_eq!(requests.last(), Some(&"29.625s 0>* RREQ 0#7 seq 7 for 2 seq 1 hops 0 ttl 35"));
    // At the request, 64 packets wait (buffer_packets). With those sent at 20.1 s and after, the buffer was
    // full from 26.4 s on; each later one up to 29.6 s drove out the oldest, and nothing else is lost.
    let lost = |reason| net.dropped.iter().filter(|(_, why)| *why == reason).count();
    assert_eq!((lost("IFQ"), lost("NRTE")), (96 - 64, 0), "{:?}", net.dropped);
}

/// Node 5 with a route to its neighbour 9 that broke: number 20 has become 21. Then 9 is heard in a request
/// of 1 that it relays, which says nothing about 9's number.
fn heard_again() -> Desk {
    let mut desk = Desk::new(5, rfc());
    desk.rreq(ms(0), 2, 9, rreq(1, 10, 9, None, 1, 1));
    desk.rrep(ms(10), 9, rrep(9, 20, 1, 0));
    desk.fail(ms(50), &transit(1, 9, 3), 9);
    assert_eq!(desk.route(ms(50), 9), None);
    desk.rreq(ms(100), 9, 1, rreq(1, 11, 7, None, 2, 2));
    assert_eq!(desk.route(ms(100), 9), Some((9, 21, 1)));
    desk
}

#[test]
fn an_invalid_number_yields_to_a_valid_one_that_is_not_older() {
    // (reply's number, from, hop count, accepted): §6.7 i. Older numbers than those of the break are refused
    // all the same, because other nodes may have routes over this node with them.
    for (seq, via, hops, accepted) in
        [(21, 9, 0, true), (22, 9, 0, true), (21, 6, 3, true), (20, 9, 0, false)]
    {
        let mut desk = heard_again();
        let passed_on = desk.rrep(ms(110), via, rrep(9, seq, 1, hops)).len() == 1;
        assert_eq!(passed_on, accepted, "number {seq} over {via}");
        let expected = if accepted { (via, seq, hops + 1) } else { (9, 21, 1) };
        assert_eq!(desk.route(ms(110), 9), Some(expected), "number {seq} over {via}");
    }
}

#[test]
fn an_invalid_number_is_not_offered_to_others() {
    let mut desk = heard_again();
    let asks = |id, seq| rreq(8, id, 9, Some(seq), 0, id);
    assert_eq!(desk.rreq(ms(110), 8, 9, asks(1, 20)), ["RREQ 8#1 seq 1 for 9 seq 21 hops 1 ttl 8 to *"]);
    desk.rrep(ms(120), 9, rrep(9, 21, 1, 0));
    let said = desk.rreq(ms(130), 8, 9, asks(2, 20));
    assert_eq!(said, ["RREP 9 seq 21 hops 1 for 8 life 5.99s to 8"]);
}

/// §6.11: only a valid number is incremented. Otherwise each break would move it further from the neighbour's
/// own, and the neighbour's requests would count as old.
#[test]
fn breaks_do_not_increment_an_invalid_number() {
    let mut desk = heard_again();
    for round in 0..3 {
        let t = 200 + 100 * round;
        desk.fail(ms(t), &transit(1, 9, 3), 9);
        desk.rreq(ms(t + 50), 9, 1, rreq(1, 12 + round as u32, 7, None, 2, 3 + round as u32));
        assert_eq!(desk.route(ms(t + 50), 9), Some((9, 21, 1)), "round {round}");
    }
}

/// 9 moves next to 5, which has a longer route to it with number 20. Others may follow that route over 5, so
/// over them it could lead back: only 9 itself may renew number 20.
#[test]
fn a_number_that_others_may_use_is_renewed_by_the_neighbour_only() {
    let moved = || {
        let mut desk = Desk::new(5, rfc());
        desk.rreq(ms(0), 2, 9, rreq(1, 10, 9, None, 1, 1));
        desk.rrep(ms(10), 6, rrep(9, 20, 1, 2));
        desk.rreq(ms(100), 9, 1, rreq(1, 11, 7, None, 2, 2));
        assert_eq!(desk.route(ms(100), 9), Some((9, 20, 1)));
        desk
    };
    let mut desk = moved();
    assert_eq!(desk.rrep(ms(110), 3, rrep(9, 20, 1, 4)), NOTHING);
    assert_eq!(desk.route(ms(110), 9), Some((9, 20, 1)));
    let mut desk = moved();
    assert_eq!(desk.rrep(ms(110), 9, rrep(9, 20, 1, 0)).len(), 1);
    assert_eq!(desk.route(ms(110), 9), Some((9, 20, 1)));
}

/// §6.9: whoever hears a HELLO makes sure that it has a route to the neighbour. After a break the neighbour,
/// which has noticed nothing, still has the old number.
#[test]
fn a_hello_restores_the_route_whatever_its_number() {
    let config = AodvConfig { hello: Hello::Always, ..rfc() };
    let hello = |seq| {
        AodvMessage::Rrep(Rrep { orig: n(9), lifetime: SimDuration::from_secs(2), ..rrep(9, seq, 9, 0) })
    };
    let mut desk = Desk::new(5, config);
    let mut hear = |t, seq| {
        desk.hear(ms(t), 9, NodeId::BROADCAST, 1, hello(seq));
        let route = desk.route(ms(t + 2000), 9);
        if t == 100 {
            desk.fail(ms(150), &transit(1, 9, 3), 9);
        }
        route
    };
    assert_eq!(hear(100, 4), Some((9, 4, 1)));
    assert_eq!(hear(1100, 4), Some((9, 5, 1)), "the number of the break stays as the lower bound");
    assert_eq!(hear(2100, 5), Some((9, 5, 1)));
    assert_eq!(hear(3100, 6), Some((9, 6, 1)));
}
