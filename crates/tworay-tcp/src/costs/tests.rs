use super::*;
use crate::registry;

fn variant(name: &str) -> Variant {
    name.parse().expect("a variant")
}

fn cost_in(table: &CostTable, name: &str, operation: Operation) -> Computing {
    table.costs_of(&variant(name))[operation as usize]
}

fn cost(name: &str, operation: Operation) -> f64 {
    let cost = cost_in(CostTable::shipped(), name, operation);
    assert_eq!((cost.seconds, cost.timed_joules), (0.0, 0.0), "what ships is counted in instructions");
    cost.instructions
}

/// A new variant must be measured with `tworay costs`.
#[test]
fn the_table_has_every_variant_of_the_registry() {
    let table = CostTable::shipped().lines();
    for info in registry().iter().filter(|i| i.name != "gentle") {
        assert!(table.contains_key(info.name), "{} has no costs: make the table anew", info.name);
    }
    for (name, line) in table {
        assert!(table.contains_key(&line.recovery), "{name}: no costs of {}", line.recovery);
        assert!(line.instructions.iter().all(|c| c.is_finite() && *c >= 0.0), "{name}");
        for operation in [Operation::DupAck, Operation::Timeout] {
            assert!(line.instructions[operation as usize] > 50.0, "{name}: {} for nothing", operation.name());
        }
        let acks = [Operation::AckSlowStart, Operation::AckCongestionAvoidance];
        assert!(acks.iter().any(|&a| line.instructions[a as usize] > 100.0), "{name}: ACKs for nothing");
    }
    assert_eq!(CostTable::shipped().given(), &[] as &[String]);
    assert!(CostTable::shipped().provenance().iter().any(|p| p.contains("tworay costs")));
}

/// More work must cost more.
#[test]
fn the_table_is_plausible() {
    use Operation::*;
    assert!(cost("sack", DupAck) > cost("newreno", DupAck), "a scoreboard is kept");
    assert!(cost("sack", RecoveryAck) > 0.0 && cost("sack", FastRetransmit) > 0.0);
    assert!(cost("westwood", AckCongestionAvoidance) > cost("newreno", AckCongestionAvoidance), "a filter");
    // ELFN's probe is the oldest segment, which counts as a retransmission.
    for prober in ["probing", "freeze-probing"] {
        assert!(cost(prober, Probe) > 0.0, "{prober} probes");
    }
}

/// By hand: two ACKs in slow start and one timeout.
#[test]
fn costs_are_added_up_by_operation() {
    let costs = CostTable::shipped().costs_of(&variant("newreno")).map(|c| c.instructions);
    let mut n = Operations::default();
    n[Operation::AckSlowStart as usize] = 2;
    n[Operation::Timeout as usize] = 1;
    let by_hand = 2.0 * costs[Operation::AckSlowStart as usize] + costs[Operation::Timeout as usize];
    let spent = CostTable::shipped().computing(&variant("newreno"), &n);
    assert_eq!((spent.instructions, spent.seconds), (by_hand, 0.0));
    assert_eq!(spent.joules(2e-9), by_hand * 2e-9);
}

/// A part adds to any recovery what it added to the one with which it was measured.
#[test]
fn combinations_are_put_together() {
    let ack = Operation::AckCongestionAvoidance;
    let extra = cost("westwood", ack) - cost("newreno", ack);
    assert!((cost("reno+westwood", ack) - cost("reno", ack) - extra).abs() < 1e-6);
    assert_eq!(cost("newreno+sca(10)", ack), cost("sca", ack), "parameters make no difference");
}

