use super::*;
use tworay_base::{LossCause, NodeId};

fn root(cause: LossCause, to: u16) -> RootCause {
    RootCause::new(SimTime::ZERO, NodeId(0), cause).towards(NodeId(to))
}

/// ```text
/// 0 ms       node 1 is off: 900 ms lost, 4 packets wait
/// 4 packets leave, one by one
/// 1000 ms    noise of node 2: 10 ms lost
/// ```
#[test]
fn a_later_reason_comes_first_once_all_that_waited_have_left() {
    let (outage, noise) = (root(LossCause::NodeDown, 1), root(LossCause::Channel, 2));
    let cause = |found: Option<RootCause>| found.and_then(|root| root.cause);
    let mut reasons = Reasons::default();
    reasons.note((SimDuration::from_millis(900), outage), 4);
    reasons.leave(3);
    reasons.note((SimDuration::from_millis(10), noise), 4);
    assert_eq!(cause(reasons.main(None)), outage.cause, "one of its packets waits");
    reasons.leave(1);
    assert_eq!(cause(reasons.main(None)), outage.cause, "nothing has been lost since");
    assert_eq!(cause(reasons.main(Some((SimDuration::from_millis(1), noise)))), noise.cause);
    reasons.note((SimDuration::from_millis(10), noise), 4);
    assert_eq!(cause(reasons.main(None)), noise.cause);
}

/// Nothing slows the MAC down any more once all packets have left that waited then; an outage, once the queue has been empty.
#[test]
fn a_reason_slows_the_mac_down_until_its_packets_have_left() {
    let mut reasons = Reasons::default();
    reasons.note((SimDuration::from_millis(10), root(LossCause::Channel, 1)), 2);
    reasons.leave(1);
    assert!(reasons.slows(SimTime::ZERO).is_some());
    reasons.leave(1);
    assert_eq!(reasons.slows(SimTime::ZERO), None);
    reasons.note((SimDuration::from_millis(10), root(LossCause::NodeDown, 1)), 2);
    assert!(reasons.slows(SimTime::ZERO).is_some());
    assert_eq!(reasons.slows(SimTime::ZERO + SimDuration::from_millis(1)), None);
}
