//! Shared by several checks: variants, names of files, and the remedy for a node that isn't there.

use crate::flow::FlowTable;
use std::path::{Path, PathBuf};
use tworay_base::ConfigProblem;
use tworay_tcp::Variant;

/// Parses a variant's name, which is the value of `key`.
pub(super) fn read_variant(key: &str, text: &str) -> Result<Variant, ConfigProblem> {
    text.parse::<Variant>().map_err(|error| error.of(key))
}

/// The variant of a TCP flow: its own, or the default.
pub(super) fn variant_of(flow: &FlowTable, default: &Variant) -> Result<Variant, ConfigProblem> {
    flow.tcp.as_ref().map_or_else(|| Ok(default.clone()), |name| read_variant("tcp", name))
}

/// A file named in a scenario, relative to the scenario's folder.
pub(super) fn joined(file: PathBuf, base_dir: &Path) -> PathBuf {
    if base_dir.as_os_str().is_empty() { file } else { base_dir.join(file) }
}

/// The remedy for a node that is not there.
pub(super) fn numbered(nodes: u32) -> String {
    match nodes {
        1 => "This scenario has one node, number 0.".to_owned(),
        _ => format!("This scenario has {nodes} nodes, numbered 0 to {}.", nodes.saturating_sub(1)),
    }
}
