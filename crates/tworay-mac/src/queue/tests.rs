use super::{InterfaceQueue, QueueEntry};
use proptest::prelude::*;
use tworay_base::{NodeId, PacketId};

fn entry(packet: u32, routing: bool) -> QueueEntry {
    QueueEntry { packet: PacketId(packet), next_hop: NodeId(packet as u16 % 3), ip_bytes: 100, routing }
}

fn show(q: &InterfaceQueue) -> String {
    let name = |e: &QueueEntry| format!("{}{}", if e.routing { "r" } else { "d" }, e.packet.0);
    q.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// Fills a queue for four packets in the given order (`r` routing, `d` data). Returns its contents at the end
/// and the dropped packets.
fn fill(one_short: bool, kinds: &str) -> (String, Vec<u32>) {
    let mut q = InterfaceQueue::new(4, one_short);
    let push = |(i, kind)| q.push(entry(i as u32 + 1, kind == 'r')).map(|e| e.packet.0);
    let lost = kinds.chars().enumerate().filter_map(push).collect();
    (show(&q), lost)
}

#[test]
fn routing_goes_first_and_the_last_makes_room() {
    // (arrivals, standard, ns-2: the newest routing packet goes to the head, and one place stays free)
    type Outcome<'a> = (&'a str, &'a [u32]);
    let table: [(&str, Outcome, Outcome); 4] = [
        ("dddddd", ("d1 d2 d3 d4", &[5, 6]), ("d1 d2 d3", &[4, 5, 6])),
        ("drdr", ("r2 r4 d1 d3", &[]), ("r4 r2 d1", &[3])),
        ("dddr", ("r4 d1 d2 d3", &[]), ("r4 d1 d2", &[3])),
        ("rrrrr", ("r1 r2 r3 r4", &[5]), ("r5 r4 r3", &[1, 2])),
    ];
    for (kinds, (standard, lost), (ns2, ns2_lost)) in table {
        assert_eq!(fill(false, kinds), (standard.to_owned(), lost.to_vec()), "{kinds}, standard");
        assert_eq!(fill(true, kinds), (ns2.to_owned(), ns2_lost.to_vec()), "{kinds}, ns-2");
    }
}

#[test]
fn purging_takes_the_data_for_one_neighbour() {
    let mut q = InterfaceQueue::new(50, false);
    for n in 1..=9 {
        q.push(entry(n, n == 3));
    }
    let mut gone = Vec::new();
    q.purge(NodeId(0), &mut gone);
    assert_eq!(gone.iter().map(|e| e.packet.0).collect::<Vec<_>>(), [6, 9]);
    assert_eq!(show(&q), "r3 d1 d2 d4 d5 d7 d8");
}

#[derive(Clone, Debug)]
enum Op {
    Push(bool),
    Pop,
    Purge(u16),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        5 => any::<bool>().prop_map(Op::Push),
        3 => Just(Op::Pop),
        1 => (0u16..3).prop_map(Op::Purge),
    ]
}

proptest! {
    /// Compares with two plain lists, one for routing and one for data.
    #[test]
    fn it_is_two_lists_one_after_the_other(one_short: bool, limit in 2u32..8, ops in proptest::collection::vec(op(), 0..80)) {
        let mut q = InterfaceQueue::new(limit, one_short);
        let room = if one_short { limit as usize - 1 } else { limit as usize };
        let (mut routing, mut data): (Vec<QueueEntry>, Vec<QueueEntry>) = (Vec::new(), Vec::new());
        for (n, op) in ops.into_iter().enumerate() {
            match op {
                Op::Push(is_routing) => {
                    let e = entry(n as u32, is_routing);
                    if is_routing {
                        routing.insert(if one_short { 0 } else { routing.len() }, e);
                    } else {
                        data.push(e);
                    }
                    let over = routing.len() + data.len() > room;
                    let lost = if over { data.pop().or_else(|| routing.pop()) } else { None };
                    prop_assert_eq!(q.push(e), lost);
                }
                Op::Pop => {
                    let first = if !routing.is_empty() {
                        Some(routing.remove(0))
                    } else if !data.is_empty() {
                        Some(data.remove(0))
                    } else {
                        None
                    };
                    prop_assert_eq!(q.pop(), first);
                }
                Op::Purge(hop) => {
                    let mut gone = Vec::new();
                    q.purge(NodeId(hop), &mut gone);
                    let (out, kept) = data.into_iter().partition(|e: &QueueEntry| e.next_hop == NodeId(hop));
                    data = kept;
                    prop_assert_eq!(gone, out);
                }
            }
            let both: Vec<QueueEntry> = routing.iter().chain(&data).copied().collect();
            prop_assert_eq!(q.iter().copied().collect::<Vec<_>>(), both);
            prop_assert_eq!((q.len(), q.is_empty()), (routing.len() + data.len(), routing.is_empty() && data.is_empty()));
        }
    }
}

/// A station that fills an aggregate takes the packets for its receiver out of the middle.
#[test]
fn packets_for_one_receiver_leave_in_order_and_the_others_stay() {
    let mut q = InterfaceQueue::new(8, false);
    for (packet, routing) in [(1, false), (2, false), (4, true), (7, false)] {
        assert_eq!(q.push(entry(packet, routing)), None);
    }
    let taken: Vec<u32> = std::iter::from_fn(|| q.pop_to(NodeId(1))).map(|e| e.packet.0).collect();
    assert_eq!((taken, show(&q).as_str()), (vec![4, 1, 7], "d2"));
    // The count of routing packets is right: the next one goes in front.
    q.push(entry(9, true));
    assert_eq!(show(&q), "r9 d2");
}
