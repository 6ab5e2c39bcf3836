//! The quirks of ns-2.35's `Agent/AODV`, one by one.

use super::desk::{Desk, transit};
use super::harness::{control, data, ms, n, rerr, rrep, rreq};
use tworay_routing::{AodvConfig, DropReason};
use tworay_wire::Packet;
use tworay_wire::aodv::{AodvMessage, Rrep};

const NOTHING: [&str; 0] = [];

/// Node 5 with two routes: to 9 via 6 (number 20, 3 hops), and to 1 via 2 (number 10, 2 hops).
fn between() -> Desk {
    let mut desk = Desk::new(5, AodvConfig::ns2());
    desk.rreq(ms(0), 2, 9, rreq(1, 10, 9, None, 1, 1));
    desk.rrep(ms(10), 6, Rrep { lifetime: AodvConfig::ns2().my_route_timeout, ..rrep(9, 20, 1, 2) });
    desk
}

#[test]
fn a_hopeless_search_polls_every_half_second_and_rests_ten_seconds() {
    let mut desk = Desk::new(1, AodvConfig::ns2());
    let mut said: Vec<(f64, String)> = Vec::new();
    let mut note = |t: u64, lines: Vec<String>| said.extend(lines.into_iter().map(|l| (t as f64 / 1e3, l)));
    note(0, desk.send(ms(0), &data(1, 9, 1)));
    for t in (500..=41_000).step_by(500) {
        note(t, desk.wake(ms(t)));
        if t == 20_000 {
            note(t, desk.send(ms(t), &data(1, 9, 2)));
        }
    }
    let request = |id, seq| format!("RREQ 1#{id} seq {seq} for 9 seq ? hops 0 ttl 30 to *");
    let expected = [
        // The initial last hop count of 255 makes even the first request network-wide. Waits are 2 × 30 × 30
        // ms × (number of the request), checked twice a second.
        (0.0, request(1, 4)),
        (2.0, request(2, 6)),
        (6.0, request(3, 8)),
        (11.5, request(4, 10)),
        (19.0, "drop NRTE".to_string()),
        // A pause of 10 s, which delays the packet of 20 s.
        (29.0, request(5, 12)),
        (31.0, request(6, 14)),
        (35.0, request(7, 16)),
        (40.5, request(8, 18)),
    ];
    assert_eq!(said, expected);
}

#[test]
fn waits_follow_the_measured_time_per_hop() {
    let mut desk = Desk::new(1, AodvConfig::ns2());
    desk.send(ms(0), &data(1, 9, 1));
    assert_eq!(desk.rrep(ms(40), 2, rrep(9, 4, 1, 3)), ["forward to 2"], "4 hops, 10 ms each");
    desk.fail(ms(100), &data(1, 9, 2), 2);
    assert_eq!(
        desk.send(ms(110), &data(1, 9, 3)),
        ["RREQ 1#2 seq 8 for 9 seq 5 hops 0 ttl 6 to *"],
        "last hop count 4 + 2; the lost neighbour took a step of the own number"
    );
    assert_eq!(desk.send(ms(229), &data(1, 9, 4)), NOTHING, "2 × 6 × 10 ms");
    assert_eq!(desk.send(ms(230), &data(1, 9, 5)).len(), 1, "a packet, too, finds the wait over");
}

#[test]
fn waiting_packets_leave_ten_milliseconds_apart() {
    let mut desk = Desk::new(1, AodvConfig::ns2());
    for i in 0..3 {
        desk.send(ms(i), &data(1, 9, i));
    }
    let said = desk.rrep(ms(40), 2, rrep(9, 4, 1, 3));
    assert_eq!(said, ["forward to 2", "forward to 2 in 10ms", "forward to 2 in 20ms"]);

    let mut desk = Desk::new(1, AodvConfig::ns2());
    for i in 0..2 {
        desk.send(ms(i), &data(1, 9, i));
    }
    let said = desk.rreq(ms(40), 2, 9, rreq(9, 6, 1, None, 2, 1));
    assert_eq!(
        said,
        ["forward to 2", "forward to 2", "RREP 1 seq 6 hops 0 for 9 life 10s to 2"],
        "but not on a request"
    );
}

#[test]
fn the_first_failure_of_the_mac_breaks_the_link_and_empties_the_queue() {
    let mut desk = between();
    let said = desk.fail(ms(50), &transit(1, 9, 3), 6);
    assert_eq!(said, ["drop CBK", "purge 6", "RERR 9 seq 21 to *"], "3 hops travelled, 3 left: no repair");
    assert_eq!(desk.counters().dropped(DropReason::MacCallback), 1);
    assert_eq!(desk.data(ms(60), 2, &transit(1, 9, 3)), ["RERR 9 seq 21 to *", "drop NRTE"]);
    assert_eq!(desk.data(ms(61), 2, &transit(1, 9, 3)).len(), 2, "no rate limit");
}

#[test]
fn a_lost_reply_breaks_nothing() {
    let mut desk = between();
    let reply = control(5, n(2), 30, AodvMessage::Rrep(rrep(9, 20, 1, 3)));
    assert_eq!(desk.fail(ms(50), &reply, 2), ["drop CBK"]);
    assert!(desk.route(ms(50), 1).is_some());
}

