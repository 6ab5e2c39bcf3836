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
mod common;
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
pub(crate) mod paced;
pub(crate) mod probing;
mod slots;
pub(crate) mod slow_growth;
pub(crate) mod tack;
pub(crate) mod tcp_ap;
pub(crate) mod tcp_door;
pub(crate) mod tcp_f;
pub(crate) mod vegas_growth;
pub(crate) mod veno;
pub(crate) mod welcome;
pub(crate) mod westwood;
pub(crate) mod westwood_nr;
pub(crate) mod westwood_plus;
mod whole_segments;

pub use hooks::{
    AckEvent, Backoff, CongestionControl, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, PathEvent,
    ProbeEvent, ProbeVerdict, RateSample, RestartEvent, RtoDecision, RtoEvent, RttEvent, Sampling,
    SenderView, SentEvent, UndoEvent, Window,
};
pub use probing::{LossPredictor, PredictorFactory};
pub(crate) use slots::Controls;
pub(crate) use whole_segments::{WholeSegments, least_threshold};

use crate::parts::{
    ControlFactory, Entry, Event, Meaning, Needs, Part, RecoveryKind, Role, Rule, Settings, VariantInfo,
    settings,
};
use common::{
    ANY_RENO, ANY_STANDARD, CHANNEL, CONGESTION, LINK_FAILURE, TRANSIENT, factory, limits, outstanding,
};
use std::sync::Arc;

/// The example of docs/guide/add-a-variant.md.
#[cfg(test)]
#[path = "../../../docs/examples/gentle.rs"]
pub(crate) mod gentle;
#[cfg(test)]
mod tests;
