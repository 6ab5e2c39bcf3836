use super::*;

const FIRST: SimTime = SimTime::from_nanos(2);

/// `0 ─✗ 1 ── 2 ── 3`: node 0 cannot send the packet for some time. Later the packet remembers a break and
/// bit errors, which do not depend on load; contention and a route discovery end with the hop.
#[test]
fn what_a_packet_remembers_of_earlier_hops() {
    use LossCause::{Channel, Contention, LinkFailure, NodeDown};
    let at = |node, cause| RootCause::new(FIRST, NodeId(node), cause);
    let search = RootCause::search(FIRST, NodeId(0));
    let none = None::<RootCause>;
    // What held it up at nodes 0 and 1, and what it remembers at node 2: the first one that counts.
    let table = [
        ([Some(at(0, NodeDown)), None], Some(at(0, NodeDown))),
        ([None, Some(at(1, LinkFailure))], Some(at(1, LinkFailure))),
        ([Some(at(0, Channel)), Some(at(1, NodeDown))], Some(at(0, Channel))),
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
