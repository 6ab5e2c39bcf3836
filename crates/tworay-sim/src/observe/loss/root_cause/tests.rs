use super::*;

const FIRST: SimTime = SimTime::from_nanos(2);

/// `0 ─✗ 1 ── 2 ── 3`: node 0 cannot send the packet for some time. Later the packet remembers a break and
/// bit errors, which do not depend on load; contention and a route discovery end with the hop.
#[test]
fn what_a_packet_remembers_of_earlier_hops() {
    use LossCause::{Channel, Contention, LinkFailure, NodeDown, Rate};
    let at = |node, cause| RootCause::new(FIRST, NodeId(node), cause);
    let search = RootCause::search(FIRST, NodeId(0));
    let none = None::<RootCause>;
    // What held it up at nodes 0 and 1, and what it remembers at node 2: what stopped it rather than what slowed it down; of equals
    // the first.
    let table = [
        ([Some(at(0, NodeDown)), None], Some(at(0, NodeDown))),
        ([None, Some(at(1, LinkFailure))], Some(at(1, LinkFailure))),
        ([Some(at(0, Channel)), Some(at(1, NodeDown))], Some(at(1, NodeDown))),
        ([Some(at(0, NodeDown)), Some(at(1, Channel))], Some(at(0, NodeDown))),
        ([Some(at(0, NodeDown)), Some(at(1, LinkFailure))], Some(at(0, NodeDown))),
        ([Some(at(0, Channel)), Some(at(1, Rate))], Some(at(0, Channel))),
        ([Some(at(0, Contention)), Some(at(1, NodeDown))], Some(at(1, NodeDown))),
        ([Some(at(0, Contention)), Some(search)], none),
        ([None, None], none),
    ];
    for (root_causes, remembered) in table {
        let at_node_2 = root_causes
            .into_iter()
            .fold(HeldUp::default(), |past, here| HeldUp { here, ..past }.one_hop_on().unwrap_or_default());
        assert_eq!(at_node_2, HeldUp { before: remembered, ..HeldUp::default() }, "{root_causes:?}");
        assert_eq!(at_node_2.independent(), remembered);
    }
}

/// A packet remembers the contention that made a search late, unless something followed that load did not cause; and that, unless
/// a break followed.
#[test]
fn contention_that_delayed_a_search_is_remembered_until_something_else_delays_the_packet() {
    let at = |cause| RootCause::new(FIRST, NodeId(0), cause);
    let mut held_up = HeldUp::default();
    for (cause, remembered) in [
        (LossCause::Contention, LossCause::Contention),
        (LossCause::Channel, LossCause::Channel),
        (LossCause::Contention, LossCause::Channel),
        (LossCause::LinkFailure, LossCause::LinkFailure),
        (LossCause::Rate, LossCause::LinkFailure),
    ] {
        held_up.remember(at(cause));
        assert_eq!(held_up.independent(), Some(at(remembered)), "{cause:?}");
        assert_eq!(held_up.one_hop_on().and_then(|next| next.before), Some(at(remembered)));
    }
    let here =
        HeldUp { here: Some(at(LossCause::NodeDown)), before: Some(at(LossCause::Contention)), whole: true };
    assert_eq!(here.independent(), Some(at(LossCause::NodeDown)));
}
