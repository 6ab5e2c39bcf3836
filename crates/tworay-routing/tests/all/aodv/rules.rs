//! RFC 3561, rule by rule.

use super::desk::{Desk, transit};
use super::harness::{data, ms, n, rerr, rrep, rreq};
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_routing::aodv::{Hello, LocalRepair};
use tworay_routing::{AodvConfig, DropReason};
use tworay_wire::aodv::{AodvMessage, Rerr, Rrep, Rreq};
use tworay_wire::bytes::{decode_aodv, encode_aodv};

const NOTHING: [&str; 0] = [];

fn rfc() -> AodvConfig {
    AodvConfig::rfc3561()
}

/// Node 5 with two routes: to 9 via 6 (number 20, 3 hops), and to 1 via 2 (number 10, 2 hops).
fn between(config: AodvConfig) -> Desk {
    let mut desk = Desk::new(5, config);
    desk.rreq(ms(0), 2, 9, rreq(1, 10, 9, None, 1, 1));
    desk.rrep(ms(10), 6, rrep(9, 20, 1, 2));
    desk
}

#[test]
fn a_request_is_relayed_once_with_one_more_hop_and_one_less_to_live() {
    let mut desk = Desk::new(5, rfc());
    let q = rreq(1, 10, 9, None, 1, 7);
    assert_eq!(desk.rreq(ms(0), 2, 4, q.clone()), ["RREQ 1#7 seq 10 for 9 seq ? hops 2 ttl 3 to *"]);
    assert_eq!(desk.rreq(ms(1), 3, 4, Rreq { hop_count: 1, ..q.clone() }), NOTHING, "known id");
    assert_eq!(
        desk.rreq(ms(6000), 2, 4, q),
        ["RREQ 1#7 seq 10 for 9 seq ? hops 2 ttl 3 to *"],
        "forgotten id"
    );
    assert_eq!(desk.rreq(ms(6001), 2, 1, rreq(1, 11, 9, None, 1, 8)), NOTHING, "hop limit");
    assert_eq!(desk.route(ms(6001), 1), Some((2, 11, 2)), "the reverse route is made all the same");
    assert_eq!(desk.route(ms(6001), 2), Some((2, 0, 1)), "and one to the previous hop (§6.5)");
}

#[test]
fn routes_are_replaced_by_newer_or_as_new_and_shorter_ones_only() {
    // (number, hop count in the reply, accepted?) against a route with number 20 and 3 hops
    let cases = [
        (21, 9, true),
        (20, 1, true),
        (20, 2, false),
        (20, 5, false),
        (19, 1, false),
        (20u32.wrapping_sub(1 << 30), 1, false),
        (20 + (1 << 30), 9, true),
    ];
    for (seq, hops, accepted) in cases {
        let mut desk = between(rfc());
        let reply = rrep(9, seq, 1, hops);
        let passed_on = desk.rrep(ms(20), 7, reply).len() == 1;
        assert_eq!(passed_on, accepted, "number {seq}, {hops} hops");
        let route = desk.route(ms(20), 9);
        let expected = if accepted { (7, seq, hops + 1) } else { (6, 20, 3) };
        assert_eq!(route, Some(expected), "number {seq}, {hops} hops");
    }
}

#[test]
fn sequence_numbers_wrap_around() {
    let mut desk = Desk::new(5, rfc());
    desk.rreq(ms(0), 2, 9, rreq(1, u32::MAX, 9, None, 1, 1));
    assert_eq!(desk.route(ms(0), 1), Some((2, u32::MAX, 2)));
    desk.rreq(ms(1), 3, 9, rreq(1, 0, 9, None, 2, 2));
    assert_eq!(desk.route(ms(1), 1), Some((3, 0, 3)), "0 follows 2^32 - 1");
    desk.rreq(ms(2), 2, 9, rreq(1, u32::MAX, 9, None, 1, 3));
    assert_eq!(desk.route(ms(2), 1), Some((3, 0, 3)), "and not the other way round");
}

