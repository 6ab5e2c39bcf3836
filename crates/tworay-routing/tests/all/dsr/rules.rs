//! One rule at a time.

use super::desk::{Desk, with};
use super::net::{control, data, list, ms, n};
use tworay_base::{Dialect, FollowsDialect, NodeId, SimDuration};
use tworay_routing::DsrConfig;
use tworay_routing::dsr::CacheKind;
use tworay_wire::Packet;
use tworay_wire::dsr::{DsrHeader, RouteError, RouteReply, RouteRequest, SourceRoute};

fn routed(src: u16, dst: u16, addresses: &[u16], left: u8, salvage: u8) -> Packet {
    let route = SourceRoute { salvage, segments_left: left, addresses: list(addresses) };
    with(data(src, dst, 1), DsrHeader::routed(route))
}

fn request(src: u16, id: u16, target: u16, addresses: &[u16], ttl: u8) -> Packet {
    let request = RouteRequest { id, target: n(target), addresses: list(addresses) };
    control(src, NodeId::BROADCAST, ttl, DsrHeader { request: Some(request), ..DsrHeader::default() })
}

/// A reply on its last hop to `dst`, its initiator.
fn reply(src: u16, dst: u16, route: &[u16], via: &[u16]) -> Packet {
    let source_route = Some(SourceRoute { salvage: 0, segments_left: 0, addresses: list(via) });
    let replies = vec![RouteReply { addresses: list(route) }];
    control(src, n(dst), 9, DsrHeader { replies, source_route, ..DsrHeader::default() })
}

fn error(source: u16, unreachable: u16, destination: u16, via: &[u16]) -> Packet {
    let error = RouteError {
        salvage: 0,
        source: n(source),
        destination: n(destination),
        unreachable: n(unreachable),
    };
    let source_route = Some(SourceRoute { salvage: 0, segments_left: 0, addresses: list(via) });
    control(
        source,
        n(destination),
        9,
        DsrHeader { errors: vec![error], source_route, ..DsrHeader::default() },
    )
}

/// Every rule for replying to and relaying requests, at node 5.
#[test]
fn a_request_is_answered_relayed_or_ignored() {
    let cached = |desk: &mut Desk| {
        desk.overhear(ms(1), 6, 7, &routed(6, 9, &[7, 8], 2, 0));
    };
    let plain = |_: &mut Desk| {};
    type Prepare<'a> = &'a dyn Fn(&mut Desk);
    let cases: [(&str, Prepare, Packet, &[&str]); 8] = [
        ("the target answers", &plain, request(1, 1, 5, &[2], 9), &["new RREP 1-2-5 via [2] left 1 to 2"]),
        ("a neighbour's request", &plain, request(2, 1, 5, &[], 1), &["new RREP 2-5 via [] left 0 to 2"]),
        ("others relay", &plain, request(1, 1, 9, &[2], 9), &["new RREQ #1 1-2-5..9 ttl 8 to *"]),
        ("not beyond the hop limit", &plain, request(1, 1, 9, &[2], 1), &[]),
        ("not where it has been", &plain, request(1, 1, 9, &[5, 2], 9), &[]),
        ("not this node's own", &plain, request(5, 1, 9, &[2], 9), &[]),
        (
            "a cache answers",
            &cached,
            request(1, 1, 9, &[2], 9),
            &["new RREP 1-2-5-6-7-8-9 via [2] left 1 to 2"],
        ),
        (
            "but with no node twice",
            &cached,
            request(1, 1, 9, &[7, 2], 9),
            &["new RREQ #1 1-7-2-5..9 ttl 8 to *"],
        ),
    ];
    for (what, prepare, packet, expected) in cases {
        let mut desk = Desk::new(5, DsrConfig::rfc4728());
        prepare(&mut desk);
        let from = packet
            .dsr
            .as_ref()
            .unwrap()
            .request
            .as_ref()
            .unwrap()
            .addresses
            .last()
            .map_or(packet.src.0, |a| a.0);
        assert_eq!(desk.hear(ms(2), from, &packet), expected, "{what}");
    }
}

