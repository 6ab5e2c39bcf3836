//! Routing as sans-IO state machines: fixed next hops and AODV (RFC 3561).
//!
//! The simulation owns the packets; a [`Router`] gets their handles and pushes [`RoutingAction`]s.
//! Every handle given to a router is answered, at once or later, by exactly one of
//! [`RoutingAction::Forward`], [`RoutingAction::Deliver`], [`RoutingAction::Consume`] and
//! [`RoutingAction::Drop`].

mod action;
pub mod aodv;
mod buffer;
mod config;
mod counters;
mod fixed;
mod router;

pub use action::{DropReason, RoutingAction, RoutingNote};
pub use aodv::{Aodv, AodvConfig, AodvPreset};
pub use config::{ConfigProblem, Protocol, RoutingConfig};
pub use counters::{ControlCount, Malformed, RoutingCounters};
pub use fixed::StaticRoutes;
pub use router::Router;