#[test]
fn the_destination_answers_with_the_larger_number() {
    for (wanted, says) in [(None, 0), (Some(0), 1), (Some(4), 4), (Some(u32::MAX), 0)] {
        let mut desk = Desk::new(9, rfc());
        let said = desk.rreq(ms(0), 6, 1, rreq(1, 10, 9, wanted, 2, 1));
        assert_eq!(said, [format!("RREP 9 seq {says} hops 0 for 1 life 6s to 6")], "wanted {wanted:?}");
    }
}

#[test]
fn a_node_with_a_fresh_route_answers_unless_it_must_not() {
    let fresh = ["RREP 9 seq 20 hops 3 for 8 life 5.99s to 8"];
    let with = |q: Rreq| between(rfc()).rreq(ms(20), 8, 9, Rreq { hop_count: 0, ..q });
    assert_eq!(with(rreq(8, 1, 9, Some(20), 0, 1)), fresh);
    assert_eq!(with(rreq(8, 1, 9, None, 0, 1)), fresh);
    assert_eq!(
        with(rreq(8, 1, 9, Some(21), 0, 1)),
        ["RREQ 8#1 seq 1 for 9 seq 21 hops 1 ttl 8 to *"],
        "its route is too old"
    );
    let asks_destination = Rreq { destination_only: true, ..rreq(8, 1, 9, Some(19), 0, 1) };
    assert_eq!(
        with(asks_destination),
        ["RREQ 8#1 seq 1 for 9 seq 20 hops 1 ttl 8 to *"],
        "D flag; the newer number goes into the request (§6.5)"
    );
    let gratuitous = Rreq { gratuitous: true, ..rreq(8, 1, 9, None, 0, 1) };
    assert_eq!(
        with(gratuitous),
        ["RREP 9 seq 20 hops 3 for 8 life 5.99s to 8", "RREP 8 seq 1 hops 1 for 9 life 5.52s to 6"],
        "G flag (§6.6.3)"
    );
}

#[test]
fn a_reply_is_passed_on_along_the_reverse_route() {
    let mut desk = Desk::new(5, rfc());
    desk.rreq(ms(0), 2, 9, rreq(1, 10, 9, None, 1, 1));
    assert_eq!(desk.rrep(ms(10), 6, rrep(9, 20, 1, 2)), ["RREP 9 seq 20 hops 3 for 1 life 6s to 2"]);
    assert_eq!(desk.rrep(ms(11), 6, rrep(9, 20, 1, 2)), NOTHING, "nothing new");
    assert_eq!(desk.rrep(ms(12), 6, rrep(9, 22, 4, 2)), ["drop NRTE"], "nobody knows the way to 4");
}

#[test]
fn rings_grow_then_waits_double_then_the_packet_is_dropped() {
    let mut desk = Desk::new(1, rfc());
    desk.verbose = true;
    let mut said = desk.send(ms(0), &data(1, 9, 1));
    while let Some(at) = said.last().and_then(|s| s.strip_prefix("wake at ")).filter(|at| *at != "never") {
        let at: SimTime = at.parse().unwrap();
        said.extend(desk.wake(at));
    }
    assert_eq!(
        said,
        [
            "RREQ 1#1 seq 1 for 9 seq ? hops 0 ttl 1 to *",
            "wake at 0.24s", // 2 × 40 ms × (1 + 2)
            "RREQ 1#2 seq 2 for 9 seq ? hops 0 ttl 3 to *",
            "wake at 0.64s",
            "RREQ 1#3 seq 3 for 9 seq ? hops 0 ttl 5 to *",
            "wake at 1.2s",
            "RREQ 1#4 seq 4 for 9 seq ? hops 0 ttl 7 to *",
            "wake at 1.92s",
            "RREQ 1#5 seq 5 for 9 seq ? hops 0 ttl 35 to *",
            "wake at 4.72s", // 2.8 s
            "RREQ 1#6 seq 6 for 9 seq ? hops 0 ttl 35 to *",
            "wake at 10.32s", // 5.6 s
            "RREQ 1#7 seq 7 for 9 seq ? hops 0 ttl 35 to *",
            "wake at 21.52s", // 11.2 s
            "DiscoveryFailed { dst: NodeId(9) }",
            "drop NRTE",
        ]
    );
}

