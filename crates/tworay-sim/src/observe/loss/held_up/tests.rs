use super::*;
use proptest::prelude::*;
use tworay_base::{LossCause, NodeId, SimTime};

/// A packet keeps its first root cause; a later packet of that number has none. A route discovery is over when
/// the packet goes on. A failed hop is not forgotten: it may be the root of later losses.
#[test]
fn a_packet_keeps_its_first_root_cause() {
    let at = SimTime::ZERO;
    let hop = RootCause::new(at, NodeId(0), LossCause::Contention);
    let mut held_ups = HeldUps::default();
    let id = PacketId(3);
    assert_eq!(held_ups.root_of(id), None);
    held_ups.hold_up(id, hop, true);
    held_ups.hold_up(id, RootCause::new(at, NodeId(0), LossCause::LinkFailure), true);
    assert_eq!(held_ups.end_search(id, None), None);
    assert_eq!(held_ups.root_of(id), Some(hop));
    held_ups.made(id);
    assert_eq!(held_ups.root_of(id), None);
    held_ups.hold_up(id, RootCause::search(at, NodeId(0)), true);
    let late = RootCause::new(at, NodeId(0), LossCause::Channel);
    assert_eq!(held_ups.end_search(id, Some(late.into())), Some(RootCause::search(at, NodeId(0))));
    assert_eq!(held_ups.independent_root(id), Some(late));
    assert_eq!(held_ups.root_of(id), None);
}

/// A packet waits for a route during a discovery, or if contention has cost the route; behind a break or bit errors, those are
/// remembered anyway.
#[test]
fn a_packet_waits_for_a_route_that_contention_has_cost() {
    let at = SimTime::ZERO;
    for (cause, waits) in [
        (None, true),
        (Some(LossCause::Contention), true),
        (Some(LossCause::Channel), false),
        (Some(LossCause::LinkFailure), false),
    ] {
        let mut held_ups = HeldUps::default();
        held_ups.hold_up(PacketId(1), RootCause { cause, ..RootCause::search(at, NodeId(0)) }, true);
        assert_eq!(held_ups.waits_for_route(PacketId(1)), waits, "{cause:?}");
        assert!(!held_ups.waits_for_route(PacketId(2)));
    }
}

/// The cause that held up the original doesn't hold up the copy at the next hop, but the copy remembers a break.
#[test]
fn a_copy_has_its_originals_past() {
    for (cause, remembered) in [(LossCause::NodeDown, true), (LossCause::Contention, false)] {
        let root = RootCause::new(SimTime::ZERO, NodeId(0), cause);
        let mut held_ups = HeldUps::default();
        let (original, copy) = (PacketId(0), PacketId(4));
        held_ups.hold_up(original, root, true);
        assert_eq!(held_ups.hand_on(original, copy), Some(root), "this held up the segment");
        assert_eq!((held_ups.root_of(original), held_ups.root_of(copy)), (Some(root), None));
        assert_eq!(held_ups.independent_root(copy), remembered.then_some(root));
        // A wire moves the packet itself.
        assert_eq!(held_ups.hand_on(original, original), None, "which had gone on already");
        assert_eq!(held_ups.root_of(original), None);
        assert_eq!(held_ups.independent_root(original), remembered.then_some(root));
    }
}

/// An event in the life of a packet.
#[derive(Clone, Debug)]
enum Step {
    Made(u32),
    HeldUp(u32, bool),
    Delayed(u32),
    Noise(u32),
    HandedOn(u32, u32),
}

fn step() -> impl Strategy<Value = Step> {
    let id = || 0u32..6;
    prop_oneof![
        id().prop_map(Step::Made),
        (id(), any::<bool>()).prop_map(|(id, physical)| Step::HeldUp(id, physical)),
        id().prop_map(Step::Delayed),
        id().prop_map(Step::Noise),
        (id(), id()).prop_map(|(id, copy)| Step::HandedOn(id, copy)),
    ]
}

proptest! {
    /// Numbers of packets are used again: a new packet has no past, and it is known whether any has one.
    #[test]
    fn a_new_packet_has_no_past(steps in proptest::collection::vec(step(), 0..60)) {
        let root = |cause| RootCause::new(SimTime::ZERO, NodeId(1), cause).towards(NodeId(2));
        let mut held_ups = HeldUps::default();
        for step in steps {
            match step {
                Step::Made(id) => {
                    held_ups.made(PacketId(id));
                    prop_assert!(!held_ups.is_held_up(PacketId(id)));
                    prop_assert_eq!(held_ups.root_of(PacketId(id)), None);
                    prop_assert_eq!(held_ups.independent_root(PacketId(id)), None);
                }
                Step::HeldUp(id, physical) => {
                    let by = root(if physical { LossCause::NodeDown } else { LossCause::Contention });
                    let before = held_ups.root_of(PacketId(id));
                    held_ups.hold_up(PacketId(id), by, true);
                    prop_assert_eq!(held_ups.root_of(PacketId(id)), before.or(Some(by)));
                }
                Step::Delayed(id) => held_ups.delay(PacketId(id), root(LossCause::LinkFailure)),
                Step::Noise(id) => {
                    let noise = Noise { together: 2, time: SimDuration::from_millis(1), since: None };
                    held_ups.delay_with(PacketId(id), root(LossCause::Channel), noise);
                }
                Step::HandedOn(id, copy) if id != copy => {
                    held_ups.hand_on(PacketId(id), PacketId(copy));
                }
                Step::HandedOn(..) => {}
            }
            prop_assert_eq!(held_ups.is_empty(), (0..6).all(|id| !held_ups.is_held_up(PacketId(id))));
        }
    }
}

/// Causes other than load come first, then the more frequent one, then the earlier one; of each cause, its first root.
#[test]
fn which_of_many_root_causes_is_told() {
    use LossCause::{Channel, Contention, LinkFailure};
    let told = |causes: &[Option<LossCause>]| {
        let mut tally = Tally::default();
        for (node, cause) in (0..).map(NodeId).zip(causes) {
            tally.add(*cause, || RootCause { cause: *cause, ..RootCause::search(SimTime::ZERO, node) });
        }
        assert_eq!(tally.known, causes.len());
        tally.most_frequent().map(|root| (root.cause, root.node.0))
    };
    assert_eq!(told(&[]), None);
    assert_eq!(told(&[None]), Some((None, 0)));
    assert_eq!(told(&[None, None, Some(Contention)]), Some((Some(Contention), 2)));
    let contention = [Some(Contention); 3];
    assert_eq!(told(&[&contention[..], &[Some(Channel)]].concat()), Some((Some(Channel), 3)));
    assert_eq!(told(&[Some(LinkFailure), Some(Channel), Some(Channel)]), Some((Some(Channel), 1)));
    assert_eq!(told(&[Some(Channel), Some(LinkFailure), Some(Contention)]), Some((Some(Channel), 0)));
    assert_eq!(told(&[Some(LinkFailure), Some(Channel)]), Some((Some(LinkFailure), 0)));
}
