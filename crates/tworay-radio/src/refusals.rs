//! Refusals of settings out of range.

use tworay_base::ConfigProblem;

/// The problem with the value of `key`, and its remedy.
pub(crate) fn problem(key: &str, problem: String, remedy: String) -> ConfigProblem {
    ConfigProblem::new(key, problem, remedy)
}

/// Refuses a value outside `least` to `most`, and NaN.
pub(crate) fn between(key: &str, value: f64, least: f64, most: f64) -> Result<(), ConfigProblem> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(problem(key, format!("{value} is out of range"), format!("give a value from {least} to {most}")))
}
