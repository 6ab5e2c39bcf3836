//! What steers a sender beside its recovery: the hooks ([`CongestionControl`]), and the literature's
//! variants behind them, one file each. A new one is such a file and a line in the registry.

pub(crate) mod adaptive_sca;
mod bandwidth;
#[cfg(test)]
mod bench;
pub(crate) mod cwl;
pub(crate) mod daa;
pub(crate) mod elfn;
pub(crate) mod fixed_rto;
mod flip_flop;
pub(crate) mod freeze_probing;
mod hooks;
pub(crate) mod newreno_ff;
pub(crate) mod probing;
mod slots;
pub(crate) mod slow_growth;
pub(crate) mod welcome;
pub(crate) mod westwood;
pub(crate) mod westwood_plus;

pub use hooks::{
    AckEvent, Backoff, CongestionControl, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, PathEvent,
    ProbeEvent, ProbeVerdict, RtoDecision, RtoEvent, RttEvent, Sampling, SenderView, SentEvent, Window,
};
pub(crate) use slots::{Controls, Role};

use crate::variant::{
    ControlFactory, Entry, Meaning, Needs, Part, RecoveryKind, Settings, VariantInfo, settings,
};
use std::sync::Arc;

/// A factory of parts made by `part`.
fn factory<P: CongestionControl + 'static>(part: impl Fn() -> P + Send + Sync + 'static) -> ControlFactory {
    Arc::new(move |_| Box::new(part()))
}

/// Guesses, named as the ledger's causes where there is one.
const CONGESTION: &str = "congestion";
/// The air: bit errors and contention alike.
const CHANNEL: &str = "channel";
const LINK_FAILURE: &str = "link-failure";
/// Anything that passes without the network being loaded: errors and broken links.
const TRANSIENT: &str = "transient";

/// The recoveries with a loss reaction that a part can change.
const ANY_RENO: &[RecoveryKind] = &[RecoveryKind::NewReno, RecoveryKind::Reno, RecoveryKind::Sack];
/// All that grow by the standard rule.
const ANY_STANDARD: &[RecoveryKind] =
    &[RecoveryKind::NewReno, RecoveryKind::Reno, RecoveryKind::Sack, RecoveryKind::Tahoe];
/// The example of docs/guide/add-a-variant.md.
#[cfg(test)]
#[path = "../../../docs/examples/gentle.rs"]
pub(crate) mod gentle;
#[cfg(test)]
mod tests;
