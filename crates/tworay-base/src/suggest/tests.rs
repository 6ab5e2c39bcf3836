use super::*;
use proptest::prelude::*;

#[test]
fn misspellings_find_their_word() {
    let variants = ["tahoe", "reno", "newreno", "sack", "vegas", "westwood"];
    let table = [
        ("newrno", Some("newreno")),   // one letter missing
        ("newrenoo", Some("newreno")), // one letter too many
        ("newrneo", Some("newreno")),  // two letters swapped
        ("NewReno", Some("newreno")),  // case does not count
        ("westwod", Some("westwood")),
        ("sakc", Some("sack")),
        ("bbr", None), // no near match: no hint is better than a wrong one
        ("", None),
    ];
    for (word, nearest) in table {
        assert_eq!(suggest(word, &variants).as_deref(), nearest, "{word}");
    }
    assert_eq!(suggest("reno", &[]), None);
}

#[test]
fn distances_by_hand() {
    let of = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
    assert_eq!(of("kitten", "sitting"), 3);
    assert_eq!(of("ab", "ba"), 1);
    assert_eq!(of("", "abc"), 3);
    assert_eq!(of("same", "same"), 0);
}

proptest! {
    #[test]
    fn distance_is_symmetric_and_zero_only_for_equals(a in "[a-c]{0,6}", b in "[a-c]{0,6}") {
        let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        prop_assert_eq!(distance(&x, &y), distance(&y, &x));
        prop_assert_eq!(distance(&x, &y) == 0, a == b);
        prop_assert!(distance(&x, &y) <= x.len().max(y.len()));
    }
}
