//! Which keys and values the generator sets.

use crate::draw;
use crate::keys::ALL;
use crate::plan::Step;
use std::collections::{BTreeMap, BTreeSet};
use toml::Value;

/// Keys of the tables drawn from the schema that stay out of scenarios, and why.
const LEFT_OUT: [(&str, &str); 2] = [
    ("energy.costs", "the name of a file; tests/all/costs.rs"),
    ("energy.costs_sha256", "the digest of that file"),
];

/// Paths of keys, without the places in arrays, and their values as text.
fn values(plans: u64) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for number in 0..plans {
        let mut plan = draw::plan(number);
        for path in plan.paths() {
            let name: Vec<&str> = path
                .iter()
                .filter_map(|step| match step {
                    Step::Key(key) => Some(key.as_str()),
                    Step::Item(_) => None,
                })
                .collect();
            let value = plan.at_mut(&path).map(|value: &mut Value| value.to_string());
            found.entry(name.join(".")).or_default().extend(value);
        }
    }
    found
}

/// Every key is set in some scenario, with at least two values. A key that scenarios always refuse is drawn wrongly.
#[test]
fn every_key_is_set_with_several_values() {
    let plans = crate::number("TORTURE_RUNS", 1500).max(1500);
    let found = values(plans);
    let pairs: usize = ALL.iter().filter_map(|key| found.get(&key.path)).map(BTreeSet::len).sum();
    println!("{} keys of the drawn tables, {pairs} pairs of key and value in {plans} scenarios", ALL.len());
    let missing: Vec<&str> = ALL
        .iter()
        .map(|key| key.path.as_str())
        .filter(|path| LEFT_OUT.iter().all(|(out, _)| out != path))
        .filter(|path| found.get(*path).is_none_or(|values| values.len() < 2))
        .collect();
    assert!(missing.is_empty(), "never or only once set: {missing:?}");
}
