//! Ending a run whose Python callback doesn't return.
//!
//! Cancelling a run takes effect between two events. A callback that loops for ever never gets there: an
//! exception raised in its thread from outside ends it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Runs whose callbacks didn't end even so; their threads last as long as the process.
static STUCK: AtomicUsize = AtomicUsize::new(0);

/// The thread in which a run calls back into Python.
#[derive(Clone, Default)]
pub(crate) struct CallbackThread(Arc<AtomicU64>);

impl CallbackThread {
    /// Notes that this thread is the one.
    pub(crate) fn enter(&self, py: Python<'_>) -> PyResult<()> {
        let ident: u64 = py.import("threading")?.call_method0("get_ident")?.extract()?;
        self.0.store(ident, Ordering::Release);
        Ok(())
    }

    /// Raises `KeyboardInterrupt` in it, at its next step in Python.
    pub(crate) fn interrupt(&self, py: Python<'_>) -> PyResult<()> {
        let ident = self.0.load(Ordering::Acquire);
        if ident == 0 {
            return Ok(());
        }
        let ctypes = py.import("ctypes")?;
        let thread = ctypes.call_method1("c_ulong", (ident,))?;
        let exception = ctypes.call_method1("py_object", (py.get_type::<PyKeyboardInterrupt>(),))?;
        // Part of the stable ABI since Python 3.2.
        ctypes.getattr("pythonapi")?.call_method1("PyThreadState_SetAsyncExc", (thread, exception))?;
        Ok(())
    }
}

/// Notes that a run's thread was left behind.
pub(crate) fn leave_behind() {
    STUCK.fetch_add(1, Ordering::Relaxed);
}

/// Whether threads were left behind: the interpreter can't be shut down tidily then.
#[pyfunction]
pub(crate) fn has_stuck_runs() -> bool {
    STUCK.load(Ordering::Relaxed) > 0
}
