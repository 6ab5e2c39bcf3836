use super::{Demand, SPAN, SPANS, Source};
use tworay_base::{FlowId, NodeId, SimTime};

/// The source of a flow after it has sent so many datagrams in each span.
fn after(counts: &[u32]) -> Source {
    let mut demand = Demand::default();
    for (number, count) in counts.iter().enumerate() {
        let at = SimTime::ZERO + SPAN * (SPANS + number) as u64;
        (0..*count).for_each(|_| demand.note(at, FlowId(0), (NodeId(0), NodeId(2)), 540));
    }
    let mut source = demand.sources[0].take().expect("it was noted");
    source.advance((SPANS + counts.len()) as u64);
    source
}

#[test]
fn a_steady_flow_has_the_rate_of_its_spans() {
    // Four spans a second.
    assert_eq!(after(&[10; 8]).rate(), Some(40.0));
    assert_eq!(after(&[10; 40]).rate(), Some(40.0));
    assert_eq!(after(&[3, 9, 10, 11, 10, 10]).rate(), Some(40.0), "it has begun within the first span");
}

#[test]
fn a_flow_that_has_just_begun_is_not_known() {
    assert_eq!(after(&[10; 4]).rate(), None);
    assert!(after(&[10; 5]).rate().is_some());
}

#[test]
fn bursts_count_as_if_they_went_on() {
    assert_eq!(after(&[0, 40, 0, 0, 40, 0, 0]).rate(), Some(160.0));
}

#[test]
fn a_flow_that_has_ended_is_forgotten() {
    let mut counts = vec![10; 8];
    counts.extend([0; SPANS]);
    assert_eq!(after(&counts).rate(), Some(0.0));
}
