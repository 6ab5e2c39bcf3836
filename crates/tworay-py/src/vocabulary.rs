//! Vocabularies owned by the simulator and used by Python: metrics, units, recoveries, spelling
//! suggestions.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use tworay_base::{Died, LossCause};

use crate::simulator::{self, Better, Of, RecoveryKind};

/// Recoveries on which a variant written in Python can be based.
pub(crate) const RECOVERIES: [RecoveryKind; 4] =
    [RecoveryKind::Tahoe, RecoveryKind::Reno, RecoveryKind::NewReno, RecoveryKind::Sack];

/// A metric: name, whether the name is a family's, chapter, unit, how flows are combined (`sum`, `mean` or
/// `run`), which direction is better (`more`, `less` or none), definition, source; heading, factor and
/// format in tables.
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
    let row = |metric: simulator::Metric| {
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
        // Doc comments start with a space.
        let definition = metric.definition.trim_start().to_owned();
        let simulator::Metric { name, family, chapter, unit, source, heading, scale, form, .. } = metric;
        (name, family, chapter.name(), unit, of, better, definition, source, heading, scale, form)
    };
    simulator::metrics().into_iter().map(row).collect()
}

/// A root cause, or a way in which a segment ends: its name, its words in sentences, its definition.
type WordRow = (&'static str, &'static str, &'static str);

/// Every root cause of a loss, in the order of tables.
#[pyfunction]
pub(crate) fn causes() -> Vec<WordRow> {
    LossCause::ALL.map(|one| (one.name(), one.words(), one.definition().trim_start())).to_vec()
}

/// Every way in which a lost segment ends, in the order of tables.
#[pyfunction]
pub(crate) fn deaths() -> Vec<WordRow> {
    Died::ALL.map(|one| (one.name(), one.words(), one.definition().trim_start())).to_vec()
}

/// Of these flows: Jain's fairness index, the least goodput, the largest; `None` where not defined. Each is its
/// goodput, bit/s, its sender, its mean number of segments in flight, and whether it was completed.
#[pyfunction]
pub(crate) fn shares(
    flows: Vec<(f64, Option<String>, Option<f64>, bool)>,
) -> (Option<f64>, Option<f64>, Option<f64>) {
    let sharer = |(goodput, tcp, in_flight, is_done): (f64, Option<String>, _, _)| {
        let outside = simulator::Sharer::is_outside(tcp.as_deref());
        simulator::Sharer { goodput, outside, in_flight, is_done }
    };
    let simulator::Shares { jain, least, most } = simulator::Shares::of(flows.into_iter().map(sharer));
    (jain, least, most)
}

/// The entry of `among` of which `word` is probably a misspelling.
#[pyfunction]
pub(crate) fn nearest(word: &str, among: Vec<String>) -> Option<String> {
    let among: Vec<&str> = among.iter().map(String::as_str).collect();
    simulator::suggest(word, &among)
}

/// Names of the recoveries on which a variant written in Python can be based.
#[pyfunction]
pub(crate) fn recoveries() -> Vec<&'static str> {
    RECOVERIES.iter().map(|recovery| recovery.name()).collect()
}

/// Parses an energy such as `1nJ`, in joules; raises `ValueError` with the permitted forms.
#[pyfunction]
pub(crate) fn joules(text: &str) -> PyResult<f64> {
    text.parse::<simulator::Joules>()
        .map(simulator::Joules::get)
        .map_err(|e| PyValueError::new_err(e.to_string()))
}

/// Parses a rate such as `2Mbps`, in bits per second; raises `ValueError` with the permitted forms.
#[pyfunction]
pub(crate) fn bits_per_second(text: &str) -> PyResult<u64> {
    text.parse::<simulator::BitRate>()
        .map(simulator::BitRate::as_bps)
        .map_err(|e| PyValueError::new_err(e.to_string()))
}

/// Parses a power such as `2.5W`, in watts; raises `ValueError` with the permitted forms.
#[pyfunction]
pub(crate) fn watts(text: &str) -> PyResult<f64> {
    text.parse::<simulator::Watts>()
        .map(simulator::Watts::get)
        .map_err(|e| PyValueError::new_err(e.to_string()))
}
