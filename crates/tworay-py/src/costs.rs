//! What transport computations cost: the table that ships, and the life by which it is measured.

use std::collections::BTreeMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::core;

/// The table of instructions by operation, as it ships: CSV with its provenance at the head.
#[pyfunction]
pub(crate) fn cost_table() -> &'static str {
    core::COSTS_CSV
}

/// How often each named function or operation ran.
type Counts = BTreeMap<&'static str, u64>;

/// A sender's life, to be counted from outside: calls by the name of the function that made them, the
/// sender's own count by operation, and the name of its recovery.
#[pyfunction]
pub(crate) fn live(py: Python<'_>, variant: &str) -> PyResult<(Counts, Counts, &'static str)> {
    let variant: core::Variant = variant.parse().map_err(|e| PyValueError::new_err(format!("{e}")))?;
    let lived = py.detach(|| core::live(&variant));
    let operations = core::Operation::ALL.iter().map(|o| o.name()).zip(lived.operations).collect();
    Ok((lived.calls, operations, variant.recovery().name()))
}

/// The operations, in the table's order.
#[pyfunction]
pub(crate) fn operations() -> Vec<&'static str> {
    core::Operation::ALL.iter().map(|o| o.name()).collect()
}
