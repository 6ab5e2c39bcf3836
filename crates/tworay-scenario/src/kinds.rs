//! Kinds of wires: a `[[wire]]` with `kind = "NAME"` takes the keys it lacks from `[wire_kind.NAME]`.
//! A kind that no wire has is rejected, because its keys would do nothing.

use crate::error::ScenarioError;
use crate::tree::{Entry, Kind, TomlNode};
use std::collections::{BTreeMap, BTreeSet};
use tworay_base::suggest;

/// Applies the keys of their kind to the wires. Values of a wrong type are left for deserialization to
/// reject.
pub(crate) fn apply(tree: &mut TomlNode) -> Result<(), ScenarioError> {
    let Kind::Table(root) = &mut tree.kind else { return Ok(()) };
    let kinds: BTreeMap<String, Entry> = match root.get("wire_kind").map(|entry| &entry.node.kind) {
        Some(Kind::Table(table)) => table.clone(),
        _ => BTreeMap::new(),
    };
    let mut used = BTreeSet::new();
    let wires: &mut [TomlNode] = match root.get_mut("wire").map(|entry| &mut entry.node.kind) {
        Some(Kind::List(wires)) => wires,
        Some(_) => return Ok(()),
        None => &mut [],
    };
    for (i, wire) in wires.iter_mut().enumerate() {
        let Some(entry) = wire.as_table().and_then(|table| table.get("kind")) else { continue };
        let Some(name) = entry.node.as_text() else { return Ok(()) };
        let Some(kind) = kinds.get(name) else {
            let names: Vec<&str> = kinds.keys().map(String::as_str).collect();
            let problem = format!("wire.{i}.kind: there is no [wire_kind.{name}]");
            let add = format!("Add a table [wire_kind.{name}], or remove the key.");
            return Err(ScenarioError::new(entry.node.place.clone(), problem, remedy(name, &names, add)));
        };
        let place = wire.place.clone();
        used.insert(name.to_owned());
        let mut whole = kind.node.clone();
        whole.overlay(wire.clone());
        whole.place = place;
        if let Kind::Table(table) = &mut whole.kind {
            table.remove("kind");
        }
        *wire = whole;
    }
    if let Some((name, entry)) = kinds.iter().find(|(name, _)| !used.contains(*name)) {
        let names: Vec<&str> = used.iter().map(String::as_str).collect();
        let add = format!("Give a [[wire]] kind = \"{name}\", or remove this.");
        let problem = format!("wire_kind.{name}: no wire is of this kind");
        let place = entry.key_place.clone().or(entry.node.place.clone());
        return Err(ScenarioError::new(place, problem, remedy(name, &names, add)));
    }
    Ok(())
}

/// Names the nearest of the kinds at hand; without any, says what to `add`.
fn remedy(name: &str, names: &[&str], add: String) -> String {
    match (suggest(name, names), names) {
        (_, []) => add,
        (Some(nearest), _) => format!("Did you mean \"{nearest}\"? Kinds here: {}.", names.join(", ")),
        (None, _) => format!("Kinds here: {}.", names.join(", ")),
    }
}
