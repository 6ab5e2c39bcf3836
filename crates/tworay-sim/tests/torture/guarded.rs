//! Runs that may panic or hang.

use crate::checks::Fault;
use crate::plan::Plan;
use std::cell::RefCell;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Once};
use std::time::Duration;
use tworay_sim::scenario::Scenario;
use tworay_sim::{RunControl, RunError, RunOptions, RunReport};

/// Wall-clock time after which a run counts as hanging. Runs take tenths of a second.
const PATIENCE: Duration = Duration::from_secs(120);

/// A scenario with its report.
pub struct Run {
    pub scenario: Scenario,
    pub report: RunReport,
}

thread_local! {
    /// Place and message of this thread's panic, in a thread that expects one.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps the message of a panic instead of printing it, in threads that expect one.
fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let expected = PANIC.with(|kept| kept.borrow_mut().as_mut().map(|text| *text = info.to_string()));
            if expected.is_none() {
                print(info);
            }
        }));
    });
}

/// One run in a thread of its own.
pub fn run_with(plan: &Plan, options: RunOptions) -> Result<Run, Fault> {
    keep_panics();
    let (sender, receiver) = channel();
    let control = Arc::new(RunControl::new());
    let (plan, inner) = (plan.clone(), Arc::clone(&control));
    let started = std::thread::Builder::new().spawn(move || {
        PANIC.with(|kept| *kept.borrow_mut() = Some(String::new()));
        let result = std::panic::catch_unwind(|| {
            let scenario = plan.scenario().map_err(|e| Fault::new("refused", e))?;
            let report = tworay_sim::run(&scenario, &options, &inner).map_err(|e| match e {
                RunError::Cancelled => Fault::new("hang", "no end in two minutes".into()),
                RunError::Failed(why) => Fault::new("failed", why),
            })?;
            Ok(Run { scenario, report })
        });
        let said = PANIC.with(|kept| kept.borrow_mut().take()).unwrap_or_default();
        _ = sender.send(result.unwrap_or_else(|_| Err(Fault::new("panic", said))));
    });
    started.map_err(|e| Fault::new("no thread", e.to_string()))?;
    match receiver.recv_timeout(PATIENCE) {
        Ok(result) => result,
        Err(RecvTimeoutError::Disconnected) => Err(Fault::new("panic", "the thread ended".into())),
        Err(RecvTimeoutError::Timeout) => {
            // A loop over events sees this; a loop inside an event doesn't, and its thread is left behind.
            control.cancel();
            let grace = receiver.recv_timeout(Duration::from_secs(10));
            grace.unwrap_or_else(|_| Err(Fault::new("hang", "an event without end".into())))
        }
    }
}

/// One run with every observer.
pub fn run(plan: &Plan) -> Result<Run, Fault> {
    let options =
        RunOptions { seed: plan.seed, series: true, record: true, medium_log: true, ..RunOptions::default() };
    run_with(plan, options)
}

/// One run without observers that can be left out.
pub fn run_plainly(plan: &Plan) -> Result<Run, Fault> {
    run_with(plan, RunOptions { seed: plan.seed, ..RunOptions::default() })
}
