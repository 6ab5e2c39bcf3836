use super::*;
use tworay_base::{FlowId, LossCause, NodeId, SimTime};
use tworay_wire::Body;

fn packet(uid: u64) -> Packet {
    let (src, dst) = (NodeId(0), NodeId(1));
    Packet { uid, src, dst, ttl: 64, hops: 0, ip_bytes: 20, flow: FlowId::NONE, dsr: None, body: Body::Dsr }
}

#[test]
fn a_frame_keeps_its_packet_readable_after_its_owner_let_go() {
    let mut slab = PacketSlab::default();
    let id = slab.insert(packet(7));
    slab.pin(id);
    slab.discard(id);
    assert_eq!(slab.get(id).uid, 7);
    assert_eq!(slab.iter().count(), 0, "but it isn't alive");
    let other = slab.insert(packet(8));
    assert_ne!(other, id, "and its place isn't free");
    slab.unpin(id);
    assert_eq!(slab.insert(packet(9)), id, "until the frame has passed");
}

#[test]
fn places_are_used_again() {
    let mut slab = PacketSlab::default();
    let a = slab.insert(packet(1));
    slab.discard(a);
    let b = slab.insert(packet(2));
    assert_eq!(a, b);
    assert_eq!(slab.remove(b).uid, 2);
    assert_eq!(slab.insert(packet(3)), a);
    assert_eq!(slab.iter().map(|(_, p)| p.uid).collect::<Vec<_>>(), [3]);
}

/// A packet keeps its first root cause; the slot forgets it with the packet. A route discovery is over when
/// the packet goes on. A failed hop is not forgotten: it may be the root of later losses.
#[test]
fn a_packet_carries_its_first_setback() {
    let at = SimTime::ZERO;
    let hop = RootCause::new(at, NodeId(0), LossCause::Contention);
    let mut slab = PacketSlab::default();
    let id = slab.insert(packet(1));
    assert_eq!(slab.root_of(id), None);
    slab.hold_up(id, hop, true);
    slab.hold_up(id, RootCause::new(at, NodeId(0), LossCause::LinkFailure), true);
    assert_eq!(slab.end_search(id, None), None);
    assert_eq!(slab.root_of(id), Some(hop));
    slab.discard(id);
    let id = slab.insert(packet(2));
    assert_eq!(slab.root_of(id), None);
    slab.hold_up(id, RootCause::search(at, NodeId(0)), true);
    let late = RootCause::new(at, NodeId(0), LossCause::Channel);
    assert_eq!(slab.end_search(id, Some(late)), Some(RootCause::search(at, NodeId(0))));
    assert_eq!(slab.independent_root(id), Some(late));
    assert_eq!(slab.root_of(id), None);
}

/// What held up the original does not hold up the copy at the next hop, but the copy remembers a break.
#[test]
fn a_copy_has_its_originals_past() {
    for (cause, remembered) in [(LossCause::NodeDown, true), (LossCause::Contention, false)] {
        let root = RootCause::new(SimTime::ZERO, NodeId(0), cause);
        let mut slab = PacketSlab::default();
        let (original, copy) = (slab.insert(packet(1)), slab.insert(packet(1)));
        slab.hold_up(original, root, true);
        assert_eq!(slab.hand_on(original, copy), Some(root), "this held up the segment");
        assert_eq!((slab.root_of(original), slab.root_of(copy)), (Some(root), None));
        assert_eq!(slab.independent_root(copy), remembered.then_some(root));
        // A wire moves the packet itself.
        assert_eq!(slab.hand_on(original, original), None, "which had gone on already");
        assert_eq!(slab.root_of(original), None);
        assert_eq!(slab.independent_root(original), remembered.then_some(root));
    }
}
