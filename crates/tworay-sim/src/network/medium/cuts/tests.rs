use super::*;

const SECOND: SimDuration = SimDuration::from_secs(1);
const A: NodeId = NodeId(1);
const B: NodeId = NodeId(2);

fn order(flow: Option<u16>, lasts: SimDuration) -> LinkCut {
    LinkCut { at: SimTime::ZERO, flow: flow.map(FlowId), lasts }
}

#[test]
fn an_order_cuts_the_link_that_its_flow_crosses_next_in_both_directions() {
    let mut cuts = Cuts::new(vec![order(Some(1), SimDuration::MAX)]);
    assert_eq!(cuts.cut_behind(SimTime::ZERO, FlowId(1), [A, B]), None, "it isn't due");
    cuts.await_packet(0);
    assert_eq!(cuts.cut_behind(SimTime::ZERO, FlowId(0), [A, B]), None, "another flow's packet");
    assert!(cuts.await_packets() && !cuts.between(A, B));
    assert_eq!(cuts.cut_behind(SimTime::ZERO, FlowId(1), [A, B]), Some((0, None)), "for ever");
    assert!(cuts.between(A, B) && cuts.between(B, A) && !cuts.between(A, NodeId(3)));
    assert!(!cuts.await_packets());
}

#[test]
fn a_link_cut_twice_works_again_after_the_second_end() {
    let mut cuts = Cuts::new(vec![order(None, SECOND), order(None, SECOND * 3)]);
    let now = SimTime::ZERO + SECOND;
    for i in 0..2 {
        cuts.await_packet(i);
        let mended = now + cuts.orders()[usize::from(i)].lasts;
        assert_eq!(cuts.cut_behind(now, FlowId(7), [A, B]), Some((i, Some(mended))));
    }
    cuts.mend(now + SECOND, 0);
    assert!(cuts.between(A, B), "the other order still holds");
    cuts.mend(now + SECOND * 3, 1);
    assert!(!cuts.between(A, B));
    assert!(cuts.mended_since(now, B, A) && !cuts.mended_since(now + SECOND * 3, A, B));
    let was_cut = |seconds: u64| cuts.between_at(SimTime::ZERO + SECOND * seconds, B, A);
    assert_eq!([0, 1, 3, 4].map(was_cut), [false, true, true, false]);
}
