//! What holds of every run.

use crate::guarded::{Run, run_plainly};
use crate::plan::Plan;

/// A violated invariant.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The invariant.
    pub kind: &'static str,
    pub text: String,
}

impl Fault {
    pub fn new(kind: &'static str, text: String) -> Self {
        Self { kind, text }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind, self.text)
    }
}

/// Fails as `kind` unless `holds`.
pub fn ensure(kind: &'static str, holds: bool, text: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault::new(kind, text())) }
}

/// Checks everything. Conservation of packets and a balanced ledger were checked at the end of the run.
pub fn check(plan: &Plan, run: &Run) -> Result<(), Fault> {
    causes(run)?;
    same_again(plan, run)
}

fn causes(run: &Run) -> Result<(), Fault> {
    let unknown = run.report.document.ledger.get("unknown").copied().unwrap_or_default();
    ensure("unknown cause", unknown.data + unknown.ack == 0, || format!("{unknown:?}"))
}

/// The same scenario in another thread, without observers, gives the same bytes.
fn same_again(plan: &Plan, run: &Run) -> Result<(), Fault> {
    let plain = run_plainly(plan)?;
    let [mut first, mut second] = [run, &plain].map(|run| run.report.document.clone());
    (first.cpu_seconds, second.cpu_seconds) = (0.0, 0.0);
    ensure("not the same again", format!("{first:?}") == format!("{second:?}"), || {
        let (first, second) = (format!("{first:#?}"), format!("{second:#?}"));
        let differing = first.lines().zip(second.lines()).filter(|(a, b)| a != b).take(3);
        differing.map(|(a, b)| format!("{} | {}", a.trim(), b.trim())).collect::<Vec<_>>().join("; ")
    })?;
    ensure("other losses", run.report.losses() == plain.report.losses(), || "the ledger's records differ".into())
}
