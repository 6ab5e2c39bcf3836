//! Options such as `--set mac.rts_threshold=3000B`, which override single values of the scenario file.

use crate::error::{Place, ScenarioError, Source};
use crate::tree::{Entry, Kind, Table, TomlNode};
use std::sync::Arc;

/// Format of `--set`, for messages.
const FORM: &str =
    "Write --set KEY=VALUE, for example --set mac.rts_threshold=3000B or --set flow.0.tcp=sack.";

/// Applies one `--set` to `root`. The value may be bare (`3000B`, `sack`, `true`, `7`) or TOML (`"3000B"`,
/// `[1, 2]`). List items are numbered from 0: `flow.0.start=2s`.
pub(crate) fn apply(root: &mut TomlNode, text: &str) -> Result<(), ScenarioError> {
    let source = Arc::new(Source { name: "--set".into(), text: text.to_owned(), has_lines: false });
    let whole = || Some(Place::new(&source, 0..text.len()));
    let Some((path, _)) = text.split_once('=') else {
        return Err(ScenarioError::new(whole(), "there is no \"=\" between key and value", FORM));
    };
    let value_start = path.len() + 1;
    let value = value_at(&source, value_start);
    if path.trim().is_empty() || path.split('.').any(|part| part.trim().is_empty()) {
        return Err(ScenarioError::new(Some(Place::new(&source, 0..path.len())), "the key is empty", FORM));
    }

    let mut at = 0;
    let mut parts = Vec::new();
    for part in path.split('.') {
        let lead = part.len() - part.trim_start().len();
        let name = part.trim();
        parts.push((name, Place::new(&source, at + lead..at + lead + name.len())));
        at += part.len() + 1;
    }
    descend(root, &parts, value)
}

/// The value after the `=`: TOML if it parses as TOML, otherwise the bare text.
fn value_at(source: &Arc<Source>, start: usize) -> TomlNode {
    let raw = &source.text[start..];
    let lead = raw.len() - raw.trim_start().len();
    let span = start + lead..start + lead + raw.trim().len();
    let bare =
        TomlNode { kind: Kind::Text(raw.trim().to_owned()), place: Some(Place::new(source, span.clone())) };
    match TomlNode::parse_value(source, span) {
        Some(node) => node,
        None => bare,
    }
}

fn descend(node: &mut TomlNode, parts: &[(&str, Place)], value: TomlNode) -> Result<(), ScenarioError> {
    let Some(((name, place), rest)) = parts.split_first() else {
        node.overlay(value);
        return Ok(());
    };
    match &mut node.kind {
        Kind::List(items) => {
            let count = items.len();
            match name.parse::<usize>().ok().and_then(|index| items.get_mut(index)) {
                Some(item) => descend(item, rest, value),
                None => {
                    let problem = format!("there is no item \"{name}\" in this list");
                    let remedy = format!("It has {count}, numbered from 0.");
                    Err(ScenarioError::new(Some(place.clone()), problem, remedy))
                }
            }
        }
        Kind::Table(table) => {
            let entry = table.entry((*name).to_owned()).or_insert_with(|| Entry {
                key_place: None,
                node: TomlNode { kind: Kind::Table(Table::new()), place: None },
            });
            entry.key_place = Some(place.clone());
            descend(&mut entry.node, rest, value)
        }
        // A value where the path needs a table: `--set duration.x=1`, or a shorthand in place of its long
        // form. Deserializing decides whether the table is allowed there.
        _ => {
            *node = TomlNode::empty();
            descend(node, parts, value)
        }
    }
}