/// RFC 3561 §6.4: after a break the first ring is the last distance plus TTL_INCREMENT, even beyond
/// TTL_THRESHOLD (7); only then the whole network is searched.
#[test]
fn a_lost_route_is_first_searched_for_at_its_last_distance() {
    let mut desk = Desk::new(5, rfc());
    desk.send(ms(0), &data(5, 9, 1));
    desk.rrep(ms(10), 6, rrep(9, 20, 5, 7)); // 8 hops away
    desk.verbose = true;
    let mut said = desk.fail(ms(50), &data(5, 9, 2), 6);
    said.retain(|line| line.starts_with("RREQ") || line.starts_with("wake"));
    let next = desk.wake(ms(50 + 960));
    said.extend(next.into_iter().filter(|line| line.starts_with("RREQ") || line.starts_with("wake")));
    assert_eq!(
        said,
        [
            "RREQ 5#2 seq 2 for 9 seq 21 hops 0 ttl 10 to *",
            "wake at 1.01s", // 0.05 s + 2 × 40 ms × (10 + 2)
            "RREQ 5#3 seq 3 for 9 seq 21 hops 0 ttl 35 to *",
            "wake at 3.81s", // 2.8 s
        ]
    );
}

#[test]
fn no_more_than_ten_requests_in_a_second() {
    let mut desk = Desk::new(1, rfc());
    let sent: usize = (100..115).map(|dst| desk.send(ms(0), &data(1, dst, 1)).len()).sum();
    assert_eq!(sent, 10);
    assert_eq!(desk.counters().rreq_held_back, 5);
    let rings: Vec<String> = desk.wake(ms(1000));
    assert_eq!(rings.len(), 10, "the next ten, of those held back and of second rings: {rings:?}");
}

#[test]
fn a_broken_link_is_told_to_those_who_use_it() {
    // One precursor: unicast. The packet of another node that failed is lost at the MAC.
    let mut desk = between(rfc());
    let said = desk.fail(ms(50), &transit(1, 9, 3), 6);
    assert_eq!(said, ["RERR 6 seq 0, 9 seq 21 to 2", "drop CBK", "purge 6"]);
    assert_eq!(desk.route(ms(50), 9), None);

    // Two precursors: broadcast.
    let mut desk = between(rfc());
    desk.data(ms(20), 3, &transit(8, 9, 2));
    let said = desk.fail(ms(50), &transit(1, 9, 3), 6);
    assert_eq!(said, ["RERR 6 seq 0, 9 seq 21 to *", "drop CBK", "purge 6"]);

    // None: no error is sent, and this node's own packet is buffered until there is a new route.
    let mut desk = Desk::new(5, rfc());
    desk.send(ms(0), &data(5, 9, 1));
    desk.rrep(ms(10), 6, rrep(9, 20, 5, 2));
    let said = desk.fail(ms(50), &data(5, 9, 2), 6);
    assert_eq!(
        said,
        ["RREQ 5#2 seq 2 for 9 seq 21 hops 0 ttl 5 to *", "purge 6"],
        "last hops 3 + increment 2"
    );
}

/// The message counts its destinations in a byte: more than 255 need several messages, and each counts
/// towards the rate limit of errors.
#[test]
fn a_long_error_goes_out_in_parts_that_can_be_encoded() {
    for (destinations, parts) in [(254, vec![255]), (255, vec![255, 1]), (600, vec![255, 255, 91])] {
        let mut desk = Desk::new(5, rfc());
        for dst in 1000..1000 + destinations {
            desk.rreq(ms(0), 2, 9, rreq(1, 10, dst, None, 1, u32::from(dst)));
            desk.rrep(ms(10), 6, rrep(dst, 20, 1, 2));
        }
        let sent = desk.errors_of_failure(ms(50), &transit(1, 1000, 3), 6);
        // The neighbour itself is unreachable as well.
        assert_eq!(sent.iter().map(|e| e.unreachable.len()).collect::<Vec<_>>(), parts);
        let mut named: Vec<NodeId> = sent.iter().flat_map(|e| e.unreachable.iter().map(|u| u.0)).collect();
        named.sort_unstable();
        named.dedup();
        assert_eq!(named.len(), usize::from(destinations) + 1, "each once");
        for rerr in sent {
            let message = AodvMessage::Rerr(rerr);
            let mut bytes = Vec::new();
            encode_aodv(&message, &mut bytes).expect("it has its place on the wire");
            assert_eq!(decode_aodv(&bytes), Ok(message));
        }
        assert_eq!(desk.counters().rerr_suppressed, 0);
    }
}

