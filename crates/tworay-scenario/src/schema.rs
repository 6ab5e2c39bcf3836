//! JSON Schema of the scenario file, for editors and for the help in messages.

use crate::settings::{DEFAULT_VARIANT, Settings};
use serde_json::{Value, json};

/// JSON Schema (draft 2020-12) of the scenario file. TOML editors use it to complete and check keys.
pub fn json_schema() -> Value {
    let mut schema = schemars::schema_for!(Settings).to_value();
    if let Some(properties) = schema.pointer_mut("/$defs/TcpConfig/properties").and_then(Value::as_object_mut)
    {
        properties.insert(
            "variant".into(),
            json!({
                "type": "string",
                "default": DEFAULT_VARIANT,
                "description": "Default TCP variant of flows, such as \"newreno\" or \"sack\"; `tworay variants` \
                                lists them; \"mine.py:Mine\" names your own class in a Python file next to \
                                this one.",
            }),
        );
    }
    widen(&mut schema);
    schema
}

/// Allows a name wherever the schema has a node's number: in the whole-number keys `from`, `to` and `node`.
fn widen(schema: &mut Value) {
    match schema {
        Value::Object(table) => {
            if let Some(Value::Object(properties)) = table.get_mut("properties") {
                for key in ["from", "to", "node"] {
                    if let Some(Value::Object(node)) = properties.get_mut(key)
                        && is_whole(node.get("type"))
                    {
                        let kind = match node.get("type") {
                            Some(Value::Array(_)) => json!(["integer", "string", "null"]),
                            _ => json!(["integer", "string"]),
                        };
                        node.insert("type".into(), kind);
                    }
                }
            }
            table.values_mut().for_each(widen);
        }
        Value::Array(items) => items.iter_mut().for_each(widen),
        _ => {}
    }
}

/// True if a schema's type is that of whole numbers.
pub(crate) fn is_whole(kind: Option<&Value>) -> bool {
    match kind {
        Some(Value::String(name)) => name == "integer",
        Some(Value::Array(names)) => names.contains(&json!("integer")),
        _ => false,
    }
}

/// Description of the key at a dotted path.
pub(crate) fn description(path: &str) -> Option<String> {
    let schema = json_schema();
    let mut at = &schema;
    let mut found = None;
    for part in path.split('.') {
        at = follow(&schema, at);
        at = match part.parse::<usize>() {
            Ok(_) => at.get("items")?,
            Err(_) => property(at, part)?,
        };
        found = at.get("description").and_then(Value::as_str);
    }
    found.map(str::to_owned)
}

/// The schema of a key, also in a table with a `kind`, where each kind has its own keys.
fn property<'s>(at: &'s Value, key: &str) -> Option<&'s Value> {
    let forms = at.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    std::iter::once(at).chain(forms).find_map(|form| form.get("properties")?.get(key))
}

/// Values of the key `kind` in the table at a dotted path.
pub(crate) fn kinds(path: &str) -> Vec<String> {
    let schema = json_schema();
    let mut steps = path.split('.').filter(|part| part.parse::<usize>().is_err());
    let table = steps.try_fold(&schema, |at, part| Some(follow(&schema, at.get("properties")?.get(part)?)));
    let forms = table.and_then(|table| table.get("oneOf")).and_then(Value::as_array);
    let kind = |form: &Value| Some(form.pointer("/properties/kind/const")?.as_str()?.to_owned());
    forms.into_iter().flatten().filter_map(kind).collect()
}

/// Resolves a reference to its definition.
fn follow<'s>(schema: &'s Value, at: &'s Value) -> &'s Value {
    let target = at.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    target.and_then(|path| schema.pointer(path)).unwrap_or(at)
}
