use super::*;

/// Variants that were added since fall back on their recovery; the recoveries must be there.
#[test]
fn the_table_has_every_recovery() {
    for name in ["tahoe", "reno", "newreno", "sack", "vegas", "westwood", "newreno-ff"] {
        assert!(TABLE.contains_key(name), "{name} has no costs: make the table anew");
    }
    assert!(TABLE.values().all(|costs| costs.iter().all(|c| c.is_finite() && *c >= 0.0)));
    let ack = Operation::AckCongestionAvoidance as usize;
    assert!(["newreno", "sack", "vegas"].iter().all(|v| TABLE[v][ack] > 100.0), "an ACK is not for nothing");
    assert!(TABLE["vegas"][ack] > TABLE["newreno"][ack], "Vegas works out a rate");
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
    assert_eq!(
        instructions("newreno+unheard-of(3)", &n),
        by_hand,
        "a stranger costs what its recovery costs"
    );
}
