//! Routing as sans-IO state machines: fixed next hops, AODV (RFC 3561), DSR (RFC 4728), OLSR (RFC 3626).
//!
//! The simulation owns the packets; a [`Router`] receives their handles and pushes [`RoutingAction`]s. For
//! every handle passed to a router, it returns, at once or later, exactly one of [`RoutingAction::Forward`],
//! [`RoutingAction::Deliver`], [`RoutingAction::Consume`] and [`RoutingAction::Drop`].

mod about;
mod action;
pub mod aodv;
mod buffer;
mod config;
mod counters;
pub mod dsr;
mod fixed;
/// The example of docs/guide/add-a-routing-protocol.md.
#[cfg(test)]
#[path = "../../../docs/examples/line.rs"]
mod line;
#[cfg(test)]
mod line_tests;
pub mod olsr;
mod protocol;
mod router;
mod rules;
mod settings;
mod timing;

pub use about::{About, Field, Waiting};
pub use action::{DropReason, RoutingAction, RoutingNote};
pub use aodv::{Aodv, AodvConfig, AodvPaper};
pub use config::RoutingConfig;
pub use counters::{ControlCount, Malformed, RoutingCounters};
pub use dsr::{Dsr, DsrConfig, DsrPaper};
pub use fixed::StaticRoutes;
pub use olsr::{Olsr, OlsrConfig, OlsrPaper, TcRedundancy};
pub use protocol::RoutingProtocol;
pub use router::{Protocol, Router};
pub use rules::{Papers, Rules};
pub use timing::Timing;
