//! The layers of a scenario: defaults, the user's file, `--set`.

use super::de::read;
use super::error::{Place, ScenarioError, Source};
use super::file::Compat;
use super::overrides;
use super::tree::Kind;
use super::tree::{Entry, Node, Table};
use crate::stations::StationConfig;
use serde::Serialize;
use std::sync::Arc;
use tworay_mac::MacConfig;
use tworay_radio::RadioConfig;
use tworay_routing::RoutingConfig;
use tworay_tcp::TcpConfig;

/// The user's text with the overrides on top and the defaults that it asks for below.
pub(crate) fn assemble(source: &Arc<Source>, sets: &[String]) -> Result<Node, ScenarioError> {
    let mut user = Node::parse(source)?;
    // What concerns the file as a whole is shown at its first line.
    user.place = Some(Place::new(source, 0..0));
    for set in sets {
        overrides::apply(&mut user, set)?;
    }
    let compat = match user.as_table().and_then(|table| table.get("compat")) {
        Some(entry) => read::<Compat>(&entry.node, "compat")?,
        None => Compat::None,
    };
    let mut tree = defaults(compat);
    tree.overlay(user);
    Ok(tree)
}

/// The tables that differ from the types' own defaults.
fn defaults(compat: Compat) -> Node {
    let mut table = Table::new();
    if compat == Compat::Ns2 {
        add(&mut table, "radio", &RadioConfig::ns2());
        add(&mut table, "station", &StationConfig::ns2());
        add(&mut table, "mac", &MacConfig::ns2());
        add(&mut table, "routing", &RoutingConfig::ns2());
        add(&mut table, "tcp", &TcpConfig::ns2());
    }
    Node { kind: Kind::Table(table), place: None }
}

fn add(table: &mut Table, key: &str, config: &impl Serialize) {
    let value =
        toml::Value::try_from(config).expect("settings are TOML values: their tests write and read them");
    table.insert(key.to_owned(), Entry { key_place: None, node: Node::from_toml(&value) });
}
