use super::*;

const HOLD: SimDuration = SimDuration::from_secs(15);

fn at(seconds: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs(seconds)
}

fn reached(t: &Topology, last: u16) -> Vec<u16> {
    t.reached_from(NodeId(last)).iter().map(|(n, _)| n.0).collect()
}

fn announce(t: &mut Topology, now: SimTime, ansn: u16, nodes: &[u16]) -> bool {
    t.learn(now, NodeId(1), ansn, nodes.iter().map(|n| NodeId(*n)), HOLD)
}

/// Changes by each message, in sequence.
#[test]
fn newer_numbers_replace_older_ones() {
    let mut t = Topology::default();
    // Message: number and nodes. Result: whether something changed, and the links known.
    type Step = (&'static str, u16, &'static [u16], bool, &'static [u16]);
    let ladder: [Step; 8] = [
        ("news", 65_534, &[2, 3], true, &[2, 3]),
        ("the same again", 65_534, &[2, 3], false, &[2, 3]),
        ("a part of the same number adds", 65_534, &[4], true, &[2, 3, 4]),
        ("an older number is ignored", 65_533, &[9], false, &[2, 3, 4]),
        ("a newer one, wrapped, replaces", 1, &[3, 5], true, &[3, 5]),
        ("a newer one that swaps a node", 2, &[5, 6], true, &[5, 6]),
        ("a newer one that says the same", 3, &[6, 5], false, &[6, 5]),
        ("nothing left", 4, &[], true, &[]),
    ];
    for (what, ansn, nodes, changed, then) in ladder {
        assert_eq!(announce(&mut t, at(0), ansn, nodes), changed, "{what}");
        assert_eq!(reached(&t, 1), then, "{what}");
    }
}

#[test]
fn links_are_forgotten_each_at_its_time() {
    let mut t = Topology::default();
    announce(&mut t, at(0), 1, &[2, 3]);
    announce(&mut t, at(5), 1, &[3]);
    assert_eq!(t.settle(at(14)), (false, at(15)));
    assert_eq!(t.settle(at(15)), (true, at(20)));
    assert_eq!(reached(&t, 1), [3]);
    assert_eq!(t.settle(at(20)), (true, SimTime::NEVER));
    assert!(announce(&mut t, at(20), 0, &[2]), "an old number counts again once all is forgotten");
}

#[test]
fn numbers_wrap() {
    for (a, b, is) in [(1, 0, true), (0, 1, false), (5, 5, false), (0, 65_535, true), (40_000, 1, false)] {
        assert_eq!(newer(a, b), is, "{a} after {b}");
    }
}
