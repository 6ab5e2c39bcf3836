use super::*;
use proptest::prelude::*;

const FLOW: FlowId = FlowId(0);

/// Sends a packet; returns its uid.
fn sent(l: &mut Ledger, carries: Carries, seq: Seq32, now: SimTime) -> u64 {
    l.sent(FLOW, carries, seq, now);
    l.first_uid + l.segments.len() as u64 - 1
}

/// A copy dies at `node` for `cause`; its hop count equals the node's number.
fn death(cause: LossCause, node: u16) -> Death {
    let root = RootCause::new(SimTime::ZERO, NodeId(node), cause);
    Death {
        root,
        cause,
        died: Died::Ifq,
        node: NodeId(node),
        at: SimTime::ZERO,
        from: NodeId(0),
        hops: node as u8,
        slowed_by: None,
    }
}

#[test]
fn a_segment_with_two_copies_is_lost_only_with_the_last() {
    let mut l = Ledger::default();
    let uid = sent(&mut l, Carries::Data, Seq32(1), SimTime::ZERO);
    l.copied(uid); // the next hop took it, but its ACK was lost ...
    l.died(uid, death(LossCause::Contention, 0), SimTime::ZERO); // ... so the sender gave up
    assert_eq!(l.lost(LossCause::Contention).data, 0);
    l.died(uid, death(LossCause::Congestion, 1), SimTime::ZERO);
    assert_eq!(l.lost(LossCause::Congestion).data, 1);
    assert_eq!(l.lost(LossCause::Contention).data, 0);
    l.check().expect("balanced");
}

#[test]
fn a_copy_that_died_early_is_the_cause_when_the_others_are_let_go_of() {
    let mut l = Ledger::default();
    let uid = sent(&mut l, Carries::Data, Seq32(1), SimTime::ZERO);
    l.copied(uid);
    l.died(uid, death(LossCause::Congestion, 1), SimTime::ZERO); // the relay's queue was full ...
    assert_eq!(l.lost(LossCause::Congestion).data, 0);
    l.handed_on(uid, SimTime::ZERO); // ... and only then the sender saw the ACK
    assert_eq!(l.lost(LossCause::Congestion).data, 1);
    l.check().expect("balanced");
}

/// `0 ──▶ 1`: node 1 has its copy, but its ACKs are lost. Its queue is full; node 0 gives up only later.
/// The root is the queue, because the segment had already reached node 1.
#[test]
fn the_copy_that_came_farthest_decides() {
    for order in [[0, 1], [1, 0]] {
        let mut l = Ledger::default();
        let uid = sent(&mut l, Carries::Data, Seq32(1), SimTime::ZERO);
        l.copied(uid);
        for node in order {
            let cause = [LossCause::Contention, LossCause::Congestion][usize::from(node)];
            l.died(uid, death(cause, node), SimTime::ZERO);
        }
        assert_eq!(l.lost(LossCause::Congestion).data, 1, "{order:?}");
        assert_eq!(l.records()[0].node, NodeId(1));
    }
}

/// Two copies at one node (DSR keeps one until the next hop confirms the other): the first death counts.
#[test]
fn of_copies_equally_far_the_first_death_counts() {
    let mut l = Ledger::default();
    let uid = sent(&mut l, Carries::Data, Seq32(1), SimTime::ZERO);
    l.copied(uid);
    l.died(uid, death(LossCause::Channel, 2), SimTime::ZERO);
    let later = SimTime::from_nanos(5);
    l.died(uid, death(LossCause::LinkFailure, 2), later);
    assert_eq!(l.lost(LossCause::Channel).data, 1);
    // The segment is lost with the last copy, but did not go on since the first one was held up.
    assert_eq!((l.records()[0].at, l.records()[0].since), (later, SimTime::ZERO));
}

/// A cause that has struck others before keeps a segment from going on only once it has been sent.
#[test]
fn nothing_holds_a_segment_up_before_it_was_sent() {
    let mut l = Ledger::default();
    let uid = sent(&mut l, Carries::Data, Seq32(1), SimTime::from_nanos(7));
    l.died(uid, death(LossCause::NoRoute, 1), SimTime::from_nanos(9));
    assert_eq!(death(LossCause::NoRoute, 1).root.at, SimTime::ZERO);
    assert_eq!(l.records()[0].since, SimTime::from_nanos(7));
}

