mod several;

use super::*;
use crate::observe::loss::ledger::Carries;

const FLOW: FlowId = FlowId(0);
const NODE: NodeId = NodeId(1);

fn at(seconds: f64) -> SimTime {
    SimTime::from_nanos((seconds * 1e9) as u64)
}

/// A loss of the twin.
fn lost(seq: u32, time: f64, died: Died, cause: LossCause) -> LossRecord {
    LossRecord {
        at: at(time),
        node: NODE,
        from: NODE,
        flow: FLOW,
        carries: Carries::Data,
        seq: Seq32(seq),
        uid: 0,
        cause,
        died,
        since: at(time),
        root_node: NODE,
        next_hop: None,
        attempts: 0,
        interferer: None,
    }
}

/// The twin of a run whose flows end at nodes 1, 2 and 7.
fn beside(
    disturbances: Vec<Disturbance>,
    datagrams: Vec<bool>,
    losses: impl IntoIterator<Item = LossRecord>,
) -> Twin {
    Twin::of(disturbances, datagrams, losses).with_ends([[NODE, NodeId(2)], [NODE, NodeId(7)]])
}

/// A run in which node 2 loses frames from 10 s on, whose twin loses these datagrams.
fn twin(losses: &[(u32, f64, Died)]) -> Twin {
    let noise = Disturbance {
        at: at(10.0),
        until: SimTime::NEVER,
        node: Some(NodeId(2)),
        cause: LossCause::Channel,
        slows: true,
    };
    let loss = |(seq, time, died): &(u32, f64, Died)| {
        let cause = if *died == Died::Ifq { LossCause::Congestion } else { LossCause::Contention };
        lost(*seq, *time, *died, cause)
    };
    beside(vec![noise], vec![true], losses.iter().map(loss))
}

/// A datagram that dies at node 1.
fn dying(seq: u32, time: f64, died: Died) -> Dying {
    Dying { flow: FLOW, seq: Seq32(seq), node: NODE, at: at(time), died, slowed_by: None }
}

/// Noise, if there is any, destroys frames between nodes 1 and 2 all the time.
fn judge(twin: &mut Twin, seq: u32, time: f64, died: Died, cause: LossCause) -> LossCause {
    let of = dying(seq, time, died);
    let root = RootCause::new(at(time), NODE, cause).towards(NodeId(2));
    twin.noise_on((NODE, NodeId(2)), at(time));
    twin.judge(at(time), of, root).cause.expect("a cause")
}

/// The twin loses datagrams 7 and 8. This run delivers 8 and loses others: one of them in its place.
#[test]
fn as_many_losses_as_the_twin_has_are_loads() {
    use LossCause::{Channel, Congestion};
    let mut of = twin(&[(7, 20.0, Died::Ifq), (8, 20.1, Died::Ifq)]);
    assert_eq!(judge(&mut of, 6, 20.0, Died::Ifq, Channel), Channel, "the twin delivers it");
    assert_eq!(judge(&mut of, 7, 20.1, Died::Ifq, Channel), Congestion, "the twin loses it, too");
    of.delivered(FLOW, Seq32(8));
    assert_eq!(judge(&mut of, 9, 20.3, Died::Ifq, Channel), Congestion, "in place of 8");
    assert_eq!(judge(&mut of, 10, 20.3, Died::Ifq, Channel), Channel);
    let chance =
        (11..20).filter(|seq| judge(&mut of, *seq, 20.4, Died::Ifq, Congestion) == Congestion).count();
    assert_eq!(chance, 7, "3 + 3 * 2^(1/2)");
}

/// Collisions cost the twin a datagram that this run loses in a queue, which the twin never fills.
#[test]
fn a_collision_of_the_twin_fills_no_queue() {
    use LossCause::{Channel, Congestion};
    let mut of = twin(&[(1, 20.0, Died::DataRetries)]);
    assert_eq!(judge(&mut of, 1, 20.0, Died::Ifq, Congestion), Channel);
    let mut of = twin(&[(1, 20.0, Died::DataRetries), (2, 15.0, Died::Ifq)]);
    assert_eq!(judge(&mut of, 1, 20.0, Died::Ifq, Congestion), Congestion);
}

