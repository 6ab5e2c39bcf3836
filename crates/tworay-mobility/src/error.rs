//! Errors in a scenario's topology, mobility or movement file.

use std::fmt;
use tworay_base::ConfigProblem;
use tworay_wire::ReadError;

/// Why the nodes' movement cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MobilityError {
    /// A setting of the scenario, with its complete key (`mobility.min_speed`).
    Setting(ConfigProblem),
    /// The movement file.
    File(ReadError),
}

impl MobilityError {
    /// An error about a scenario key.
    pub(crate) fn key(key: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Setting(ConfigProblem::new(key, problem, remedy))
    }

    /// The remedy.
    pub fn remedy(&self) -> &str {
        match self {
            Self::Setting(problem) => &problem.remedy,
            Self::File(error) => &error.remedy,
        }
    }
}

impl From<ReadError> for MobilityError {
    fn from(error: ReadError) -> Self {
        Self::File(error)
    }
}

impl fmt::Display for MobilityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(problem) => problem.fmt(f),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MobilityError {}
