//! Which of several disturbances has cost a datagram.

use super::*;

/// An outage has cost the flow a datagram 3 s ago, and all the time noise slows down the queue.
#[test]
fn an_outage_that_is_over_does_not_fill_a_queue_beside_noise() {
    use LossCause::{Channel, Congestion, NodeDown};
    let noise = Disturbance { at: at(0.0), until: SimTime::NEVER, node: None, cause: Channel, slows: true };
    let down = Disturbance { at: at(8.0), until: at(10.0), node: Some(NODE), cause: NodeDown, slows: true };
    for (disturbances, later) in [(vec![noise, down], Channel), (vec![down], NodeDown)] {
        let mut of = beside(disturbances, vec![true], []);
        assert_eq!(judge(&mut of, 1, 10.0, Died::DataRetries, NodeDown), NodeDown);
        assert_eq!(judge(&mut of, 2, 10.5, Died::Ifq, Congestion), NodeDown, "its backlog");
        assert_eq!(judge(&mut of, 3, 13.0, Died::Ifq, Congestion), later);
    }
}

/// Node 2 has moved away, and what was sent to it has filled the queue of node 1. Noise at node 7, which no packet of this hop meets, is no
/// reason for what the queue loses a few seconds later, and neither is shadowing on the hop, which the twin has as well.
#[test]
fn noise_elsewhere_does_not_fill_a_queue() {
    use LossCause::{Channel, Congestion, LinkFailure};
    let of = |node: u16, cause| Disturbance {
        at: at(10.0),
        until: SimTime::NEVER,
        node: Some(NodeId(node)),
        cause,
        slows: true,
    };
    for (noisy, found) in [(7, LinkFailure), (2, Channel)] {
        let mut of_run = beside(vec![of(2, LinkFailure), of(noisy, Channel)], vec![true], []);
        assert_eq!(judge(&mut of_run, 1, 12.0, Died::DataRetries, LinkFailure), LinkFailure);
        assert_eq!(judge(&mut of_run, 2, 12.5, Died::DataRetries, Channel), Channel);
        assert_eq!(judge(&mut of_run, 3, 15.0, Died::Ifq, Congestion), found, "noise at node {noisy}");
    }
}

/// A node that another flow uses moves away. Collisions cost this flow its route ten seconds later: the node has carried none of its packets.
#[test]
fn routes_are_lost_to_what_strikes_nodes_that_the_flow_uses() {
    use LossCause::{Congestion, Contention, LinkFailure};
    let (other, relay) = (FlowId(1), NodeId(9));
    for (flow, died, cause, found) in [
        (other, Died::Buffer, Contention, Contention),
        (other, Died::Arp, Contention, Contention),
        (other, Died::Ifq, Congestion, LinkFailure),
        (FLOW, Died::Buffer, Contention, LinkFailure),
    ] {
        let away = Disturbance {
            at: at(10.0),
            until: SimTime::NEVER,
            node: Some(relay),
            cause: LinkFailure,
            slows: true,
        };
        let mut of = beside(vec![away], vec![true, true], []);
        of.carries(relay, flow, at(9.0));
        let broken = RootCause::new(at(11.0), NodeId(8), LinkFailure).towards(relay);
        let died_there = Died::DataRetries;
        let first =
            Dying { flow, seq: Seq32(1), node: NodeId(8), at: at(11.0), died: died_there, slowed_by: None };
        assert_eq!(of.judge(at(11.0), first, broken), broken);
        assert_eq!(judge(&mut of, 2, 21.0, died, cause), found, "{died:?}, {flow:?}");
    }
}

/// Errors on a wire, and on the air above the MAC, take no time from a MAC: noise at node 2 has filled the queue, and names its own hop.
#[test]
fn noise_that_fills_queues_is_named_where_it_is() {
    use LossCause::{Channel, Congestion};
    let noise = |node, slows| Disturbance { at: at(0.0), until: SimTime::NEVER, node, cause: Channel, slows };
    for other in [noise(None, false), noise(Some(NodeId(7)), false)] {
        let mut of = beside(vec![other, noise(Some(NodeId(2)), true)], vec![true], []).with_set_routes(true);
        let spoilt = RootCause::new(at(1.0), NodeId(2), Channel).towards(NodeId(3));
        let died = Died::DataRetries;
        let first = Dying { flow: FLOW, seq: Seq32(1), node: NodeId(2), at: at(1.0), died, slowed_by: None };
        assert_eq!(of.judge(at(1.0), first, spoilt), spoilt);
        let full = RootCause::new(at(1.5), NODE, Congestion).towards(NodeId(4));
        let of_queue = dying(2, 1.5, Died::Ifq);
        let found = of.judge(at(1.5), of_queue, full);
        assert_eq!((found.node, found.next_hop), (NodeId(2), Some(NodeId(3))));
    }
}