#[test]
fn before_the_first_disturbance_all_is_loads() {
    let mut of = twin(&[]);
    assert_eq!(judge(&mut of, 1, 9.9, Died::Ifq, LossCause::Congestion), LossCause::Congestion);
    assert_eq!(judge(&mut of, 2, 10.1, Died::Ifq, LossCause::Congestion), LossCause::Channel);
}

#[test]
fn what_a_disturbance_has_destroyed_stays_so() {
    let mut of_run = twin(&[(1, 20.0, Died::DataRetries), (9, 20.0, Died::DataRetries)]);
    let died = Died::DataRetries;
    assert_eq!(judge(&mut of_run, 1, 20.01, died, LossCause::Channel), LossCause::Channel);
    assert_eq!(judge(&mut of_run, 2, 20.0, died, LossCause::NodeDown), LossCause::NodeDown);
    of_run.delivered(FLOW, Seq32(9));
    let mut again = |time, slowed_by| {
        let of = Dying { flow: FLOW, seq: Seq32(3), node: NODE, at: at(time), died, slowed_by };
        let collided = RootCause::new(at(time), NODE, LossCause::Contention).towards(NodeId(2));
        of_run.judge(at(time), of, collided).cause.expect("a cause")
    };
    assert_eq!(again(24.0, None), LossCause::Contention, "in place of 9, a hop's: within 5 s");
    let noise = Some(RootCause::new(at(30.0), NODE, LossCause::Channel).towards(NodeId(2)));
    for _ in 0..7 {
        assert_eq!(again(30.0, noise), LossCause::Contention, "3 + 3 * 2^(1/2) by chance");
    }
    assert_eq!(again(30.0, noise), LossCause::Channel, "noise strikes the same MAC");
    assert_eq!(again(30.0, None), LossCause::Contention, "what happens elsewhere destroys no frame here");
}

/// The twin loses 87 and 88 in a full queue, and this run newer ones, while it still has those: two are lost in their place.
#[test]
fn one_that_this_run_still_has_counts_as_lost_in_the_twin() {
    use LossCause::{Channel, Congestion};
    let mut of = twin(&[(86, 18.0, Died::Ifq), (87, 20.0, Died::Ifq), (88, 20.1, Died::Ifq)]);
    let found: Vec<LossCause> =
        (90..102).map(|seq| judge(&mut of, seq, 20.2, Died::Ifq, Congestion)).collect();
    // Those two and, by chance, 3 + 3 * 2^(1/2) = 7.2 within a second. The other one is 2.2 s away.
    assert_eq!(found, [vec![Congestion; 9], vec![Channel; 3]].concat());
}

/// The station stopped to wait for a datagram because collisions made its sender too slow: another hop's outage has not done that.
#[test]
fn collisions_that_make_a_packet_late_are_no_disturbance_elsewhere() {
    let mut of_run = twin(&[]);
    assert_eq!(judge(&mut of_run, 1, 20.0, Died::Ifq, LossCause::NodeDown), LossCause::NodeDown);
    let mut late = |slowed_by: Option<RootCause>| {
        let of =
            Dying { flow: FLOW, seq: Seq32(2), node: NodeId(2), at: at(20.0), died: Died::Late, slowed_by };
        let collided = RootCause::new(at(20.0), NODE, LossCause::Contention).towards(NodeId(2));
        (0..9).map(|_| of_run.judge(at(20.0), of, collided)).last().expect("nine")
    };
    assert_eq!(late(None).cause, Some(LossCause::Contention));
    let other_mac = RootCause::new(at(20.0), NodeId(2), LossCause::Channel).towards(NodeId(3));
    assert_eq!(late(Some(other_mac)).cause, Some(LossCause::Contention), "the receiver's MAC is another one");
}

