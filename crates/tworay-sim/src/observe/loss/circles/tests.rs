use super::*;

/// The hops after which a packet with this way is known to circle; it has another number at each node.
fn found(way: &[u16]) -> Vec<usize> {
    let mut circles = Circles::default();
    let arrives = |(hops, node): (usize, &u16)| {
        let [before, here] = [hops, hops + 1].map(|id| PacketId(id as u32 % 3));
        circles.hand_on(before, here);
        circles.relayed(here, NodeId(*node), hops as u8 + 1).then_some(hops + 1)
    };
    way.iter().enumerate().filter_map(arrives).collect()
}

#[test]
fn a_packet_that_goes_straight_on_does_not_circle() {
    assert_eq!(found(&(1..200).collect::<Vec<_>>()), Vec::<usize>::new());
}

/// Two neighbours send it to and fro from the first hop on: it is back at the first relay after three hops.
#[test]
fn to_and_fro_is_found_at_the_first_return() {
    assert_eq!(found(&[1, 2, 1, 2, 1, 2, 3])[0], 3);
}

/// A circle of `length` nodes behind `before` nodes: known by the first node reached after 1, 3, 7, 15, … hops within the circle
/// that is not left behind for a later one before the packet returns.
#[test]
fn a_circle_of_any_length_is_found() {
    for before in 0..20u16 {
        for length in 2..20u16 {
            let way: Vec<u16> = (0..before).chain((0..200).map(|i| before + i % length)).collect();
            let first = found(&way)[0];
            let kept = (1..8).map(|k| (1u16 << k) - 1).find(|hops| *hops > before && hops + 1 >= length);
            assert_eq!(Some(first), kept.map(|hops| usize::from(hops + length)), "{before} {length}");
        }
    }
}

/// A number that is free again belongs to another packet: its first hop ends what was remembered.
#[test]
fn another_packet_with_the_same_number_does_not_circle() {
    let mut circles = Circles::default();
    assert!(!circles.relayed(PacketId(5), NodeId(1), 1));
    assert!(!circles.relayed(PacketId(5), NodeId(1), 1));
    assert!(!circles.relayed(PacketId(5), NodeId(2), 2));
    assert!(circles.relayed(PacketId(5), NodeId(1), 3));
}