/// A packet waits for a route since 9.9 s, because a rate was wrong, and node 2 goes off at 10 s. That was not the reason; it is for one that
/// has come later.
#[test]
fn what_has_waited_since_before_an_outage_is_not_lost_to_it() {
    use LossCause::{NodeDown, Rate};
    let down =
        Disturbance { at: at(10.0), until: at(30.0), node: Some(NodeId(2)), cause: NodeDown, slows: true };
    for (since, found) in [(9.9, Rate), (10.01, NodeDown)] {
        let mut of_run = beside(vec![down], vec![true], []);
        assert_eq!(judge(&mut of_run, 1, 10.005, Died::DataRetries, NodeDown), NodeDown);
        let root = RootCause::new(at(since), NodeId(2), Rate).towards(NODE);
        let of = dying(2, 10.02, Died::Buffer);
        assert_eq!(of_run.judge(at(10.02), of, root).cause, Some(found), "{since} s");
    }
}

/// Fading slows all hops down. Another flow, none of whose packets passes node 1, loses one to an outage at node 9, or to a cut there: neither
/// has filled the queue of node 1, nor cost this flow a route.
#[test]
fn what_strikes_others_elsewhere_is_no_reason_beside_noise_everywhere() {
    use LossCause::{Channel, Congestion, Contention, LinkFailure, NodeDown};
    let other = FlowId(1);
    let fading = Disturbance { at: at(0.0), until: SimTime::NEVER, node: None, cause: Channel, slows: true };
    let strikes = |cause| {
        let ends = [[NODE, NodeId(2)], [NodeId(8), NodeId(10)]];
        let mut of_run = Twin::of(vec![fading], vec![true, true], []).with_ends(ends);
        of_run.cut(at(10.0), (NodeId(9), NodeId(10)), at(30.0));
        of_run.disturbances[1].cause = cause;
        of_run.carries(NodeId(9), other, at(10.0));
        let broken = RootCause::new(at(11.0), NodeId(9), cause).towards(NodeId(10));
        let died = Died::DataRetries;
        let first =
            Dying { flow: other, seq: Seq32(1), node: NodeId(9), at: at(11.0), died, slowed_by: None };
        assert_eq!(of_run.judge(at(11.0), first, broken), broken);
        [(2, Died::Ifq, Congestion), (3, Died::Buffer, Contention)]
            .map(|(seq, died, cause)| judge(&mut of_run, seq, 11.5, died, cause))
    };
    // The fading destroys frames, whose attempts say so; it costs no route whose messages have collided.
    assert_eq!([NodeDown, LinkFailure].map(strikes), [[Channel; 2]; 2]);
}

/// Fading is everywhere, but has destroyed nothing between nodes 1 and 4: what is lost there beyond the twin's losses is lost to it where it
/// has struck the flow's other hop, from 1 to 2, within ten seconds, or to load.
#[test]
fn noise_is_named_on_no_hop_that_it_has_not_struck() {
    use LossCause::{Channel, Congestion, Contention};
    let fading = Disturbance { at: at(0.0), until: SimTime::NEVER, node: None, cause: Channel, slows: true };
    let struck = |noise: Option<f64>, died, cause| {
        let mut of_run = beside(vec![fading], vec![true], []);
        if let Some(noise) = noise {
            of_run.noise_on((NODE, NodeId(2)), at(noise));
        }
        let root = RootCause::new(at(30.0), NODE, cause).towards(NodeId(4));
        let of = dying(1, 30.0, died);
        let found = of_run.judge(at(30.0), of, root);
        (found.cause, found.next_hop.map(|node| node.0))
    };
    for (died, cause) in [(Died::Ifq, Congestion), (Died::NoRoute, Contention)] {
        assert_eq!(struck(None, died, cause), (Some(cause), Some(4)));
        assert_eq!(struck(Some(19.0), died, cause), (Some(cause), Some(4)));
        assert_eq!(struck(Some(21.0), died, cause), (Some(Channel), Some(2)));
    }
}

/// The same for routes: no message has been lost of late.
#[test]
fn noise_that_has_destroyed_nothing_costs_no_route() {
    use LossCause::{Channel, NoRoute};
    let fading = Disturbance { at: at(0.0), until: SimTime::NEVER, node: None, cause: Channel, slows: true };
    for (noise, found) in [(None, NoRoute), (Some(9.0), NoRoute), (Some(11.0), Channel)] {
        let mut of_run = beside(vec![fading], vec![true], []);
        noise.into_iter().for_each(|time| of_run.noise_on((NodeId(8), NodeId(9)), at(time)));
        let root = RootCause::new(at(30.0), NODE, NoRoute);
        let died = Died::NoRoute;
        let of = dying(1, 30.0, died);
        assert_eq!(of_run.judge(at(30.0), of, root).cause, Some(found), "{noise:?}");
    }
}

/// The node was off, and is up again. What its queue then loses is lost to that, unless the twin loses the same datagram in a queue.
#[test]
fn what_the_twin_loses_in_a_queue_is_not_lost_to_an_outage_of_the_node_that_is_over() {
    use LossCause::{Congestion, NodeDown};
    let down = Disturbance { at: at(10.0), until: at(15.0), node: Some(NODE), cause: NodeDown, slows: true };
    let mut of_run = beside(vec![down], vec![true], [lost(1, 16.0, Died::Ifq, Congestion)]);
    for (seq, found) in [(1, Congestion), (2, NodeDown)] {
        let root = RootCause::new(at(16.0), NODE, NodeDown);
        let died = Died::Ifq;
        let of = dying(seq, 16.0, died);
        assert_eq!(of_run.judge(at(16.0), of, root).cause, Some(found), "{seq}");
    }
}
