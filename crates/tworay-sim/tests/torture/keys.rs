//! The keys of a scenario, from its JSON Schema.

use serde_json::Value;
use std::sync::LazyLock;
use tworay_sim::scenario::json_schema;

/// The schema of a scenario.
pub static SCHEMA: LazyLock<Value> = LazyLock::new(json_schema);

/// A key that holds a value, not a table of keys.
#[derive(Clone, Debug)]
pub struct Key {
    /// Path of keys with dots.
    pub path: String,
    pub schema: &'static Value,
}

/// Tables whose keys are drawn one by one. The others describe the world, and [`crate::draw`] knows their rules.
pub const TABLES: [&str; 7] = ["radio", "mac", "routing", "tcp", "station", "energy", "errors"];

/// The definition behind a reference, also for an optional key.
pub fn resolve(schema: &'static Value) -> &'static Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return &SCHEMA["$defs"][name];
    }
    let forms = || schema["anyOf"].as_array().into_iter().flatten().filter(|form| form["type"] != "null");
    match (forms().next(), forms().count()) {
        (Some(form), 1) => resolve(form),
        _ => schema,
    }
}

/// Name of the definition behind a reference, such as `SimDuration`.
pub fn definition(schema: &'static Value) -> Option<&'static str> {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next();
    }
    schema["anyOf"].as_array().into_iter().flatten().find_map(definition)
}

/// The keys below a table of the scenario.
pub fn below(table: &str) -> Vec<Key> {
    let mut found = Vec::new();
    gather(table, &SCHEMA["properties"][table], &mut found);
    found
}

/// The keys of all tables that are drawn one by one.
pub static ALL: LazyLock<Vec<Key>> = LazyLock::new(|| TABLES.iter().flat_map(|t| below(t)).collect());

fn gather(path: &str, schema: &'static Value, found: &mut Vec<Key>) {
    match resolve(schema)["properties"].as_object() {
        Some(inner) => {
            inner.iter().for_each(|(name, schema)| gather(&format!("{path}.{name}"), schema, found));
        }
        None => found.push(Key { path: path.to_owned(), schema }),
    }
}
