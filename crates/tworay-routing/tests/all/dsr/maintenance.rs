//! Acknowledgments without link-layer feedback, attempt by attempt.

use super::desk::{Desk, with};
use super::net::{control, data, list, ms, n};
use tworay_routing::DsrConfig;
use tworay_routing::dsr::MaintenanceOrder;
use tworay_wire::Packet;
use tworay_wire::dsr::{Ack, AckRequest, DsrHeader, RouteReply, SourceRoute};

fn header(addresses: &[u16], left: u8) -> DsrHeader {
    DsrHeader::routed(SourceRoute { salvage: 0, segments_left: left, addresses: list(addresses) })
}

fn ack(id: u16, source: u16, destination: u16) -> Packet {
    let acks = vec![Ack { id, source: n(source), destination: n(destination) }];
    control(source, n(destination), 1, DsrHeader { acks, ..DsrHeader::default() })
}

/// Node 5 with a route to 9 over 6, where 6 is a neighbour of 9. Acknowledgments count, reports of the MAC do
/// not.
fn desk(config: DsrConfig) -> Desk {
    let mut desk = Desk::new(5, config);
    for dst in [6, 9] {
        let route: &[u16] = if dst == 6 { &[6] } else { &[6, 9] };
        let source_route = header(if dst == 6 { &[] } else { &[6] }, 0).source_route;
        let replies = vec![RouteReply { addresses: list(route) }];
        desk.hear(
            ms(0),
            6,
            &control(dst, n(5), 9, DsrHeader { replies, source_route, ..DsrHeader::default() }),
        );
    }
    desk
}

#[test]
fn hearing_the_next_hop_forward_is_enough() {
    let mut desk = desk(DsrConfig::thesis_trace());
    assert_eq!(desk.send(ms(1), &data(5, 9, 1)), ["copy data 1 via [6] left 1 to 6"]);
    assert_eq!(desk.router.buffered().len(), 1, "the packet stays");
    desk.overhear(ms(5), 6, 9, &with(data(5, 9, 2), header(&[6], 0)));
    assert_eq!(desk.router.buffered().len(), 1, "another packet proves nothing");
    desk.overhear(ms(6), 6, 9, &with(data(5, 9, 1), header(&[6], 0)));
    assert!(desk.router.buffered().is_empty());
}

#[test]
fn silence_brings_another_attempt_then_questions_then_a_broken_link() {
    let mut desk = desk(DsrConfig::thesis_trace());
    desk.verbose = true;
    let packet = data(5, 9, 1);
    desk.send(ms(0), &packet);
    assert_eq!(desk.wake(ms(100), &packet), ["copy data 1 via [6] left 1 to 6", "wake at 0.2s"]);
    assert_eq!(desk.wake(ms(200), &packet), ["copy data 1 ack? 1 via [6] left 1 to 6", "wake at 0.45s"]);
    assert_eq!(desk.wake(ms(450), &packet), ["copy data 1 ack? 1 via [6] left 1 to 6", "wake at 0.7s"]);
    assert_eq!(desk.wake(ms(700), &packet), ["copy data 1 ack? 1 via [6] left 1 to 6", "wake at 0.95s"]);
    assert_eq!(
        desk.wake(ms(950), &packet),
        [
            "LinkBroken { neighbour: NodeId(6) }",
            "RouteError { broken_from: NodeId(5), broken_to: Some(NodeId(6)), dst: NodeId(9) }",
            "RouteLost { dst: NodeId(9) }",
            "new RREQ #1 5..9 ttl 1 to *",
            "wake at 0.98s",
        ]
    );
    assert_eq!(desk.router.buffered().len(), 1, "the packet waits for a route now");
}

#[test]
fn the_last_hop_is_asked_and_a_confirmed_link_is_left_in_peace() {
    let mut desk = desk(DsrConfig::thesis_trace());
    assert_eq!(desk.send(ms(0), &data(5, 6, 1)), ["copy data 1 ack? 1 via [] left 0 to 6"]);
    desk.hear(ms(2), 7, &ack(1, 7, 5));
    desk.hear(ms(2), 6, &ack(2, 6, 5));
    assert_eq!(desk.router.buffered().len(), 1, "of another neighbour, or another packet");
    desk.hear(ms(3), 6, &ack(1, 6, 5));
    assert!(desk.router.buffered().is_empty());
    assert_eq!(desk.send(ms(100), &data(5, 6, 2)), ["copy data 2 via [] left 0 to 6"], "within the holdoff");
    assert_eq!(desk.send(ms(253), &data(5, 6, 3)), ["copy data 3 ack? 2 via [] left 0 to 6"], "after it");
    desk.hear(ms(260), 6, &ack(2, 6, 5));
    assert!(desk.router.buffered().is_empty(), "the packet that rode along is covered");
}

#[test]
fn a_link_is_tested_by_one_packet_at_a_time() {
    let mut desk = desk(DsrConfig::thesis_trace());
    for uid in 1..4 {
        desk.send(ms(uid), &data(5, 9, uid));
    }
    // Only the first is repeated, and its confirmation does not cover packets sent after it.
    assert_eq!(desk.wake(ms(101), &data(5, 9, 1)), ["copy data 1 via [6] left 1 to 6"]);
    desk.overhear(ms(103), 6, 9, &with(data(5, 9, 1), header(&[6], 0)));
    assert_eq!(desk.router.buffered().len(), 2);
    desk.overhear(ms(104), 6, 9, &with(data(5, 9, 3), header(&[6], 0)));
    assert!(desk.router.buffered().is_empty(), "the third covers the second");
}

