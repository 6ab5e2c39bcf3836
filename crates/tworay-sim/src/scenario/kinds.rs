//! Kinds of wires: a `[[wire]]` with `kind = "NAME"` takes the keys it lacks from `[wire_kind.NAME]`.

use super::error::ScenarioError;
use super::tree::{Kind, Node};
use std::collections::BTreeMap;
use tworay_base::suggest;

/// Applies the keys of their kind to the wires. Values of a wrong type are left for deserialization to reject.
pub(crate) fn apply(tree: &mut Node) -> Result<(), ScenarioError> {
    let Kind::Table(root) = &mut tree.kind else { return Ok(()) };
    let kinds: BTreeMap<String, Node> = match root.get("wire_kind").map(|entry| &entry.node.kind) {
        Some(Kind::Table(table)) => table.iter().map(|(name, e)| (name.clone(), e.node.clone())).collect(),
        _ => BTreeMap::new(),
    };
    let Some(Kind::List(wires)) = root.get_mut("wire").map(|entry| &mut entry.node.kind) else {
        return Ok(());
    };
    for (i, wire) in wires.iter_mut().enumerate() {
        let Some(entry) = wire.as_table().and_then(|table| table.get("kind")) else { continue };
        let Some(name) = entry.node.as_text() else { continue };
        let Some(kind) = kinds.get(name) else {
            let names: Vec<&str> = kinds.keys().map(String::as_str).collect();
            let problem = format!("wire.{i}.kind: there is no [wire_kind.{name}]");
            return Err(ScenarioError::new(entry.node.place.clone(), problem, remedy(name, &names)));
        };
        let place = wire.place.clone();
        let mut whole = kind.clone();
        whole.overlay(wire.clone());
        whole.place = place;
        if let Kind::Table(table) = &mut whole.kind {
            table.remove("kind");
        }
        *wire = whole;
    }
    Ok(())
}

fn remedy(name: &str, names: &[&str]) -> String {
    match (suggest(name, names), names) {
        (_, []) => format!("Add a table [wire_kind.{name}], or remove the key."),
        (Some(nearest), _) => format!("Did you mean \"{nearest}\"? Kinds here: {}.", names.join(", ")),
        (None, _) => format!("Kinds here: {}.", names.join(", ")),
    }
}
