//! The scenario's table of computing costs: the shipped one, or a user's own file.

use crate::error::{Place, ScenarioError, Source};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use tworay_tcp::{COSTS_CSV, CostTable};

/// A table of costs, with its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// Costs of operations.
    pub table: CostTable,
    /// The text, to be stored with results.
    pub text: String,
    /// SHA-256 of the text, in hexadecimal digits.
    pub sha256: String,
}

/// Why the table could not be read.
pub(crate) enum Unread {
    /// The file cannot be read: problem and remedy.
    NoFile(String, String),
    /// Its content is wrong; the error points at its line.
    Wrong(ScenarioError),
}

/// A table has one line per variant; a larger file is not a table.
const MOST_BYTES: u64 = 1 << 20;

static SHIPPED: LazyLock<Arc<Costs>> = LazyLock::new(|| {
    let sha256 = hex(COSTS_CSV.as_bytes());
    Arc::new(Costs { table: CostTable::shipped().clone(), text: COSTS_CSV.to_owned(), sha256 })
});

impl Costs {
    /// The shipped table.
    pub fn shipped() -> Arc<Self> {
        Arc::clone(&SHIPPED)
    }

    pub(crate) fn read(file: &Path) -> Result<Self, Unread> {
        let name = file.display().to_string();
        let no_file = |problem: String, remedy: &str| Err(Unread::NoFile(problem, remedy.to_owned()));
        let mut bytes = Vec::new();
        if let Err(error) = File::open(file).and_then(|f| f.take(MOST_BYTES + 1).read_to_end(&mut bytes)) {
            let reason = match error.kind() {
                std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
                _ => format!("the file can't be read: {error}"),
            };
            return no_file(
                format!("{name}: {reason}"),
                "Name a table as `tworay costs --out FILE.csv` writes it; in a scenario file, and with \
                 --set, the name is relative to that file, with --costs to the working directory.",
            );
        }
        if bytes.len() as u64 > MOST_BYTES {
            return no_file(format!("{name}: larger than 1 MiB"), "A table has one line a variant.");
        }
        let sha256 = hex(&bytes);
        let Ok(text) = String::from_utf8(bytes) else {
            return no_file(format!("{name}: not UTF-8 text"), "Save the table as CSV in UTF-8.");
        };
        let table = CostTable::read(&text).map_err(|wrong| {
            let source = Arc::new(Source { name, text: text.clone(), has_lines: true });
            let place = Place::new(&source, wrong.span);
            Unread::Wrong(ScenarioError::new(Some(place), wrong.problem, wrong.remedy))
        })?;
        Ok(Self { table, text, sha256 })
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
