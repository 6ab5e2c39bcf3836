//! What is wrong with a scenario's topology, mobility or movement file.

use std::fmt;
use tworay_wire::ReadError;

/// Where the fault lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A key of the scenario, such as `mobility.min_speed`.
    Key(String),
    /// A file, and the line in it if the fault has one (counted from 1).
    File {
        /// The file's path as it was opened.
        file: String,
        /// The line.
        line: Option<u32>,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Key(key) => f.write_str(key),
            Place::File { file, line: None } => f.write_str(file),
            Place::File { file, line: Some(line) } => write!(f, "{file}:{line}"),
        }
    }
}

/// Why no world can be built: where, what is wrong, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MobilityError {
    /// The key, or the file and line.
    pub place: Place,
    /// What is wrong, with what was found.
    pub problem: String,
    /// What the user can do about it.
    pub remedy: String,
}

impl MobilityError {
    /// A fault of a scenario key.
    pub(crate) fn key(key: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { place: Place::Key(key.into()), problem: problem.into(), remedy: remedy.into() }
    }
}

impl From<ReadError> for MobilityError {
    fn from(e: ReadError) -> Self {
        Self { place: Place::File { file: e.file, line: e.line }, problem: e.problem, remedy: e.remedy }
    }
}

impl fmt::Display for MobilityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.problem, self.remedy)
    }
}

impl std::error::Error for MobilityError {}
