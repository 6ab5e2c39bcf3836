use super::*;
use tworay_base::LossCause;

fn root(cause: LossCause) -> (NodeId, RootCause) {
    (NodeId(0), RootCause::new(SimTime::ZERO, NodeId(0), cause).towards(NodeId(1)))
}

const QUEUE: u32 = 20;

/// `bursts` of packets, one every `every` ms, reach a wire with 20 places that takes 8 ms for a packet. Those of each have been held
/// up together for this reason, but for the first. The causes of what the wire rejects; `None`: load.
fn rejected(bursts: &[u32], every: u64, cause: LossCause) -> Vec<Option<LossCause>> {
    let at = |ms: u64| SimTime::ZERO + SimDuration::from_millis(ms);
    let (mut queue, mut rejected) = (WireQueue::default(), Vec::new());
    // With the packet that is being sent, which will be gone at `free`.
    let (mut length, mut free) = (0, 0);
    for (burst, now) in bursts.iter().zip((0..).map(|burst| every * burst)) {
        while length > 0 && free <= now {
            length -= 1;
            queue.sent(at(free), length as usize);
            free += 8;
        }
        for packet in 0..*burst {
            queue.offered(at(now), length as usize, || SimDuration::from_millis(8));
            if packet > 0 {
                let together = Some(*burst).filter(|_| cause == LossCause::Channel);
                queue.offered_late(root(cause), length as usize, together);
            }
            if length == QUEUE + 1 {
                let released = queue.filled_by_burst(QUEUE + 1);
                rejected.push(released.and_then(|(_, root)| root.cause));
                queue.refused();
            } else {
                free = if length == 0 { now + 8 } else { free };
                length += 1;
            }
        }
    }
    rejected
}

/// Forty packets in 320 ms are what the wire sends in that time. If they come at once, 19 find no place.
#[test]
fn a_burst_of_what_the_wire_carries_fills_its_queue() {
    for cause in [LossCause::Channel, LossCause::NodeDown] {
        assert_eq!(rejected(&[1; 20], 8, cause), []);
        assert_eq!(rejected(&[40, 40, 40], 320, cause), vec![Some(cause); 3 * 19]);
    }
}

/// Twice what the wire sends, four packets in 16 ms, fills its queue after 200 ms, whether the packets come singly or not. Until then,
/// 25 bursts have come; of three of four packets in each, at most three come later than they would.
#[test]
fn load_overfills_a_wire_behind_a_noisy_hop() {
    let all = rejected(&[4; 1000], 16, LossCause::Channel);
    assert!(
        all.len() > 1900 && all.iter().all(Option::is_none),
        "{:?}",
        all.iter().position(Option::is_some)
    );
}
