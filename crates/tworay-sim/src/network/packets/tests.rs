use super::*;
use tworay_base::{FlowId, NodeId};
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
