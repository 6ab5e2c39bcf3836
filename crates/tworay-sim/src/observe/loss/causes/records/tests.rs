use super::*;

const NODES: [NodeId; 5] = [NodeId(0), NodeId(1), NodeId(2), NodeId(3), NodeId(4)];

fn at(seconds: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs(seconds)
}

/// A message from node 0 to node 1 was lost, because of what struck there, at node 2, or between nodes 3 and 4. Cause and
/// interferer are those of the loss, the rest is what is known of the search.
#[test]
fn a_message_was_lost_for_what_struck_it_wherever_that_was() {
    let [from, to, off, a, b] = NODES;
    let here = RootCause { attempts: 7, ..RootCause::new(at(9), from, LossCause::NoRoute).towards(to) };
    for (elsewhere, place) in
        [(None, (from, Some(to))), (Some((off, None)), (off, None)), (Some((a, Some(b))), (a, Some(b)))]
    {
        let miss =
            Miss { at: at(5), cause: LossCause::NodeDown, interferer: Some(b), elsewhere, delayed: false };
        let root = miss.root(here);
        assert_eq!((root.node, root.next_hop), place);
        assert_eq!((root.cause, root.interferer), (Some(LossCause::NodeDown), Some(b)));
        assert_eq!((root.at, root.attempts), (here.at, here.attempts));
    }
}

/// A route is needed for as long as it is kept after its latest packet, to the end of that time.
#[test]
fn a_route_is_needed_until_its_time_is_over() {
    let root = RootCause::new(at(1), NODES[0], LossCause::LinkFailure);
    let lost = LostRoute { root, began: at(1), checked: at(2), asked: at(10) };
    let unused = SimDuration::from_secs(3);
    let after = at(13) + SimDuration::from_nanos(1);
    assert_eq!([at(10), at(13), after].map(|now| lost.is_needed(now, unused)), [true, true, false]);
    let mut again = lost;
    again.look_again();
    assert_eq!((again.checked, again.began, again.asked), (SimTime::ZERO, lost.began, lost.asked));
}

/// A new search begins without requests; what it has lost and was set off by stays.
#[test]
fn a_search_that_starts_anew_forgets_its_prospect() {
    let root = RootCause::new(at(1), NODES[0], LossCause::LinkFailure);
    let mut search = Search {
        prospect: Prospect::Open,
        asked: at(4),
        requests: VecDeque::from([at(3), at(4)]),
        set_off: Some((at(3), root)),
        ..Search::default()
    };
    search.restart();
    assert!(matches!(search.prospect, Prospect::NotSent));
    assert_eq!((search.asked, search.requests.len(), search.set_off.is_some()), (SimTime::ZERO, 2, true));
}

/// A node ignores another copy of the request that it has sent, not of a later one; one that has answered ignores all copies until the
/// searching node asks again.
#[test]
fn a_node_has_had_what_it_has_sent_or_answered() {
    let [relay, target, other, ..] = NODES;
    let mut search = Search { requests: VecDeque::from([at(3)]), ..Search::default() };
    search.had.insert(relay, Had::Sent(7));
    search.had.insert(target, Had::Answered(at(4)));
    let had = |search: &Search, number| [relay, target, other].map(|node| search.has_had(node, number));
    assert_eq!(had(&search, Some(7)), [true, true, false]);
    assert_eq!(had(&search, Some(8)), [false, true, false]);
    search.requests.push_back(at(5));
    assert_eq!(had(&search, Some(8)), [false, false, false]);
}
