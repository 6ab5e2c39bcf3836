use super::*;

#[test]
fn one_line_says_where_what_and_what_to_do() {
    let problem = ConfigProblem::new("rto.min", "0s is out of range", "choose 200ms or more");
    assert_eq!(problem.to_string(), "rto.min: 0s is out of range; choose 200ms or more");
    assert_eq!(problem.headline(), "rto.min: 0s is out of range");
    assert_eq!(problem.advice(), "Choose 200ms or more.");
    assert_eq!(ConfigProblem::refuse::<()>("a", "b", "c"), Err(ConfigProblem::new("a", "b", "c")));
}

#[test]
fn a_table_adds_its_name_once() {
    // (table, key relative to the table, key as shown to the user)
    for (table, key, whole) in [
        ("tcp", "rto.min", "tcp.rto.min"),
        ("routing", "routing.aodv.net_diameter", "routing.aodv.net_diameter"),
        ("wire.0.red", "weight", "wire.0.red.weight"),
        ("energy", "energy", "energy"),
        ("tcp", "tcpdump", "tcp.tcpdump"),
    ] {
        assert_eq!(ConfigProblem::new(key, "", "").within(table).key, whole);
    }
}

#[test]
fn remedies_become_sentences() {
    for (clause, whole) in [
        ("give \"1s\"", "Give \"1s\"."),
        ("did you mean sack?", "Did you mean sack?"),
        ("cw_min = 31 is usual", "cw_min = 31 is usual."),
        ("Keep one.", "Keep one."),
        ("", ""),
    ] {
        assert_eq!(sentence(clause), whole);
    }
}

#[test]
fn absurd_numbers_are_shown_short() {
    let digits = "1".to_owned() + &"0".repeat(300);
    let problem = ConfigProblem::new("n", format!("{digits} is above 64"), "");
    assert_eq!(problem.headline(), "n: 1e300 is above 64");
    assert_eq!(ConfigProblem::new("n", "18446744073709551615", "").headline(), "n: 18446744073709551615");
}
