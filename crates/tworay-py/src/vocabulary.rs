//! Words that the core knows and Python asks for: metrics, units, recoveries, nearest spellings.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::core::{self, Better, Of, RecoveryKind};

/// The recoveries that a variant written in Python may build on.
pub(crate) const RECOVERIES: [RecoveryKind; 4] =
    [RecoveryKind::Tahoe, RecoveryKind::Reno, RecoveryKind::NewReno, RecoveryKind::Sack];

/// A metric: name, whether that is a family's, group, unit, how flows are put together (`sum`, `mean` or `run`),
/// which way is better (`more`, `less` or nothing), definition, source; heading, factor and format in tables.
type MetricRow = (
    &'static str,
    bool,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    String,
    &'static str,
    &'static str,
    f64,
    &'static str,
);

/// Every metric of a run's document.
#[pyfunction]
pub(crate) fn metrics() -> Vec<MetricRow> {
    let row = |metric: core::Metric| {
        let of = match metric.of {
            Of::Sum => "sum",
            Of::Mean => "mean",
            Of::Run => "run",
        };
        let better = match metric.better {
            Better::More => "more",
            Better::Less => "less",
            Better::Neither => "",
        };
        // Documentation begins with a space.
        let definition = metric.definition.trim_start().to_owned();
        let core::Metric { name, family, group, unit, source, heading, scale, form, .. } = metric;
        (name, family, group, unit, of, better, definition, source, heading, scale, form)
    };
    core::metrics().map(row).collect()
}

/// The word of `among` that `word` is a likely misspelling of.
#[pyfunction]
pub(crate) fn nearest(word: &str, among: Vec<String>) -> Option<String> {
    let among: Vec<&str> = among.iter().map(String::as_str).collect();
    core::suggest(word, &among)
}

/// Names of the recoveries that a variant written in Python may build on.
#[pyfunction]
pub(crate) fn recoveries() -> Vec<&'static str> {
    RECOVERIES.iter().map(|recovery| recovery.name()).collect()
}

/// An energy such as `1nJ`, in joules; raises `ValueError` with what is allowed.
#[pyfunction]
pub(crate) fn joules(text: &str) -> PyResult<f64> {
    text.parse::<core::Joules>().map(core::Joules::get).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// A power such as `2.5W`, in watts; raises `ValueError` with what is allowed.
#[pyfunction]
pub(crate) fn watts(text: &str) -> PyResult<f64> {
    text.parse::<core::Watts>().map(core::Watts::get).map_err(|e| PyValueError::new_err(e.to_string()))
}
