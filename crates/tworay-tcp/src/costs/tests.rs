use super::*;
use crate::registry;

fn variant(name: &str) -> Variant {
    name.parse().expect("a variant")
}

fn cost(name: &str, operation: Operation) -> f64 {
    costs_of(&variant(name))[operation as usize]
}

/// Whoever adds a variant measures it: `tworay tune --costs`.
#[test]
fn the_table_has_every_variant_of_the_registry() {
    for info in registry().iter().filter(|i| i.name != "gentle") {
        assert!(TABLE.contains_key(info.name), "{} has no costs: make the table anew", info.name);
    }
    for (name, line) in TABLE.iter() {
        assert!(TABLE.contains_key(line.recovery), "{name}: no costs of {}", line.recovery);
        assert!(line.costs.iter().all(|c| c.is_finite() && *c >= 0.0), "{name}");
        for operation in [Operation::DupAck, Operation::Timeout] {
            assert!(line.costs[operation as usize] > 50.0, "{name}: {} for nothing", operation.name());
        }
        let acks = [Operation::AckSlowStart, Operation::AckCongestionAvoidance];
        assert!(acks.iter().any(|&a| line.costs[a as usize] > 100.0), "{name}: ACKs for nothing");
    }
}

/// What more work must cost more.
#[test]
fn the_table_is_plausible() {
    use Operation::*;
    assert!(cost("sack", DupAck) > cost("newreno", DupAck), "a scoreboard is kept");
    assert!(cost("sack", RecoveryAck) > 0.0 && cost("sack", FastRetransmit) > 0.0);
    assert!(cost("westwood", AckCongestionAvoidance) > cost("newreno", AckCongestionAvoidance), "a filter");
    // ELFN's probe is the oldest segment sent again.
    for prober in ["probing", "freeze-probing"] {
        assert!(cost(prober, Probe) > 0.0, "{prober} probes");
    }
}

/// By hand: two ACKs in slow start and a timeout.
#[test]
fn costs_are_added_up_by_operation() {
    let costs = costs_of(&variant("newreno"));
    let mut n = Operations::default();
    n[Operation::AckSlowStart as usize] = 2;
    n[Operation::Timeout as usize] = 1;
    let by_hand = 2.0 * costs[Operation::AckSlowStart as usize] + costs[Operation::Timeout as usize];
    assert_eq!(instructions(&variant("newreno"), &n), by_hand);
}

/// A part adds to any recovery what it added to the one it was measured with.
#[test]
fn combinations_are_put_together() {
    let ack = Operation::AckCongestionAvoidance;
    let extra = cost("westwood", ack) - cost("newreno", ack);
    assert!((cost("reno+westwood", ack) - cost("reno", ack) - extra).abs() < 1e-6);
    assert_eq!(cost("newreno+sca(10)", ack), cost("sca", ack), "parameters make no difference");
}

/// The life has everything in it that can be measured, and is the same twice.
#[test]
fn a_life_runs_through_all_operations() {
    for (name, probes) in [("tahoe", false), ("newreno", false), ("sack", false), ("probing", true)] {
        let lived = live(&variant(name));
        let n = |o: Operation| lived.operations[o as usize];
        for o in [Operation::AckCongestionAvoidance, Operation::DupAck, Operation::Timeout] {
            assert!(n(o) >= 10, "{name}: {} {}", n(o), o.name());
        }
        // Where losses are answered by probes, there is no fast retransmit.
        assert_eq!(n(Operation::FastRetransmit) >= 10, !probes, "{name}");
        assert_eq!(n(Operation::RecoveryAck) > 0, ["newreno", "sack"].contains(&name), "{name}");
        assert_eq!(n(Operation::Probe) > 0, probes, "{name}");
        let calls = |f: &str| lived.calls.get(f).copied().unwrap_or(0);
        assert_eq!(calls("tworay_cost_timeout_end"), n(Operation::Timeout), "{name}");
        assert_eq!(calls("tworay_cost_fast_retransmit_end"), n(Operation::FastRetransmit), "{name}");
        assert_eq!(lived.calls.values().sum::<u64>(), 20_000, "{name}");
        let again = live(&variant(name));
        assert_eq!((again.calls, again.operations), (lived.calls, lived.operations), "{name}");
    }
}