#[test]
fn an_error_breaks_routes_over_its_sender_only() {
    let mut desk = between(rfc());
    assert_eq!(desk.rerr(ms(20), 7, rerr(&[(9, 30)])), NOTHING, "7 isn't the next hop");
    assert_eq!(desk.rerr(ms(20), 6, rerr(&[(8, 30)])), NOTHING, "no route to 8");
    assert_eq!(desk.route(ms(20), 9), Some((6, 20, 3)));
    assert_eq!(desk.rerr(ms(20), 6, rerr(&[(9, 30), (8, 1)])), ["purge 6", "RERR 9 seq 30 to 2"]);
    assert_eq!(desk.route(ms(20), 9), None);
    assert_eq!(desk.rrep(ms(30), 6, rrep(9, 29, 1, 2)), NOTHING, "older than the error");
    assert_eq!(desk.rrep(ms(30), 6, rrep(9, 30, 1, 2)).len(), 1, "as new as the error");

    // An error with an old number also breaks the route, but this node's number is incremented.
    let mut desk = between(rfc());
    assert_eq!(desk.rerr(ms(20), 6, rerr(&[(9, 3)])), ["purge 6", "RERR 9 seq 21 to 2"]);

    // N flag: the route stays valid (§6.12).
    let mut desk = between(rfc());
    let repaired = Rerr { no_delete: true, ..rerr(&[(9, 21)]) };
    assert_eq!(desk.rerr(ms(20), 6, repaired), ["RERR N 9 seq 20 to 2"]);
    assert_eq!(desk.route(ms(20), 9), Some((6, 20, 3)));
}

#[test]
fn a_packet_on_a_dead_route_calls_for_an_error_at_most_ten_times_a_second() {
    let mut desk = Desk::new(5, rfc());
    assert_eq!(desk.data(ms(0), 2, &transit(1, 9, 1)), ["RERR 9 seq 0 to 2", "drop NRTE"]);
    for _ in 0..20 {
        desk.data(ms(1), 2, &transit(1, 9, 1));
    }
    assert_eq!(desk.counters().rerr.packets, 10);
    assert_eq!(desk.counters().rerr_suppressed, 11);
    assert_eq!(desk.counters().dropped(DropReason::NoRoute), 21);
}

#[test]
fn data_is_forwarded_delivered_or_dropped_by_its_header() {
    let mut desk = between(rfc());
    assert_eq!(desk.data(ms(20), 2, &transit(1, 9, 1)), ["forward to 6"]);
    assert_eq!(desk.data(ms(20), 6, &transit(9, 5, 1)), ["deliver"]);
    let mut last = transit(1, 9, 1);
    last.ttl = 1;
    assert_eq!(desk.data(ms(20), 2, &last), ["drop TTL"]);
    assert_eq!(desk.data(ms(20), 6, &transit(5, 9, 4)), ["drop LOOP"]);
    let mut to_all = transit(2, 0, 0);
    to_all.dst = NodeId::BROADCAST;
    assert_eq!(desk.data(ms(20), 2, &to_all), ["deliver"]);
}

#[test]
fn use_keeps_routes_alive_and_silence_ends_them() {
    let mut desk = between(rfc());
    for t in (1000..20_000).step_by(1000) {
        assert_eq!(desk.data(ms(t), 2, &transit(1, 9, 1)), ["forward to 6"], "at {t} ms");
        for (dst, what) in [(9, "destination"), (6, "next hop"), (1, "source"), (2, "previous hop")] {
            assert!(desk.route(ms(t + 2999), dst).is_some(), "{what} after {t} ms");
        }
    }
    assert_eq!(desk.route(ms(22_001), 9), None, "3 s after the last packet");
    let said = desk.data(ms(22_001), 2, &transit(1, 9, 1));
    assert_eq!(said, ["RERR 9 seq 21 to 2", "drop NRTE"], "an expired route's number has gone on");
}