#[test]
fn beyond_the_middle_of_the_path_the_route_is_repaired() {
    let mut desk = between();
    let far = transit(1, 9, 4);
    assert_eq!(
        desk.fail(ms(50_000), &far, 6),
        ["RREQ 5#1 seq 4 for 9 seq 20 hops 0 ttl 30 to *"],
        "4 hops travelled, 3 left; the number isn't raised, the queue not emptied"
    );
    assert_eq!(desk.data(ms(50_010), 2, &far), NOTHING, "waits");
    // During a repair the node still replies for the route, with a negative lifetime.
    let life = 4_294_967_296u64 - 50;
    assert_eq!(
        desk.rreq(ms(50_020), 8, 9, rreq(8, 4, 9, None, 0, 1)),
        [format!("RREP 9 seq 20 hops 3 for 8 life {life}s to 8")]
    );
    assert_eq!(desk.rrep(ms(50_030), 7, rrep(9, 20, 5, 2)), NOTHING, "as new, not shorter: refused");
    assert_eq!(desk.rrep(ms(50_030), 7, rrep(9, 20, 5, 1)), ["forward to 7", "forward to 7 in 10ms"]);

    // Without a reply the repair ends at about twice the time, because an absolute time is used as a delay.
    let mut desk = between();
    desk.fail(ms(4_000), &far, 6);
    let end = 4_000 + 4_000 + 2 * 30 * 30;
    desk.wake(ms(end - 1));
    assert_eq!(desk.data(ms(end - 1), 2, &far), NOTHING, "still waits");
    desk.wake(ms(end));
    let said = desk.data(ms(end), 2, &far);
    assert_eq!(said, ["RERR 9 seq 20 to *", "drop NRTE"]);
}

#[test]
fn an_error_is_passed_on_to_precursors_only_and_not_if_old() {
    let mut desk = between();
    assert_eq!(desk.rerr(ms(20), 6, rerr(&[(9, 19)])), NOTHING, "older");
    assert_eq!(desk.rerr(ms(20), 6, rerr(&[(9, 21)])), ["purge 6", "RERR 9 seq 21 to *"]);
    let mut desk = Desk::new(1, AodvConfig::ns2());
    desk.send(ms(0), &data(1, 9, 1));
    desk.rrep(ms(40), 2, rrep(9, 4, 1, 3));
    assert_eq!(desk.rerr(ms(50), 2, rerr(&[(9, 5)])), ["purge 2"], "the source has no precursors");
}

#[test]
fn only_the_route_used_lives_on_and_expiry_waits_for_the_poll() {
    let mut desk = between();
    for t in (1000..=12_000).step_by(500) {
        desk.wake(ms(t));
        assert_eq!(desk.data(ms(t), 2, &transit(1, 9, 1)), ["forward to 6"], "at {t} ms");
    }
    assert_eq!(desk.route(ms(12_000), 1), None, "packets from 1 don't keep the way back to it");
    assert_eq!(desk.data(ms(22_400), 2, &transit(1, 9, 1)), ["forward to 6"], "10.4 s later, not polled");
    desk.wake(ms(32_500));
    assert_eq!(desk.data(ms(32_500), 2, &transit(1, 9, 1)), ["RERR 9 seq 21 to *", "drop NRTE"]);
}

#[test]
fn messages_have_the_sizes_of_its_structures() {
    let mut desk = between();
    desk.fail(ms(50), &transit(1, 9, 3), 6);
    let c = desk.counters();
    assert_eq!((c.rreq.packets, c.rreq.bytes), (1, 48));
    assert_eq!((c.rrep.packets, c.rrep.bytes), (1, 44));
    assert_eq!((c.rerr.packets, c.rerr.bytes), (1, 32));
}

/// Notification of the transport (ELFN): of a broken link on a route that this node's own packets used,
/// detected here or reported by an error; not of a route that expired, nor of one that only others used.
#[test]
fn only_breaks_on_routes_of_its_own_packets_are_told_to_the_transport() {
    let told =
        |said: &[String]| said.iter().filter(|s| s.starts_with("RouteError")).cloned().collect::<Vec<_>>();
    let lost = |said: &[String]| said.iter().filter(|s| s.starts_with("RouteLost")).count();
    let desk = |own: bool| {
        let mut desk = between();
        desk.verbose = true;
        // Either this node's own packet goes to 9 via 6, or a packet of node 1.
        let sent =
            if own { desk.send(ms(100), &data(5, 9, 1)) } else { desk.data(ms(100), 2, &transit(1, 9, 1)) };
        assert_eq!(sent[0], "forward to 6");
        desk
    };
    let here = "RouteError { broken_from: NodeId(5), broken_to: Some(NodeId(6)), dst: NodeId(9) }";
    let there = "RouteError { broken_from: NodeId(6), broken_to: None, dst: NodeId(9) }";
    for own in [true, false] {
        let word = |text: &str| if own { vec![text.to_string()] } else { Vec::new() };

        let said = desk(own).fail(ms(200), &meets_the_break(own), 6);
        assert_eq!(told(&said), word(here), "own {own}: the MAC gave up");

        let said = desk(own).rerr(ms(200), 6, rerr(&[(9, 21)]));
        assert_eq!((told(&said), lost(&said)), (word(there), 1), "own {own}: an error");

        let mut desk = desk(own);
        let mut expired = Vec::new();
        for t in (500..=11_000).step_by(500) {
            expired.extend(desk.wake(ms(t)));
        }
        assert!(lost(&expired) >= 1 && desk.route(ms(11_000), 9).is_none(), "own {own}: {expired:?}");
        assert_eq!(told(&expired), Vec::<String>::new(), "own {own}: it expired");
    }
}

/// The packet that detects the break: this node's own, or one in transit that is too close to its source for
/// a repair.
fn meets_the_break(own: bool) -> Packet {
    if own { data(5, 9, 1) } else { transit(1, 9, 1) }
}