/// The twin's rate control is too fast for 5 s, too: what it loses for that in the queue, this run loses for that as well.
#[test]
fn a_queue_that_rates_fill_without_noise_is_the_rates() {
    use LossCause::{Congestion, Rate};
    let mut of =
        twin(&[(1, 20.0, Died::Ifq), (2, 20.1, Died::Ifq), (3, 20.2, Died::Ifq), (4, 20.3, Died::Ifq)]);
    for seq in [2, 4] {
        let losses = of.losses[0].as_mut().expect("datagrams");
        losses.open.get_mut(&seq).expect("lost").cause = Rate;
    }
    of.delivered(FLOW, Seq32(4));
    let found = [1, 2, 3].map(|seq| judge(&mut of, seq, 20.2, Died::Ifq, Rate));
    assert_eq!(found, [Congestion, Rate, Congestion], "as in the twin");
    assert_eq!(judge(&mut of, 9, 20.3, Died::Ifq, Rate), Rate, "in place of 4");
}

/// Collisions have cost the twin two datagrams the route at 20 s. Ten seconds from then, that is no chance of this run's any more.
#[test]
fn routes_that_collisions_cost_the_twin_are_chance_for_ten_seconds() {
    use LossCause::{Channel, Contention};
    let lost = [(1, 20.0, Died::Buffer), (2, 20.0, Died::Buffer)];
    for (time, found) in [(12.0, Contention), (28.0, Contention), (31.0, Channel)] {
        let mut of = twin(&lost);
        assert_eq!(judge(&mut of, 9, time, Died::Buffer, Contention), found, "{time} s");
    }
    let mut of = twin(&lost);
    let found: Vec<LossCause> =
        (5..8).map(|seq| judge(&mut of, seq, 25.0, Died::Buffer, Contention)).collect();
    assert_eq!(found, [Contention, Contention, Channel], "as many as the twin has");
}

/// Without a first route the twin loses the same datagram at the same time: nothing has kept one away.
#[test]
fn want_of_a_first_route_needs_no_disturbance() {
    use LossCause::{LinkFailure, NoRoute};
    let mut of = twin(&[(1, 20.0, Died::NoRoute), (2, 21.0, Died::NoRoute), (3, 22.0, Died::NoRoute)]);
    let losses = of.losses[0].as_mut().expect("datagrams");
    losses.open.values_mut().for_each(|lost| lost.cause = NoRoute);
    assert_eq!(judge(&mut of, 1, 20.01, Died::NoRoute, LinkFailure), NoRoute);
    assert_eq!(judge(&mut of, 2, 22.0, Died::NoRoute, LinkFailure), LinkFailure, "a second later");
    assert_eq!(judge(&mut of, 9, 22.0, Died::NoRoute, LinkFailure), LinkFailure, "the twin delivers it");
    of.delivered(FLOW, Seq32(4));
    assert_eq!(judge(&mut of, 3, 22.01, Died::NoRoute, LinkFailure), LinkFailure, "it has had a route");
}

/// A node that walks away does so in the twin, too: only what an event has broken since may stand for another loss.
#[test]
fn what_movement_has_broken_is_no_disturbance() {
    let away = |from: f64, node: Option<NodeId>| {
        let event = Disturbance {
            at: at(from),
            until: SimTime::NEVER,
            node,
            cause: LossCause::LinkFailure,
            slows: true,
        };
        let mut of = beside(vec![event], vec![true], []);
        assert_eq!(judge(&mut of, 1, 20.0, Died::NoRoute, LossCause::LinkFailure), LossCause::LinkFailure);
        of.losses[0].as_ref().is_some_and(|losses| losses.disturbed_by.is_some())
    };
    let (nodes, other) = ([NODE, NodeId(2)], NodeId(7));
    assert!(away(10.0, None) && nodes.iter().all(|node| away(10.0, Some(*node))));
    assert!(!away(10.0, Some(other)), "the event strikes another node");
    assert!(!away(21.0, None), "it has not begun");
}

