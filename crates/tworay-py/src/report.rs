//! Passes a run's results to Python: the JSON document, and the tables as columns.

use std::collections::BTreeSet;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::{errors, simulator};

/// A finished run.
#[pyclass(frozen, module = "tworay._native")]
pub(crate) struct RunReport(simulator::RunReport);

impl RunReport {
    pub(crate) fn new(report: simulator::RunReport) -> Self {
        Self(report)
    }
}

/// Represents a missing value in a column of kind `i64?`.
const MISSING: i64 = i64::MIN;

/// One column: name, kind (`f64`, `i64`, `i64?`, `str` or `str?`), and its values without creating a Python
/// object for each: numbers as little-endian bytes; text as the distinct values and an index per row.
type PyColumn<'py> = (String, &'static str, Bound<'py, PyAny>);

#[pymethods]
impl RunReport {
    /// The document of `tworay run --json`.
    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.json())
    }

    /// Data segments that died at their own source, by flow.
    fn lost_at_source(&self) -> Vec<u64> {
        self.0.lost_at_source().to_vec()
    }

    /// The tables, each as its name and its columns in order.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Vec<PyColumn<'py>>)>> {
        let tables = py.detach(|| self.0.tables());
        tables.into_iter().map(|table| hand_over(py, table)).collect()
    }
}

fn hand_over(py: Python<'_>, table: simulator::Table) -> PyResult<(String, Vec<PyColumn<'_>>)> {
    let columns =
        table.columns.into_iter().map(|column| hand_over_column(py, column)).collect::<PyResult<_>>()?;
    Ok((table.name.to_string(), columns))
}

fn hand_over_column(py: Python<'_>, column: simulator::Column) -> PyResult<PyColumn<'_>> {
    let (kind, values) = match column.data {
        simulator::ColumnData::F64(values) => ("f64", little_endian(py, &values, f64::to_le_bytes)?),
        simulator::ColumnData::I64(values) => ("i64", little_endian(py, &values, i64::to_le_bytes)?),
        simulator::ColumnData::MaybeI64(values) => {
            let values: Vec<i64> = values.into_iter().map(|v| v.unwrap_or(MISSING)).collect();
            ("i64?", little_endian(py, &values, i64::to_le_bytes)?)
        }
        simulator::ColumnData::Str(values) => {
            let distinct: BTreeSet<&str> = values.iter().map(|text| &**text).collect();
            let texts: Vec<&str> = distinct.into_iter().collect();
            let place = |text: &String| texts.binary_search(&&**text).map_or(0, |at| at as i64);
            let places: Vec<i64> = values.iter().map(place).collect();
            let places = little_endian(py, &places, i64::to_le_bytes)?;
            ("str", (PyList::new(py, &texts)?, places).into_pyobject(py)?.into_any())
        }
        simulator::ColumnData::Word(texts, places) => {
            let places: Vec<i64> = places.into_iter().map(|at| at.map_or(MISSING, i64::from)).collect();
            let places = little_endian(py, &places, i64::to_le_bytes)?;
            ("str?", (PyList::new(py, &texts)?, places).into_pyobject(py)?.into_any())
        }
    };
    Ok((column.name.to_string(), kind, values))
}

fn little_endian<'py, T: Copy>(
    py: Python<'py>,
    values: &[T],
    bytes_of: impl Fn(T) -> [u8; 8],
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyBytes::new_with(py, values.len() * 8, |buffer| {
        for (slot, value) in buffer.chunks_exact_mut(8).zip(values) {
            slot.copy_from_slice(&bytes_of(*value));
        }
        Ok(())
    })?;
    Ok(bytes.into_any())
}

/// Tables of an ns-2 wireless trace in the old or new format.
#[pyfunction]
pub(crate) fn read_ns2_trace(py: Python<'_>, path: PathBuf) -> PyResult<Vec<(String, Vec<PyColumn<'_>>)>> {
    let tables = py.detach(|| simulator::read_ns2_trace(&path)).map_err(errors::scenario)?;
    tables.into_iter().map(|table| hand_over(py, table)).collect()
}