#[test]
fn an_invalid_route_is_forgotten_after_delete_period() {
    let mut desk = between(rfc());
    desk.fail(ms(50), &transit(1, 9, 3), 6);
    let ask = |desk: &mut Desk, t, id| desk.rreq(ms(t), 8, 9, rreq(8, id, 9, None, 0, id));
    assert_eq!(ask(&mut desk, 14_000, 1), ["RREQ 8#1 seq 1 for 9 seq 21 hops 1 ttl 8 to *"]);
    assert_eq!(ask(&mut desk, 15_100, 2), ["RREQ 8#2 seq 2 for 9 seq ? hops 1 ttl 8 to *"]);
}

/// §6.11 (ii): a packet for it at 10 s, and the time of an invalid route counts from then.
#[test]
fn a_packet_for_an_invalid_route_keeps_its_number_for_a_delete_period() {
    for (asked, number) in [(24_900, "21"), (25_100, "?")] {
        let mut desk = between(rfc());
        desk.fail(ms(50), &transit(1, 9, 3), 6);
        desk.data(ms(10_000), 2, &transit(1, 9, 1));
        let said = desk.rreq(ms(asked), 8, 9, rreq(8, 1, 9, None, 0, 1));
        assert_eq!(said, [format!("RREQ 8#1 seq 1 for 9 seq {number} hops 1 ttl 8 to *")], "{asked} ms");
    }
}

#[test]
fn a_close_destination_is_repaired_from_the_middle() {
    let config = || AodvConfig { local_repair: LocalRepair::Rfc3561, ..rfc() };
    // Repaired at the same distance: the packet continues and no error about 9 is sent.
    let mut desk = between(config());
    let said = desk.fail(ms(50), &transit(1, 9, 3), 6);
    assert_eq!(said, ["RERR 6 seq 0 to 2", "RREQ 5#1 seq 1 for 9 seq 21 hops 0 ttl 5 to *", "purge 6"]);
    assert_eq!(desk.data(ms(51), 2, &transit(1, 9, 3)), NOTHING, "waits for the repair");
    assert_eq!(desk.rrep(ms(60), 7, rrep(9, 21, 5, 2)), ["forward to 7", "forward to 7"]);

    // Repaired at a larger distance: the precursors get an error with the N flag.
    let mut desk = between(config());
    desk.fail(ms(50), &transit(1, 9, 3), 6);
    assert_eq!(desk.rrep(ms(60), 7, rrep(9, 21, 5, 3)), ["RERR N 9 seq 21 to 2", "forward to 7"]);

    // Not repaired in time: one request only, then the error and the loss.
    let mut desk = between(config());
    desk.fail(ms(50), &transit(1, 9, 3), 6);
    let ring = 2 * 40 * (5 + 2);
    assert_eq!(desk.wake(ms(50 + ring)), ["RERR 9 seq 21 to 2", "drop NRTE"]);

    // "No farther than MAX_REPAIR_TTL hops away" (§6.12), and one hop farther.
    let mut desk = between(AodvConfig { max_repair_ttl: 3, ..config() });
    let said = desk.fail(ms(50), &transit(1, 9, 3), 6);
    assert_eq!(said, ["RERR 6 seq 0 to 2", "RREQ 5#1 seq 1 for 9 seq 21 hops 0 ttl 5 to *", "purge 6"]);
    let mut desk = between(AodvConfig { max_repair_ttl: 2, ..config() });
    let said = desk.fail(ms(50), &transit(1, 9, 3), 6);
    assert_eq!(said, ["RERR 6 seq 0, 9 seq 21 to 2", "drop CBK", "purge 6"]);
}