/// `0 ── 1`, and a wire behind: errors on the radio delay what then overfills the wire, which has none.
#[test]
fn noise_strikes_no_wire() {
    let noise = Disturbance {
        at: at(0.0),
        until: SimTime::NEVER,
        node: None,
        cause: LossCause::Channel,
        slows: true,
    };
    let mut of_run = beside(vec![noise], vec![true], []);
    let spoilt = RootCause::new(at(1.0), NodeId(0), LossCause::Channel).towards(NODE);
    let first = Dying {
        flow: FLOW,
        seq: Seq32(1),
        node: NodeId(0),
        at: at(1.0),
        died: Died::DataRetries,
        slowed_by: None,
    };
    assert_eq!(of_run.judge(at(1.0), first, spoilt), spoilt);
    of_run.noise_on((NodeId(2), NODE), at(1.5));
    let full = RootCause::new(at(2.0), NODE, LossCause::Congestion).towards(NodeId(2));
    for died in [Died::WireQueue, Died::Ifq] {
        let of = dying(2, 2.0, died);
        let found = of_run.judge(at(2.0), of, full);
        assert_eq!(found.cause, Some(LossCause::Channel));
        let hop = if died == Died::WireQueue { (NodeId(0), Some(NODE)) } else { (NODE, Some(NodeId(2))) };
        assert_eq!((found.node, found.next_hop), hop, "{died:?}");
    }
}

/// A link was cut somewhere, and nothing has been lost to that yet: the hop before a full queue is not that link.
#[test]
fn a_cut_elsewhere_names_no_hop_in_reach() {
    let cut =
        Disturbance { at: at(1.0), until: at(9.0), node: None, cause: LossCause::LinkFailure, slows: true };
    let mut of_run = beside(vec![cut], vec![true], []);
    let full = RootCause::new(at(2.0), NODE, LossCause::Congestion).towards(NodeId(2));
    let of = dying(2, 2.0, Died::Ifq);
    let found = of_run.judge(at(2.0), of, full);
    assert_eq!((found.cause, found.node, found.next_hop), (Some(LossCause::LinkFailure), NODE, None));
}

/// A wire of 1 Mb/s, and 1.04 Mb/s: the twin loses eight datagrams a second from 5 to 28 s. An outage costs this run all that the twin
/// loses from `broken` to 26 s, and 127 when it is over, all at once.
#[test]
fn a_burst_after_an_outage_is_not_loads() {
    use LossCause::{Congestion, LinkFailure};
    let times = |seconds: std::ops::Range<u32>| {
        let number = |i: u32| 8 * (seconds.start - 5) + i;
        let start = f64::from(seconds.start);
        (0..8 * seconds.len() as u32).map(|i| (number(i), start + f64::from(i) / 8.0)).collect::<Vec<_>>()
    };
    let of_twin: Vec<_> = times(5..28).into_iter().map(|(i, time)| (i, time, Died::WireQueue)).collect();
    for broken in [14, 24] {
        let mut of_run = twin(&of_twin);
        let open = &mut of_run.losses[0].as_mut().expect("datagrams").open;
        open.values_mut().for_each(|lost| lost.cause = Congestion);
        let (begins, node) = (at(f64::from(broken)), Some(NODE));
        let event = Disturbance { at: begins, until: at(26.0), node, cause: LinkFailure, slows: true };
        of_run.disturbances = vec![event];
        for (seq, time) in times(5..broken) {
            assert_eq!(judge(&mut of_run, seq, time, Died::WireQueue, Congestion), Congestion);
        }
        for (seq, time) in times(broken..26) {
            assert_eq!(judge(&mut of_run, seq, time, Died::DataRetries, LinkFailure), LinkFailure);
        }
        let burst = (0..127).map(|i| judge(&mut of_run, 1000 + i, 26.0, Died::WireQueue, Congestion));
        let found: Vec<LossCause> = burst.collect();
        let of_load = found.iter().filter(|cause| **cause == Congestion).count();
        // The twin's from 25 to 27 s are 17, those from 24 s on 25: a fourth more of these, 31, and 3 + 3 * 17^(1/2) = 15 by chance.
        assert!((17..=31 + 15).contains(&of_load), "{broken}: {of_load}");
        assert!(found.iter().all(|cause| [Congestion, LinkFailure].contains(cause)));
    }
}