/// ns-2 has two switches for replies from caches: this one still allows neighbours to reply.
#[test]
fn without_answers_to_propagating_requests_neighbours_still_answer() {
    let config = DsrConfig { reply_to_propagating: false, ..DsrConfig::rfc4728() };
    let cases: [(u16, Packet, &str); 3] = [
        (1, request(1, 1, 9, &[], 1), "new RREP 1-5-6-7-8-9 via [] left 0 to 1"),
        (1, request(1, 2, 9, &[], 9), "new RREQ #2 1-5..9 ttl 8 to *"),
        (2, request(1, 3, 9, &[2], 9), "new RREQ #3 1-2-5..9 ttl 8 to *"),
    ];
    for (from, packet, expected) in cases {
        let mut desk = Desk::new(5, config.clone());
        desk.overhear(ms(1), 6, 7, &routed(6, 9, &[7, 8], 2, 0));
        assert_eq!(desk.hear(ms(2), from, &packet), [expected]);
    }
}

#[test]
fn a_request_is_relayed_once_but_the_target_answers_each_copy() {
    let mut desk = Desk::new(5, DsrConfig::rfc4728());
    assert_eq!(desk.hear(ms(1), 2, &request(1, 7, 9, &[2], 9)).len(), 1);
    assert!(desk.hear(ms(2), 3, &request(1, 7, 9, &[3], 9)).is_empty());
    assert_eq!(desk.hear(ms(3), 2, &request(1, 8, 9, &[2], 9)).len(), 1, "another id is another request");
    for (t, via) in [(4, 2), (5, 3)] {
        assert_eq!(desk.hear(ms(t), via, &request(1, 9, 5, &[via], 9)).len(), 1);
    }
}

#[test]
fn a_target_may_answer_the_first_copy_only() {
    let mut desk = Desk::new(5, DsrConfig { reply_to_copies: false, ..DsrConfig::rfc4728() });
    let replies = |desk: &mut Desk, t, via, id| desk.hear(ms(t), via, &request(1, id, 5, &[via], 9)).len();
    assert_eq!(replies(&mut desk, 1, 2, 7), 1);
    assert_eq!(replies(&mut desk, 2, 3, 7), 0, "a copy over another neighbour");
    assert_eq!(replies(&mut desk, 3, 3, 8), 1, "the next search");
}

#[test]
fn freeze_probing_never_answers_from_caches_and_asks_the_whole_network_at_once() {
    let mut desk = Desk::new(5, DsrConfig::freeze_probing());
    desk.overhear(ms(1), 6, 7, &routed(6, 9, &[7, 8], 2, 0));
    assert_eq!(desk.route(ms(1), 9), Some(vec![6, 7, 8, 9]), "it knows a way");
    assert_eq!(desk.hear(ms(2), 2, &request(1, 1, 9, &[2], 9)), ["new RREQ #1 1-2-5..9 ttl 8 to *"]);
    assert_eq!(desk.send(ms(3), &data(5, 4, 1)), ["new RREQ #1 5..4 ttl 255 to *"]);
}

#[test]
fn overheard_routes_are_learned_in_both_directions_or_one() {
    let heard = routed(6, 9, &[7, 8], 1, 0);
    let mut both = Desk::new(5, DsrConfig::rfc4728());
    both.overhear(ms(1), 7, 8, &heard);
    assert_eq!(both.route(ms(1), 9), Some(vec![7, 8, 9]));
    assert_eq!(both.route(ms(1), 6), Some(vec![7, 6]));
    let mut one = Desk::new(5, DsrConfig::ns2());
    one.overhear(ms(1), 7, 8, &heard);
    assert_eq!((one.route(ms(1), 9), one.route(ms(1), 6)), (Some(vec![7, 8, 9]), None));
    let mut deaf = Desk::new(5, DsrConfig { promiscuous: false, ..DsrConfig::rfc4728() });
    assert!(!deaf.router.wants_tap());
    deaf.overhear(ms(1), 7, 8, &heard);
    assert_eq!(deaf.route(ms(1), 9), None);
}

#[test]
fn a_route_that_can_be_shorter_is_made_known_once_a_second() {
    let mut desk = Desk::new(5, DsrConfig::rfc4728());
    // 1-2-3-5-9 overheard at its first hop: 2 and 3 are unnecessary.
    let far = |uid| Packet { uid, ..routed(1, 9, &[2, 3, 5], 3, 0) };
    assert_eq!(desk.overhear(ms(1), 1, 2, &far(1)), ["new RREP 1-5-9 via [] left 0 to 1"]);
    assert!(desk.overhear(ms(900), 1, 2, &far(2)).is_empty(), "held off");
    assert_eq!(desk.overhear(ms(1001), 1, 2, &far(3)).len(), 1);
    assert!(desk.overhear(ms(1002), 3, 5, &Packet { uid: 4, ..routed(1, 9, &[2, 3, 5], 1, 0) }).is_empty());
    assert_eq!(desk.counters().gratuitous_replies, 2);
}

