//! Runs a scenario without the GIL; another thread or Ctrl-C can cancel it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;

use crate::custom::Trouble;
use crate::interrupt::{self, CallbackThread};
use crate::report::RunReport;
use crate::scenario::Scenario;
use crate::{errors, simulator};

/// Interval at which a waiting caller checks for Ctrl-C.
const SIGNAL_CHECK: Duration = Duration::from_millis(100);

/// Time for which a callback may continue after its run was cancelled; then its thread is abandoned.
const GRACE: Duration = Duration::from_millis(600);

/// Cancels a run from another thread and reports its progress.
#[pyclass(frozen, module = "tworay._native")]
pub(crate) struct RunControl(Arc<simulator::RunControl>);

#[pymethods]
impl RunControl {
    #[new]
    fn new() -> Self {
        Self(Arc::new(simulator::RunControl::new()))
    }

    /// Requests the run to stop; it soon ends with `Cancelled`.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// Completed fraction of the simulated time, 0 to 1.
    fn progress(&self) -> f64 {
        self.0.progress()
    }
}

/// Runs `scenario` with `seed`. The run computes in its own thread, without the GIL; the calling thread
/// wakes regularly so that Ctrl-C works during a long run.
#[pyfunction]
#[pyo3(signature = (
    scenario, seed, series = false, control = None, pcap = None, animation = None, losses = true,
    record = false
))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords; all of them have defaults")]
pub(crate) fn run(
    py: Python<'_>,
    scenario: &Scenario,
    seed: u64,
    series: bool,
    control: Option<&RunControl>,
    pcap: Option<PathBuf>,
    animation: Option<PathBuf>,
    losses: bool,
    record: bool,
) -> PyResult<RunReport> {
    let options = simulator::RunOptions { seed, series, losses, pcap, animation, record, medium_log: false };
    let control = control.map_or_else(|| Arc::new(simulator::RunControl::new()), |c| Arc::clone(&c.0));
    let trouble = Trouble::default();
    let thread = CallbackThread::default();
    let mut world = Arc::clone(&scenario.world);
    for (custom, flows) in &scenario.custom {
        let variant = custom.for_run(&control, &trouble, &thread);
        Arc::make_mut(&mut world).set_flow_variants(|place| flows.contains(&place).then(|| variant.clone()));
    }
    let (sender, receiver) = channel();
    let watched = Arc::clone(&control);
    std::thread::Builder::new().name(format!("run-{seed}")).spawn(move || {
        // The receiver is gone only when the interpreter is shutting down.
        let _ = sender.send(simulator::run(&world, &options, &watched));
    })?;
    let callbacks = (!scenario.custom.is_empty()).then(|| Callbacks { thread, trouble: trouble.clone() });
    let mut watch = Watch { control, callbacks, signal: None, waited: Duration::ZERO, interrupted: false };
    let outcome = py.detach(|| watch.wait(receiver));
    let Watch { signal, interrupted, .. } = watch;
    if let Some(error) = trouble.take(py)
        && !interrupted
    {
        return Err(signal.unwrap_or(error));
    }
    match (signal, outcome) {
        (Some(error), _) => Err(error),
        (None, _) if interrupted => Err(errors::run(simulator::RunError::Cancelled)),
        (None, Some(outcome)) => outcome.map(RunReport::new).map_err(errors::run),
        (None, None) => Err(errors::RunError::new_err(
            "the simulator stopped with an internal error (a bug: please report the scenario and the seed)",
        )),
    }
}

/// Python state of a run: the thread of its callbacks, and their errors.
struct Callbacks {
    thread: CallbackThread,
    trouble: Trouble,
}

/// Waits for a run, and ends it on request.
struct Watch {
    control: Arc<simulator::RunControl>,
    callbacks: Option<Callbacks>,
    /// Exception raised by a signal handler.
    signal: Option<PyErr>,
    /// Time since the run was cancelled.
    waited: Duration,
    /// True if a callback was interrupted.
    interrupted: bool,
}

impl Watch {
    /// Waits for the outcome (`None`: the worker panicked, or is stuck in a callback). A signal cancels the
    /// run and is kept for the caller.
    fn wait<T>(&mut self, receiver: Receiver<T>) -> Option<T> {
        loop {
            match receiver.recv_timeout(SIGNAL_CHECK) {
                Ok(outcome) => return Some(outcome),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                self.control.cancel();
                self.signal.get_or_insert(error);
            }
            if self.control.is_cancelled() && !self.interrupt_callback() {
                return None;
            }
        }
    }

    /// The run was cancelled and has not ended: interrupts its callback, repeatedly if the callback catches
    /// everything. Returns false if that does not help.
    fn interrupt_callback(&mut self) -> bool {
        let Some(Callbacks { thread, trouble }) = &self.callbacks else { return true };
        // A callback that has raised is finished, so the run will end soon.
        if trouble.is_kept() {
            return true;
        }
        if self.waited >= GRACE {
            interrupt::leave_behind();
            return false;
        }
        self.waited += SIGNAL_CHECK;
        self.interrupted = true;
        if let Err(error) = Python::attach(|py| thread.interrupt(py)) {
            self.signal.get_or_insert(error);
        }
        true
    }
}