/// Errors above the MAC cost it no time: a queue that overflows where routes are set does so with and without them. Elsewhere they lose
/// routing messages, and packets take other paths, or come together when a search ends.
#[test]
fn errors_above_the_mac_fill_queues_only_by_routes() {
    use LossCause::{Channel, Congestion};
    for (slows, set_routes, cause) in
        [(true, true, Channel), (true, false, Channel), (false, true, Congestion), (false, false, Channel)]
    {
        let errors = Disturbance { at: at(0.0), until: SimTime::NEVER, node: None, cause: Channel, slows };
        let mut of = beside(vec![errors], vec![true], []).with_set_routes(set_routes);
        assert_eq!(judge(&mut of, 1, 1.0, Died::Error, Channel), Channel);
        assert_eq!(judge(&mut of, 2, 1.0, Died::Ifq, Congestion), cause, "{slows}, {set_routes}");
        assert_eq!(judge(&mut of, 3, 1.0, Died::Buffer, LossCause::NoRoute), Channel, "they cost requests");
    }
}

/// Noise lasts from 10 s on, and has cost the flow nothing so far. A link is cut at 20 s: before, the noise fills a queue that the twin does
/// not fill, and then the cut does.
#[test]
fn a_cut_disturbs_from_when_the_link_is_cut() {
    use LossCause::{Channel, Congestion, LinkFailure};
    let mut of = twin(&[]);
    assert_eq!(judge(&mut of, 1, 19.0, Died::Ifq, Congestion), Channel);
    // Node 7, too, may reach all others in another way: only the link itself has failed.
    of.cut(at(20.0), (NodeId(7), NodeId(2)), at(25.0));
    let full = RootCause::new(at(21.0), NODE, Congestion).towards(NodeId(2));
    let of_queue = dying(2, 21.0, Died::Ifq);
    let found = of.judge(at(21.0), of_queue, full);
    assert_eq!(found, RootCause::new(at(21.0), NodeId(7), LinkFailure).towards(NodeId(2)));
}

/// Without the event, rates fill no queue. Node 2 has moved, and comes back: the rate for it is wrong because of that, though datagrams
/// are lost above the MAC all the time.
#[test]
fn rates_that_a_move_has_made_wrong_are_the_moves() {
    use LossCause::{Channel, LinkFailure, Rate};
    let errors = Disturbance { at: at(0.0), until: SimTime::NEVER, node: None, cause: Channel, slows: false };
    let moved = |node| {
        let event = Disturbance {
            at: at(5.0),
            until: SimTime::NEVER,
            node: Some(node),
            cause: LinkFailure,
            slows: true,
        };
        let mut of = beside(vec![errors, event], vec![true], []);
        assert_eq!(judge(&mut of, 1, 1.0, Died::Error, Channel), Channel);
        judge(&mut of, 2, 6.0, Died::WireQueue, Rate)
    };
    assert_eq!([NODE, NodeId(2)].map(moved), [LinkFailure; 2]);
}

/// Shadowing belongs to the network: what it costs a queue of the twin is its own in this run, too, and not load's.
#[test]
fn what_shadowing_costs_the_twin_is_not_loads() {
    use LossCause::{Channel, Congestion, LinkFailure, Rate};
    for (of_twins, found) in
        [(Channel, Channel), (Rate, Rate), (Congestion, Congestion), (LinkFailure, Congestion)]
    {
        let mut of_run = twin(&[(1, 20.0, Died::Ifq), (2, 20.0, Died::Ifq), (3, 20.1, Died::Ifq)]);
        let open = &mut of_run.losses[0].as_mut().expect("datagrams").open;
        open.values_mut().for_each(|lost| lost.cause = of_twins);
        assert_eq!(judge(&mut of_run, 1, 20.0, Died::Ifq, Channel), found, "the same datagram");
        of_run.delivered(FLOW, Seq32(2));
        assert_eq!(judge(&mut of_run, 9, 20.2, Died::Ifq, Channel), found, "in place of 2");
        assert_eq!(judge(&mut of_run, 3, 20.1, Died::Ifq, Congestion), Congestion, "no noise is seen here");
    }
}

