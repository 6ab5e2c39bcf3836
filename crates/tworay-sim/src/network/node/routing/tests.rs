use super::*;
use crate::network::testing::row;
use tworay_base::{Died, LossCause, Seq32};
use tworay_wire::aodv::{AodvMessage, Rreq};
use tworay_wire::{Body, Packet};

const STATIC: &str = "[routing]\nprotocol = \"static\"\n";
const AODV: &str = "[routing]\nprotocol = \"aodv\"\n";

#[test]
fn relays_pass_a_packet_on_and_count_its_hops() {
    let mut network = row(&[0.0, 200.0, 400.0, 600.0], STATIC);
    let packet = network.datagram(0, 3);
    network.send_packet(NodeId(0), packet);
    network.run_to(200);
    assert_eq!((network.arrived(), network.losses().len()), (1, 0));
    assert_eq!(network.common.observers.paths[0].mean_hops(), Some(3.0));
}

#[test]
fn the_hop_limit_ends_a_packet_where_the_path_is_longer() {
    let mut network = row(&[0.0, 200.0, 400.0, 600.0], STATIC);
    let packet = network.datagram(0, 3);
    network.common.packets.get_mut(packet).ttl = 2;
    network.send_packet(NodeId(0), packet);
    network.run_to(200);
    assert_eq!(network.losses(), [(0, LossCause::Ttl, Died::Ttl, 2)]);
}

/// No radio bridges a gap of 400 m: without a route, geometry is the cause.
#[test]
fn no_route_over_a_gap_is_link_failure() {
    let mut network = row(&[0.0, 400.0], STATIC);
    let packet = network.datagram(0, 1);
    network.send_packet(NodeId(0), packet);
    assert_eq!(network.losses(), [(0, LossCause::LinkFailure, Died::NoRoute, 0)]);
}

/// The relay that would close the gap is switched off: the cause is this, not the gap.
#[test]
fn no_route_for_want_of_a_relay_that_is_off_is_node_down() {
    let off = "[[event]]\nat = \"1s\"\nnode = 1\nwhat = \"down\"\n";
    let mut network = row(&[0.0, 200.0, 400.0], &format!("{AODV}{off}"));
    network.run_to(2000);
    let packet = network.datagram(0, 2);
    network.send_packet(NodeId(0), packet);
    assert_eq!(network.nodes[NodeId(0)].router.buffered().len(), 1, "AODV looks for a route");
    network.run_to(29_000);
    let losses = network.losses();
    assert!(matches!(losses[..], [(0, LossCause::NodeDown, ..)]), "{losses:?}");
}

#[test]
fn aodv_keeps_a_packet_until_it_has_found_a_route() {
    let mut network = row(&[0.0, 200.0, 400.0], AODV);
    let packet = network.datagram(0, 2);
    network.send_packet(NodeId(0), packet);
    assert!(keeps(&[], packet) && network.nodes[NodeId(0)].router.buffered().len() == 1);
    network.run_to(2000);
    assert_eq!((network.arrived(), network.losses().len()), (1, 0));
    assert!(network.common.observers.counters.route_changes > 0);
}

/// Node 0 asks for node 2 at 1 s and at 5 s. The message that is lost in a collision at 5.01 s did not keep the packet
/// waiting that came at 1 s: the first request had failed, and nothing was lost then. A packet that came with the second
/// request may have waited for it.
#[test]
fn a_message_of_the_answered_request_made_no_earlier_packet_late() {
    let (node, relay, dst) = (NodeId(0), NodeId(1), NodeId(2));
    let mut network = row(&[0.0, 200.0, 400.0], AODV);
    let packet = network.datagram(0, 2);
    let rreq = Rreq {
        gratuitous: false,
        destination_only: false,
        unknown_seq: true,
        hop_count: 0,
        id: 1,
        dst,
        dst_seq: Seq32(0),
        orig: node,
        orig_seq: Seq32(1),
    };
    let body = Body::Aodv(Box::new(AodvMessage::Rreq(rreq)));
    let request =
        Packet { dst: NodeId::BROADCAST, ttl: 35, body, ..network.common.packets.get(packet).clone() };
    let mut began = Vec::new();
    for at in [1000, 5000] {
        network.common.now = SimTime::from_nanos(at * 1_000_000);
        began.push(network.with_scene(|causes, scene| {
            causes.note_request(scene, node, &request);
            causes.awaited_route(scene, node, dst)
        }));
    }
    network.common.now = SimTime::from_nanos(5_010_000_000);
    let now = network.common.now;
    network.with_scene(|causes, _| {
        causes.note_missed(now, (relay, node), (LossCause::Contention, None), Some(&request));
    });
    // The first hop took 10 ms. Three more, as fast, and the request that was lost would have been answered at 5.04 s.
    network.common.now = SimTime::from_nanos(5_050_000_000);
    let late: Vec<_> = began
        .into_iter()
        .map(|root| network.with_scene(|causes, scene| causes.late(scene, root, dst)?.root.cause))
        .collect();
    assert_eq!(late, [Some(LossCause::NoRoute), Some(LossCause::Contention)]);
}
