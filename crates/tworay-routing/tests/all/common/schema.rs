//! The schema of a protocol's settings, key by key.

use schemars::Schema;
use serde_json::{Map, Value};

/// Every key with its default in a dialect.
pub fn defaults(schema: &Schema, dialect: &Value) -> Map<String, Value> {
    let name = dialect.as_str().expect("a dialect's name");
    let default = |value: &Value| value["x-dialects"].get(name).unwrap_or(&value["default"]).clone();
    let properties = schema.get("properties").and_then(Value::as_object).expect("properties");
    properties.iter().map(|(key, value)| (key.clone(), default(value))).collect()
}