/// The transfer performs every operation that can be measured, and repeats exactly.
#[test]
fn a_life_runs_through_all_operations() {
    for (name, probes) in [("tahoe", false), ("newreno", false), ("sack", false), ("probing", true)] {
        let lived = live(&variant(name));
        let n = |o: Operation| lived.operations[o as usize];
        for o in [Operation::AckCongestionAvoidance, Operation::DupAck, Operation::Timeout] {
            assert!(n(o) >= 10, "{name}: {} {}", n(o), o.name());
        }
        // Variants that answer losses with probes retransmit fast only in an immediate recovery.
        assert!(n(Operation::FastRetransmit) >= 10, "{name}");
        assert_eq!(n(Operation::RecoveryAck) > 0, name != "tahoe", "{name}");
        assert_eq!(n(Operation::Probe) > 0, probes, "{name}");
        let calls = |f: &str| lived.calls.get(f).copied().unwrap_or(0);
        assert_eq!(calls("tworay_cost_timeout_end"), n(Operation::Timeout), "{name}");
        assert_eq!(calls("tworay_cost_fast_retransmit_end"), n(Operation::FastRetransmit), "{name}");
        assert_eq!(lived.calls.values().sum::<u64>(), 20_000, "{name}");
        let again = live(&variant(name));
        assert_eq!((again.calls, again.operations), (lived.calls, lived.operations), "{name}");
    }
}

/// A user's own table replaces only the cells that it contains.
#[test]
fn a_table_replaces_its_own_cells_only() {
    let text = "# counted elsewhere\n\nvariant,timeout,dup_ack\nnewreno,100,\n\"sack\", 7 ,8\n";
    let table = CostTable::read(text).expect("a table");
    let [timeout, dup] = [Operation::Timeout, Operation::DupAck];
    assert_eq!(cost_in(&table, "newreno", timeout).instructions, 100.0);
    assert_eq!(cost_in(&table, "newreno", dup).instructions, cost("newreno", dup), "an empty cell");
    assert_eq!(cost_in(&table, "sack", dup).instructions, 8.0);
    assert_eq!(cost_in(&table, "tahoe", timeout).instructions, cost("tahoe", timeout), "no line");
    assert_eq!(table.provenance(), ["counted elsewhere"]);
    assert_eq!(table.given(), ["newreno", "sack"]);
    // What Westwood adds is added to the new figure; a total measured for Westwood stays a total.
    assert_eq!(cost_in(&table, "westwood", timeout).instructions, cost("westwood", timeout));
}

/// By hand: 200 ns at 2.5 W are 500 nJ, whatever an instruction costs.
#[test]
fn run_times_take_the_place_of_instructions() {
    let text = "variant,unit,power,ack_congestion_avoidance,timeout\nnewreno,ns,2.5W,200,\n";
    let table = CostTable::read(text).expect("a table");
    let mut n = Operations::default();
    n[Operation::AckCongestionAvoidance as usize] = 10;
    n[Operation::Timeout as usize] = 1;
    let spent = table.computing(&variant("newreno"), &n);
    assert!((spent.seconds - 2e-6).abs() < 1e-18 && (spent.timed_joules - 5e-6).abs() < 1e-18, "{spent:?}");
    assert_eq!(spent.instructions, cost("newreno", Operation::Timeout), "the rest is still counted");
    let joules = 5e-6 + 1e-9 * spent.instructions;
    assert!((spent.joules(1e-9) - joules).abs() < 1e-15);
}

/// | table has times of | variant | an ACK takes |
/// |---|---|---|
/// | newreno 200, westwood 260 | westwood | 260 |
/// | newreno 200, westwood 260, reno 150 | reno+westwood | 150 + (260 − 200) |
/// | westwood 260 | westwood | 260: the time of the whole |
/// | westwood 260 | reno+westwood | 260: no other time to take a difference from |
/// | newreno 200 | westwood | 200, and the instructions that Westwood adds |
#[test]
fn run_times_are_put_together() {
    let ack = Operation::AckCongestionAvoidance;
    let nanos = |lines: &str, name: &str| {
        let text = format!("variant,unit,power,ack_congestion_avoidance\n{lines}");
        let cost = cost_in(&CostTable::read(&text).expect("a table"), name, ack);
        (libm::round(cost.seconds * 1e9), cost.instructions)
    };
    let both = "newreno,ns,1W,200\nwestwood,ns,1W,260\n";
    assert_eq!(nanos(both, "westwood"), (260.0, 0.0));
    assert_eq!(nanos(&format!("{both}reno,ns,1W,150\n"), "reno+westwood"), (210.0, 0.0));
    assert_eq!(nanos("westwood,ns,1W,260\n", "westwood"), (260.0, 0.0));
    assert_eq!(nanos("westwood,ns,1W,260\n", "reno+westwood"), (260.0, 0.0));
    let extra = cost("westwood", ack) - cost("newreno", ack);
    assert_eq!(nanos("newreno,ns,1W,200\n", "westwood"), (200.0, extra));
}

