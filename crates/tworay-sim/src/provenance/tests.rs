use super::*;

const LATE: SimTime = SimTime::from_nanos(9);
const FIRST: SimTime = SimTime::from_nanos(2);

/// A packet that the MAC gives up has the cause of most of its failed attempts.
#[test]
fn most_attempts_decide() {
    use LossCause::{Channel, Contention, LinkFailure, NodeDown};
    // Attempts: collided or unanswered, out of range, corrupted by bit errors, next hop switched off.
    let table = [
        ([7, 0, 0, 0], Contention),
        ([3, 4, 0, 0], LinkFailure),
        ([3, 0, 4, 0], Channel),
        ([3, 0, 0, 4], NodeDown),
        // The hop moved out of range in the middle: a tie counts as contention.
        ([2, 2, 0, 0], Contention),
    ];
    for ([contention, out_of_range, channel, node_down], cause) in table {
        let attempts = Attempts { contention, out_of_range, channel, node_down, ..Attempts::default() };
        let setback = attempts.give_up(LATE, NodeId(1), NodeId(2));
        let attempts = contention + out_of_range + channel + node_down;
        assert_eq!((setback.cause, setback.attempts), (Some(cause), attempts));
        assert_eq!((setback.node, setback.next_hop), (NodeId(1), Some(NodeId(2))));
    }
}

/// Out of reach, the packet is held up since the first attempt. Otherwise the last one could have
/// succeeded.
#[test]
fn since_when_a_packet_is_held_up() {
    let gone = Attempts { out_of_range: 7, out_of_reach_since: Some(FIRST), ..Attempts::default() };
    assert_eq!(gone.give_up(LATE, NodeId(1), NodeId(2)).at, FIRST);
    let busy =
        Attempts { contention: 6, out_of_range: 1, out_of_reach_since: Some(FIRST), ..Attempts::default() };
    assert_eq!(busy.give_up(LATE, NodeId(1), NodeId(2)).at, LATE);
}

/// An attempt is booked as contention when it starts; bit errors change it to channel, without an
/// interferer.
#[test]
fn bit_errors_take_the_blame_over() {
    let mut attempts = Attempts { contention: 2, interferer: Some(NodeId(3)), ..Attempts::default() };
    attempts.blame_channel();
    assert_eq!((attempts.contention, attempts.channel, attempts.interferer), (1, 1, None));
    let mut none = Attempts::default();
    none.blame_channel();
    assert_eq!(none.count(), 0);
}

/// `0 ─✗ 1 ── 2 ── 3`: node 0 cannot send the packet for some time. Later the packet remembers a break and
/// bit errors, which do not depend on load; contention and a route discovery end with the hop.
#[test]
fn what_a_packet_remembers_of_earlier_hops() {
    use LossCause::{Channel, Contention, LinkFailure, NodeDown};
    let at = |node, cause| Setback::new(FIRST, NodeId(node), cause);
    let search = Setback::search(FIRST, NodeId(0));
    let none = None::<Setback>;
    // What held it up at nodes 0 and 1, and what it remembers at node 2: the first one that counts.
    let table = [
        ([Some(at(0, NodeDown)), None], Some(at(0, NodeDown))),
        ([None, Some(at(1, LinkFailure))], Some(at(1, LinkFailure))),
        ([Some(at(0, Channel)), Some(at(1, NodeDown))], Some(at(0, Channel))),
        ([Some(at(0, Contention)), Some(at(1, NodeDown))], Some(at(1, NodeDown))),
        ([Some(at(0, Contention)), Some(search)], none),
        ([None, None], none),
    ];
    for (setbacks, remembered) in table {
        let at_node_2 = setbacks
            .into_iter()
            .fold(HeldUp::default(), |past, here| HeldUp { here, ..past }.one_hop_on().unwrap_or_default());
        assert_eq!(at_node_2, HeldUp { here: None, before: remembered }, "{setbacks:?}");
        assert_eq!(at_node_2.independent(), remembered);
    }
}
