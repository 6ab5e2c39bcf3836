//! Running a scenario with the GIL released, stoppable from another thread or by Ctrl-C.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;

use crate::custom::Trouble;
use crate::report::RunReport;
use crate::scenario::Scenario;
use crate::{core, errors};

/// How often a waiting caller looks for Ctrl-C.
const SIGNAL_CHECK: Duration = Duration::from_millis(100);

/// Stops a run from another thread and tells how far it is.
#[pyclass(frozen, module = "tworay._native")]
pub(crate) struct RunControl(Arc<core::RunControl>);

#[pymethods]
impl RunControl {
    #[new]
    fn new() -> Self {
        Self(Arc::new(core::RunControl::new()))
    }

    /// Asks the run to stop; it ends with `Cancelled` a moment later.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// The share of simulated time already done, 0 to 1.
    fn progress(&self) -> f64 {
        self.0.progress()
    }
}

/// Runs `scenario` with `seed`. The run computes on a thread of its own, without the GIL; the calling
/// thread wakes now and then so that Ctrl-C works even in the middle of a long run.
#[pyfunction]
#[pyo3(signature = (
    scenario, seed, series = false, control = None, pcap = None, animation = None, losses = true
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
) -> PyResult<RunReport> {
    let options = core::RunOptions { seed, series, losses, pcap, animation };
    let control = control.map_or_else(|| Arc::new(core::RunControl::new()), |c| Arc::clone(&c.0));
    let trouble = Trouble::default();
    let mut world = Arc::clone(&scenario.world);
    for (custom, flows) in &scenario.custom {
        let variant = custom.for_run(&control, &trouble);
        Arc::make_mut(&mut world).set_flow_variants(|place| flows.contains(&place).then(|| variant.clone()));
    }
    let (sender, receiver) = channel();
    let watched = Arc::clone(&control);
    std::thread::Builder::new().name(format!("run-{seed}")).spawn(move || {
        // Nobody listens any more only when the interpreter is going down.
        let _ = sender.send(core::run(&world, &options, &watched));
    })?;
    let mut signal = None;
    let outcome = py.detach(|| wait(receiver, &control, &mut signal));
    if let Some(error) = trouble.take(py) {
        return Err(signal.unwrap_or(error));
    }
    match (signal, outcome) {
        (Some(error), _) => Err(error),
        (None, Some(outcome)) => outcome.map(RunReport::new).map_err(errors::run),
        (None, None) => Err(errors::RunError::new_err(
            "the simulator stopped with an internal error (a bug: please report the scenario and the seed)",
        )),
    }
}

/// Waits for the outcome (`None`: the worker panicked); a signal cancels the run and is kept for the caller.
fn wait<T>(receiver: Receiver<T>, control: &core::RunControl, signal: &mut Option<PyErr>) -> Option<T> {
    loop {
        match receiver.recv_timeout(SIGNAL_CHECK) {
            Ok(outcome) => return Some(outcome),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    control.cancel();
                    signal.get_or_insert(error);
                }
            }
        }
    }
}