/// Movement fills the twin's queue, which a station leaves and comes back to: noise is no reason for what is lost there anyway.
#[test]
fn every_full_queue_of_the_twin_counts() {
    let noise = Disturbance {
        at: at(0.0),
        until: SimTime::NEVER,
        node: None,
        cause: LossCause::Channel,
        slows: true,
    };
    let twin = || beside(vec![noise], vec![true], [lost(1, 20.0, Died::Ifq, LossCause::LinkFailure)]);
    let mut of = twin();
    assert_eq!(judge(&mut of, 1, 20.0, Died::Ifq, LossCause::Channel), LossCause::Congestion);
    assert_eq!(judge(&mut of, 2, 20.0, Died::Ifq, LossCause::Channel), LossCause::Channel);
    let mut of = twin();
    assert_eq!(judge(&mut of, 1, 20.0, Died::Ifq, LossCause::LinkFailure), LossCause::LinkFailure);
    assert_eq!(judge(&mut of, 2, 20.0, Died::Ifq, LossCause::Channel), LossCause::Channel, "not one more");
}

/// The twin loses a datagram that waits for a route to collisions: a full buffer is no other reason.
#[test]
fn a_buffer_is_judged_as_in_the_twin() {
    use LossCause::{Congestion, Contention};
    let mut of = twin(&[(1, 20.0, Died::Buffer)]);
    assert_eq!(judge(&mut of, 1, 20.0, Died::Buffer, Congestion), Contention);
}

/// Frames that collide after an outage are not lost to it, whatever it has kept there.
#[test]
fn an_outage_destroys_no_frame_when_it_is_over() {
    use LossCause::{Contention, LinkFailure};
    let cut = Disturbance { at: at(5.0), until: at(8.0), node: None, cause: LinkFailure, slows: true };
    let mut of_run = beside(vec![cut], vec![true], []);
    let slowed_by = Some(RootCause::new(at(8.0), NODE, LinkFailure).towards(NodeId(2)));
    let (time, died) = (at(15.0), Died::DataRetries);
    let of = Dying { flow: FLOW, seq: Seq32(3), node: NODE, at: time, died, slowed_by };
    let collided = RootCause::new(time, NODE, Contention).towards(NodeId(2));
    let found = (0..9).map(|_| of_run.judge(time, of, collided).cause).collect::<Vec<_>>();
    assert_eq!(found, [Some(Contention); 9]);
}

/// Routes are set, and a cut was over at 13 s: of a queue that the twin fills as well, nothing at 19 s is the cut's, however many are lost;
/// at 14 s its backlog may be, and with noise, or with routes that have changed, the count decides.
#[test]
fn an_outage_leaves_nothing_where_routes_are_set() {
    use LossCause::{Channel, Congestion, LinkFailure};
    let cut = Disturbance { at: at(12.0), until: at(13.0), node: None, cause: LinkFailure, slows: true };
    let noise = Disturbance { at: at(0.0), until: SimTime::NEVER, node: None, cause: Channel, slows: true };
    for (disturbances, set_routes, time, all) in [
        (vec![cut], true, 19.0, true),
        (vec![cut], true, 14.0, false),
        (vec![cut], false, 19.0, false),
        (vec![noise, cut], true, 19.0, false),
    ] {
        let of_twin = [(1, time - 0.5, Died::Ifq), (2, time + 0.5, Died::Ifq)];
        let mut of_run = twin(&of_twin).with_set_routes(set_routes);
        of_run.disturbances = disturbances;
        assert_eq!(judge(&mut of_run, 500, 12.5, Died::DataRetries, LinkFailure), LinkFailure);
        let found = (10..60).map(|seq| judge(&mut of_run, seq, time, Died::Ifq, Congestion));
        let of_load = found.filter(|cause| *cause == Congestion).count();
        assert_eq!(of_load == 50, all, "{time} s, routes set: {set_routes}, {of_load} of 50");
    }
}

