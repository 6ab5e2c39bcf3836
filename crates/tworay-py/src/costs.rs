//! Computing costs of the transport: the shipped table, and the transfer used to measure it.

use std::collections::BTreeMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::simulator;

/// The shipped table of instructions by operation: CSV with its provenance at the head.
#[pyfunction]
pub(crate) fn cost_table() -> &'static str {
    simulator::COSTS_CSV
}

/// Runs of each named function or operation.
type Counts = BTreeMap<&'static str, u64>;

/// Runs the transfer whose instructions a profiler counts. Returns the number of calls of each measured
/// function, the sender's own count by operation, and the name of its recovery.
#[pyfunction]
pub(crate) fn live(py: Python<'_>, variant: &str) -> PyResult<(Counts, Counts, &'static str)> {
    let variant: simulator::Variant = variant.parse().map_err(|e| PyValueError::new_err(format!("{e}")))?;
    let lived = py.detach(|| simulator::live(&variant));
    let operations = simulator::Operation::ALL.iter().map(|o| o.name()).zip(lived.operations).collect();
    Ok((lived.calls, operations, variant.recovery().name()))
}

/// The operations in the order of the table.
#[pyfunction]
pub(crate) fn operations() -> Vec<&'static str> {
    simulator::Operation::ALL.iter().map(|o| o.name()).collect()
}
