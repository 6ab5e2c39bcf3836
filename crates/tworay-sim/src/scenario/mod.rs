//! Scenarios: read from TOML, validated, and written back.
//!
//! A scenario is built in layers: the defaults (the standards', or ns-2's with `dialect = "ns2"`), the
//! user's file, and `--set KEY=VALUE` on top. Every value keeps its source position, so that errors are
//! shown at the user's own line, with what is allowed there.

mod builtin;
mod check;
mod convert;
mod costs;
mod de;
mod error;
mod estimate;
mod event;
mod fields;
mod file;
mod flow;
mod kinds;
mod layers;
mod overrides;
mod saturated;
mod schema;
mod setup;
mod tree;
mod wire;
mod write;

pub use builtin::{BuiltinInfo, builtin_list, builtin_text};
pub use convert::{convert, flow_tables};
pub(crate) use convert::{read_movement, unreadable};
pub use costs::Costs;
pub use error::ScenarioError;
pub use estimate::Estimate;
pub use event::{EventConfig, EventKind};
pub use file::Settings;
pub use schema::json_schema;
pub use tworay_base::suggest;
pub use tworay_mac::Dialect;
pub use wire::WireConfig;

use crate::flow::{Application, FlowSetup};
use error::{Place, Source};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use tworay_base::SimTime;
use tworay_tcp::Variant;

/// A complete scenario: all defaults filled in, all values validated, file names resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// All settings of the file. File names are relative to the working directory instead of the file,
    /// events are in order of time, and the kinds of wires are filled in. The flows are those in
    /// [`Self::flows`].
    pub settings: Settings,
    /// Computing costs of the transport.
    pub costs: Arc<Costs>,
    /// Default variant of TCP flows.
    pub variant: Variant,
    /// The flows, at least one.
    pub flows: Vec<FlowSetup>,
    /// Nodes with a radio.
    pub(crate) radio_nodes: u32,
}

impl Scenario {
    /// Name in tables and results.
    pub fn name(&self) -> &str {
        self.settings.name.as_deref().unwrap_or_default()
    }

    /// Reads a scenario: `source` is a file, or the name of a built-in scenario such as `string-4`.
    /// `overrides` are `KEY=VALUE` texts, applied in order.
    pub fn load(source: &str, overrides: &[String]) -> Result<Self, ScenarioError> {
        let path = Path::new(source);
        if source.ends_with(".toml") || path.is_file() {
            let text = read_file(path)?;
            return Self::from_toml(&text, source, path.parent().unwrap_or(Path::new("")), overrides);
        }
        let text = builtin::find(source)?;
        Self::from_toml(&text, &format!("<{source}>"), Path::new(""), overrides)
    }

    /// Reads a scenario from TOML text. `file_name` is used in messages and as the scenario's default name;
    /// file names in the scenario are relative to `base_dir`.
    pub fn from_toml(
        text: &str,
        file_name: &str,
        base_dir: &Path,
        overrides: &[String],
    ) -> Result<Self, ScenarioError> {
        let source = Arc::new(Source { name: file_name.to_owned(), text: text.to_owned(), has_lines: true });
        let tree = layers::assemble(&source, overrides)?;
        check::resolve(tree, file_name, base_dir)
    }

    /// The resolved scenario as complete TOML. Read from the same working directory, it gives an equal
    /// scenario.
    pub fn to_toml(&self) -> String {
        write::to_toml(self)
    }

    /// The scenario as stored with results: as [`Self::to_toml`], but with `costs` as the name of a user's
    /// own table of costs in the same directory. Also returns the text of that table, if there is one.
    pub fn to_keep(&self, costs: &str) -> (String, Option<&str>) {
        if self.settings.energy.costs.is_none() {
            return (self.to_toml(), None);
        }
        let mut kept = self.clone();
        kept.settings.energy.costs = Some(costs.into());
        (kept.to_toml(), Some(&self.costs.text))
    }

    /// The same scenario with all TCP flows using variant `tcp`.
    pub fn with_variant(&self, tcp: &str) -> Result<Self, ScenarioError> {
        Ok(self.with_custom_variant(&Self::read_variant(tcp)?))
    }