/// Errors name the place, the problem and the remedy.
#[test]
fn wrong_tables_are_refused_at_the_place() {
    #[rustfmt::skip]
    let cases = [
        ("", "", "no line for a variant", "tworay costs"),
        ("# nothing\nvariant,timeout\n", "", "no line for a variant", "heading such as"),
        ("variant,timeuot\n", "timeuot", "is neither a column nor an operation", "Did you mean \"timeout\"?"),
        ("variant,timeout,timeout\n", "timeout", "two columns", "Remove one"),
        ("recovery,timeout\n", "recovery,timeout", "no column \"variant\"", "heading such as"),
        ("variant,unit\n", "variant,unit", "no operation column", "heading such as"),
        ("variant,timeout\nnewrenno,1\n", "newrenno", "is not a variant", "Did you mean \"newreno\"?"),
        ("variant,timeout\nnewreno+sca,1\n", "newreno+sca", "is not a variant", "Combinations"),
        ("variant,timeout\n,1\n", ",1", "variant is empty", "tworay variants"),
        ("variant,timeout\nsack,1\nsack,2\n", "sack", "already has a line", "one line"),
        ("variant,timeout\nsack,1,2\n", "sack,1,2", "3 cells under a heading of 2", "one cell"),
        ("variant,timeout\nsack,much\n", "much", "timeout of sack: \"much\" is not a number", "0 to 1e12"),
        ("variant,timeout\nsack,-1\n", "-1", "is negative", "0 to 1e12"),
        ("variant,timeout\nsack,NaN\n", "NaN", "is not a number", "0 to 1e12"),
        ("variant,timeout\nsack,inf\n", "inf", "more than any operation", "0 to 1e12"),
        ("variant,recovery,timeout\nsca,cubic,1\n", "cubic", "is not a recovery", "Choose from tahoe"),
        ("variant,unit,timeout\nsack,ms,1\n", "ms", "unit: \"ms\" is not a unit", "instructions, or ns"),
        ("variant,unit,timeout\nsack,ns,1\n", "ns", "run times without a power", "2.5W"),
        ("variant,unit,power,timeout\nsack,ns,0W,1\n", "0W", "not a power above zero", "2.5W"),
        ("variant,unit,power,timeout\nsack,ns,5,1\n", "5", "not a power above zero", "2.5W"),
        ("variant,power,timeout\nsack,5W,1\n", "5W", "given for instructions", "energy.instruction"),
    ];
    for (text, place, says, advises) in cases {
        let wrong = CostTable::read(text).expect_err(text);
        assert_eq!(&text[wrong.span.clone()], place, "{text:?}: {wrong:?}");
        assert!(wrong.problem.contains(says), "{text:?}: {}", wrong.problem);
        assert!(wrong.remedy.contains(advises), "{text:?}: {}", wrong.remedy);
    }
}

/// Tables come from users: whatever they contain, they are either read or rejected.
#[test]
fn hostile_tables_are_no_trouble() {
    use proptest::prelude::*;
    let word = "(#|variant|unit|power|ns|timeout|sack|newreno|2W|[0-9]{1,4}|,|\n|\"|\u{feff}|é|.){0,30}";
    proptest!(|(text in word)| {
        match CostTable::read(&text) {
            Ok(table) => prop_assert!(!table.given().is_empty()),
            Err(wrong) => prop_assert!(text.get(wrong.span).is_some()),
        }
    });
}

/// A byte order mark and Windows line ends change nothing.
#[test]
fn tables_of_other_editors_are_read() {
    let table = CostTable::read("\u{feff}variant,timeout\r\nsack,12.5\r\n").expect("a table");
    assert_eq!(cost_in(&table, "sack", Operation::Timeout).instructions, 12.5);
}
