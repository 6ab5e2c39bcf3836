//! Floor 5: real kernels over simulated air.
//!
//! Every station is a network namespace with a TUN (layer 3) or TAP (layer 2) device. What its kernel sends
//! enters the simulated network at the station's node, and leaves at its destination, in real time. The
//! simulation knows nothing of that: [`tworay_sim::Live`] is driven from here, event by event, against the
//! monotonic clock ([`session`]).
//!
//! Namespaces have no names and devices are not persistent: both live as long as the process that holds them.
//! Whatever way that ends, nothing is left behind.

mod clock;
mod connections;
mod device;
mod diag;
mod engine;
mod freeze;
mod keeper;
mod lateness;
mod namespace;
mod packet;
mod rights;
pub mod session;

pub use lateness::Lateness;
pub use namespace::{Child, join_namespace};
pub use rights::missing;
pub use session::{Ended, Error, Session, Settings, Status};