#[test]
fn an_error_takes_the_link_from_every_cache() {
    for cache in [CacheKind::Path, CacheKind::Link, CacheKind::LinkMaxLife] {
        let mut desk = Desk::new(5, DsrConfig { cache, ..DsrConfig::rfc4728() });
        desk.hear(ms(1), 2, &reply(9, 5, &[2, 3, 9], &[3, 2]));
        assert_eq!(desk.route(ms(1), 9), Some(vec![2, 3, 9]), "{cache:?}");
        desk.hear(ms(2), 2, &error(3, 9, 5, &[2]));
        assert_eq!((desk.route(ms(2), 9), desk.route(ms(2), 3)), (None, Some(vec![2, 3])), "{cache:?}");
    }
}

#[test]
fn the_last_error_rides_on_the_next_request() {
    let mut desk = Desk::new(5, DsrConfig { nonpropagating: false, ..DsrConfig::rfc4728() });
    desk.hear(ms(1), 2, &error(3, 9, 5, &[2]));
    assert_eq!(desk.send(ms(2), &data(5, 9, 1)), ["new RREQ #1 5..9 ttl 255 RERR 3-9 to 5 to *"]);
    assert_eq!(desk.send(ms(3), &data(5, 8, 2)), ["new RREQ #2 5..8 ttl 255 to *"], "once");
    // Nodes that relay it process it too.
    let mut relay = Desk::new(6, DsrConfig::rfc4728());
    relay.hear(ms(1), 3, &reply(9, 6, &[3, 9], &[3]));
    let mut asking = request(5, 1, 8, &[], 9);
    asking.dsr.as_mut().unwrap().errors.push(RouteError {
        salvage: 0,
        source: n(3),
        destination: n(5),
        unreachable: n(9),
    });
    assert_eq!(relay.hear(ms(2), 5, &asking), ["new RREQ #1 5-6..8 ttl 8 RERR 3-9 to 5 to *"]);
    assert_eq!(relay.route(ms(2), 9), None);
}

/// Node 5 detects that 5-9 is broken, learns it again from a reply, and then receives its own error in a
/// request of 1. In ns-2 a node then removes the link again, so its routes break more often than its links
/// do.
#[test]
fn an_error_of_its_own_that_comes_back_is_old_news_except_in_ns2() {
    for (dialect, known) in [(Dialect::Standard, Some(vec![9])), (Dialect::Ns2, None)] {
        let mut desk = Desk::new(5, DsrConfig::of(dialect));
        desk.fail(ms(1), &routed(1, 9, &[2, 5], 0, 0), 9);
        desk.hear(ms(2), 9, &reply(9, 5, &[9], &[]));
        assert_eq!(desk.route(ms(2), 9), Some(vec![9]), "{dialect:?}");
        let mut asking = request(1, 1, 8, &[2], 9);
        asking.dsr.as_mut().unwrap().errors.push(RouteError {
            salvage: 0,
            source: n(5),
            destination: n(1),
            unreachable: n(9),
        });
        desk.hear(ms(3), 2, &asking);
        assert_eq!(desk.route(ms(3), 9), known, "{dialect:?}");
    }
}

/// Node 5 forwards 9's reply to 1 with the route 1-2-5-8-9, and then overhears 2 forward it. In ns-2 a node
/// learns only from replies that it overhears.
#[test]
fn a_reply_teaches_those_who_pass_it_on_but_in_ns2_those_who_overhear_it() {
    let passing = |left: u8| {
        let source_route = Some(SourceRoute { salvage: 0, segments_left: left, addresses: list(&[8, 5, 2]) });
        let replies = vec![RouteReply { addresses: list(&[2, 5, 8, 9]) }];
        control(9, n(1), 9, DsrHeader { replies, source_route, ..DsrHeader::default() })
    };
    for (dialect, known) in [(Dialect::Standard, Some(vec![8, 9])), (Dialect::Ns2, None)] {
        let mut desk = Desk::new(5, DsrConfig { bidirectional: false, ..DsrConfig::of(dialect) });
        assert_eq!(desk.hear(ms(1), 8, &passing(2)).len(), 1, "{dialect:?}: it goes on");
        assert_eq!(desk.route(ms(1), 1), Some(vec![2, 1]), "{dialect:?}: where it is going");
        assert_eq!(desk.route(ms(1), 9), known, "{dialect:?}");
        desk.overhear(ms(2), 2, 1, &passing(0));
        assert_eq!(desk.route(ms(2), 9), Some(vec![8, 9]), "{dialect:?}");
    }
}

