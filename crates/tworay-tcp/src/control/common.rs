//! Shared by several controllers: their factory, use of the window, names of guesses, recoveries that they fit.

use super::hooks::{AckEvent, CongestionControl, SenderView};
use crate::parts::{ControlFactory, RecoveryKind};
use std::sync::Arc;

/// Wraps a constructor of parts as a factory.
pub(super) fn factory<P: CongestionControl + 'static>(
    part: impl Fn() -> P + Send + Sync + 'static,
) -> ControlFactory {
    Arc::new(move |_| Box::new(part()))
}

/// Data sent within the congestion window, segments: the flight without limited transmit's segments.
pub(super) fn outstanding(view: &SenderView) -> f64 {
    view.flight.min(view.cwnd)
}

/// True if the congestion window was the limit before this ACK: the data in flight filled the window up to
/// one segment (RFC 9438 §5.8, RFC 7661).
pub(super) fn limits(view: &SenderView, event: &AckEvent) -> bool {
    view.flight + event.segments + 1.0 >= view.cwnd
}

/// Names of guesses; where a guess means the same as a cause of the ledger it has the cause's name.
pub(super) const CONGESTION: &str = "congestion";
/// A wireless loss: bit errors or contention.
pub(super) const CHANNEL: &str = "channel";
pub(super) const LINK_FAILURE: &str = "link-failure";
/// A loss without load on the network: bit errors or a broken link.
pub(super) const TRANSIENT: &str = "transient";

/// Recoveries whose reaction to a loss a part can replace.
pub(super) const ANY_RENO: &[RecoveryKind] = &[RecoveryKind::NewReno, RecoveryKind::Reno, RecoveryKind::Sack];
/// Recoveries that use the standard growth rule.
pub(super) const ANY_STANDARD: &[RecoveryKind] =
    &[RecoveryKind::NewReno, RecoveryKind::Reno, RecoveryKind::Sack, RecoveryKind::Tahoe];
