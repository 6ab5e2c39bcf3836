//! A class that is the predictor of TCP-Probing: `tworay.LossPredictor`.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::{Part, Standard};
use crate::control::{Ack, Loss, Rtt};
use crate::simulator::{self, LossPredictor, SenderView};

/// The variant that the class completes (its `probing`), if it is a predictor.
pub(super) fn predicted(class: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let base = class.py().import("tworay.running.control")?.getattr("LossPredictor")?;
    let bases = class.getattr("__mro__")?;
    if !bases.contains(&base)? {
        return Ok(None);
    }
    let text: String = class.getattr("probing")?.extract()?;
    read("predictor", &text, || Box::new(Never)).map_err(PyValueError::new_err)?;
    Ok(Some(text))
}

/// TCP-Probing with the predictor that `make` creates for each connection.
pub(super) fn variant(
    name: &str,
    text: &str,
    make: impl Fn() -> Part + Send + Sync + 'static,
) -> simulator::Variant {
    // The text was read when the class was accepted.
    read(name, text, move || Box::new(make())).unwrap_or_else(|_| {
        simulator::Variant::custom(name, simulator::RecoveryKind::NewReno, Arc::new(|_| Box::new(Standard)))
    })
}

fn read(
    name: &str,
    text: &str,
    make: impl Fn() -> Box<dyn LossPredictor> + Send + Sync + 'static,
) -> Result<simulator::Variant, String> {
    simulator::Variant::probing(name, text, Arc::new(move |_| make())).map_err(|problem| problem.to_string())
}

/// Stands for a predictor while the variant is only checked.
#[derive(Debug)]
struct Never;

impl LossPredictor for Never {
    fn contention(&mut self, _: &SenderView, _: &simulator::LossEvent) -> bool {
        false
    }
}

impl LossPredictor for Part {
    fn on_rtt(&mut self, view: &SenderView, event: &simulator::RttEvent) {
        self.call("on_rtt", view, |_| Ok(Rtt::new(event)), nothing);
    }

    fn on_ack(&mut self, view: &SenderView, event: &simulator::AckEvent) {
        self.call("on_ack", view, |py| Ack::new(py, event), nothing);
    }

    fn contention(&mut self, view: &SenderView, loss: &simulator::LossEvent) -> bool {
        let answer = self.call(
            "contention",
            view,
            |py| Loss::new(py, loss),
            |answer| {
                answer
                    .extract::<bool>()
                    .map_err(|_| wrong(answer, "True (recover as Reno) and False (probe)"))
            },
        );
        answer.unwrap_or(false)
    }
}

/// Accepts no answer: the paper's machine decides the window.
fn nothing(answer: &Bound<'_, PyAny>) -> PyResult<()> {
    Err(wrong(answer, "nothing"))
}

fn wrong(answer: &Bound<'_, PyAny>, allowed: &str) -> PyErr {
    let found = answer.get_type().name().map_or_else(|_| "something else".into(), |name| name.to_string());
    PyTypeError::new_err(format!("it returned {found}; allowed are {allowed}"))
}
