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
    let found = at_path(&schema, path)?.get("description").and_then(Value::as_str);
    found.map(str::to_owned)
}

/// The schema of the key at a dotted path, before its reference is resolved.
fn at_path<'s>(schema: &'s Value, path: &str) -> Option<&'s Value> {
    path.split('.').try_fold(schema, |at, part| {
        let at = follow(schema, at);
        match part.parse::<usize>() {
            Ok(_) => at.get("items"),
            Err(_) => property(at, part),
        }
    })
}

/// The schema of a key, also in a table with a `kind`, where each kind has its own keys.
fn property<'s>(at: &'s Value, key: &str) -> Option<&'s Value> {
    let forms = at.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    std::iter::once(at).chain(forms).find_map(|form| form.get("properties")?.get(key))
}

/// A value of the key `kind`, and the keys that it needs beside it.
pub(crate) struct KindOf {
    pub name: String,
    pub needs: Vec<String>,
}

/// Values of the key `kind` in the table at a dotted path.
pub(crate) fn kinds(path: &str) -> Vec<KindOf> {
    let schema = json_schema();
    let table = at_path(&schema, path).map(|at| follow(&schema, at));
    let forms = table.and_then(|table| table.get("oneOf")).and_then(Value::as_array);
    let kind = |form: &Value| {
        let name = form.pointer("/properties/kind/const")?.as_str()?.to_owned();
        let needs = form.get("required").and_then(Value::as_array).into_iter().flatten();
        let needs = needs.filter_map(Value::as_str).filter(|&key| key != "kind").map(str::to_owned).collect();
        Some(KindOf { name, needs })
    };
    forms.into_iter().flatten().filter_map(kind).collect()
}

/// Resolves a reference to its definition, also that of a key which may be left out (`T` or null).
fn follow<'s>(schema: &'s Value, at: &'s Value) -> &'s Value {
    let forms = at.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let mut defined = forms.filter(|form| form.get("$ref").is_some());
    let at = match (defined.next(), defined.next()) {
        (Some(only), None) => only,
        _ => at,
    };
    let target = at.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    target.and_then(|path| schema.pointer(path)).unwrap_or(at)
}
