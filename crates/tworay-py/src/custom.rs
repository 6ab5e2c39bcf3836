//! Adapts a variant written in Python to the simulator's `CongestionControl`.
//!
//! A run computes without the GIL; each callback acquires it briefly. An exception raised by a callback
//! ends its own run: the error is stored with the run, the run is cancelled, and no further callback is
//! called.

mod predictor;

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::control::{Ack, Loss, PyWindow, Rate, Reaction, Rto, Rtt, SenderState};
use crate::errors::RunError;
use crate::interrupt::CallbackThread;
use crate::simulator::{self, Backoff, CongestionControl, Effect, Effects, RtoDecision, SenderView, Window};
use crate::vocabulary::RECOVERIES;

/// The class, the name under which it runs, and its loss recovery.
pub(crate) struct Custom {
    name: String,
    recovery: simulator::RecoveryKind,
    class: Py<PyAny>,
    /// True if the class overrides `on_rate`.
    rated: bool,
    /// The variant of a class that is only the predictor of TCP-Probing, with its other parameters.
    probing: Option<String>,
}

impl Custom {
    pub(crate) fn new(name: String, recovery: &str, class: Py<PyAny>) -> PyResult<Self> {
        let Some(recovery) = RECOVERIES.into_iter().find(|known| known.name() == recovery) else {
            return Err(PyValueError::new_err(format!(
                "recovery = \"{recovery}\" is unknown; allowed are {}",
                RECOVERIES.map(simulator::RecoveryKind::name).join(", ")
            )));
        };
        // The base class's `on_rate` does nothing and need not be called for every ACK.
        let (rated, probing) = Python::attach(|py| {
            let class = class.bind(py);
            let base = py.import("tworay.running.control")?.getattr("CongestionControl")?;
            let rated = !class.getattr("on_rate")?.is(&base.getattr("on_rate")?);
            PyResult::Ok((rated, predictor::predicted(class)?))
        })?;
        Ok(Self { name, recovery, class, rated, probing })
    }

    /// The same variant again.
    pub(crate) fn copied(&self, py: Python<'_>) -> Self {
        Self {
            name: self.name.clone(),
            recovery: self.recovery,
            class: self.class(py),
            rated: self.rated,
            probing: self.probing.clone(),
        }
    }

    /// Its name in results.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The class.
    pub(crate) fn class(&self, py: Python<'_>) -> Py<PyAny> {
        self.class.clone_ref(py)
    }

    /// A variant of this name with the standard behaviour.
    pub(crate) fn placeholder(&self) -> simulator::Variant {
        self.placeholder_named(&self.name)
    }

    /// As [`Self::placeholder`], under another name.
    pub(crate) fn placeholder_named(&self, name: &str) -> simulator::Variant {
        simulator::Variant::custom(name, self.recovery, Arc::new(|_| Box::new(Standard)))
    }

    /// The variant for one run: each connection gets its own instance of the class.
    pub(crate) fn for_run(
        &self,
        control: &Arc<simulator::RunControl>,
        trouble: &Trouble,
        thread: &CallbackThread,
    ) -> simulator::Variant {
        let class = Arc::new(Python::attach(|py| self.class.clone_ref(py)));
        let (name, control, trouble) = (self.name.clone(), Arc::clone(control), trouble.clone());
        let thread = thread.clone();
        let rated = self.rated;
        let instance = move || {
            let mut part = Part {
                name: name.clone(),
                object: None,
                rated,
                control: Arc::clone(&control),
                trouble: trouble.clone(),
            };
            Python::attach(|py| match thread.enter(py).and_then(|()| class.call0(py)) {
                Ok(object) => part.object = Some(object),
                Err(error) => part.fail(py, "__init__", None, error),
            });
            part
        };
        match &self.probing {
            Some(text) => predictor::variant(&self.name, text, instance),
            None => simulator::Variant::custom(
                &*self.name,
                self.recovery,
                Arc::new(move |_| Box::new(instance())),
            ),
        }
    }
}

/// The first error of a run, if any.
#[derive(Clone, Default)]
pub(crate) struct Trouble(Arc<Mutex<Option<PyErr>>>);

impl Trouble {
    pub(crate) fn take(&self, py: Python<'_>) -> Option<PyErr> {
        let slot = &self.0;
        py.detach(|| slot.lock().unwrap_or_else(PoisonError::into_inner).take())
    }

    /// True if an error has occurred.
    pub(crate) fn is_kept(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

#[derive(Debug)]
struct Standard;
impl CongestionControl for Standard {}

/// The instance of one connection.
struct Part {
    name: String,
    /// `None` after a callback has raised.
    object: Option<Py<PyAny>>,
    rated: bool,
    control: Arc<simulator::RunControl>,
    trouble: Trouble,
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Part({})", self.name)
    }
}

impl Part {
    /// Stores the error with its traceback and ends the run.
    fn fail(&mut self, py: Python<'_>, callback: &str, view: Option<&SenderView>, error: PyErr) {
        self.object = None;
        let at = view.map_or(String::new(), |v| format!(" at {:.6} s", v.now.since_start().as_secs_f64()));
        let text = traceback(py, &error).unwrap_or_else(|_| error.to_string());
        let message = format!("{} raised in {callback}{at}:\n{}", self.name, text.trim_end());
        let outer = RunError::new_err(message);
        outer.set_cause(py, Some(error));
        self.trouble.keep(outer);
        self.control.cancel();
    }

