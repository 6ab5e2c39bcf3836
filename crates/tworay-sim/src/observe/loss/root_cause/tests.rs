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
    let (here, before) = (Some(at(LossCause::NodeDown)), Some(at(LossCause::Contention)));
    let here = HeldUp { here, before, whole: true, ..HeldUp::default() };
    assert_eq!(here.independent(), Some(at(LossCause::NodeDown)));
}

/// Noise holds up a packet with one other, at the next hop with six, and later with two: seven at most were together, and it is late by the
/// sum of the times. Once a break has held
/// it up, too, the break counts, whatever follows.
#[test]
fn what_only_noise_has_held_up_knows_with_how_many_others() {
    let at = |cause| RootCause::new(FIRST, NodeId(0), cause);
    let mut held_up = HeldUp::default();
    let noise = |together, ms| Noise { together, time: SimDuration::from_millis(ms), since: None };
    for (new, all) in [(noise(2, 5), noise(2, 5)), (noise(7, 1), noise(7, 6)), (noise(3, 4), noise(7, 10))] {
        held_up.remember_noise(at(LossCause::Channel), new);
        assert_eq!(held_up.noise(), Some(all));
        held_up = held_up.one_hop_on().expect("a memory");
    }
    let here = HeldUp { here: Some(at(LossCause::LinkFailure)), ..held_up };
    for mut past in [here, here.one_hop_on().expect("a memory")] {
        past.remember(at(LossCause::LinkFailure));
        past.remember_noise(at(LossCause::Channel), noise(9, 1));
        assert_eq!((past.noise(), past.independent()), (None, here.here));
    }
}

/// A queue that would have taken as long without the noise before it ends what that noise means.
#[test]
fn noise_that_changes_nothing_is_forgotten() {
    let ms = SimDuration::from_millis;
    let noise = Noise { together: 3, time: ms(8), since: Some(FIRST) };
    for (later, left) in [(None, None), (Some(ms(2)), Some(Noise { time: ms(2), since: None, ..noise }))] {
        let mut held_up = HeldUp::default();
        held_up.remember_noise(RootCause::new(FIRST, NodeId(0), LossCause::Channel), noise);
        held_up.pass_on(later);
        assert_eq!((held_up.noise(), held_up.before.is_some()), (left, later.is_some()));
    }
}