/// Node 5 replies to 1 and cannot reach 2, its next hop. By the RFC's rules the reply is dropped, because it
/// advertises that link; in ns-2 it is buffered until there is another route to 1.
#[test]
fn an_own_reply_without_its_next_hop_waits_only_in_ns2() {
    let source_route = Some(SourceRoute { salvage: 0, segments_left: 1, addresses: list(&[2]) });
    let replies = vec![RouteReply { addresses: list(&[2, 5]) }];
    let own = control(5, n(1), 9, DsrHeader { replies, source_route, ..DsrHeader::default() });
    let mut rfc = Desk::new(5, DsrConfig::rfc4728());
    assert_eq!(rfc.fail(ms(1), &own, 2), ["drop CBK", "purge 2"]);
    let mut ns2 = Desk::new(5, DsrConfig::ns2());
    assert_eq!(ns2.fail(ms(1), &own, 2), ["new RREQ #1 5..1 ttl 1 to *", "purge 2"]);
    assert_eq!(ns2.router.buffered().len(), 1);
}

/// In ns-2, a node that reports a shorter route keeps the route back to the node it reports to.
#[test]
fn ns2_keeps_the_way_back_of_a_gratuitous_reply() {
    let mut desk = Desk::new(5, DsrConfig::ns2());
    let told = desk.overhear(ms(1), 2, 3, &routed(1, 9, &[2, 3, 5], 2, 0));
    assert_eq!(told, ["new RREP 1-2-5-9 via [2] left 1 to 2"]);
    assert_eq!(desk.route(ms(1), 1), Some(vec![2, 1]));
}

/// A packet of node 1 that node 5 cannot forward to 6, with a route over 7 known or not.
#[test]
fn a_packet_without_its_next_hop_is_salvaged_within_limits() {
    let known = |config: DsrConfig| {
        let mut desk = Desk::new(5, config);
        desk.overhear(ms(1), 7, 9, &Packet { uid: 77, ..routed(8, 9, &[7], 0, 0) });
        desk
    };
    let rerr = "new RERR 5-6 to 1 via [2] left 1 to 2";
    let failed = |salvage: u8| match salvage {
        0 => routed(1, 9, &[2, 5, 6], 1, 0),
        s => routed(1, 9, &[3, 5, 6], 1, s),
    };
    let rfc = DsrConfig::rfc4728;
    assert_eq!(
        known(rfc()).fail(ms(2), &failed(0), 6),
        [rerr, "data 1 via [5-7] left 1 salvaged 1 to 7", "purge 6"]
    );
    assert_eq!(
        known(rfc()).fail(ms(2), &failed(4), 6),
        ["new RERR 5-6 to 3 via [] left 0 to 3", "data 1 via [5-7] left 1 salvaged 5 to 7", "purge 6"],
        "whoever salvaged it last hears of the next break"
    );
    assert_eq!(known(rfc()).fail(ms(2), &failed(15), 6)[1], "drop SAL");
    assert_eq!(known(DsrConfig { salvage: false, ..rfc() }).fail(ms(2), &failed(0), 6)[1], "drop CBK");
    assert_eq!(Desk::new(5, rfc()).fail(ms(2), &failed(0), 6)[1], "drop CBK", "no other way");
    assert_eq!(
        Desk::new(5, DsrConfig::ns2()).fail(ms(2), &failed(0), 6),
        [rerr, "purge 6"],
        "ns-2 lets it wait"
    );
}

#[test]
fn a_reply_that_praises_the_broken_link_is_not_salvaged() {
    let mut desk = Desk::new(5, DsrConfig::rfc4728());
    desk.hear(ms(1), 7, &reply(1, 5, &[7, 1], &[7]));
    let on_its_way = |route: &[u16]| {
        let source_route = Some(SourceRoute { salvage: 0, segments_left: 1, addresses: list(&[8, 5, 6]) });
        let replies = vec![RouteReply { addresses: list(route) }];
        control(9, n(1), 9, DsrHeader { replies, source_route, ..DsrHeader::default() })
    };
    let bad = desk.fail(ms(2), &on_its_way(&[6, 5, 8, 9]), 6);
    assert!(bad.contains(&"drop CBK".to_string()), "{bad:?}");
    let good = desk.fail(ms(3), &on_its_way(&[3, 8, 9]), 6);
    assert!(good.iter().any(|l| l.ends_with("salvaged 1 to 7")), "{good:?}");
}