/// A cut has led a flow to a longer way, which carries less: the twin's queue loses 300 datagrams a second, and this run's 525. Of the 1,050 in the two
/// seconds from 16 s on load may have cost a fourth more than 600, and 3 + 3 * 600^(1/2) = 76 by chance.
#[test]
fn a_detour_that_carries_less_is_not_loads() {
    use LossCause::{Congestion, LinkFailure};
    let every = |number: u32, per_second: u32| 10.0 + f64::from(number) / f64::from(per_second);
    let of_twin: Vec<_> = (0..3000).map(|number| (number, every(number, 300), Died::Ifq)).collect();
    let mut of_run = twin(&of_twin);
    let cut = Disturbance { at: at(12.0), until: at(13.0), node: None, cause: LinkFailure, slows: true };
    of_run.disturbances = vec![cut];
    for (seq, time, died) in of_twin.iter().filter(|(_, time, _)| *time < 12.0) {
        assert_eq!(judge(&mut of_run, *seq, *time, *died, Congestion), Congestion);
    }
    assert_eq!(judge(&mut of_run, 9000, 12.5, Died::DataRetries, LinkFailure), LinkFailure);
    let later = (0..2100).map(|number| 14.0 + f64::from(number) / 525.0);
    // Others than the twin's, in whose place they are lost as long as those are delivered.
    let found: Vec<LossCause> = later
        .zip(10_000..)
        .map(|(time, seq)| {
            let gone = of_twin.iter().filter(|(_, lost, _)| *lost <= time && *lost > time - 0.01);
            gone.for_each(|(seq, ..)| of_run.delivered(FLOW, Seq32(*seq)));
            judge(&mut of_run, seq, time, Died::Ifq, Congestion)
        })
        .collect();
    let of_load = found[1050..].iter().filter(|cause| **cause == Congestion).count();
    assert!((600..=750 + 76).contains(&of_load), "{of_load}");
}

/// A node that carries no packet, or has carried none for 30 s, costs none when it is switched off or loses frames.
#[test]
fn what_happens_at_a_node_that_carries_nothing_costs_nothing() {
    use LossCause::{Channel, Congestion, NodeDown};
    let leaf = NodeId(9);
    for (cause, carried, found) in [
        (NodeDown, None, Congestion),
        (Channel, None, Congestion),
        (NodeDown, Some(9.0), Congestion),
        (NodeDown, Some(15.0), NodeDown),
        (Channel, Some(41.0), Channel),
    ] {
        let event = Disturbance { at: at(40.0), until: at(50.0), node: Some(leaf), cause, slows: true };
        let mut of = beside(vec![event], vec![true], []);
        carried.into_iter().for_each(|time| of.carries(leaf, FLOW, at(time)));
        assert_eq!(judge(&mut of, 1, 42.0, Died::Ifq, Congestion), found, "{cause:?} {carried:?}");
    }
}

/// Node 2 was off until 20 s, and has cost the flow a datagram. Routes and addresses that collisions cost six seconds later are not lost to it;
/// a queue may be, on a way that has become longer.
#[test]
fn routes_that_collisions_cost_after_an_outage_are_not_lost_to_it() {
    use LossCause::{Congestion, Contention, NodeDown};
    for (died, cause, time, found) in [
        (Died::Buffer, Contention, 21.0, NodeDown),
        (Died::Buffer, Contention, 26.0, Contention),
        (Died::Arp, Contention, 26.0, Contention),
        (Died::Ifq, Congestion, 26.0, NodeDown),
    ] {
        let event = Disturbance {
            at: at(10.0),
            until: at(20.0),
            node: Some(NodeId(2)),
            cause: NodeDown,
            slows: true,
        };
        let mut of = beside(vec![event], vec![true], []);
        assert_eq!(judge(&mut of, 1, 15.0, Died::DataRetries, NodeDown), NodeDown);
        assert_eq!(judge(&mut of, 2, time, died, cause), found, "{died:?} {time}");
    }
}

/// Tables that form a loop are no matter of how fast a station sends.
#[test]
fn a_slow_mac_makes_no_loop() {
    let mut of_run = twin(&[]);
    let slowed_by = Some(RootCause::new(at(12.0), NODE, LossCause::Rate).towards(NodeId(4)));
    let of = Dying { flow: FLOW, seq: Seq32(3), node: NODE, at: at(12.0), died: Died::Ttl, slowed_by };
    let collided = RootCause::new(at(12.0), NODE, LossCause::Contention).towards(NodeId(2));
    assert_ne!(of_run.judge(at(12.0), of, collided).cause, Some(LossCause::Rate));
}