    /// Calls a method with the sender's state and an event; `None` stands for the standard behaviour.
    fn call<E, R>(
        &mut self,
        callback: &str,
        view: &SenderView,
        event: impl FnOnce(Python<'_>) -> PyResult<E>,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<R>,
    ) -> Option<R>
    where
        E: for<'py> IntoPyObject<'py>,
    {
        self.object.as_ref()?;
        Python::attach(|py| {
            let object = self.object.as_ref()?.clone_ref(py);
            let answer = event(py).and_then(|event| {
                let answer = object.bind(py).call_method1(callback, (SenderState::new(view), event))?;
                if answer.is_none() { Ok(None) } else { read(&answer).map(Some) }
            });
            answer.unwrap_or_else(|error| {
                self.fail(py, callback, Some(view), error);
                None
            })
        })
    }
}

impl CongestionControl for Part {
    fn on_ack(&mut self, view: &SenderView, event: &simulator::AckEvent, effects: &mut Effects) -> Window {
        self.call("on_ack", view, |py| Ack::new(py, event), |a| window(a, view, effects))
            .unwrap_or(event.standard)
    }

    fn on_loss(&mut self, view: &SenderView, event: &simulator::LossEvent, effects: &mut Effects) -> Window {
        let answer = self.call("on_loss", view, |py| Loss::new(py, event), |a| reaction(a, view, effects));
        let Some((window, guess, _)) = answer else { return event.standard };
        effects.extend(guess.map(|guess| Effect::Guess { seq: event.seq, guess }));
        window
    }

    fn on_rto(
        &mut self,
        view: &SenderView,
        event: &simulator::RtoEvent,
        effects: &mut Effects,
    ) -> RtoDecision {
        let answer = self.call("on_rto", view, |py| Rto::new(py, event), |a| reaction(a, view, effects));
        let (window, guess, back_off) = answer.unwrap_or((event.standard, None, true));
        effects.extend(guess.map(|guess| Effect::Guess { seq: event.seq, guess }));
        RtoDecision { window, backoff: if back_off { Backoff::Double } else { Backoff::Keep } }
    }

    fn on_rtt(&mut self, view: &SenderView, event: &simulator::RttEvent, _: &mut Effects) {
        self.call(
            "on_rtt",
            view,
            |_| Ok(Rtt::new(event)),
            |answer| {
                let found = answer.get_type().name()?;
                Err::<(), _>(PyTypeError::new_err(format!("it returned {found}; allowed is nothing")))
            },
        );
    }

    fn on_rate(&mut self, view: &SenderView, sample: &simulator::RateSample, effects: &mut Effects) {
        if !self.rated {
            return;
        }
        let answer = self.call("on_rate", view, |_| Ok(Rate::new(sample)), |a| window(a, view, effects));
        effects.extend(answer.map(Effect::SetWindow));
    }
}

/// Accepts a window, a pair (cwnd, ssthresh), or a number, which sets cwnd only. A window's gap goes to
/// `effects`.
fn window(answer: &Bound<'_, PyAny>, view: &SenderView, effects: &mut Effects) -> PyResult<Window> {
    let window = if let Ok(window) = answer.cast::<PyWindow>() {
        effects.extend(window.get().gap.map(pace).transpose()?);
        window.get().window
    } else if let Ok(pair) = answer.cast::<PyTuple>()
        && pair.len() == 2
    {
        Window { cwnd: number(&pair.get_item(0)?)?, ssthresh: number(&pair.get_item(1)?)? }
    } else {
        Window { cwnd: number(answer)?, ssthresh: view.ssthresh }
    };
    for (name, value) in [("cwnd", window.cwnd), ("ssthresh", window.ssthresh)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(PyValueError::new_err(format!(
                "it returned {name} = {value}; allowed are finite numbers of segments above 0"
            )));
        }
    }
    Ok(window)
}

/// A gap of up to a minute between segments.
fn pace(gap: f64) -> PyResult<Effect> {
    if !(0.0..=60.0).contains(&gap) {
        return Err(PyValueError::new_err(format!("it returned gap = {gap}; allowed are 0 to 60 seconds")));
    }
    Ok(Effect::Pace(simulator::SimDuration::from_secs_f64(gap)))
}

fn number(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract().map_err(|_| {
        let found = value.get_type().name().map_or_else(|_| "something else".into(), |n| n.to_string());
        PyTypeError::new_err(format!(
            "it returned {found}; allowed are a Window, (cwnd, ssthresh), a number (cwnd alone) or None"
        ))
    })
}

/// Accepts a window, or a reaction with a guess and whether the timeout doubles.
fn reaction(
    answer: &Bound<'_, PyAny>,
    view: &SenderView,
    effects: &mut Effects,
) -> PyResult<(Window, Option<&'static str>, bool)> {
    let Ok(full) = answer.cast::<Reaction>() else { return Ok((window(answer, view, effects)?, None, true)) };
    let full = full.get();
    let plain = window(full.window.bind(answer.py()).as_any(), view, effects)?;
    Ok((plain, full.guess.as_deref().map(intern).transpose()?, full.back_off))
}

/// Stores guesses for the lifetime of the process; there are only a few different ones.
fn intern(guess: &str) -> PyResult<&'static str> {
    const MOST: usize = 256;
    static KNOWN: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.iter().find(|k| **k == guess) {
        return Ok(found);
    }
    if known.len() >= MOST {
        return Err(PyValueError::new_err(format!(
            "more than {MOST} different guesses; a guess is a short name"
        )));
    }
    let kept: &'static str = Box::leak(guess.into());
    known.push(kept);
    Ok(kept)
}

/// The traceback as Python prints it.
fn traceback(py: Python<'_>, error: &PyErr) -> PyResult<String> {
    let whole = (error.get_type(py), error.value(py), error.traceback(py));
    let lines = py.import("traceback")?.call_method1("format_exception", whole)?;
    lines.try_iter()?.map(|line| line?.extract::<String>()).collect()
}
