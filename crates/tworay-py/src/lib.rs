//! Python bindings of the simulator: `tworay._native`.
//!
//! Thin on purpose. The documented Python API is in `python/tworay`; this module passes scenarios in and
//! reports out, releases the GIL while a run computes, and converts errors to exceptions. Names of
//! simulator items occur only in [`core`].

mod control;
mod costs;
mod custom;
mod errors;
mod interrupt;
mod live;
mod report;
mod run;
mod scenario;
mod simulator;
mod vocabulary;

use pyo3::prelude::*;

/// Creates the module: classes, functions, exceptions, version.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("VERSION", simulator::VERSION)?;
    module.add("RESULTS", simulator::RESULTS)?;
    module.add("SCHEMA", simulator::SCHEMA)?;
    errors::register(module)?;
    module.add_class::<scenario::Scenario>()?;
    module.add_class::<run::RunControl>()?;
    module.add_class::<report::RunReport>()?;
    live::register(module)?;
    control::register(module)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(interrupt::has_stuck_runs, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::builtin_scenarios, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::builtin_text, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::json_schema, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::convert, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::flow_tables, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::variants, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::moves, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::moves_of_file, module)?)?;
    module.add_function(wrap_pyfunction!(vocabulary::metrics, module)?)?;
    module.add_function(wrap_pyfunction!(vocabulary::causes, module)?)?;
    module.add_function(wrap_pyfunction!(vocabulary::deaths, module)?)?;
    module.add_function(wrap_pyfunction!(vocabulary::nearest, module)?)?;
    module.add_function(wrap_pyfunction!(vocabulary::shares, module)?)?;
    module.add_function(wrap_pyfunction!(vocabulary::recoveries, module)?)?;
    module.add_function(wrap_pyfunction!(vocabulary::bits_per_second, module)?)?;
    module.add_function(wrap_pyfunction!(vocabulary::joules, module)?)?;
    module.add_function(wrap_pyfunction!(vocabulary::watts, module)?)?;
    module.add_function(wrap_pyfunction!(report::read_ns2_trace, module)?)?;
    module.add_function(wrap_pyfunction!(costs::cost_table, module)?)?;
    module.add_function(wrap_pyfunction!(costs::live, module)?)?;
    module.add_function(wrap_pyfunction!(costs::operations, module)?)?;
    Ok(())
}
