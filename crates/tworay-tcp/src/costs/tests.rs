use super::*;

#[test]
fn the_table_has_every_variant_that_needs_no_parameter() {
    for info in crate::registry().iter().filter(|i| !i.name.starts_with("elfn")) {
        let needs = info.parameters.iter().any(|p| p.default.is_none());
        if !needs {
            assert!(TABLE.contains_key(info.name), "{} has no costs: make the table anew", info.name);
        }
    }
    assert!(TABLE.values().all(|costs| costs.iter().all(|c| c.is_finite() && *c >= 0.0)));
    let ack = Operation::AckCongestionAvoidance as usize;
    assert!(TABLE.values().all(|costs| costs[ack] > 10.0), "an ACK is not for nothing");
}

/// By hand: two ACKs in slow start and a timeout.
#[test]
fn costs_are_added_up_by_operation() {
    let costs = costs_of("newreno");
    let mut n = Operations::default();
    n[Operation::AckSlowStart as usize] = 2;
    n[Operation::Timeout as usize] = 1;
    let by_hand = 2.0 * costs[Operation::AckSlowStart as usize] + costs[Operation::Timeout as usize];
    assert_eq!(instructions("newreno", &n), by_hand);
    assert_eq!(instructions("newreno+unheard-of(3)", &n), by_hand, "a stranger costs what its recovery costs");
}
