//! Numbers that stored results carry.

/// Version of tworay.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Number of the results: raise it with every change of results, so that stored runs from before the change are
/// not mixed with new ones. `tests/all/golden.rs` insists on it.
pub const RESULTS: u32 = 33;

/// Number of the form of documents and tables: raise it when a key or a column is added, removed or renamed. Stored
/// runs keep their value: a run from before has no value of a metric that was added later.
pub const SCHEMA: u32 = 8;