#[test]
fn a_packet_of_this_node_takes_another_route_or_waits() {
    let mut desk = Desk::new(5, DsrConfig::rfc4728());
    desk.hear(ms(1), 6, &reply(9, 5, &[6, 9], &[6]));
    desk.hear(ms(1), 7, &reply(9, 5, &[7, 8, 9], &[8, 7]));
    assert_eq!(desk.send(ms(2), &data(5, 9, 1)), ["data 1 via [6] left 1 to 6"]);
    assert_eq!(desk.fail(ms(3), &routed(5, 9, &[6], 1, 0), 6), ["data 1 via [7-8] left 2 to 7", "purge 6"]);
    assert_eq!(
        desk.fail(ms(4), &routed(5, 9, &[7, 8], 2, 0), 7),
        ["new RREQ #1 5..9 ttl 1 to *", "purge 7"],
        "the last one: a search begins"
    );
    assert_eq!(desk.router.buffered().len(), 1);
}

#[test]
fn requests_follow_each_other_with_doubled_waits_and_end() {
    let mut desk = Desk::new(5, DsrConfig { max_request_rexmt: 2, ..DsrConfig::rfc4728() });
    desk.verbose = true;
    let waiting = data(5, 9, 1);
    assert_eq!(desk.send(ms(0), &waiting), ["new RREQ #1 5..9 ttl 1 to *", "wake at 0.03s"]);
    assert_eq!(desk.wake(ms(30), &waiting), ["new RREQ #2 5..9 ttl 255 to *", "wake at 0.53s"]);
    assert_eq!(desk.wake(ms(530), &waiting), ["new RREQ #3 5..9 ttl 255 to *", "wake at 1.53s"]);
    assert_eq!(desk.wake(ms(1530), &waiting), ["new RREQ #4 5..9 ttl 255 to *", "wake at 3.53s"]);
    assert_eq!(desk.wake(ms(3530), &waiting), ["DiscoveryFailed { dst: NodeId(9) }", "drop NRTE"]);
    assert_eq!(desk.counters().discoveries_failed, 1);
}

#[test]
fn what_is_overheard_ends_a_search_too() {
    let mut desk = Desk::new(5, DsrConfig::rfc4728());
    desk.send(ms(0), &data(5, 9, 1));
    let heard = Packet { uid: 50, ..routed(6, 9, &[7], 1, 0) };
    assert_eq!(desk.overhear(ms(5), 6, 7, &heard).len(), 1);
    assert!(desk.router.buffered().is_empty());
    assert_eq!(desk.router.hop_count(n(9)), Some(3));
}

#[test]
fn ns2_spaces_what_a_reply_sets_free() {
    let mut desk = Desk::new(5, DsrConfig::ns2());
    for uid in 1..4 {
        desk.send(ms(600), &data(5, 9, uid));
    }
    let sent = desk.hear(ms(620), 6, &reply(9, 5, &[6, 9], &[6]));
    let delays: Vec<&str> = sent.iter().map(|l| l.rsplit(' ').next().unwrap()).collect();
    assert_eq!(delays, ["6", "30ms", "60ms"], "{sent:?}");
}

#[test]
fn the_send_buffer_drops_the_oldest_and_the_late() {
    let mut desk = Desk::new(5, DsrConfig { send_buffer_packets: 2, ..DsrConfig::rfc4728() });
    desk.send(ms(0), &data(5, 9, 1));
    desk.send(ms(1), &data(5, 9, 2));
    assert_eq!(desk.send(ms(2), &data(5, 9, 3)), ["drop IFQ"]);
    let late = desk.wake(ms(30_001), &data(5, 9, 2));
    assert_eq!(late[0], "drop TOUT");
    assert_eq!(desk.router.buffered().len(), 1);
}

#[test]
fn every_cache_forgets_after_its_time() {
    for (cache, until) in [(CacheKind::Path, 300), (CacheKind::Link, 300), (CacheKind::LinkMaxLife, 25)] {
        let mut desk = Desk::new(5, DsrConfig { cache, ..DsrConfig::rfc4728() });
        desk.hear(ms(0), 2, &reply(9, 5, &[2, 9], &[2]));
        let end = ms(0) + SimDuration::from_secs(until);
        let before = tworay_base::SimTime::from_nanos(end.as_nanos() - 1);
        assert_eq!(desk.route(before, 9), Some(vec![2, 9]), "{cache:?}");
        assert_eq!(desk.route(end, 9), None, "{cache:?}");
    }
}