    /// Parses a variant's name as given with `--tcp`.
    pub fn read_variant(tcp: &str) -> Result<Variant, ScenarioError> {
        let source = Arc::new(Source { name: "--tcp".into(), text: tcp.to_owned(), has_lines: false });
        let place = Place::new(&source, 0..tcp.len());
        tcp.parse::<Variant>()
            .map_err(|wrong| ScenarioError::new(Some(place), wrong.headline(), wrong.advice()))
    }

    /// As [`Self::with_variant`], for a given variant.
    pub fn with_custom_variant(&self, variant: &Variant) -> Self {
        let mut changed = self.clone();
        changed.variant = variant.clone();
        changed.set_flow_variants(|_| Some(variant.clone()));
        changed
    }

    /// Number of TCP flows.
    pub fn tcp_flow_count(&self) -> usize {
        self.flows.iter().filter(|flow| matches!(flow.application, Application::Ftp { .. })).count()
    }

    /// Sets the variants of TCP flows; `choose` is called with each one's index among the TCP flows.
    pub fn set_flow_variants(&mut self, mut choose: impl FnMut(usize) -> Option<Variant>) {
        let tcp = self.flows.iter_mut().filter_map(|flow| match &mut flow.application {
            Application::Ftp { variant, .. } => Some(variant),
            _ => None,
        });
        for (place, variant) in tcp.enumerate() {
            if let Some(chosen) = choose(place) {
                *variant = chosen;
            }
        }
    }

    /// The same scenario with other start times, one for each flow in their order. Fails at a flow that would start after its end, or after the end of the run.
    pub fn with_starts(&self, starts: &[SimTime]) -> Result<Self, ScenarioError> {
        let mut changed = self.clone();
        let end = SimTime::ZERO + self.settings.duration;
        for (i, (flow, &start)) in changed.flows.iter_mut().zip(starts).enumerate() {
            let until = flow.stop.unwrap_or(end).min(end);
            if start >= until {
                return Err(ScenarioError::new(
                    None,
                    format!(
                        "flow {i} would start at {:.3} s, and it ends at {:.3} s",
                        start.as_secs_f64(),
                        until.as_secs_f64()
                    ),
                    "Draw start times from a shorter span.",
                ));
            }
            flow.start = start;
        }
        Ok(changed)
    }

    /// Number of nodes, numbered from 0: those placed by the topology or the movement file, or in a
    /// wired-only network those named by wires.
    pub fn node_count(&self) -> u32 {
        self.settings
            .wires
            .iter()
            .map(|wire| u32::from(wire.from.max(wire.to)) + 1)
            .fold(self.radio_nodes, u32::max)
    }

    /// Number of nodes with a radio: all, or none in a wired-only network (wires and no topology).
    pub fn radio_node_count(&self) -> u32 {
        self.radio_nodes
    }
}

/// A larger file is not a scenario.
const MOST_BYTES: u64 = 16 << 20;

fn read_file(path: &Path) -> Result<String, ScenarioError> {
    let name = path.display();
    let fail = |problem: String, remedy: &str| ScenarioError::new(None, format!("{name}: {problem}"), remedy);
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)).map_err(|error| {
        let remedy = match error.kind() {
            std::io::ErrorKind::NotFound => {
                "Check the path, or name a built-in scenario without \".toml\"; `tworay scenarios` lists them."
            }
            std::io::ErrorKind::IsADirectory => "Name a file, not a folder.",
            _ => "Check that it is a file that you may read.",
        };
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => format!("the file can't be read: {error}"),
        };
        fail(reason, remedy)
    })?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(fail(
            "the file is larger than 16 MiB".into(),
            "A scenario is a short TOML text; check the path.",
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() + 1;
        let byte = error.as_bytes()[at];
        ScenarioError::new(
            None,
            format!("{name}:{line}: byte 0x{byte:02x} is not UTF-8 text"),
            "A scenario is TOML text in UTF-8: save it as UTF-8, or check the path.",
        )
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
