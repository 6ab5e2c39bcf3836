//! The layers of a scenario: defaults, the user's file, `--set`.

use crate::de::read;
use crate::error::{Place, ScenarioError, Source};
use crate::overrides;
use crate::presets;
use crate::settings::Settings;
use crate::tree::Kind;
use crate::tree::{Entry, TomlNode};
use std::sync::Arc;
use tworay_base::{Dialect, FollowsDialect};

/// Layers the values of the dialect that the file selects, the user's file, and the overrides.
pub(crate) fn assemble(source: &Arc<Source>, sets: &[String]) -> Result<TomlNode, ScenarioError> {
    let mut user = TomlNode::parse(source)?;
    // Errors that concern the whole file are shown at its first line.
    user.place = Some(Place::new(source, 0..0));
    for set in sets {
        overrides::apply(&mut user, set)?;
    }
    let dialect = match user.as_table().and_then(|table| table.get("dialect")) {
        Some(entry) => read::<Dialect>(&entry.node, "dialect")?,
        None => Dialect::Standard,
    };
    let mut tree = defaults(dialect);
    presets::apply(&mut tree, &user)?;
    tree.overlay(user);
    Ok(tree)
}

/// Tables whose values depend on the dialect. They lie below the user's file in full.
const TABLES: [&str; 5] = ["radio", "station", "mac", "routing", "tcp"];

fn defaults(dialect: Dialect) -> TomlNode {
    let settings = toml::Table::try_from(Settings::of(dialect))
        .expect("settings are TOML: their tests write and read them");
    let tables = settings.iter().filter(|(key, _)| TABLES.contains(&key.as_str()));
    let table = tables
        .map(|(key, value)| (key.clone(), Entry { key_place: None, node: TomlNode::from_toml(value) }))
        .collect();
    TomlNode { kind: Kind::Table(table), place: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The other tables are the same in every dialect.
    #[test]
    fn every_table_with_a_dialect_is_listed() {
        let of = |dialect| toml::Table::try_from(Settings::of(dialect)).expect("a table");
        let (standard, ns2) = (of(Dialect::Standard), of(Dialect::Ns2));
        let differing: Vec<_> = ns2.keys().filter(|&key| ns2.get(key) != standard.get(key)).collect();
        let mut listed = Vec::from(TABLES);
        listed.push("dialect");
        listed.sort_unstable();
        assert_eq!(differing, listed);
    }
}