#[test]
fn who_is_asked_answers() {
    let mut desk = Desk::new(5, DsrConfig::thesis_trace());
    let asking = DsrHeader { ack_request: Some(AckRequest { id: 77 }), ..header(&[4], 0) };
    assert_eq!(desk.hear(ms(1), 4, &with(data(3, 5, 1), asking)), ["new ACK 77 to 4", "deliver"]);
}

#[test]
fn a_repeated_packet_is_not_forwarded_twice_at_once() {
    let mut desk = Desk::new(5, DsrConfig::thesis_trace());
    let transit = with(data(3, 9, 1), header(&[5, 8], 2));
    assert_eq!(desk.hear(ms(1), 3, &transit), ["copy data 1 via [5-8] left 1 to 8"]);
    assert!(desk.hear(ms(2), 3, &transit).is_empty());
    assert_eq!(desk.router.buffered().len(), 1);
}

#[test]
fn a_full_maintenance_buffer_sends_unwatched() {
    let mut desk = desk(DsrConfig { rexmt_buffer_packets: 1, ..DsrConfig::thesis_trace() });
    assert_eq!(desk.send(ms(0), &data(5, 9, 1)), ["copy data 1 via [6] left 1 to 6"]);
    assert_eq!(desk.send(ms(0), &data(5, 9, 2)), ["data 2 via [6] left 1 to 6"]);
}

/// A reply that gives node 5 the route 7-9.
fn over_seven() -> Packet {
    let source_route = header(&[7], 0).source_route;
    let replies = vec![RouteReply { addresses: list(&[7, 9]) }];
    control(9, n(5), 9, DsrHeader { replies, source_route, ..DsrHeader::default() })
}

/// The packets sent to node 7, numbered in the order in which they were passed to the router, from 0.
fn order_of_leaving(desk: &mut Desk, first: u32, call: impl FnOnce(&mut Desk)) -> Vec<u32> {
    desk.left.clear();
    call(desk);
    desk.left.iter().map(|id| id.0 - first).collect()
}

#[test]
fn a_lost_next_hop_gives_its_packets_back_in_the_order_asked_for() {
    for (order, expected) in [(MaintenanceOrder::Fifo, [0, 1, 2]), (MaintenanceOrder::Lifo, [2, 1, 0])] {
        let config = DsrConfig { maintenance_order: order, network_acks: false, ..DsrConfig::thesis_trace() };
        let mut desk = desk(config);
        for uid in 1..4 {
            desk.send(ms(uid), &data(5, 9, uid));
        }
        desk.wake(ms(150), &data(5, 9, 0));
        desk.wake(ms(250), &data(5, 9, 0));
        assert_eq!(desk.router.buffered().len(), 3, "they wait for a route now");
        // The desk numbered two replies before them.
        let left = order_of_leaving(&mut desk, 2, |desk| {
            desk.hear(ms(300), 7, &over_seven());
        });
        assert_eq!(left, expected, "{order:?}");
    }
}

/// Papanastasiou 2006, p. 87: with link-layer feedback, the packets behind the one that failed are removed
/// from the interface queue. The newest goes first, whether another route is known or must be discovered.
#[test]
fn the_newest_goes_first_also_with_link_layer_feedback() {
    for (order, expected) in [(MaintenanceOrder::Fifo, [0, 1, 2]), (MaintenanceOrder::Lifo, [2, 1, 0])] {
        for known in [true, false] {
            let mut desk = desk(DsrConfig { maintenance_order: order, ..DsrConfig::thesis() });
            if known {
                desk.hear(ms(1), 7, &over_seven());
            }
            let begin = if known { 3 } else { 2 };
            let sent = |uid| with(data(5, 9, uid), header(&[6], 1));
            let left = order_of_leaving(&mut desk, begin, |desk| {
                desk.fail(ms(10), &sent(1), 6);
                desk.purged(ms(10), &sent(2), 6);
                desk.purged(ms(10), &sent(3), 6);
                desk.wake(ms(10), &sent(0));
                if !known {
                    assert_eq!(desk.router.buffered().len(), 3);
                    desk.hear(ms(40), 7, &over_seven());
                }
            });
            assert_eq!(left, expected, "{order:?}, another route known: {known}");
        }
    }
}

#[test]
fn a_break_with_a_lone_route_drops_own_packets_only_where_dsr_uu_does() {
    for (keep_own, waiting) in [(true, 1), (false, 0)] {
        let mut desk = desk(DsrConfig { keep_own, ..DsrConfig::thesis() });
        let mut told = desk.fail(ms(10), &with(data(5, 9, 1), header(&[6], 1)), 6);
        told.extend(desk.wake(ms(10), &data(5, 9, 1)));
        assert_eq!(
            (desk.router.buffered().len(), told.contains(&"drop CBK".to_string())),
            (waiting, !keep_own)
        );
    }
}

#[test]
fn a_relay_may_look_for_a_route_for_the_packets_of_others() {
    let transit = with(data(3, 9, 1), header(&[5, 8], 1));
    let told = |salvage_search: bool| {
        let mut desk = Desk::new(5, DsrConfig { salvage_search, ..DsrConfig::thesis() });
        let mut told = desk.fail(ms(10), &transit, 8);
        told.extend(desk.wake(ms(10), &transit));
        told
    };
    let rerr = "new RERR 5-8 to 3 via [] left 0 to 3";
    assert_eq!(told(false), [rerr, "drop CBK", "purge 8"]);
    assert_eq!(told(true), [rerr, "purge 8", "new RREQ #1 5..9 ttl 1 to *"]);
}