#[test]
fn silence_of_a_neighbour_that_said_hello_breaks_the_link() {
    let config = AodvConfig { hello: Hello::Always, link_layer_feedback: false, ..rfc() };
    let mut desk = between(config);
    let hello = Rrep { orig: n(6), ..rrep(6, 4, 6, 0) };
    desk.hear(ms(100), 6, NodeId::BROADCAST, 1, AodvMessage::Rrep(hello));
    assert_eq!(desk.route(ms(100), 6), Some((6, 4, 1)));
    desk.router.on_heard(ms(1500), n(6));
    assert_eq!(desk.fail(ms(1600), &transit(1, 9, 3), 6), ["drop CBK"], "no link-layer feedback");
    desk.data(ms(2500), 2, &transit(1, 9, 3));
    let said = desk.wake(ms(3499));
    assert!(!said.iter().any(|s| s.starts_with("RERR")), "heard 1.999 s ago: {said:?}");
    let said = desk.wake(ms(3500));
    assert_eq!(said, ["purge 6", "RERR 6 seq 5, 9 seq 21 to 2"], "ALLOWED_HELLO_LOSS × HELLO_INTERVAL");
}

#[test]
fn hello_is_said_by_nodes_with_routes_that_keep_quiet() {
    let config = AodvConfig { hello: Hello::ActiveRoutes, ..rfc() };
    let mut desk = Desk::new(5, config.clone());
    assert_eq!(desk.wake(ms(1000)), NOTHING, "no route");
    desk.rrep(ms(1500), 6, rrep(9, 20, 5, 2));
    assert_eq!(desk.wake(ms(2000)), ["HELLO seq 0 to *"]);
    desk.rreq(ms(2500), 2, 9, rreq(1, 10, 8, None, 1, 1));
    assert_eq!(desk.wake(ms(3000)), NOTHING, "has broadcast a request meanwhile");
}

#[test]
fn a_neighbour_that_does_not_acknowledge_replies_is_shunned() {
    let config = || AodvConfig { blacklist: true, ..rfc() };
    let mut desk = Desk::new(9, config());
    assert_eq!(desk.rreq(ms(0), 6, 1, rreq(1, 10, 9, None, 2, 1)).len(), 1);
    assert_eq!(desk.wake(ms(50)), NOTHING, "NEXT_HOP_WAIT is over");
    assert_eq!(desk.rreq(ms(60), 6, 1, rreq(1, 11, 9, None, 2, 2)), NOTHING, "blacklisted");
    assert_eq!(desk.rreq(ms(60), 7, 1, rreq(1, 11, 9, None, 2, 2)).len(), 1, "another neighbour");
    assert_eq!(desk.rreq(ms(5700), 6, 1, rreq(1, 12, 9, None, 2, 3)).len(), 1, "BLACKLIST_TIMEOUT is over");

    let mut desk = Desk::new(9, config());
    desk.rreq(ms(0), 6, 1, rreq(1, 10, 9, None, 2, 1));
    desk.hear(ms(10), 6, n(9), 1, AodvMessage::RrepAck);
    desk.wake(ms(50));
    assert_eq!(desk.rreq(ms(60), 6, 1, rreq(1, 11, 9, None, 2, 2)).len(), 1, "it did acknowledge");

    let mut desk = Desk::new(1, config());
    let asks_ack = Rrep { ack_required: true, ..rrep(9, 20, 1, 2) };
    assert_eq!(desk.rrep(ms(0), 6, asks_ack), ["RREP-ACK to 6"], "A flag");
}

#[test]
fn waiting_packets_have_limits_in_number_and_time() {
    let config = AodvConfig { buffer_packets: 2, buffer_timeout: SimDuration::from_secs(1), ..rfc() };
    let mut desk = Desk::new(1, config);
    desk.send(ms(0), &data(1, 9, 1));
    assert_eq!(desk.send(ms(100), &data(1, 9, 2)), NOTHING);
    assert_eq!(desk.send(ms(200), &data(1, 9, 3)), ["drop IFQ"], "the oldest makes room");
    let said = desk.wake(ms(1150));
    assert!(said.contains(&"drop TOUT".to_string()), "{said:?}");
    assert_eq!(desk.router.buffered().len(), 1);
}
