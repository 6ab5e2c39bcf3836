use super::*;
use proptest::prelude::*;

const FLOW: FlowId = FlowId(0);

#[test]
fn a_segment_with_two_copies_is_lost_only_with_the_last() {
    let mut l = Ledger::default();
    let uid = l.ship(FLOW, Carries::Data, Seq32(1), SimTime::ZERO);
    l.copied(uid); // the next hop took it, but its ACK was lost ...
    l.died(uid, LossCause::Contention, NodeId(0), SimTime::ZERO); // ... so the sender gave up
    assert_eq!(l.lost(LossCause::Contention).data, 0);
    l.died(uid, LossCause::Congestion, NodeId(1), SimTime::ZERO);
    assert_eq!(l.lost(LossCause::Congestion).data, 1);
    assert_eq!(l.lost(LossCause::Contention).data, 0);
    l.check().expect("balanced");
}

#[test]
fn a_copy_that_died_early_is_the_cause_when_the_others_are_let_go_of() {
    let mut l = Ledger::default();
    let uid = l.ship(FLOW, Carries::Data, Seq32(1), SimTime::ZERO);
    l.copied(uid);
    l.died(uid, LossCause::Congestion, NodeId(1), SimTime::ZERO); // the relay's queue was full ...
    assert_eq!(l.lost(LossCause::Congestion).data, 0);
    l.handed_on(uid, SimTime::ZERO); // ... and only then the sender saw the ACK
    assert_eq!(l.lost(LossCause::Congestion).data, 1);
    l.check().expect("balanced");
}

#[test]
fn a_delivered_segment_is_never_lost() {
    let mut l = Ledger::default();
    let uid = l.ship(FLOW, Carries::Ack, Seq32(1), SimTime::ZERO);
    l.copied(uid);
    l.delivered(uid, SimTime::ZERO);
    l.died(uid, LossCause::Contention, NodeId(0), SimTime::ZERO);
    assert_eq!(l.arrived().ack, 1);
    assert_eq!(LossCause::ALL.iter().map(|&c| l.lost(c).ack).sum::<u64>(), 0);
    l.check().expect("balanced");
}

/// Runs of which only totals matter keep no record of each loss; what never left its source is known anyway.
#[test]
fn counting_alone_gives_the_same_totals() {
    let book = |counts_only: bool| {
        let mut l = Ledger::new([NodeId(3)], false);
        if counts_only {
            l.count_only();
        }
        for node in [3, 3, 5] {
            let uid = l.ship(FLOW, Carries::Data, Seq32(1), SimTime::ZERO);
            l.died(uid, LossCause::Congestion, NodeId(node), SimTime::ZERO);
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
                live.push(l.ship(FLOW, if pick % 2 == 0 { Carries::Data } else { Carries::Ack }, Seq32(0), SimTime::ZERO));
                continue;
            }
            let i = pick % live.len();
            let uid = live[i];
            match op {
                1 => { l.copied(uid); live.push(uid); }
                2 => { l.delivered(uid, SimTime::ZERO); live.swap_remove(i); }
                3 => { l.died(uid, LossCause::ALL[cause], NodeId(0), SimTime::ZERO); live.swap_remove(i); }
                _ => {
                    // Handing on needs another copy, here or gone before.
                    if live.iter().filter(|&&u| u == uid).count() > 1 { l.handed_on(uid, SimTime::ZERO); live.swap_remove(i); }
                }
            }
            prop_assert_eq!(l.live_copies(), live.len() as u64);
            prop_assert!(l.check().is_ok());
        }
    }
}
