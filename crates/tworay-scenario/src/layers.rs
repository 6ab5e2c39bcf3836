//! The layers of a scenario: defaults, the user's file, `--set`.

use crate::de::read;
use crate::error::{Place, ScenarioError, Source};
use crate::overrides;
use crate::settings::Settings;
use crate::tree::Kind;
use crate::tree::{Entry, Table, TomlNode};
use std::sync::Arc;
use tworay_mac::Dialect;

/// Layers the defaults that the file selects, the user's file, and the overrides.
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
    tree.overlay(user);
    Ok(tree)
}

/// The tables whose defaults differ from those of their types.
fn defaults(dialect: Dialect) -> TomlNode {
    let mut table = Table::new();
    if dialect == Dialect::Ns2 {
        let plain = written(&Settings::default());
        for (key, value) in written(&Settings::ns2()) {
            if plain.get(&key) != Some(&value) {
                table.insert(key, Entry { key_place: None, node: TomlNode::from_toml(&value) });
            }
        }
    }
    TomlNode { kind: Kind::Table(table), place: None }
}

fn written(settings: &Settings) -> toml::Table {
    toml::Table::try_from(settings).expect("settings are TOML: their tests write and read them")
}
