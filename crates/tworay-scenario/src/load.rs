//! Reads a scenario from a file or a text.

use crate::error::{ScenarioError, Source};
use crate::scenario::Scenario;
use crate::{builtin, check, layers};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Where the traffic of a scenario comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// From its flows: it must have one.
    Flows,
    /// Also from the stations of a live network: it may have no flow.
    Stations,
}

impl Scenario {
    /// Reads a scenario: `source` is a file, or the name of a built-in scenario such as `string-4`.
    /// `overrides` are `KEY=VALUE` texts, applied in order.
    pub fn load(source: &str, overrides: &[String]) -> Result<Self, ScenarioError> {
        Self::load_for(source, overrides, Traffic::Flows)
    }

    /// As [`Self::load`], with traffic that may come from elsewhere.
    pub fn load_for(source: &str, overrides: &[String], traffic: Traffic) -> Result<Self, ScenarioError> {
        let path = Path::new(source);
        if source.ends_with(".toml") || path.is_file() {
            let text = read_file(path)?;
            let folder = path.parent().unwrap_or(Path::new(""));
            return Self::from_toml_for(&text, source, folder, overrides, traffic);
        }
        let text = builtin::find(source)?;
        Self::from_toml_for(&text, &format!("<{source}>"), Path::new(""), overrides, traffic)
    }

    /// Reads a scenario from TOML text. `file_name` is used in messages and as the scenario's default name;
    /// file names in the scenario are relative to `base_dir`.
    pub fn from_toml(
        text: &str,
        file_name: &str,
        base_dir: &Path,
        overrides: &[String],
    ) -> Result<Self, ScenarioError> {
        Self::from_toml_for(text, file_name, base_dir, overrides, Traffic::Flows)
    }

    /// As [`Self::from_toml`], with traffic that may come from elsewhere.
    pub fn from_toml_for(
        text: &str,
        file_name: &str,
        base_dir: &Path,
        overrides: &[String],
        traffic: Traffic,
    ) -> Result<Self, ScenarioError> {
        let source = Arc::new(Source { name: file_name.to_owned(), text: text.to_owned(), has_lines: true });
        let tree = layers::assemble(&source, overrides)?;
        check::resolve(tree, file_name, base_dir, traffic)
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
