//! Congestion control besides loss recovery: the hook interface ([`CongestionControl`]), and one file for
//! each variant of the literature. A new variant is one file here and one line in the registry.

pub(crate) mod adaptive_sca;
pub(crate) mod adtcp;
pub(crate) mod atcp;
mod bandwidth;
pub(crate) mod bbr;
#[cfg(test)]
mod bench;
pub(crate) mod cdg;
pub(crate) mod cerl;
pub(crate) mod copa;
pub(crate) mod cubic;
pub(crate) mod cwl;
pub(crate) mod daa;
pub(crate) mod differentiation;
pub(crate) mod elfn;
pub(crate) mod few;
pub(crate) mod fixed_rto;
mod flip_flop;
pub(crate) mod freeze_probing;
pub(crate) mod freeze_tcp;
mod hooks;
pub(crate) mod hystart;
mod kept;
pub(crate) mod newreno_ff;
pub(crate) mod probing;
mod slots;
pub(crate) mod slow_growth;
pub(crate) mod tack;
pub(crate) mod tcp_ap;
pub(crate) mod tcp_door;
pub(crate) mod tcp_f;
pub(crate) mod veno;
pub(crate) mod welcome;
pub(crate) mod westwood;
pub(crate) mod westwood_plus;

pub use hooks::{
    AckEvent, Backoff, CongestionControl, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, PathEvent,
    ProbeEvent, ProbeVerdict, RateSample, RestartEvent, RtoDecision, RtoEvent, RttEvent, Sampling,
    SenderView, SentEvent, UndoEvent, Window,
};
pub use probing::{LossPredictor, PredictorFactory};
pub(crate) use slots::{Controls, Role};

use crate::variant::{
    ControlFactory, Entry, Meaning, Needs, Part, RecoveryKind, Settings, VariantInfo, settings,
};
use std::sync::Arc;

/// Wraps a constructor of parts as a factory.
fn factory<P: CongestionControl + 'static>(part: impl Fn() -> P + Send + Sync + 'static) -> ControlFactory {
    Arc::new(move |_| Box::new(part()))
}

/// Data sent within the congestion window, segments: the flight without limited transmit's segments.
fn outstanding(view: &SenderView) -> f64 {
    view.flight.min(view.cwnd)
}

/// True if the congestion window was the limit before this ACK: the data in flight filled the window up to one segment
/// (RFC 9438 §5.8, RFC 7661).
fn limits(view: &SenderView, event: &AckEvent) -> bool {
    view.flight + event.segments + 1.0 >= view.cwnd
}

/// Names of guesses; where a guess means the same as a cause of the ledger it has the cause's name.
const CONGESTION: &str = "congestion";
/// A wireless loss: bit errors or contention.
const CHANNEL: &str = "channel";
const LINK_FAILURE: &str = "link-failure";
/// A loss without load on the network: bit errors or a broken link.
const TRANSIENT: &str = "transient";

/// Recoveries whose reaction to a loss a part can replace.
const ANY_RENO: &[RecoveryKind] = &[RecoveryKind::NewReno, RecoveryKind::Reno, RecoveryKind::Sack];
/// Recoveries that use the standard growth rule.
const ANY_STANDARD: &[RecoveryKind] =
    &[RecoveryKind::NewReno, RecoveryKind::Reno, RecoveryKind::Sack, RecoveryKind::Tahoe];
/// The example of docs/guide/add-a-variant.md.
#[cfg(test)]
#[path = "../../../docs/examples/gentle.rs"]
pub(crate) mod gentle;
#[cfg(test)]
mod tests;
