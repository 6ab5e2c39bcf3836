//! Errors of the simulator as Python exceptions, one class per exit code of the command line.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

use crate::simulator;

create_exception!(tworay._native, TworayError, PyException, "Base of every error tworay raises.");
create_exception!(tworay._native, ScenarioError, TworayError, "The scenario or its overrides are wrong.");
create_exception!(tworay._native, RunError, TworayError, "A run began and could not be finished.");
create_exception!(tworay._native, Cancelled, TworayError, "A run was stopped before its end.");

/// Adds the exceptions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("TworayError", py.get_type::<TworayError>())?;
    module.add("ScenarioError", py.get_type::<ScenarioError>())?;
    module.add("RunError", py.get_type::<RunError>())?;
    module.add("Cancelled", py.get_type::<Cancelled>())
}

/// An error in a scenario; its text contains the place and the remedy.
pub(crate) fn scenario(error: simulator::ScenarioError) -> PyErr {
    ScenarioError::new_err(error.to_string())
}

/// A run that failed or was cancelled.
pub(crate) fn run(error: simulator::RunError) -> PyErr {
    match error {
        simulator::RunError::Cancelled => Cancelled::new_err("the run was cancelled"),
        simulator::RunError::Failed(message) => RunError::new_err(message),
    }
}
