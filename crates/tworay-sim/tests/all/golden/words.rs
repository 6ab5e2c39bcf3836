//! Choices of a scenario that are words, and which of them the golden runs have.

use super::cases::Case;
use serde_json::Value;
use std::collections::BTreeSet;
use tworay_sim::scenario::json_schema;

/// Keys of a routing protocol follow its dialect, and each dialect has a case.
const BY_DIALECT: [&str; 3] = ["routing.aodv.", "routing.dsr.", "routing.olsr."];

/// `key=word` for every choice of the schema that no case has.
pub fn without_a_case(cases: &[Case]) -> Vec<String> {
    let schema = json_schema();
    let mut wanted = BTreeSet::new();
    words(&schema, &schema, "", &mut wanted);
    let hidden =
        |key: &str| BY_DIALECT.iter().any(|table| key.starts_with(table)) && !key.contains(".dialect=");
    // Wires without errors have no such key.
    let absent = |key: &str| key.starts_with("wire") && key.ends_with("=none");
    wanted.retain(|key| !hidden(key) && !absent(key));
    assert!(wanted.len() > 50, "the schema has changed its form: {wanted:?}");
    let mut found = BTreeSet::new();
    for case in cases {
        let text: toml::Value = toml::from_str(&case.scenario().to_toml()).expect("a scenario is TOML");
        chosen(&text, "", &mut found);
    }
    wanted.difference(&found).cloned().collect()
}

/// The words of a schema: `key=word`, with `[]` for lists; a table such as `{ bernoulli = … }` is a word as
/// well.
fn words(root: &Value, at: &Value, path: &str, found: &mut BTreeSet<String>) {
    let at = follow(root, at);
    let forms = ["oneOf", "anyOf"].into_iter().filter_map(|key| at.get(key)?.as_array()).flatten();
    for form in std::iter::once(at).chain(forms.map(|form| follow(root, form))) {
        let listed = form.get("enum").and_then(Value::as_array).into_iter().flatten();
        for word in listed.chain(form.get("const")).filter_map(Value::as_str) {
            found.insert(format!("{path}={word}"));
        }
        for (key, inner) in form.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let tagged = !std::ptr::eq(form, at)
                && form
                    .get("required")
                    .is_some_and(|r| r.as_array().is_some_and(|r| r.len() == 1 && r[0] == key.as_str()));
            if tagged && key != "kind" {
                found.insert(format!("{path}={key}"));
            }
            words(root, inner, format!("{path}.{key}").trim_start_matches('.'), found);
        }
        if let Some(items) = form.get("items") {
            words(root, items, &format!("{path}[]"), found);
        }
    }
}

/// The choices of a scenario, in the same form.
fn chosen(at: &toml::Value, path: &str, found: &mut BTreeSet<String>) {
    match at {
        toml::Value::Table(table) => {
            for (key, value) in table {
                found.insert(format!("{path}={key}"));
                chosen(value, format!("{path}.{key}").trim_start_matches('.'), found);
            }
        }
        toml::Value::Array(items) => items.iter().for_each(|item| chosen(item, &format!("{path}[]"), found)),
        toml::Value::String(word) => drop(found.insert(format!("{path}={word}"))),
        _ => {}
    }
}

/// Resolves references, and the choice between a type and nothing.
fn follow<'s>(root: &'s Value, mut at: &'s Value) -> &'s Value {
    loop {
        let target =
            at.get("$ref").and_then(Value::as_str).and_then(|path| root.pointer(path.strip_prefix('#')?));
        let some = at.get("anyOf").and_then(Value::as_array).and_then(|forms| {
            let mut some =
                forms.iter().filter(|form| form.get("type").and_then(Value::as_str) != Some("null"));
            some.next().filter(|_| some.next().is_none())
        });
        match target.or(some) {
            Some(next) => at = next,
            None => return at,
        }
    }
}
