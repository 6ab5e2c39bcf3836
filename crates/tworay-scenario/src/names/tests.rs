use super::*;
use crate::schema::{is_whole, json_schema};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Paths of the whole-number keys `from`, `to` and `node` in the schema.
fn nodes_of_schema(root: &Value, at: &Value, path: &str, found: &mut BTreeSet<String>) {
    let at = at.get("$ref").and_then(Value::as_str).map_or(at, |name| {
        &root[name.trim_start_matches("#/").split('/').next().unwrap()][name.rsplit('/').next().unwrap()]
    });
    for (name, inner) in at.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let here = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if matches!(name.as_str(), "from" | "to" | "node") && is_whole(inner.get("type")) {
            found.insert(here.clone());
        }
        nodes_of_schema(root, inner, &here, found);
    }
    if let Some(items) = at.get("items") {
        nodes_of_schema(root, items, &format!("{path}.*"), found);
    }
    for form in at.get("oneOf").and_then(Value::as_array).into_iter().flatten() {
        nodes_of_schema(root, form, path, found);
    }
}

#[test]
fn every_key_of_a_node_takes_a_name() {
    let schema = json_schema();
    let mut found = BTreeSet::new();
    nodes_of_schema(&schema, &schema, "", &mut found);
    assert_eq!(found, NODE_KEYS.map(str::to_owned).into());
    assert_eq!(schema.pointer("/$defs/Flow/properties/from/type"), Some(&json!(["integer", "string"])));
    assert_eq!(
        schema.pointer("/$defs/Event/properties/node/type"),
        Some(&json!(["integer", "string", "null"]))
    );
}

#[test]
fn names_are_those_of_hosts() {
    let longest = "a".repeat(63);
    for good in ["roof", "Alice", "node_3", "n-1", "x", &longest] {
        assert_eq!(fault(good), None, "{good}");
    }
    let longer = "a".repeat(64);
    for bad in
        ["", "7", "3rd", "-1", "+2", ".5", "a b", "a.b", "a:b", "dächle", "_x", "true", "inf", "nan", &longer]
    {
        assert!(fault(bad).is_some(), "{bad}");
    }
}