/// A path that is found again after 100 s lives until 300 s after that, whether it was asked for or overheard.
#[test]
fn every_cache_keeps_what_it_finds_again() {
    for cache in [CacheKind::Path, CacheKind::Link] {
        for (message, path) in
            [(reply(9, 5, &[2, 9], &[2]), vec![2, 9]), (routed(6, 9, &[7, 8], 1, 0), vec![7, 8, 9])]
        {
            let mut desk = Desk::new(5, DsrConfig { cache, ..DsrConfig::rfc4728() });
            for t in [0, 100_000] {
                match path[..] {
                    [2, 9] => desk.hear(ms(t), 2, &message),
                    _ => desk.overhear(ms(t), 7, 8, &Packet { uid: t + 1, ..message.clone() }),
                };
            }
            let end = ms(400_000);
            let before = tworay_base::SimTime::from_nanos(end.as_nanos() - 1);
            assert_eq!(desk.route(before, 9).as_ref(), Some(&path), "{cache:?}");
            assert_eq!(desk.route(end, 9), None, "{cache:?}, {path:?}");
        }
    }
}

#[test]
fn a_full_path_store_loses_its_oldest_path_and_keeps_wanted_ones_apart() {
    let config = DsrConfig { primary_paths: 2, secondary_paths: 1, ..DsrConfig::ns2() };
    let mut desk = Desk::new(5, config);
    for (t, dst) in [(1, 11), (2, 12), (3, 13)] {
        desk.hear(ms(t), 2, &reply(dst, 5, &[2, dst], &[2]));
    }
    let known = |desk: &Desk, dst| desk.route(ms(4), dst).is_some();
    assert_eq!([11, 12, 13].map(|d| known(&desk, d)), [false, true, true]);
    // An overheard path replaces only another overheard path.
    for (uid, dst) in [(90, 14), (91, 15)] {
        desk.overhear(ms(4), 3, 4, &Packet { uid, ..routed(3, dst, &[4], 1, 0) });
    }
    assert_eq!([12, 13, 14, 15].map(|d| known(&desk, d)), [true, true, false, true]);
}

#[test]
fn the_length_counts_the_header_and_ns2_counts_twenty_more() {
    for (dialect, extra) in [(Dialect::Standard, 0), (Dialect::Ns2, 20)] {
        let mut router = super::net::router(5, &DsrConfig::of(dialect), 1);
        let mut out = Vec::new();
        let answer = reply(9, 5, &[2, 3, 9], &[3, 2]);
        router.on_receive(ms(1), tworay_base::PacketId(0), &answer, n(2), &mut out);
        router.on_send(ms(2), tworay_base::PacketId(1), &data(5, 9, 1), &mut out);
        let length = out.iter().find_map(|a| match a {
            tworay_routing::RoutingAction::SetHeader { header: Some(h), .. } => Some(h.wire_bytes()),
            _ => None,
        });
        // 4 fixed, 4 of the option, two relays of 4.
        assert_eq!(length, Some(16 + extra));
    }
}

/// RFC 4728 §8.3.6: the next Route Request carries the latest route error for this node, so that caches forget the link. The first request
/// goes to neighbours only, so the one after it carries the error as well; a third does not need to.
#[test]
fn a_route_error_is_spread_with_requests_beyond_the_neighbours() {
    let mut desk = Desk::new(5, DsrConfig::rfc4728());
    desk.hear(ms(1), 6, &error(6, 7, 5, &[]));
    let packet = data(5, 9, 1);
    let first = desk.send(ms(2), &packet);
    assert_eq!(first, ["new RREQ #1 5..9 ttl 1 RERR 6-7 to 5 to *"]);
    let later: Vec<String> = (3..1000).flat_map(|at| desk.wake(ms(at), &packet)).collect();
    let carries: Vec<bool> = later.iter().map(|request| request.contains("RERR 6-7 to 5")).collect();
    assert!(later.len() > 1 && later.iter().all(|request| request.starts_with("new RREQ")), "{later:?}");
    assert!(carries[0] && !carries[1..].contains(&true), "{later:?}");
}

/// An error that is older than a second is no news.
#[test]
fn an_old_route_error_is_not_spread() {
    let mut desk = Desk::new(5, DsrConfig::rfc4728());
    desk.hear(ms(1), 6, &error(6, 7, 5, &[]));
    assert_eq!(desk.send(ms(1002), &data(5, 9, 1)), ["new RREQ #1 5..9 ttl 1 to *"]);
}
