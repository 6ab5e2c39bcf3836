//! Refusals of settings out of range.

use tworay_base::{ConfigProblem, SimDuration};

/// Upper bound of timer granularities.
pub(super) const COARSEST_HEARTBEAT: SimDuration = SimDuration::from_secs(10);

/// Refuses the value of `key`.
pub(super) fn problem(key: &str, what: String, remedy: &str) -> Result<(), ConfigProblem> {
    ConfigProblem::refuse(key, what, remedy)
}