/// Six attempts out of reach and one that collided: no signal is to blame.
#[test]
fn only_collisions_have_an_interferer() {
    for (cause, interferer) in [(LossCause::Contention, Some(NodeId(4))), (LossCause::LinkFailure, None)] {
        let mut l = Ledger::default();
        let uid = sent(&mut l, Carries::Data, Seq32(1), SimTime::ZERO);
        let mut found = death(cause, 1);
        found.root.interferer = Some(NodeId(4));
        l.died(uid, found, SimTime::ZERO);
        assert_eq!(l.records()[0].interferer, interferer, "{cause:?}");
    }
}

#[test]
fn a_delivered_segment_is_never_lost() {
    let mut l = Ledger::default();
    let uid = sent(&mut l, Carries::Ack, Seq32(1), SimTime::ZERO);
    l.copied(uid);
    l.delivered(uid, SimTime::ZERO);
    l.died(uid, death(LossCause::Contention, 0), SimTime::ZERO);
    assert_eq!(l.arrived().ack, 1);
    assert_eq!(LossCause::ALL.iter().map(|&c| l.lost(c).ack).sum::<u64>(), 0);
    l.check().expect("balanced");
}

/// Runs that need only totals do not record each loss; deaths at the source are counted nevertheless.
#[test]
fn counting_alone_gives_the_same_totals() {
    let book = |counts_only: bool| {
        let mut l = Ledger::new([NodeId(3)], false);
        if counts_only {
            l.count_only();
        }
        for node in [3, 3, 5] {
            let uid = sent(&mut l, Carries::Data, Seq32(1), SimTime::ZERO);
            l.died(uid, death(LossCause::Congestion, node), SimTime::ZERO);
        }
        l.check().expect("balanced");
        assert_eq!(l.lost(LossCause::Congestion).data, 3);
        assert_eq!(l.lost_at_source(), [2], "the third died at node 5");
        l.take_records().len()
    };
    assert_eq!((book(false), book(true)), (3, 0));
}

proptest! {
    #[test]
    fn the_books_balance_whatever_happens(ops in proptest::collection::vec((0u8..5, 0usize..16, 0usize..7), 0..400)) {
        let mut l = Ledger::default();
        let mut live: Vec<u64> = Vec::new();
        for (op, pick, cause) in ops {
            if op == 0 || live.is_empty() {
                live.push(sent(&mut l, if pick % 2 == 0 { Carries::Data } else { Carries::Ack }, Seq32(0), SimTime::ZERO));
                continue;
            }
            let i = pick % live.len();
            let uid = live[i];
            match op {
                1 => { l.copied(uid); live.push(uid); }
                2 => { l.delivered(uid, SimTime::ZERO); live.swap_remove(i); }
                3 => { l.died(uid, death(LossCause::ALL[cause], pick as u16), SimTime::ZERO); live.swap_remove(i); }
                _ => {
                    // Handing on requires another copy, live or already gone.
                    if live.iter().filter(|&&u| u == uid).count() > 1 { l.handed_on(uid, SimTime::ZERO); live.swap_remove(i); }
                }
            }
            prop_assert_eq!(l.live_copies(), live.len() as u64);
            prop_assert!(l.check().is_ok());
        }
    }
}

/// Segments alive before the means begin count only for the time after: a segment from 0 to 12 s, and an acknowledgment from 4 to
/// 8 s, are 0.2 and none of 10 to 20 s.
#[test]
fn means_of_live_segments_begin_where_they_are_restarted() {
    let at = |seconds| SimTime::ZERO + tworay_base::SimDuration::from_secs(seconds);
    let mut l = Ledger::new([NodeId(0)], false);
    let data = sent(&mut l, Carries::Data, Seq32(1), at(0));
    let ack = sent(&mut l, Carries::Ack, Seq32(1), at(4));
    l.delivered(ack, at(8));
    l.restart_means(at(10));
    l.delivered(data, at(12));
    l.close(at(20));
    assert_eq!(l.mean_in_flight(FLOW, at(10), at(20)), (0.2, 0.0));
}
