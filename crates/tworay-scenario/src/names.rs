//! Names of nodes: `[names]` gives them, and every key that takes a node's number takes its name instead.
//!
//! Names are replaced by numbers in the tree, before the settings are read: no setting holds a name, and an error
//! still points at the user's text.

use crate::de::read;
use crate::error::{Place, ScenarioError};
use crate::tree::{Kind, TomlNode};
use std::collections::BTreeMap;
use tworay_base::suggest;

/// Keys of the scenario whose value is a node; `*` stands for the items of a list.
const NODE_KEYS: [&str; 10] = [
    "flow.*.from",
    "flow.*.to",
    "wire.*.from",
    "wire.*.to",
    "event.*.node",
    "energy.batteries.*.node",
    "radio.link.*.from",
    "radio.link.*.to",
    "mobility.legs.*.node",
    "mobility.fixed.*.node",
];

/// Longest name: that of a label in a host's name (RFC 1035 §2.3.4).
const MOST_LETTERS: usize = 63;

/// Words that are values in TOML, so that `--set flow.0.to=inf` would not be a text.
const VALUES: [&str; 4] = ["true", "false", "inf", "nan"];

/// Names listed in a remedy; more would hide the advice.
const LISTED: usize = 8;

/// Replaces names by numbers wherever a node is meant.
///
/// # Errors
/// A name that is none, that two nodes share but for upper and lower case, or that no node has; two names of one node.
pub(crate) fn apply(tree: &mut TomlNode) -> Result<(), ScenarioError> {
    let names = declared(tree)?;
    for path in NODE_KEYS {
        let steps: Vec<&str> = path.split('.').collect();
        replace(tree, &steps, "", &names)?;
    }
    Ok(())
}

/// The names of the table `[names]`, checked.
fn declared(tree: &TomlNode) -> Result<BTreeMap<String, u16>, ScenarioError> {
    let Some(entry) = tree.as_table().and_then(|table| table.get("names")) else {
        return Ok(BTreeMap::new());
    };
    let names: BTreeMap<String, u16> = read(&entry.node, "names")?;
    let place_of = |name: &str| {
        let own = entry.node.as_table().and_then(|table| table.get(name));
        // What `--set` gave is shown there, also if the name is the file's.
        let given = own.and_then(|own| own.node.place.clone()).filter(Place::is_of_command);
        given.or_else(|| own.and_then(|own| own.key_place.clone().or(own.node.place.clone())))
    };
    let mut earlier: BTreeMap<u16, &str> = BTreeMap::new();
    let mut folded: BTreeMap<String, &str> = BTreeMap::new();
    // In the order of the file and then of `--set`, so that an error is at the later of two.
    let mut ordered: Vec<_> = names.iter().map(|(name, &node)| (&**name, node)).collect();
    ordered.sort_by_key(|&(name, _)| place_of(name).map(|place| (place.is_of_command(), place.line())));
    for (name, node) in ordered {
        let fail = |problem: &str, remedy: &str| {
            Err(ScenarioError::new(place_of(name), format!("names.{name}: {problem}"), remedy))
        };
        if let Some((problem, remedy)) = fault(name) {
            return fail(&problem, &remedy);
        }
        if let Some(other) = folded.insert(name.to_ascii_lowercase(), name) {
            let problem = format!("differs from \"{other}\" only in upper and lower case");
            return fail(
                &problem,
                "Hosts' names don't tell them apart: choose another name for one of the two.",
            );
        }
        if let Some(other) = earlier.insert(node, name) {
            return fail(
                &format!("node {node} is \"{other}\" already"),
                "A node has one name: keep one of the two.",
            );
        }
    }
    Ok(names)
}

/// Problem and remedy of a text that can't be a name.
fn fault(name: &str) -> Option<(String, String)> {
    let fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let form =
        "Give 1 to 63 letters, digits, \"-\" and \"_\", the first a letter: it is also the name of a host.";
    if name.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        let rest: String = name.chars().filter(|&c| fit(c)).collect();
        let remedy = format!("Begin with a letter, such as \"n{}\".", rest.trim_start_matches('-'));
        return Some(("a name that begins like a number".into(), remedy));
    }
    if VALUES.contains(&name) {
        return Some(("a word that is a value in TOML".into(), "Choose another name.".into()));
    }
    let fits = name.len() <= MOST_LETTERS && name.starts_with(|c: char| c.is_ascii_alphabetic());
    (!fits || !name.chars().all(fit)).then(|| ("not a name of a node".into(), form.into()))
}

/// Replaces the names at the places that `steps` lead to; `path` leads to `node`.
fn replace(
    node: &mut TomlNode,
    steps: &[&str],
    path: &str,
    names: &BTreeMap<String, u16>,
) -> Result<(), ScenarioError> {
    let Some((&step, rest)) = steps.split_first() else {
        if let Kind::Text(text) = &node.kind {
            node.kind = Kind::Integer(i64::from(number_of(text, path, node.place.as_ref(), names)?));
        }
        return Ok(());
    };
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match &mut node.kind {
        Kind::List(items) if step == "*" => {
            for (i, item) in items.iter_mut().enumerate() {
                replace(item, rest, &below(&i.to_string()), names)?;
            }
        }
        Kind::Table(table) => {
            if let Some(entry) = table.get_mut(step) {
                replace(&mut entry.node, rest, &below(step), names)?;
            }
        }
        // A value of another form is left for deserialization to reject.
        _ => {}
    }
    Ok(())
}

/// The number of the node with a name.
fn number_of(
    text: &str,
    path: &str,
    place: Option<&Place>,
    names: &BTreeMap<String, u16>,
) -> Result<u16, ScenarioError> {
    number_by_name(text, names)
        .map_err(|(problem, remedy)| ScenarioError::new(place.cloned(), format!("{path}: {problem}"), remedy))
}

/// The number of the node with a name, or problem and remedy.
pub(crate) fn number_by_name(text: &str, names: &BTreeMap<String, u16>) -> Result<u16, (String, String)> {
    if let Some(&number) = names.get(text) {
        return Ok(number);
    }
    let remedy = if text.parse::<f64>().is_ok() {
        format!("Write a number without quotes: {text}.")
    } else if names.is_empty() {
        format!("Give a node's number, or name nodes: a table [names] with {text} = and the number.")
    } else {
        let known: Vec<&str> = names.keys().map(String::as_str).collect();
        let hint =
            suggest(text, &known).map_or_else(String::new, |name| format!("Did you mean \"{name}\"? "));
        let more = if known.len() > LISTED { ", ..." } else { "" };
        format!("{hint}Names here: {}{more}.", known[..known.len().min(LISTED)].join(", "))
    };
    Err((format!("no node has the name \"{text}\""), remedy))
}

#[cfg(test)]
mod tests;
