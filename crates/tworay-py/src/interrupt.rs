//! Ends a run whose Python callback does not return.
//!
//! Cancelling a run takes effect between two events. A callback in an endless loop never gets there, so an
//! exception is raised in its thread from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Number of runs whose callbacks could not be ended; their threads live as long as the process.
static STUCK: AtomicUsize = AtomicUsize::new(0);

/// The thread in which a run calls Python.
#[derive(Clone, Default)]
pub(crate) struct CallbackThread(Arc<AtomicU64>);

impl CallbackThread {
    /// Records that this is the thread.
    pub(crate) fn enter(&self, py: Python<'_>) -> PyResult<()> {
        let ident: u64 = py.import("threading")?.call_method0("get_ident")?.extract()?;
        self.0.store(ident, Ordering::Release);
        Ok(())
    }

    /// Raises `KeyboardInterrupt` in the thread at its next Python instruction.
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

/// Counts a thread that could not be ended.
pub(crate) fn leave_behind() {
    STUCK.fetch_add(1, Ordering::Relaxed);
}

/// True if such threads exist; then the interpreter cannot shut down normally.
#[pyfunction]
pub(crate) fn has_stuck_runs() -> bool {
    STUCK.load(Ordering::Relaxed) > 0
}