/// Any frame that noise or an outage touches moves the times of all that follow: what this run loses where, when and how the twin does, has met
/// neither. But a full queue at the source, and a node without the route or the address, rejects datagrams when they come, whatever has happened.
#[test]
fn the_same_loss_at_the_same_instant_is_the_twins() {
    use LossCause::{Channel, Contention, NodeDown};
    for (from, died, time, found) in [
        (NodeId(0), Died::DataRetries, 20.0, Contention),
        (NodeId(0), Died::Buffer, 20.0, Contention),
        (NODE, Died::Buffer, 20.0, NodeDown),
        (NodeId(0), Died::NoRoute, 20.0, NodeDown),
        (NodeId(0), Died::Arp, 20.0, NodeDown),
        (NodeId(0), Died::DataRetries, 20.001, NodeDown),
    ] {
        let down =
            Disturbance { at: at(10.0), until: at(30.0), node: Some(NODE), cause: NodeDown, slows: true };
        let of_twin = LossRecord { from, ..lost(1, 20.0, died, Contention) };
        let mut of = beside(vec![down], vec![true], [of_twin]);
        assert_eq!(judge(&mut of, 1, time, died, NodeDown), found, "{died:?} from {from:?} at {time}");
        assert_eq!(judge(&mut of, 2, time, Died::DataRetries, Channel), Channel);
    }
}

/// In an ARP slot at its source a datagram is lost at the time of the next one, with and without a disturbance: the twin says why. But a request
/// that has collided there need not have collided here.
#[test]
fn a_slot_is_judged_as_in_the_twin() {
    use LossCause::{Congestion, Contention, NodeDown, Rate};
    let down = Disturbance { at: at(10.0), until: at(30.0), node: Some(NODE), cause: NodeDown, slows: true };
    for (of_twin, root, found) in [(Congestion, Rate, Congestion), (Contention, Congestion, Congestion)] {
        let mut of = beside(vec![down], vec![true], [lost(1, 20.0, Died::Arp, of_twin)]);
        assert_eq!(judge(&mut of, 1, 20.0, Died::Arp, root), found);
    }
}

/// Routes are set, and noise has kept packets up to 20 s, which then fill a queue. The twin loses 10 in a second there, and this run 200: as many as
/// load costs, and by chance, are load's, and six seconds later all of them.
#[test]
fn what_noise_has_kept_is_not_loads() {
    use LossCause::{Channel, Congestion};
    let noise =
        Disturbance { at: at(10.0), until: at(20.0), node: Some(NodeId(2)), cause: Channel, slows: true };
    for (begin, most) in [(20.1, 60), (26.1, 200)] {
        let of_twin = (0..200).map(|i| lost(i, 10.0 + f64::from(i) / 10.0, Died::Ifq, Congestion));
        let mut of = beside(vec![noise], vec![true], of_twin).with_set_routes(true);
        assert_eq!(judge(&mut of, 999, 15.0, Died::DataRetries, Channel), Channel);
        let burst =
            (0..200).map(|i| judge(&mut of, 1000 + i, begin + f64::from(i) / 200.0, Died::Ifq, Congestion));
        let of_load = burst.filter(|cause| *cause == Congestion).count();
        assert!((10..=most).contains(&of_load) && (of_load == 200) == (most == 200), "{begin}: {of_load}");
    }
}

/// The twin's queue is as full, and loses nothing to rates: what seems to be the rates' is load's, and no outage's of ten seconds ago.
#[test]
fn rates_in_a_queue_that_is_as_full_are_loads() {
    use LossCause::{Congestion, LinkFailure, Rate};
    let of_twin: Vec<_> = (0..1000).map(|i| (i, 20.0 + f64::from(i) / 100.0, Died::Ifq)).collect();
    let mut of_run = twin(&of_twin);
    let cut =
        Disturbance { at: at(11.0), until: at(12.0), node: Some(NODE), cause: LinkFailure, slows: true };
    of_run.disturbances = vec![cut];
    assert_eq!(judge(&mut of_run, 9000, 11.5, Died::DataRetries, LinkFailure), LinkFailure);
    for i in 0..40 {
        let time = 22.0 + f64::from(i) / 50.0;
        assert_eq!(judge(&mut of_run, 2000 + i, time, Died::Ifq, Rate), Congestion, "{time}");
    }
}
