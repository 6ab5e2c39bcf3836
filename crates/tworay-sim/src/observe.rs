//! Observers: what is told of the network while it runs, and who records it.
//!
//! The code that forwards packets reports each [`Fact`] once, through `Common::observe`. Observers read facts
//! and a [`View`] of the network; they return nothing and change nothing that the network reads. Dispatch is
//! static: for a fact that is written out where it happens, the compiler keeps only the observers that read
//! it.

mod animation;
mod capture;
mod counters;
mod delays;
mod fact;
pub(crate) mod loss;
mod medium_log;
mod observers;
mod path_probe;
mod record;
mod root_causes;
mod senders;
mod series;
mod watchers;
mod wire_trace;

pub(crate) use animation::Film;
pub(crate) use capture::{Frames, Layout};
pub(crate) use counters::{ByFrame, NetworkCounters};
pub use fact::WireEvent;
pub(crate) use fact::{After, Awaited, Fact, GaveUp, HopFailure, Obstacle, View, Why, WireLoss};
pub use medium_log::{Content, Emission, MediumLog, Reception};
pub(crate) use observers::Observers;
pub(crate) use path_probe::PathProbe;
pub(crate) use record::Recorder;
pub(crate) use senders::{Resent, SenderLog};
pub(crate) use series::Sample;
pub use wire_trace::WireRecord;
