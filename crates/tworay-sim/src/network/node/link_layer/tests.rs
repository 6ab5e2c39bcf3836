use super::*;
use crate::network::testing::row;
use tworay_base::{Died, LossCause};

const STATIC: &str = "[routing]\nprotocol = \"static\"\n[mac]\nqueue_limit = 2\n";

#[test]
fn arp_holds_a_packet_until_the_next_hop_has_answered() {
    let mut network = row(&[0.0, 200.0], &format!("{STATIC}arp = true\n"));
    let packet = network.datagram(0, 1);
    network.send_to_link(NodeId(0), packet, NodeId(1));
    assert_eq!(network.nodes[NodeId(0)].arp.held().collect::<Vec<_>>(), [(NodeId(1), packet)]);
    network.run_to(100);
    assert_eq!((network.arrived(), network.losses().len()), (1, 0));
    // The address is known now: the next packet is not held.
    let packet = network.datagram(1, 1);
    network.send_to_link(NodeId(0), packet, NodeId(1));
    assert_eq!(network.nodes[NodeId(0)].arp.held().count(), 0);
    network.run_to(200);
    assert_eq!(network.arrived(), 2);
}

/// ARP's hold slot has room for one packet per next hop; a newer packet replaces the older one.
#[test]
fn a_newer_packet_pushes_the_older_out_of_the_hold() {
    let mut network = row(&[0.0, 200.0], &format!("{STATIC}arp = true\n"));
    for number in 0..2 {
        let packet = network.datagram(number, 1);
        network.send_to_link(NodeId(0), packet, NodeId(1));
    }
    assert_eq!(network.losses(), [(0, LossCause::Congestion, Died::Arp, 0)]);
    assert_eq!(network.common.observers.counters.arp_drops, 1);
}

#[test]
fn a_full_queue_is_congestion() {
    let mut network = row(&[0.0, 200.0], &format!("{STATIC}arp = false\n"));
    for number in 0..5 {
        let packet = network.datagram(number, 1);
        network.send_to_link(NodeId(0), packet, NodeId(1));
    }
    network.run_to(1000);
    // The MAC takes one packet, two wait, two are rejected.
    let refused = |number| (number, LossCause::Congestion, Died::Ifq, 0);
    assert_eq!(network.losses(), [refused(3), refused(4)]);
    assert_eq!((network.arrived(), network.common.observers.counters.queue_drops), (3, 2));
}

/// The same with a next hop out of range: this fills the queue, whatever the load.
#[test]
fn a_queue_filled_by_a_hop_out_of_reach_is_link_failure() {
    let mut network = row(&[0.0, 400.0], &format!("{STATIC}arp = false\n"));
    for number in 0..5 {
        let packet = network.datagram(number, 1);
        network.send_to_link(NodeId(0), packet, NodeId(1));
    }
    let refused = |number| (number, LossCause::LinkFailure, Died::Ifq, 0);
    assert_eq!(network.losses(), [refused(3), refused(4)]);
    network.run_to(5000);
    let given_up = &network.losses()[2..];
    assert!(given_up.iter().all(|(_, cause, ..)| *cause == LossCause::LinkFailure), "{given_up:?}");
    assert_eq!((given_up.len(), network.common.observers.counters.link_failures), (3, 3));
    assert_eq!(network.common.observers.counters.false_link_failures, 0);
}

#[test]
fn nothing_leaves_a_node_that_is_down() {
    let mut network = row(&[0.0, 200.0], STATIC);
    network.nodes[NodeId(0)].up = false;
    let packet = network.datagram(0, 1);
    network.send_to_link(NodeId(0), packet, NodeId(1));
    assert_eq!(network.losses(), [(0, LossCause::NodeDown, Died::NodeDown, 0)]);
}

/// Link-RED with thresholds so low that after the first retry it drops every packet. What it drops on the way to a
/// hop out of range is lost because of that, not because of load.
#[test]
fn link_red_drops_what_waits_behind_packets_that_need_retries() {
    let settings = format!(
        "{STATIC}arp = false\n[mac.overload]\nlink_red = true\nmin_retries = 0.0\nmax_retries = 0.001\nmax_drop = 1.0\n"
    );
    let mut network = row(&[0.0, 400.0], &settings);
    for number in 0..3 {
        let packet = network.datagram(number, 1);
        network.send_to_link(NodeId(0), packet, NodeId(1));
    }
    network.run_to(5000);
    let lost = |number, died| (number, LossCause::LinkFailure, died, 0);
    assert_eq!(network.losses(), [lost(0, Died::RtsRetries), lost(1, Died::LinkRed), lost(2, Died::LinkRed)]);
}
